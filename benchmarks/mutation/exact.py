"""False kills, power and calls, exactly by dynamic programming; Clastogen's by simulation through its own functions.

A mutant is decided by its test's trials under it against those without it, of which the committed baseline has 50. It
is killed where the pass rate fell. A false kill is a mutant that changes nothing and is called killed.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.stats.beside import Clastogen
from benchmarks.stats.line import ALPHA, DROP, RATES, Line, by_rate
from gate.compare.asks import ask_of
from gate.schema.report import Case, Kind, Session, Trials
from gate.settings import Settings
from gate.stats.design import Design, Question, design_for
from gate.stats.operating import family_false_alarm, operating
from gate.stats.two_arms import LINE, Caches, TwoArms, two_arm_false_alarm, two_arm_operating

N0, CAP, FEW, MANY = 50, 60, 12, 60
RATE = 0.90
FALSE_KILLS, POWER, POWER_OF_BOTH = 0.05, 0.80, 0.90
OF_CALLS = {"survives": 0.65, "killed": 0.40}
WITHOUT = 10
"""Trials of a test that are made first where no baseline has any, as many as Clastogen makes in each run."""


def first_look() -> float:
    """Power that the gate asks of the first look at a mutant whose marker says .90, before both arms confirm it."""
    asked = Trials((Session("s", "1" * N0),), asked={"power": "0.9"})
    case = Case(id="mutant:a:P#0", kind=Kind.MUTANT, stochastic=True, trials=asked)
    found = ask_of(case, Settings(), ALPHA / FEW, line=LINE)
    if found is None:
        raise ValueError("a killed mutant of the baseline is asked about")
    return found.power


def pairs() -> list[tuple[float, float]]:
    """The true rates, without and under the mutant, that Clastogen is simulated at."""
    high = [rate for rate in RATES if rate >= RATE]
    return [(rate, now) for rate in high for now in (rate, round(rate - DROP, 6), 0.0)]


def lines(clastogen: Clastogen, runs: int) -> Iterator[Line]:
    """Ours is exact; Clastogen's is simulated `runs` times for each pair of true rates."""
    clastogen.simulate(pairs(), runs)
    designs = {cases: design_for(Question(N0, CAP, ALPHA / cases), {}) for cases in (FEW, MANY)}
    yield _false_kills(designs, clastogen)
    yield from _power(designs, clastogen)
    yield from _calls(designs[FEW], clastogen)


def _false_kills(designs: dict[int, Design], clastogen: Clastogen) -> Line:
    ours = {f"{cases} mutants": family_false_alarm(one, RATE, cases) for cases, one in designs.items()}
    worst = {
        f"{cases} mutants, worst rate": max(family_false_alarm(one, rate / 200, cases) for rate in range(201))
        for cases, one in designs.items()
    }
    return Line(
        1,
        f"false kills: chance that any mutant of a run that changes nothing is called killed, tests at {RATE:g}",
        ours | worst,
        FALSE_KILLS,
        max(*ours.values(), *worst.values()) <= FALSE_KILLS,
        {f"{FEW} mutants": _family(clastogen, FEW), f"{MANY} mutants": _family(clastogen, MANY)},
    )


def _family(clastogen: Clastogen, cases: int) -> float | None:
    found = clastogen.family(cases)
    return found.get(f"{RATE:g}") if found else None


def _power(designs: dict[int, Design], clastogen: Clastogen) -> Iterator[Line]:
    now = RATE - DROP
    for cases, one in designs.items():
        found = operating(one, RATE, now).regression
        limit = POWER if cases == FEW else None
        yield Line(
            2,
            f"power: a mutant that takes {DROP:g} of a test's {RATE:g} is killed at least, {cases} mutants",
            found,
            limit,
            limit is None or found >= limit,
            (clastogen.power((RATE,)) or {}).get(f"{RATE:g}"),
        )
    caches = Caches()
    for cases in (FEW, MANY):
        both = TwoArms(N0, cases, ALPHA, CAP, fresh=N0, power=first_look())
        found = two_arm_operating(both, RATE, now, caches).regression
        limit = POWER_OF_BOTH if cases == FEW else None
        yield Line(
            2,
            f"power with two arms: a kill rate that fell by {DROP:g} from {RATE:g} is found at least, {cases} mutants",
            {"power": found, "false alarm": two_arm_false_alarm(both, RATE, caches)},
            limit,
            limit is None or found >= limit,
        )


def _calls(one: Design, clastogen: Clastogen) -> Iterator[Line]:
    """A verdict on one mutant of one test; Clastogen's includes the ten runs that it makes for a baseline each time."""
    without = design_for(Question(WITHOUT, CAP, ALPHA / FEW), {})
    rates = tuple(rate for rate in RATES if rate >= RATE)
    for what, share in OF_CALLS.items():
        drop = 0.0 if what == "survives" else 1.0
        there = clastogen.calls(rates, drop)
        ours = by_rate(rates, [operating(one, rate, max(rate - drop, 0.0)).calls for rate in rates])
        first = [WITHOUT + operating(without, rate, max(rate - drop, 0.0)).calls for rate in rates]
        limits = {rate: share * calls for rate, calls in there.items()} if there else None
        yield Line(
            3,
            f"calls of a verdict on a mutant that {'survives' if drop == 0 else 'is killed'}, at most {share:g} of "
            "Clastogen's, with a committed baseline, by the test's true rate",
            {"with our baseline": ours, "without it": by_rate(rates, first)},
            limits,
            limits is None or all(ours[rate] <= limit for rate, limit in limits.items()),
            there,
        )
