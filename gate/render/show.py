"""One finding with everything that is known of it, for a terminal."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from gate.errors import UsageError
from gate.render.annotate import message
from gate.render.details import scores
from gate.render.escape import block as escape_block
from gate.render.escape import terminal as escape
from gate.render.terminal_table import BOLD, DIM, RED, YELLOW, styled
from gate.render.verdict_json import verdict_from_json
from gate.render.width import pad, width
from gate.render.words import plural
from gate.schema.acceptance import Acceptance, Permission
from gate.schema.evidence import Block, BlockKind
from gate.schema.rejudged import TOLD
from gate.schema.verdict import Finding, Level, Verdict

_NOBODY: Mapping[str, str] = {}
_COLOURS = {Level.ERROR: RED, Level.WARNING: YELLOW}


def show(verdict: Verdict | str, finding_id: str, *, names: Mapping[str, str] = _NOBODY, colour: bool = False) -> str:
    """Everything of one finding, without a trailing newline.

    Args:
        verdict: a verdict, or the text that `verdict_json` made of one.
        finding_id: `F3`; case does not matter.
        names: keyed id to the suite's own id, from local data.

    Raises:
        UsageError: the verdict has no such finding, or is none.
    """
    source = verdict_from_json(verdict) if isinstance(verdict, str) else verdict
    finding = _found(source, finding_id)
    style = f"{BOLD};{_COLOURS.get(finding.level, DIM)}"
    lines = [styled(f"{finding.id} {finding.rule.value} ({finding.level.value})", style, colour)]
    lines += [escape(message(finding), 20_000), ""]
    lines += [f"{label:<8}{escape(value, 20_000)}" for label, value in _facts(finding) if value]
    if finding.examples:
        lines += ["", *_examples(finding, names, colour)]
    for each in finding.evidence:
        lines += ["", *_evidence(each, colour)]
    return "\n".join(lines)


def _found(verdict: Verdict, finding_id: str) -> Finding:
    wanted = finding_id.strip().upper()
    for finding in verdict.findings:
        if finding.id.upper() == wanted:
            return finding
    known = [finding.id for finding in verdict.findings]
    close = difflib.get_close_matches(wanted, known[:1_000], n=1)
    if close:
        remedy = f"did you mean {close[0]}?"
    else:
        remedy = f"it has {known[0]} to {known[-1]}" if known else "it has no findings"
    raise UsageError(f"the verdict has no finding {escape(wanted, 40)}", where="verdict", remedy=remedy)


def permission_in_words(given: Permission) -> str:
    """Who permits a finding, up to what, and why."""
    if isinstance(given, Acceptance):
        return f"by {given.who}, up to {given.amount:g}: {given.reason}"
    until = f" until {given.until}" if given.until else ""
    owner = f", owner {given.owner}" if given.owner else ""
    return f"waived on main{until}, up to {given.amount:g}{owner}: {given.reason}"


def _facts(finding: Finding) -> list[tuple[str, str]]:
    place = ""
    if finding.location is not None:
        line = f":{finding.location.line}" if finding.location.line is not None else ""
        place = f"{finding.location.path}{line}"
    amount = f"{finding.amount:,}" + (f" of {finding.total:,}" if finding.total else "")
    return [
        ("case", finding.case_id),
        ("main", finding.before),
        ("here", finding.after),
        ("why", finding.why),
        ("amount", amount),
        ("where", place),
        ("judge", "" if finding.judged is None else TOLD[finding.judged]),
        ("known", "main's own latest run shows it too, so it does not fail" if finding.known_on_base else ""),
        ("accepted", permission_in_words(finding.accepted) if finding.accepted is not None else ""),
        ("again", "" if finding.command.startswith("gate show ") else finding.command),
    ]


def _examples(finding: Finding, names: Mapping[str, str], colour: bool) -> list[str]:
    total = int(max(finding.amount, len(finding.examples)))
    shown = len(finding.examples)
    title = plural(total, "example")
    if shown < total:
        title = f"the worst {shown:,} of {title} ({total - shown:,} more in the report)"
    header = ["id", "flip", "moved", "score"]
    rows = [header]
    for each in finding.examples:
        name = escape(f"{each.id} ({names[each.id]})" if each.id in names else each.id, 200)
        flip = f"{escape(each.before, 60)} → {escape(each.after, 60)}"
        rows.append([name, flip, escape(each.moved, 200), scores(each.score_before, each.score_after)])
    return [styled(title, BOLD, colour), *_columns(rows)]


def _columns(rows: list[list[str]]) -> list[str]:
    count = max((len(row) for row in rows), default=0)
    full = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(width(row[place]) for row in full) for place in range(count)]
    return [
        escape(
            "  " + "  ".join(pad(value, columns) for value, columns in zip(row, widths, strict=True)).rstrip(), 9_999
        )
        for row in full
    ]


def _evidence(block: Block, colour: bool) -> list[str]:
    title = [styled(escape(block.title or block.kind.value), BOLD, colour)]
    if block.kind in (BlockKind.TABLE, BlockKind.CURVE):
        rows = [[escape(value, 200) for value in row] for row in (block.header, *block.rows) if row]
        return [*title, *_columns(rows)]
    return [*title, *(f"  {line}" for line in escape_block(block.body, 200_000).split("\n"))]
