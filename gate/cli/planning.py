"""What `gate plan` computes: the figures of a baseline's stochastic cases, or of figures given by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from gate.compare.asks import ask_of, first_look
from gate.compare.ledger import FEWEST_FOR_SUITE, FOR_SUITE, declares
from gate.compare.spending import ROUNDING
from gate.render.plan_text import Enough, Row, Sheet, Way
from gate.schema.report import Case
from gate.schema.verdict import Budget
from gate.settings import Settings
from gate.stats.arms import arms_for, arms_operating
from gate.stats.design import Question, design_for
from gate.stats.lattice import MOST_TRIALS
from gate.stats.operating import Operating, at, operating, smallest_drop
from gate.stats.plan import MOST_BASELINE, PlanRow, enough_baselines, least_baseline, plan
from gate.stats.pooled import PooledQuestion, pooled_for, pooled_operating
from gate.stats.two_arms import Caches, TwoArms, two_arm_operating
from gate.trials.plan import Ask
from gate.trials.question import question_of

CAPS = (1, 2, 4)
"""Multiples of the most trials of a pull request that are tried where main can't have enough."""
FRESH = 50


@dataclass(frozen=True, slots=True)
class Figures:
    """What is given by hand, in the units of the options."""

    n0: int
    cases: int
    delta: float
    alpha: float
    power: float
    cap: int
    price: float
    rates: tuple[float, ...]

    @property
    def for_suite(self) -> float:
        """What the test over all cases may spend, as in the ledger."""
        return FOR_SUITE * self.alpha if self.cases >= FEWEST_FOR_SUITE else 0.0

    @property
    def for_cases(self) -> float:
        """What the cases may spend together."""
        return self.alpha - self.for_suite


def sheet_by_hand(figures: Figures) -> Sheet:
    """One row for each true rate, averaged over the baseline's noise.

    Raises:
        ValueError: what `gate.stats.plan.plan` refuses.
    """
    caches = Caches()
    found = plan(
        figures.n0,
        figures.cases,
        delta=figures.delta,
        alpha=figures.for_cases,
        power=figures.power,
        cap=figures.cap,
        price=figures.price,
        rates=figures.rates,
        cache=caches.designs,
    )
    return Sheet(
        suite="",
        alpha=figures.alpha,
        for_cases=figures.for_cases,
        for_suite=figures.for_suite,
        for_singles=0.0,
        suites=1,
        cases=figures.cases,
        unmeasured=0,
        price=figures.price,
        refresh=0,
        kept=0,
        confirm=_fresh_words(FRESH),
        rows=tuple(_row_by_hand(figures, row, caches) for row in found.rows),
    )


def sheet_of(cases: Sequence[Case], settings: Settings, budget: Budget) -> Sheet:
    """One row for each kind of stochastic case of a baseline, those with the most cases first."""
    groups: dict[Ask, list[Case]] = {}
    for case in cases:
        ask = ask_of(case, settings, budget.share)
        if ask is not None:
            groups.setdefault(ask, []).append(case)
    desk = Desk(settings, budget)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[1][0].id))
    return _sheet(cases, desk, tuple(_row(desk, ask, group) for ask, group in ordered))


def sheet_of_case(cases: Sequence[Case], case: Case, settings: Settings, budget: Budget) -> Sheet:
    """The one row of a case, with what would be enough to the trial, and the bound that no method can beat.

    Raises:
        ValueError: it has no trials.
    """
    ask = ask_of(case, settings, budget.share)
    if ask is None:
        raise ValueError("a case without trials can't be planned")
    desk, rate = Desk(settings, budget), ask.s0 / ask.n0
    row = _row(desk, ask, [case], to_the_trial=True)
    return _sheet(cases, desk, (replace(row, least=least_baseline(rate, question_of(ask))),))


@dataclass(frozen=True, slots=True)
class Desk:
    """What all rows of a baseline share."""

    settings: Settings
    budget: Budget
    caches: Caches = field(default_factory=Caches)

    @property
    def confirms(self) -> bool:
        """Whether suspects get fresh trials."""
        return self.settings.confirm != "off" and self.settings.confirm_limit > 0


def _sheet(cases: Sequence[Case], desk: Desk, rows: tuple[Row, ...]) -> Sheet:
    settings, budget = desk.settings, desk.budget
    pooled = settings.confirm == "pooled"
    unmeasured = [case for case in cases if declares(case) and (case.trials is None or not case.trials.count)]
    return Sheet(
        suite=settings.suite,
        alpha=budget.alpha,
        for_cases=budget.for_cases,
        for_suite=budget.for_suite,
        for_singles=budget.for_singles,
        suites=budget.suites,
        cases=budget.cases,
        unmeasured=len(unmeasured),
        price=settings.price,
        refresh=settings.baseline_trials,
        kept=settings.baseline_trials * settings.baseline_sessions,
        confirm=_pooled_words(settings.confirm_trials) if pooled else _fresh_words(settings.confirm_trials),
        rows=rows,
    )


def _fresh_words(trials: int) -> str:
    return (
        f"up to {trials} fresh trials of main and {3 * trials} of the pull request for a suspect, if it is the only one"
    )


def _pooled_words(trials: int) -> str:
    return f"{trials} fresh trials of main for a suspect, pooled with the baseline"


def _row(desk: Desk, ask: Ask, cases: Sequence[Case], *, to_the_trial: bool = False) -> Row:
    """One kind of case; what would be enough is found in whole refreshes, which takes a few designs for all kinds."""
    design = design_for(question_of(ask), desk.caches.designs)
    rate = ask.s0 / ask.n0
    unchanged, worse = at(design, ask.s0, rate), at(design, ask.s0, max(rate - ask.delta, 0.0))
    alone = _way(unchanged, worse, ask.power, possible=rate >= ask.delta)
    enough: tuple[Enough, ...] = ()
    if not alone.reached and to_the_trial:
        found = enough_baselines(rate, question_of(ask), desk.caches.designs)
        enough = tuple(Enough(each.n0, each.cap) for each in found)
    elif not alone.reached:
        enough = in_refreshes(desk, ask, rate)
    trials = cases[0].trials
    return Row(
        main=f"{ask.s0}/{ask.n0}",
        cases=len(cases),
        names=tuple(case.id for case in cases),
        trials=ask.n0,
        sessions=len(trials.sessions) if trials is not None else 0,
        rate=rate,
        delta=ask.delta,
        power=ask.power,
        cap=ask.cap,
        share=ask.share,
        min_rate=ask.min_rate,
        alone=alone,
        smallest_drop=smallest_drop(design, ask.s0),
        enough=enough,
        fresh=_confirmed(desk, ask) if desk.confirms else None,
    )


def in_refreshes(desk: Desk, ask: Ask, rate: float) -> tuple[Enough, ...]:
    """The fewest refreshes with which main's trials alone reach the power asked, as one size; empty where none do.

    A larger cap is tried where no baseline of at most 300 trials does. The sizes that are tried are the same for all
    rates, so that designs serve all kinds of cases.
    """
    step = desk.settings.baseline_trials
    for factor in CAPS:
        question = replace(question_of(ask), cap=ask.cap * factor)
        most = (min(MOST_BASELINE, MOST_TRIALS - question.cap) - ask.n0) // step
        if rate < ask.delta or most < 1:
            break
        refreshes = _fewest(desk, question, rate, most, 1 if factor == 1 else 0)
        if refreshes is not None:
            return (Enough(ask.n0 + refreshes * step, question.cap),)
    return ()


def _fewest(desk: Desk, question: Question, rate: float, most: int, least: int) -> int | None:
    """By bisection between so many refreshes: power grows with the baseline but for small steps back."""
    step = desk.settings.baseline_trials

    def reaches(refreshes: int) -> bool:
        design = design_for(replace(question, n0=question.n0 + refreshes * step), desk.caches.designs)
        return operating(design, rate, rate - question.delta).regression >= question.power

    if not reaches(most):
        return None
    low, high = least - 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _confirmed(desk: Desk, ask: Ask) -> Way:
    """A first look at a line of 2 %, and fresh trials for what it does not let go."""
    settings, rate = desk.settings, ask.s0 / ask.n0
    now = max(rate - ask.delta, 0.0)
    screening = question_of(first_look(ask))
    if settings.confirm == "pooled":
        return _pooled(desk, ask, screening)
    both = TwoArms(ask.n0, 1, desk.budget.for_cases, ask.cap, settings.confirm_trials, ask.delta, ask.power)
    design, arms = design_for(screening, desk.caches.designs), arms_for(both.confirmation(1), desk.caches.arms)
    same, dropped = at(design, ask.s0, rate), at(design, ask.s0, now)
    checked_same, checked = arms_operating(arms, rate, rate), arms_operating(arms, rate, now)
    found = (1 - dropped.holds) * checked.regression
    return Way(
        found,
        _reached(found, ask.power, rate >= ask.delta),
        same.calls + (1 - same.holds) * (checked_same.base_calls + checked_same.calls),
        dropped.calls + (1 - dropped.holds) * (checked.base_calls + checked.calls),
        (1 - same.holds) * checked_same.undecided,
    )


def _pooled(desk: Desk, ask: Ask, screening: Question) -> Way:
    """The baseline and fresh trials of main together, averaged over baselines of the rate that main shows."""
    fresh, rate = desk.settings.confirm_trials, ask.s0 / ask.n0
    question = PooledQuestion(screening, fresh, ask.cap + fresh, ask.share)
    pooled = pooled_for(question, desk.caches.pooled, desk.caches.designs)
    same, worse = (pooled_operating(pooled, rate, now) for now in (rate, max(rate - ask.delta, 0.0)))
    return Way(
        worse.regression,
        _reached(worse.regression, ask.power, rate >= ask.delta),
        same.calls + same.base_calls,
        worse.calls + worse.base_calls,
        same.undecided,
    )


def _row_by_hand(figures: Figures, row: PlanRow, caches: Caches) -> Row:
    possible = row.rate >= figures.delta
    return Row(
        main=f"rate {row.rate:g}",
        cases=figures.cases,
        names=(),
        trials=figures.n0,
        sessions=0,
        rate=row.rate,
        delta=figures.delta,
        power=figures.power,
        cap=figures.cap,
        share=figures.for_cases / figures.cases,
        min_rate=None,
        alone=Way(
            row.power,
            _reached(row.power, figures.power, possible),
            row.calls_unchanged,
            row.calls_regression,
            row.undecided,
        ),
        smallest_drop=row.smallest_drop,
        enough=tuple(Enough(each.n0, each.cap) for each in row.enough),
        least=row.least,
        fresh=_confirmed_by_hand(figures, row.rate, caches) if figures.n0 else None,
    )


def _confirmed_by_hand(figures: Figures, rate: float, caches: Caches) -> Way:
    both = TwoArms(figures.n0, 1, figures.for_cases, figures.cap, FRESH, figures.delta, figures.power)
    same = two_arm_operating(both, rate, rate, caches)
    worse = two_arm_operating(both, rate, max(rate - figures.delta, 0.0), caches)
    reached = _reached(worse.regression, figures.power, rate >= figures.delta)
    return Way(worse.regression, reached, same.calls, worse.calls, same.undecided)


def _way(unchanged: Operating, worse: Operating, power: float, *, possible: bool) -> Way:
    reached = _reached(worse.regression, power, possible)
    return Way(worse.regression, reached, unchanged.calls, worse.calls, unchanged.undecided)


def _reached(found: float, power: float, possible: bool) -> bool:
    return possible and found >= power - ROUNDING


def as_json(sheet: Sheet) -> dict[str, object]:
    """A plan as a JSON value: what was asked once, then one object a row; fractions and calls are not rounded."""
    rows = [{**asdict(row), "attainable": row.alone.reached, "more": row.more} for row in sheet.rows]
    return {**asdict(sheet), "rows": rows}
