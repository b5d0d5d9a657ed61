"""The candidate that is judged: the suite's own report with those of the other producers that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gate.errors import UndecidedError
from gate.ingest import read_report
from gate.ingest.completeness import ENDINGS
from gate.ingest.join import join
from gate.record.endings import as_ended
from gate.schema.report import Report
from gate.settings import Settings


def joined_candidate(
    settings: Settings, own: bytes | None, reason: str, exit_code: int | None, read: Callable[[str], bytes]
) -> Report:
    """The joined candidate; what can't be read becomes a reason why the run is not whole, never a pass.

    Args:
        own: the suite's report, or None for the reason why there is none.
        exit_code: of the suite's process, see `as_ended`.
        read: gives the report of another producer by the name in the settings.
    """
    limit = settings.max_report_bytes
    reports: list[Report] = []
    reasons: list[str] = [] if own is not None else [reason]
    first = [] if own is None else [(settings.report or "candidate", own)]
    for name, data in (*first, *((name, None) for name in settings.reports)):
        try:
            report = read_report(read(name) if data is None else data, name, limit=limit)
            reports.append(report if data is None else _own(as_ended(report, exit_code), settings))
        except UndecidedError as error:
            reasons.append(why(error, name))
    return join(reports, settings.suite, tuple(reasons))


def _own(report: Report, settings: Settings) -> Report:
    """The suite's own report; where there is no suite but only other producers, it says how to name one of these."""
    if not settings.reports or settings.report:
        return report
    hint = f"{ENDINGS[5]}; where there is no suite of pytest, set `report` in place of `reports`"
    reasons = tuple(hint if reason == ENDINGS[5] else reason for reason in report.completeness.reasons)
    return replace(report, completeness=replace(report.completeness, reasons=reasons))


def why(error: UndecidedError, name: str) -> str:
    """What is wrong with a report, by the name that the settings give it: the machine's own path helps nobody."""
    where = error.where if error.where.startswith(name) else name
    return f"{where}: {error.message}" + (f"; {error.remedy}" if error.remedy else "")
