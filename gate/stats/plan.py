"""Planning: what a baseline of a given size can show, what it costs, and how many trials would be enough.

Every figure is exact, for designs of one arm (`design`) with each case at alpha/M. Costs are calls times the price of
one call, in the price's own unit.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, replace

import numpy as np

from gate.stats.design import Design, Question, design_for
from gate.stats.lattice import MOST_TRIALS, binomial
from gate.stats.operating import Operating, at, operating, smallest_drop, smallest_drop_from

RATES = (1.0, 0.95, 0.90, 0.75)
MOST_BASELINE = 300
_CAPS = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class Enough:
    """A baseline of n0 trials that reaches the power asked with at most `cap` trials of the candidate."""

    n0: int
    cap: int


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What can be had for a case of one true rate.

    Attributes:
        rate: the case's true rate on main, or its observed one where the baseline is known.
        power: chance to find a drop of delta.
        attainable: whether that is the power asked, or more.
        smallest_drop: the smallest drop that is found with the power asked, to a thousandth; None: none is.
        calls_unchanged, calls_regression: expected trials of the case, unchanged and with a drop of delta.
        undecided: chance that the unchanged case ends undecided.
        enough: the smallest baselines that reach the power asked, see `enough_baselines`; empty when 300 trials don't.
        more: trials that main lacks for the first of them; 0 where it is attainable, None where nothing is enough.
        least: below this baseline no method whatever reaches the power asked, however many trials the candidate gets;
            None when it is more than 300.
    """

    rate: float
    power: float
    attainable: bool
    smallest_drop: float | None
    calls_unchanged: float
    calls_regression: float
    undecided: float
    enough: tuple[Enough, ...]
    more: int | None
    least: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Rows for a suite of `cases` alike.

    Attributes:
        question: the design's question; its share is alpha / cases.
        cases: M.
        price: of one call.
        rows: one a rate.
    """

    question: Question
    cases: int
    price: float
    rows: tuple[PlanRow, ...]

    @property
    def attainable(self) -> bool:
        """Whether the power asked is reached at every rate."""
        return all(row.attainable for row in self.rows)

    def calls(self, row: PlanRow, regressed: int = 0) -> float:
        """Expected trials of a pull request in which so many of the cases dropped by delta."""
        return (self.cases - regressed) * row.calls_unchanged + regressed * row.calls_regression

    def cost(self, row: PlanRow, regressed: int = 0) -> float:
        """What those trials cost."""
        return self.price * self.calls(row, regressed)


def plan(  # noqa: PLR0913  the question, the suite and the price
    n0: int,
    cases: int,
    *,
    delta: float = 0.30,
    alpha: float = 0.05,
    power: float = 0.90,
    cap: int = 60,
    price: float = 0.0,
    rates: tuple[float, ...] = RATES,
    cache: MutableMapping[Question, Design],
) -> Plan:
    """What a baseline of n0 trials a case can show, averaged over its own noise.

    Args:
        n0: trials of each case on main.
        cases: M, the stochastic cases of the whole baseline.
        delta: the drop that matters, as a fraction.
        alpha: chance that an unchanged pull request is failed, over all cases.
        power: chance with which a drop of delta is to be found.
        cap: most trials of a case in a pull request.
        price: of one call.
        rates: true rates to plan for, one row each.
        cache: designs.

    Raises:
        ValueError: cases below 1, a negative price, a rate outside [0, 1], or what `Question` refuses.
    """
    question = _question(n0, cases, delta, alpha, power, cap, price)
    return Plan(question, cases, price, tuple(_row(question, rate, None, cache) for rate in rates))


def plan_case(  # noqa: PLR0913
    s0: int,
    n0: int,
    cases: int,
    *,
    delta: float = 0.30,
    alpha: float = 0.05,
    power: float = 0.90,
    cap: int = 60,
    price: float = 0.0,
    cache: MutableMapping[Question, Design],
) -> Plan:
    """`plan` for a known baseline, s0 passes of n0: one row at the rate s0/n0, with calls and power given this s0.

    What would be enough is averaged over baselines of that rate.

    Raises:
        ValueError: as `plan`; also n0 = 0, or s0 outside 0 to n0.
    """
    question = _question(n0, cases, delta, alpha, power, cap, price)
    if not 0 <= s0 <= n0 or not n0:
        raise ValueError(f"no baseline has {s0} passes of {n0} trials to plan with")
    return Plan(question, cases, price, (_row(question, s0 / n0, s0, cache),))


def least_baseline(rate: float, question: Question) -> int | None:
    """The smallest baseline with which any method could reach the power asked; None when it is more than 300.

    Even when the candidate's rate, rate - delta, is known exactly, an unchanged case of that rate must be told from a
    baseline of `rate` by the baseline's passes alone, at the share; no test of that is more powerful than the
    likelihood ratio's (Neyman and Pearson 1933), here with randomisation.
    """
    if rate < question.delta:
        return None
    for n0 in range(MOST_BASELINE + 1):
        unchanged, dropped = binomial(n0, rate - question.delta)[::-1], binomial(n0, rate)[::-1]
        spent = np.cumsum(unchanged)
        whole = int(np.searchsorted(spent, question.share, side="right"))
        left = question.share - (spent[whole - 1] if whole else 0.0)
        part = left / unchanged[whole] * dropped[whole] if whole <= n0 else 0.0
        if dropped[:whole].sum() + part >= question.power:
            return n0
    return None


def enough_baselines(rate: float, question: Question, cache: MutableMapping[Question, Design]) -> tuple[Enough, ...]:
    """The smallest baselines that reach the power asked, at the question's cap, and at twice the cap where smaller.

    Four times the cap is tried where neither does. Found by bisection: the power grows with the baseline but for small
    steps back, so a baseline slightly smaller may do as well; the ones returned do reach it. Empty when no baseline of
    at most 300 trials does.
    """
    least, found = least_baseline(rate, question), list[Enough]()
    for factor in _CAPS:
        cap, most = question.cap * factor, found[-1].n0 - 1 if found else MOST_BASELINE
        if least is None or most < least or cap + most > MOST_TRIALS or (found and factor == _CAPS[-1]):
            break
        n0 = _smallest(rate, replace(question, cap=cap), least, most, cache)
        if n0 is not None:
            found.append(Enough(n0, cap))
    return tuple(found)


def _smallest(
    rate: float, question: Question, least: int, most: int, cache: MutableMapping[Question, Design]
) -> int | None:
    def reaches(n0: int) -> bool:
        design = design_for(replace(question, n0=n0), cache)
        return operating(design, rate, rate - question.delta).regression >= question.power

    if not reaches(most):
        return None
    low, high = least - 1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _question(n0: int, cases: int, delta: float, alpha: float, power: float, cap: int, price: float) -> Question:
    if cases < 1:
        raise ValueError(f"a plan needs at least 1 case, not {cases}")
    if not price >= 0:
        raise ValueError(f"a price is at least 0, not {price}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha lies strictly between 0 and 1, not at {alpha}")
    return Question(n0, cap, alpha / cases, delta, power)


def _row(question: Question, rate: float, s0: int | None, cache: MutableMapping[Question, Design]) -> PlanRow:
    """One row: averaged over baselines of this rate, or for the baseline of s0 passes."""
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate lies between 0 and 1, not at {rate}")
    design = design_for(question, cache)

    def does(now: float) -> Operating:
        return operating(design, rate, now) if s0 is None else at(design, s0, now)

    unchanged, dropped = does(rate), does(max(rate - question.delta, 0.0))
    attainable = rate >= question.delta and dropped.regression >= question.power
    enough = enough_baselines(rate, question, cache)
    missing = max(enough[0].n0 - question.n0, 0) if enough else None
    return PlanRow(
        rate=rate,
        power=dropped.regression,
        attainable=attainable,
        smallest_drop=smallest_drop_from(design, rate) if s0 is None else smallest_drop(design, s0),
        calls_unchanged=unchanged.calls,
        calls_regression=dropped.calls,
        undecided=unchanged.undecided,
        enough=enough,
        more=0 if attainable else missing,
        least=least_baseline(rate, question),
    )
