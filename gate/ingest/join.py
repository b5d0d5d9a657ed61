"""One candidate from the reports of several producers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gate.schema.report import Completeness, Report
from gate.schema.stale import Recordings


def join(reports: Sequence[Report], suite: str, reasons: tuple[str, ...] = ()) -> Report:
    """One candidate from those of several producers; it is whole only if each of them is.

    Args:
        reasons: why it is not whole beside what the reports say themselves.
    """
    if not reports:
        return Report(cases=(), suite=suite, completeness=Completeness(reasons=reasons))
    first = reports[0]
    completeness = first.completeness
    others = [report.completeness for report in reports[1:]]
    recordings = [report.recordings for report in reports if report.recordings is not None]
    return replace(
        first,
        suite=suite,
        cases=tuple(case for report in reports for case in report.cases),
        completeness=replace(
            completeness,
            collection_errors=sum((part.collection_errors for part in others), completeness.collection_errors),
            reasons=(*sum((part.reasons for part in others), completeness.reasons), *reasons),
        ),
        fingerprints=_either([report.fingerprints for report in reports]),
        packages=_either([report.packages for report in reports]),
        machine=_either([report.machine for report in reports]),
        judges={case: names for report in reports for case, names in report.judges.items()},
        recordings=sum(recordings, Recordings()) if recordings else None,
    )


def _either(told: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What any of them says; where two say it, the last."""
    return {key: value for each in told for key, value in sorted(each.items())}
