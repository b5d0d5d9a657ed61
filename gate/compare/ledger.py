"""The one ledger of the false-alarm budget: who may spend which part of alpha, from the base's whole baseline.

Whatever the candidate reports, a shard or a part of the suite included, the number of cases that share the budget is
the baseline's, mutants that main killed among them. The parts add up to alpha, so by Bonferroni's inequality noise
fails an unchanged pull request at most that often.
"""

from __future__ import annotations

from collections.abc import Mapping

from gate.compare.selection import selects
from gate.schema.report import Case, Kind, Report
from gate.schema.verdict import Budget
from gate.settings import Settings

FOR_SUITE = 0.2
"""Part of the cases' budget that the test over all stochastic tests gets: .01 of .05. Mutants have no part in it: that
fewer of them are noticed is another change than that tests pass less often. Nor have probes of an agent, whose
dimensions are tested one by one with a part of their own."""

FEWEST_FOR_SUITE = 2
"""A test over all cases says nothing new where there is one."""


def declares(case: Case) -> bool:
    """Whether a case of the baseline is stochastic: marked so, or its trials vary."""
    return case.stochastic or (case.trials is not None and case.trials.varies)


def is_test(case: Case) -> bool:
    """Whether a case is judged together with all tests: mutants and probes are not, see `FOR_SUITE`."""
    return case.kind not in (Kind.MUTANT, Kind.PROBE)


def single_run(case: Case, settings: Settings) -> bool:
    """Whether a case of the baseline is run once and judged together with others (setting `stochastic`)."""
    return bool(settings.stochastic) and not declares(case) and is_test(case) and selects(settings.stochastic, case)


def _asked(case: Case) -> Mapping[str, str]:
    return case.trials.asked if case.trials is not None else {}


def budget_of(baseline: Report, settings: Settings, *, suites: int = 1, heads: int | None = None) -> Budget:
    """Share alpha out.

    Args:
        suites: how many suites the base has baselines of; each gets the same part.
        heads: how many heads of the pull request were measured.
    """
    alpha = settings.error_budget / max(suites, 1)
    cases = sum(map(declares, baseline.cases))
    singles = any(single_run(case, settings) for case in baseline.cases)
    dimensions = len({case.probe.dimension for case in baseline.cases if case.probe is not None and declares(case)})
    families = (cases > 0) + singles + (dimensions > 0)
    part = alpha / max(families, 1)
    for_cases = part if cases else 0.0
    tests = sum(declares(case) and is_test(case) for case in baseline.cases)
    for_suite = FOR_SUITE * for_cases if tests >= FEWEST_FOR_SUITE else 0.0
    floors = sum(declares(case) and "min_rate" in _asked(case) for case in baseline.cases)
    share = (for_cases - for_suite) / max(cases, 1)
    return Budget(
        for_floors=floors * share / 2,
        alpha=settings.error_budget,
        suites=max(suites, 1),
        cases=cases,
        for_cases=for_cases - for_suite,
        for_suite=for_suite,
        for_singles=part if singles else 0.0,
        dimensions=dimensions,
        for_dimensions=part if dimensions else 0.0,
        delta=settings.delta,
        power=settings.power,
        heads=heads,
    )
