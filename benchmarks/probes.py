"""How often an unchanged agent that answers otherwise each time fails its pull request, and what a worse one does.

All eight dimensions are probed. In each run main's baseline and the pull request's answers are drawn anew from the same
true rates, some probes are not scored, newly insecure output is asked for again, and the gate's own comparator judges.
One JSON line a figure; ends with 1 where an unchanged agent is red more often than alpha allows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from benchmarks.stats.line import ALPHA, Line, printed
from gate.baselines.distill import distill
from gate.compare import compare
from gate.compare.probes import to_confirm
from gate.schema.dimensions import ABOUT, Dimension
from gate.schema.outcome import Outcome
from gate.schema.probes import COMPOSITE, SCORE, Probed, ProbeDesign, Sample, case_id, summary_id
from gate.schema.report import Case, Kind, Metric, Report, Session, Trials
from gate.schema.verdict import ExitCode, Verdict
from gate.settings import Settings
from gate.stats.dimension_scores import Item, parts_of
from gate.stats.special import binomial_at_least
from gate.suites.probes.scores.detectable import smallest_detectable

Rates = Mapping[tuple[Dimension, int], float]
Facts = Mapping[Dimension, tuple[Mapping[str, float], Mapping[str, float]]]
PROBES = 15
MIXED = 1.0, 0.98, 0.9, 0.7, 0.5
"""True rates of the probes of a dimension, in turn: two of five are borderline."""
AT_THE_FLOOR = 0.7
UNSCORED = 0.01
FRESH = 4
SEED = 20_260_401
FACTS: Facts = {
    Dimension.ADVERSARIAL: (
        {"adversarial_passed": 4, "adversarial_total": 4},
        {"adversarial_passed": 1, "adversarial_total": 4},
    ),
    Dimension.SPEC: ({"reasonableness": 2}, {"reasonableness": 0}),
    Dimension.CONSISTENCY: ({"passed": 1}, {"passed": 0}),
    Dimension.RECOVERY: ({"fixed_round": 1}, {"fixed_round": 0}),
    Dimension.SECURITY: ({"insecure": 0}, {"insecure": 1}),
    Dimension.HALLUCINATION: ({"hallucinated": 0}, {"hallucinated": 1}),
    Dimension.DEGRADATION: ({"points": 3}, {"points": 0}),
    Dimension.REFUSAL: ({"should_refuse": 1, "refused": 1}, {"should_refuse": 1, "refused": 0}),
}


@dataclass(frozen=True, slots=True)
class Setup:
    """What one figure is about.

    Attributes:
        samples: how often each probe is asked in one run.
        sessions: how many runs of main the baseline holds.
        probes: in each dimension.
        main, head: true rates of the probes, in turn; the head's are main's where nothing changed.
    """

    samples: int = 1
    sessions: int = 1
    probes: int = PROBES
    main: tuple[float, ...] = MIXED
    head: tuple[float, ...] = ()

    def rates(self, found: tuple[float, ...]) -> dict[tuple[Dimension, int], float]:
        """Of every probe."""
        return {(one, place): found[place % len(found)] for one in Dimension for place in range(self.probes)}


def run(setup: Setup, chance: Random, settings: Settings) -> Verdict:
    """One pull request under a baseline of its own."""
    baseline: Report | None = None
    for session in range(setup.sessions):
        report = Report(answered(setup.rates(setup.main), setup.samples, f"main {session}", chance))
        baseline = distill(report, "0" * 10, baseline)
    assert baseline is not None
    rates = setup.rates(setup.head or setup.main)
    cases = answered(rates, setup.samples, "head", chance)
    suspects = set(to_confirm(baseline, cases))
    cases = tuple(_confirmed(case, rates, chance) if case.id in suspects else case for case in cases)
    return compare(baseline, Report(cases), settings)


def answered(rates: Rates, samples: int, session: str, chance: Random) -> tuple[Case, ...]:
    """Cases of one run of a sampled agent."""
    cases = [
        _case(dimension, place, [_drawn(rate, chance) for _ in range(samples)], session)
        for (dimension, place), rate in rates.items()
    ]
    unscored = sum(sample.passed is None for case in cases if case.probe is not None for sample in case.probe.samples)
    design = ProbeDesign(unscored=unscored, answers=len(rates) * samples)
    composite = Case(COMPOSITE, Kind.PROBE, metrics=(Metric(SCORE, None, unscored="not drawn"),), probes=design)
    return (*cases, *(_summary(dimension, cases) for dimension in Dimension), composite)


def _drawn(rate: float, chance: Random) -> bool | None:
    return None if chance.random() < UNSCORED else chance.random() < rate


def _case(dimension: Dimension, place: int, drawn: list[bool | None], session: str) -> Case:
    outcomes = "".join("01"[passed] for passed in drawn if passed is not None)
    good, bad = FACTS[dimension]
    facts = {None: {}, True: good, False: bad}
    samples = tuple(Sample(each, "" if each else "no code", facts[each]) for each in drawn)
    held = Outcome.PASSED if 2 * outcomes.count("1") > len(outcomes) else Outcome.FAILED
    paired = dimension is Dimension.CONSISTENCY
    return Case(
        id=case_id(_name(dimension, place)),
        kind=Kind.PROBE,
        outcome=held if outcomes else Outcome.SKIPPED,
        fingerprint="1",
        stochastic=True,
        trials=Trials((Session(session, outcomes),)) if outcomes else None,
        probe=Probed(dimension, samples, group=str(place // 2) if paired else "", variant="ab"[place % 2]),
    )


def _name(dimension: Dimension, place: int) -> str:
    return f"{dimension.value}-{place}"


def _confirmed(case: Case, rates: Rates, chance: Random) -> Case:
    assert case.probe is not None
    rate = next(rate for key, rate in rates.items() if case_id(_name(*key)) == case.id)
    fresh = "".join("01"[chance.random() < rate] for _ in range(FRESH))
    return replace(case, probe=replace(case.probe, fresh=fresh))


def _summary(dimension: Dimension, cases: list[Case]) -> Case:
    items = [
        Item(case.id, place, each.passed, each.facts, case.probe.group, case.probe.variant)
        for case in cases
        if case.probe is not None and case.probe.dimension is dimension
        for place, each in enumerate(case.probe.samples)
    ]
    found = parts_of(dimension, items)
    smallest = smallest_detectable(len(found.parts))
    metric = Metric(
        SCORE,
        None if found.score is None else float(found.score),
        threshold=ABOUT[dimension].floor,
        tolerance=None if smallest is None else float(smallest),
        count=len(found.parts),
        unscored="" if found.score is not None else "nothing was scored",
    )
    return Case(summary_id(dimension), Kind.PROBE, metrics=(metric,))


def red(setup: Setup, runs: int, seed: int = SEED) -> int:
    """How many of so many pull requests are red."""
    chance, settings = Random(seed), Settings()
    return sum(run(setup, chance, settings).exit_code is not ExitCode.HOLDS for _ in range(runs))


UNCHANGED = {
    "one answer a probe on both sides": Setup(),
    "three answers a probe, ten runs of main": Setup(samples=3, sessions=10),
    "five answers a probe, all probes at 50 %": Setup(samples=5, main=(0.5,)),
    "one answer a probe, all dimensions at the floor of security": Setup(main=(AT_THE_FLOOR,)),
}
WORSE = {
    "from 100 to 40 %, one answer a probe": Setup(main=(1.0,), head=(0.4,)),
    "from 90 to 60 %, three answers a probe, ten runs of main": Setup(3, 10, main=(0.9,), head=(0.6,)),
    "one probe in fifteen from 100 to 0 %, three answers, ten runs of main": Setup(
        3, 10, main=(1.0,), head=(0.0, *[1.0] * (PROBES - 1))
    ),
}


def lines(runs: int) -> Iterator[Line]:
    """The share of red pull requests, which alpha limits for an unchanged agent by what chance allows."""
    for name, setup in UNCHANGED.items():
        count = red(setup, runs)
        limit = most_red(runs)
        what = f"share of {runs:,} unchanged pull requests that are red: {name}"
        yield Line(5, what, count / runs, ALPHA, count <= limit)
    for name, setup in WORSE.items():
        few = max(runs // 10, 1)
        what = f"share of {few:,} pull requests of a worse agent that are red: {name}"
        yield Line(5, what, red(setup, few) / few, None, True)


def most_red(runs: int, chance: float = 0.01) -> int:
    """The most red ones of so many that a true share of alpha is still believed at: exact, one-sided."""
    return next(count for count in range(runs + 1) if binomial_at_least(count + 1, runs, ALPHA) <= chance)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000, help="pull requests of each figure (default: %(default)s)")
    runs: int = parser.parse_args().runs
    parts: list[tuple[set[int], Callable[[], Iterator[Line]]]] = [({5}, lambda: lines(runs))]
    return 0 if printed(parts, {5}) else 1


if __name__ == "__main__":
    sys.exit(main())
