"""Two reports to one verdict: align the cases, run the rules, judge under the pull request's budget."""

from __future__ import annotations

from gate.compare.accepted import accepted
from gate.compare.align import Alignment, align
from gate.compare.comparison import Comparison
from gate.compare.judge import judge, numbered
from gate.compare.known import Shown, shown
from gate.compare.rejudged import told_of_judges
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
    again: Report | None = None,
    not_again: str = "",
) -> Verdict:
    """The verdict of a candidate under a baseline.

    Args:
        baseline: None when there is none; the verdict is then a welcome that decides nothing (exit code 3).
        changes: what git knows of the pull request.
        fresh: fresh trials of both arms that confirm suspects, see `Comparison`.
        permissions: what may excuse a finding: acceptances of this head, waivers of the base.
        anchor: the baseline as it stood at the anchor, for what was lost since.
        on_base: the latest run of main itself; what it shows too, and no less, does not fail.
        again: main's stored answers, judged by the judges of the candidate; `not_again` says why there are none.
    """
    if baseline is None:
        return _welcome(candidate, settings, changes, provenance)
    alignment = align(baseline, candidate, changes.renames)
    comparison = Comparison(baseline, candidate, alignment, settings, changes, fresh, anchor, on_base)
    excused = None if on_base is None else _excused(baseline, on_base, settings, provenance, anchor)
    return told_of_judges(judge(comparison, provenance, excused, permissions), comparison, again, not_again)


def _excused(
    baseline: Report, on_base: Report, settings: Settings, provenance: Provenance, anchor: Report | None
) -> Shown:
    """What main's own latest run shows."""
    own = Comparison(baseline, on_base, align(baseline, on_base, {}), settings, _NOTHING, anchor=anchor)
    return shown(judge(own, provenance, None).at(Level.ERROR), own)


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
