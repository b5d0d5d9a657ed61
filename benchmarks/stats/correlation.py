"""Item 8: trials of one session are alike, and models drift. What that does with two arms, and without.

The model is the beta-binomial, as in `gate.stats.correlation`: in each session every case draws a pass rate of its
own, a Beta variable with the case's true rate as mean, spread so that two trials of a session have the correlation icc.
The committed baseline has five sessions of ten trials. Everything of the pull request happens in one session more: its
first look, and the fresh trials of both arms. What that session does to a case, it does to both arms alike, so base
and candidate have the same rate there, whatever it is; nothing changed, and whatever is failed is a false alarm. The
model has no further likeness within one arm, such as a service that slows down while only one of them is measured.
A drift lowers the rates of that session, again in both arms alike.

With two arms the test over all cases is part of it: the first trials of every case against its baseline, and where they
fall, five fresh trials of every case on both sides. Two things that only take findings away are left out: that a limit
of suspects sends more of them to their own share, and that cases which fell by themselves must not be all that fell.

Walks are simulated for all cases at once by the tables of the public designs; the first of them are walked again by
`Design.walk` and `Arms.answer`, and must end alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.stats.line import ALPHA, FOR_CASES, Line
from gate.compare import compare
from gate.compare.whole_suite import trials_made
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.settings import Settings
from gate.stats.arms import Arms, arms_for
from gate.stats.design import Design, Question, design_for
from gate.stats.inflation import inflated_false_alarm, points_of_paths
from gate.stats.refusal import TooLittle
from gate.stats.suite_level import FIRST, Stratum, admissible, suite_level
from gate.stats.two_arms import TwoArms, suspect
from gate.trials.plan import Ask

ICC = 0.02
CASES, SESSIONS, SIZE = 12, 5, 10
RATES = (0.95, 0.90, 0.85, 0.80, 0.75)
DRIFT = 0.05
MANY, LARGE, FAR = 60, 200, 0.07
"""Many cases, in which a drift shows best, and a larger one; and very many."""
CHECKED = 300
REPORTS = 200
_NEAR = 1.3
"""Standard errors below the mean from which on a level of .01 is possible."""
WARNS = 0.9
"""Share of reports that must warn, where nothing confirms suspects."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Which walks ended with a regression and which undecided, arrays of one length; the others hold.

    Attributes:
        passed: passes among the first trials, as many as are looked at over the whole suite.
    """

    regression: Any
    undecided: Any
    passed: Any


@dataclass(frozen=True, slots=True)
class Alarms:
    """Shares of unchanged pull requests.

    Attributes:
        cases: failed for a case by itself.
        suspected: where all cases together pass less often than the baseline.
        suite: failed for that, since the base passes more often in the same session too.
        failed: for any of it.
    """

    cases: float
    suspected: float
    suite: float
    failed: float


def lines(runs: int, reports: int = REPORTS) -> Iterator[Line]:
    """With two arms, without, and how often a report without them warns."""
    both = TwoArms(SESSIONS * SIZE, CASES, FOR_CASES)
    alarms = {f"{rate:g}": confirmed(both, rate, ICC, runs) for rate in RATES}
    yield _line("over 12 cases at a session correlation of .02, with two arms at most", alarms, runs)
    alarms = {f"{rate:g}": confirmed(both, rate, 0.0, runs, DRIFT) for rate in RATES}
    yield _line("over 12 cases after a drift of 5 points, with two arms", alarms, runs)
    many, few = TwoArms(SESSIONS * SIZE, MANY, FOR_CASES), max(runs // 4, 1)
    yield _line("over 60 cases after a drift of 7 points", {"0.95": confirmed(many, 0.95, 0.0, few, FAR)}, few)
    yield _power(max(runs // 20, 1))
    alone = design_for(Question(SESSIONS * SIZE, 60, FOR_CASES / CASES), {})
    found = {f"{rate:g}": unconfirmed(alone, rate, ICC, runs) for rate in RATES}
    points = points_of_paths(alone.paths.regression.paths, alone.paths.regression.fails)
    told = {f"{rate:g}": inflated_false_alarm(points, [SIZE] * SESSIONS, ICC, CASES, (rate,)) for rate in RATES}
    agree = all(abs(found[rate] - told[rate]) <= 4 * (told[rate] / runs) ** 0.5 for rate in told)
    worst = inflated_false_alarm(points, [SIZE] * SESSIONS, ICC, CASES)
    yield Line(
        8,
        "the same without: what the report's warning works out (the worst rate counts), and a simulation that agrees",
        {"warning": worst, "by rate": told, "simulated": found},
        {"warning above": ALPHA},
        agree and worst > ALPHA,
    )
    warned = warnings(reports)
    yield Line(
        8,
        f"the same without: share of {reports} reports that warn, each with a baseline of 12 cases of that correlation",
        warned,
        WARNS,
        warned >= WARNS,
    )


def _line(what: str, alarms: dict[str, Alarms], runs: int) -> Line:
    ours = {
        "failed": {rate: each.failed for rate, each in alarms.items()},
        "for the suite": {rate: each.suite for rate, each in alarms.items()},
        "for the suite, without two arms": {rate: each.suspected for rate, each in alarms.items()},
    }
    holds = all(
        each.cases <= FOR_CASES and each.suite <= ALPHA - FOR_CASES and each.failed <= ALPHA for each in alarms.values()
    )
    limit = {"failed": ALPHA, "for the suite": round(ALPHA - FOR_CASES, 6)}
    return Line(8, f"false alarm {what}, {runs:,} runs a rate", ours, limit, holds)


def _power(runs: int) -> Line:
    power: dict[str, dict[str, float]] = {}
    for cases, drop in ((CASES, DRIFT), (MANY, DRIFT), (MANY, FAR), (LARGE, DRIFT)):
        suspected, fell = found_together(TwoArms(SESSIONS * SIZE, cases, FOR_CASES), 0.95, drop, runs)
        power[f"{cases} cases, {100 * drop:.0f} points"] = {"by the baseline": suspected, "confirmed": fell}
    return Line(
        8,
        f"power of the suite test with two arms, all cases at .95 before, {runs:,} runs",
        power,
        {"200 cases, 5 points": 0.8},
        power[f"{LARGE} cases, {100 * DRIFT:.0f} points"]["confirmed"] >= 0.8,
    )


def draw_rates(generator: np.random.Generator, rate: Any, icc: float, shape: tuple[int, ...]) -> Any:
    """Pass rates of a case in sessions: Beta with mean `rate`, and `rate` itself without correlation."""
    if not icc:
        return np.broadcast_to(rate, shape)
    size = 1 / icc - 1
    return generator.beta(np.multiply(rate, size), np.multiply(np.subtract(1, rate), size), shape)


def confirmed(both: TwoArms, rate: float, icc: float, runs: int, drift: float = 0.0) -> Alarms:
    """Unchanged pull requests: a first look, then fresh trials of both arms for suspects, and for all cases together.

    Args:
        drift: by how much the rates of today's session are lower than those of the baseline's.
    """
    generator = np.random.default_rng([8, round(1000 * rate)])
    design = design_for(both.screening, {})
    s0, now = sessions(generator, rate, icc, runs, both.cases)
    now = np.clip(now - drift, 0, 1)
    looks = _looks(both)
    ends, outcomes = walk(design, s0.ravel(), now.ravel(), generator, looks[-1])
    for index, taken in enumerate(outcomes):
        said = suspect(design, int(s0.flat[index]), taken)
        if said != bool(ends.regression[index] or ends.undecided[index]):
            raise AssertionError(f"walk {index} ended otherwise by the design itself")
    suspected, suite = together(s0, ends.passed.reshape(s0.shape), looks, (now, now), generator)
    suspects = (ends.regression | ends.undecided).reshape(s0.shape)
    counts, failed = suspects.sum(axis=1), np.zeros(runs, dtype=bool)
    for count in np.unique(counts[counts > 0]).tolist():
        arms = arms_for(both.confirmation(count), {})
        rows, columns = np.nonzero(suspects & (counts == count)[:, None])
        failed[rows[compare_arms(arms, now[rows, columns], generator)]] = True
    return Alarms(float(failed.mean()), float(suspected.mean()), float(suite.mean()), float((failed | suite).mean()))


def _looks(both: TwoArms) -> tuple[int, ...]:
    """For every baseline, how many first trials any run makes."""
    question, designs = both.screening, dict[Any, Any]()
    share = both.alpha / both.cases
    asks = (Ask(question.n0, passes, both.cap, share, both.delta, both.power) for passes in range(question.n0 + 1))
    return tuple(trials_made(ask, designs) for ask in asks)


def together(
    s0: Any, passed: Any, looks: tuple[int, ...], rates: tuple[Any, Any], generator: np.random.Generator
) -> tuple[Any, Any]:
    """Which runs fall as a whole against the baseline, and which of them against fresh trials of the base as well.

    Args:
        rates: of base and head in today's session.

    The exact level takes a while, so runs whose weighted sum is hardly below its mean are left out beforehand.
    """
    n0, first = len(looks) - 1, looks[-1]
    everything, total = n0 + first, s0 + passed
    rate = (total + 0.5) / (everything + 1)
    variance = first * n0 * total * (everything - total) / (everything**2 * (everything - 1))
    weights = 1 / (rate * (1 - rate))
    below = (weights * (passed - first * total / everything)).sum(axis=1)
    suspected = below < -_NEAR * np.sqrt((weights**2 * variance).sum(axis=1))
    fell = np.zeros(len(s0), dtype=bool)
    for run in np.nonzero(suspected)[0]:
        strata = [Stratum(int(a), n0, int(b), first) for a, b in zip(s0[run], passed[run], strict=True)]
        suspected[run] = _falls([each for each in strata if admissible(each, looks)])
        if suspected[run]:
            base, head = (generator.binomial(FIRST, each[run]) for each in rates)
            fell[run] = _falls([Stratum(int(a), FIRST, int(b), FIRST) for a, b in zip(base, head, strict=True)])
    return suspected, fell


def found_together(both: TwoArms, rate: float, drop: float, runs: int) -> tuple[float, float]:
    """Chance that all cases, each of them down by so much, fall as a whole against the baseline, and confirmed."""
    generator, looks, shape = np.random.default_rng(8888), _looks(both), (runs, both.cases)
    s0, passed = generator.binomial(both.n0, rate, shape), generator.binomial(looks[-1], rate - drop, shape)
    rates = np.full(shape, rate), np.full(shape, rate - drop)
    suspected, fell = together(s0, passed, looks, rates, generator)
    return float(suspected.mean()), float(fell.mean())


def _falls(strata: list[Stratum]) -> bool:
    found = suite_level(strata)
    return not isinstance(found, TooLittle) and found.level <= ALPHA - FOR_CASES


def unconfirmed(design: Design, rate: float, icc: float, runs: int) -> float:
    """The same where each case is decided by its own share alone."""
    generator = np.random.default_rng([88, round(1000 * rate)])
    s0, now = sessions(generator, rate, icc, runs)
    ends, outcomes = walk(design, s0.ravel(), now.ravel(), generator)
    for index, taken in enumerate(outcomes):
        if (design.walk(int(s0.flat[index]), taken).answer == "regression") != bool(ends.regression[index]):
            raise AssertionError(f"walk {index} ended otherwise by the design itself")
    return float(ends.regression.reshape(s0.shape).any(axis=1).mean())


def sessions(generator: np.random.Generator, rate: float, icc: float, runs: int, cases: int = CASES) -> tuple[Any, Any]:
    """Passes of the baseline, and the rate of today's session, both of (runs, cases)."""
    before = draw_rates(generator, rate, icc, (runs, cases, SESSIONS))
    return generator.binomial(SIZE, before).sum(axis=2), np.array(draw_rates(generator, rate, icc, (runs, cases)))


def walk(design: Design, s0: Any, rates: Any, generator: np.random.Generator, first: int = 0) -> tuple[Ends, list[str]]:
    """All walks to their ends, and the whole outcomes of the first ones, for `Design.walk` to check.

    Args:
        first: how many first trials are counted by themselves.
    """
    regression, holds = np.array(design.regression), np.array(design.holds)
    cap, patient = design.question.cap, design.question.patient
    fails, alive = np.zeros(len(s0), dtype=int), np.ones(len(s0), dtype=bool)
    ends = Ends(np.zeros(len(s0), dtype=bool), np.zeros(len(s0), dtype=bool), np.zeros(len(s0), dtype=int))
    outcomes = ["" for _ in range(min(CHECKED, len(s0)))]
    for n in range(cap + 1):
        if n:
            passed = generator.random(len(s0)) < rates
            fails += ~passed
            ends.passed[:] += passed if n <= first else 0
            outcomes = [text + "01"[int(hit)] for text, hit in zip(outcomes, passed, strict=False)]
        found = alive & (fails >= regression[s0, n])
        held = alive & ~found & (fails <= holds[s0, n])
        lost = fails + cap - n < regression[s0, -1]
        if patient:
            lost &= fails > holds[s0, -1]
        lost &= alive & ~found & ~held
        ends.regression[found], ends.undecided[lost] = True, True
        alive &= ~(found | held | lost)
    return ends, outcomes


def compare_arms(arms: Arms, rates: Any, generator: np.random.Generator) -> Any:
    """Which comparisons of two arms that have the same rate say regression."""
    question = arms.question
    regression, holds = np.array(arms.regression), np.array(arms.holds)
    base, now = np.zeros(len(rates), dtype=int), np.zeros(len(rates), dtype=int)
    alive, failed = np.ones(len(rates), dtype=bool), np.zeros(len(rates), dtype=bool)
    for block in range(1, question.fresh + 1):
        base += generator.random(len(rates)) < rates
        now += generator.binomial(question.ratio, rates)
        found = alive & (now <= regression[block, base])
        held = alive & ~found & (now >= holds[block, base])
        for index in np.nonzero(alive)[0][:CHECKED]:
            passed, trials = int(base[index]), block * question.ratio
            said = arms.answer(passed, block - passed, int(now[index]), trials - int(now[index]))
            if (said == "regression", said == "holds") != (found[index], held[index]):
                raise AssertionError(f"a comparison ended otherwise by the arms themselves: {said}")
        failed |= found
        alive &= ~(found | held)
    return failed


def warnings(reports: int) -> float:
    """Share of reports that warn, by the public comparison, with a baseline that has the correlation."""
    generator, settings = np.random.default_rng(888), Settings(confirm="off")
    rates = np.resize(RATES, CASES)[:, None]
    warned = 0
    for _ in range(reports):
        drawn = draw_rates(generator, rates, ICC, (CASES, SESSIONS + 1))
        tables = generator.random((CASES, SESSIONS + 1, 60)) < drawn[:, :, None]
        before = [_case(number, tables[number, :SESSIONS, :SIZE]) for number in range(CASES)]
        after = [_case(number, tables[number, SESSIONS:], fixed=False) for number in range(CASES)]
        verdict = compare(Report(cases=tuple(before)), Report(cases=tuple(after)), settings)
        warned += verdict.budget.inflated is not None
    return warned / reports


def _case(number: int, table: Any, *, fixed: bool = True) -> Case:
    texts = ["".join("01"[int(hit)] for hit in line) for line in table]
    trials = Trials(tuple(Session(f"s{place}", text, fixed) for place, text in enumerate(texts)))
    return Case(f"t.py::test_{number}", outcome=Outcome.PASSED, stochastic=True, trials=trials)
