"""Two reports to one verdict: align the cases, run the rules, judge under the pull request's budget."""

from __future__ import annotations

from dataclasses import replace

from gate.compare.align import Alignment, align
from gate.compare.comparison import Comparison
from gate.compare.judge import judge, measured
from gate.compare.rules import incomplete_run
from gate.schema.changes import Changes
from gate.schema.report import Report
from gate.schema.verdict import ExitCode, Level, Provenance, RuleName, Verdict
from gate.settings import Settings

_NOTHING = Changes()
_NOWHERE = Provenance()


def compare(
    baseline: Report | None,
    candidate: Report,
    settings: Settings,
    *,
    changes: Changes = _NOTHING,
    provenance: Provenance = _NOWHERE,
    on_base: Report | None = None,
) -> Verdict:
    """The verdict of a candidate under a baseline.

    Args:
        baseline: None when there is none; the verdict is then a welcome that decides nothing (exit code 3).
        changes: what git knows of the pull request.
        on_base: the latest run of main itself; what it shows too does not fail.
    """
    if baseline is None:
        return _welcome(candidate, settings, changes, provenance)
    comparison = Comparison(baseline, candidate, align(baseline, candidate, changes.renames), settings, changes)
    known: frozenset[tuple[RuleName, str]] = frozenset()
    if on_base is not None:
        own = Comparison(baseline, on_base, align(baseline, on_base, {}), settings, _NOTHING)
        shown = judge(own, provenance, frozenset()).at(Level.ERROR)
        known = frozenset((finding.rule, finding.case_id) for finding in shown)
    return judge(comparison, provenance, known)


def _welcome(candidate: Report, settings: Settings, changes: Changes, provenance: Provenance) -> Verdict:
    empty = Report(cases=())
    comparison = Comparison(empty, candidate, Alignment((), (), ()), settings, changes)
    findings = tuple(incomplete_run.check(comparison, incomplete_run.RULE))
    varying = tuple(sorted(case.id for case in candidate.cases if case.trials is not None and case.trials.varies))
    return Verdict(
        findings=tuple(replace(each, id=f"F{place}") for place, each in enumerate(findings, start=1)),
        exit_code=ExitCode.HOLDS if settings.observe else ExitCode.UNDECIDED,
        would_exit=ExitCode.UNDECIDED,
        observe=settings.observe,
        welcome=True,
        provenance=provenance,
        alpha=settings.alpha,
        varying=varying,
        measured=measured(candidate),
    )
