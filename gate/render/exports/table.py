"""A verdict as CSV (RFC 4180): one finding a row. A cell that a sheet would take for a formula is kept from it."""

from __future__ import annotations

import csv
import io

from gate.render.escape import line
from gate.schema.acceptance import Acceptance
from gate.schema.verdict import Finding, Verdict

COLUMNS = (
    "id",
    "rule",
    "level",
    "fails",
    "case",
    "subject",
    "what",
    "main",
    "here",
    "why",
    "amount",
    "file",
    "line",
    "permitted by",
    "command",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
MOST_CHARACTERS = 2_000


def verdict_csv(verdict: Verdict) -> str:
    """The table with its header, lines ended by CR LF but for the last."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for finding in verdict.findings:
        writer.writerow([_cell(value) for value in _row(finding)])
    return out.getvalue().removesuffix("\r\n")


def _row(finding: Finding) -> tuple[str, ...]:
    given = finding.accepted
    by = "" if given is None else given.who if isinstance(given, Acceptance) else f"waiver, {given.owner}"
    return (
        finding.id,
        finding.rule.value,
        finding.level.value,
        "yes" if finding.fails else "no",
        finding.case_id,
        finding.subject,
        finding.what,
        finding.before,
        finding.after,
        finding.why,
        f"{finding.amount:g}",
        finding.location.path if finding.location is not None else "",
        str(finding.location.line or "") if finding.location is not None else "",
        "main's own run" if finding.known_on_base else by,
        finding.command,
    )


def _cell(text: str) -> str:
    """One line; an apostrophe in front tells a sheet that it is text."""
    safe = line(text, MOST_CHARACTERS)
    return f"'{safe}" if safe.startswith(_FORMULA) else safe
