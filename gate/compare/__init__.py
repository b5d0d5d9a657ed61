"""Two reports to one verdict: align the cases, run the rules, judge under the pull request's budget."""

from __future__ import annotations

from gate.compare.accepted import accepted
from gate.compare.align import Alignment, align
from gate.compare.comparison import Comparison
from gate.compare.judge import judge, numbered
from gate.compare.known import shown
from gate.compare.rules import incomplete_run
from gate.compare.tally import measured
from gate.schema.acceptance import Permissions
from gate.schema.changes import Changes
from gate.schema.fresh import Fresh
from gate.schema.report import Report
from gate.schema.verdict import ExitCode, Level, Provenance, Verdict
from gate.settings import Settings

__all__ = ["accepted", "compare", "incomplete_run", "judge", "numbered", "shown"]

_NOTHING = Changes()
_NOWHERE = Provenance()
_NOBODY = Permissions()


def compare(  # noqa: PLR0913  all that a verdict depends on
    baseline: Report | None,
    candidate: Report,
    settings: Settings,
    *,
    changes: Changes = _NOTHING,
    provenance: Provenance = _NOWHERE,
    on_base: Report | None = None,
    fresh: Fresh | None = None,
    permissions: Permissions = _NOBODY,
    anchor: Report | None = None,
) -> Verdict:
    """The verdict of a candidate under a baseline.

    Args:
        baseline: None when there is none; the verdict is then a welcome that decides nothing (exit code 3).
        changes: what git knows of the pull request.
        fresh: fresh trials of both arms that confirm suspects, see `Comparison`.
        permissions: what may excuse a finding: acceptances of this head, waivers of the base.
        anchor: the baseline as it stood at the anchor, for what was lost since.
        on_base: the latest run of main itself; what it shows too, and no less, does not fail.
    """
    if baseline is None:
        return _welcome(candidate, settings, changes, provenance)
    alignment = align(baseline, candidate, changes.renames)
    comparison = Comparison(baseline, candidate, alignment, settings, changes, fresh, anchor, on_base)
    if on_base is None:
        return judge(comparison, provenance, None, permissions)
    own = Comparison(baseline, on_base, align(baseline, on_base, {}), settings, _NOTHING, anchor=anchor)
    excused = shown(judge(own, provenance, None).at(Level.ERROR), own)
    return judge(comparison, provenance, excused, permissions)


def _welcome(candidate: Report, settings: Settings, changes: Changes, provenance: Provenance) -> Verdict:
    comparison = Comparison(Report(cases=()), candidate, Alignment(), settings, changes)
    return Verdict(
        findings=numbered(incomplete_run.of_candidate(comparison, incomplete_run.RULE)),
        exit_code=ExitCode.HOLDS if settings.observe else ExitCode.UNDECIDED,
        would_exit=ExitCode.UNDECIDED,
        observe=settings.observe,
        welcome=True,
        provenance=provenance,
        alpha=settings.error_budget,
        varying=tuple(sorted(case.id for case in candidate.cases if case.trials is not None and case.trials.varies)),
        measured=measured(candidate),
    )
