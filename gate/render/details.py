"""The folded parts: members of groups, examples that flipped, evidence, notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from gate.render import agent_section, changed, escape
from gate.render.budget import Budget
from gate.render.curve import Draw, curve_of
from gate.render.form import Form
from gate.render.grouping import Row, message_of
from gate.render.spans import as_markdown
from gate.render.statistics import cases_of, decision_table, told
from gate.render.view import View, options
from gate.render.words import ids, plural, score
from gate.schema.evidence import Block, BlockKind
from gate.schema.untrusted import MOST
from gate.schema.verdict import Finding

MOST_CELLS = 12
MOST_ROWS = 40


def folded(view: View, table: Sequence[Row], notes: Sequence[Row], budget: Budget, form: Form) -> Iterator[str]:
    """Each folded part as one Markdown block. Summaries hold our words only: GitHub links mentions in them."""
    opening, draw, axes = form.details, form.draw, form.axes
    for row in table:
        if len(row.findings) > 1 and budget.members:
            title = f"{ids(row.ids)}: {plural(len(row.findings), 'finding')}"
            yield _fold(opening, title, _members(row.findings, budget))
    shown = {finding.id for row in (*table, *notes) for finding in row.findings}
    with_examples = [finding for finding in view.with_examples if finding.id in shown]
    if with_examples and budget.examples:
        body = _examples(with_examples, budget) + _further(with_examples, budget, options(view.verdict.provenance))
        yield _fold(opening, _examples_title(with_examples, budget), body)
    if budget.blocks:
        for alike in _with_same_evidence([each for each in view.with_evidence if each.id in shown][: budget.evidence]):
            blocks = [evidence(block, budget, draw) for block in alike[0].evidence[: budget.blocks]]
            yield _fold(opening, f"{ids([each.id for each in alike])}: evidence", "\n\n".join(blocks))
    if view.verdict.scores and budget.members:
        body = agent_section.section(view.verdict, budget.members)
        yield _fold(opening, agent_section.headline(view.verdict), f"{axes(view.verdict.scores)}\n\n{body}".strip())
    decisions = told(view.verdict.decisions)
    if decisions and budget.members:
        title = cases_of(decisions, "stochastic test")
        yield _fold(opening, title, decision_table(decisions, budget.members))
    if view.verdict.fingerprints_changed and budget.members:
        yield _fold(opening, *changed.section(view.verdict, budget.members, budget.words))
    if notes:
        count = sum(len(row.findings) for row in notes)
        yield _fold(opening, plural(count, "note"), _notes(notes, budget))


def left_out(view: View, table: Sequence[Row], budget: Budget) -> list[str]:
    """What the budget keeps back of the folded parts."""
    parts: list[str] = []
    kept = 0 if not budget.blocks else budget.evidence
    evidence_hidden = len(view.with_evidence[kept:])
    partly = sum(len(each.evidence) > budget.blocks for each in view.with_evidence[:kept])
    if evidence_hidden + partly:
        parts.append(f"evidence of {plural(evidence_hidden + partly, 'finding')}")
    examples = 0 if budget.examples else sum(len(each.examples) for each in view.with_examples)
    parts += [plural(examples, "example")] if examples else []
    groups = [row for row in table if len(row.findings) > 1]
    decided = len(told(view.verdict.decisions))
    parts += [f"{plural(decided, 'row')} of stochastic tests"] if decided and not budget.members else []
    parts += ["scores of the agent"] if view.verdict.scores and not budget.members else []
    members = sum(max(len(row.findings) - budget.members, 0) for row in groups)
    parts += [f"{plural(members, 'id')} of groups"] if members else []
    return parts


def _fold(opening: str, summary: str, body: str) -> str:
    return f"{opening}<summary>{summary}</summary>\n\n{body}\n\n</details>"


def _members(findings: Sequence[Finding], budget: Budget) -> str:
    lines = []
    told_once = len({finding.why for finding in findings}) == 1
    for finding in findings[: budget.members]:
        message = "" if told_once else message_of(finding)
        said = f": {escape.code(message, budget.words)}" if message else ""
        lines.append(f"- {finding.id} {escape.code(finding.subject, budget.words)}{said}")
    more = len(findings) - budget.members
    return "\n".join([*lines, *([f"- and {more:,} more"] if more > 0 else [])])


def _examples_title(findings: Sequence[Finding], budget: Budget) -> str:
    shown = sum(min(len(finding.examples), budget.examples) for finding in findings)
    total = sum(_all(finding) for finding in findings)
    count = plural(total, "example") if shown >= total else f"the worst {shown:,} of {plural(total, 'example')}"
    return f"{ids([finding.id for finding in findings])}: {count}, values hidden"


def _examples(findings: Sequence[Finding], budget: Budget) -> str:
    several = len(findings) > 1
    lines = ["| finding | id | flip | moved | score |" if several else "| id | flip | moved | score |"]
    lines.append("|---" * (5 if several else 4) + "|")
    for finding in findings:
        for each in finding.examples[: budget.examples]:
            flip = f"{escape.cell(each.before, 40)} → {escape.cell(each.after, 40)}"
            moved = escape.cell(each.moved, budget.words)
            cells = [escape.code(each.id, 40), flip, moved, scores(each.score_before, each.score_after)]
            lines.append(f"| {' | '.join([finding.id, *cells] if several else cells)} |")
    return "\n".join(lines)


def _all(finding: Finding) -> int:
    """How many examples a finding is about, of which it holds the worst."""
    return int(min(max(finding.amount, len(finding.examples)), MOST))


def _further(findings: Sequence[Finding], budget: Budget, where: str) -> str:
    """How many examples are left, and which command lists them."""
    more = [finding for finding in findings if len(finding.examples) > budget.examples]
    hidden = sum(len(finding.examples) - budget.examples for finding in more)
    beyond = sum(_all(finding) - len(finding.examples) for finding in findings)
    parts = [f"{hidden:,} more: `gate show {' '.join(finding.id for finding in more)}{where}`"] if hidden else []
    parts += [f"{beyond:,} more in the report"] if beyond else []
    return f"\n\n{', and '.join(parts)}." if parts else ""


def scores(before: float | None, after: float | None) -> str:
    """`.61 → .38`; a dash where neither is known."""
    return "–" if before is None and after is None else f"{score(before)} → {score(after)}"


def _with_same_evidence(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings by what they show, such as the points of one curve, so that it is shown once; in their order."""
    first = {finding.evidence: place for place, finding in reversed(list(enumerate(findings)))}
    ordered = sorted(findings, key=lambda each: first[each.evidence])
    return [list(group) for _, group in groupby(ordered, key=lambda each: each.evidence)]


def evidence(block: Block, budget: Budget, draw: Draw) -> str:
    """One block of evidence as Markdown; its title is foreign."""
    title = f"**{shown}**" if (shown := escape.markdown(block.title, budget.words)) else ""
    if block.kind in (BlockKind.TABLE, BlockKind.CURVE):
        curve = curve_of(block)
        drawn = f"{draw(curve)}\n\n" if curve is not None else ""
        body = drawn + _evidence_table(block, budget)
    else:
        language = {BlockKind.DIFF: "diff", BlockKind.COMMAND: "sh"}.get(block.kind, "text")
        body = escape.fenced(block.body, language, budget.block_characters)
    return f"{title}\n\n{body}" if title else body


def _evidence_table(block: Block, budget: Budget) -> str:
    wide = max((len(row) for row in (block.header, *block.rows)), default=0)
    width = min(wide, MOST_CELLS)
    if not width:
        return "(empty)"
    header = [escape.cell(name, 60) for name in block.header[:width]]
    lines = [_row(header, width), "|---" * width + "|"]
    lines += [
        _row([escape.cell(value, budget.words) for value in row[:width]], width) for row in block.rows[:MOST_ROWS]
    ]
    more = len(block.rows) - MOST_ROWS
    hidden = [f"{plural(more, 'more row')}"] if more > 0 else []
    hidden += [f"{plural(wide - width, 'more column')}"] if wide > width else []
    return "\n".join(lines) + (f"\n\nand {', '.join(hidden)}" if hidden else "")


def _row(cells: Sequence[str], width: int) -> str:
    return f"| {' | '.join([*cells, *['–'] * (width - len(cells))])} |"


def _notes(notes: Sequence[Row], budget: Budget) -> str:
    lines = ["| Finding | What changed | main | here | Why |", "|---|---|---|---|---|"]
    for row in notes:
        cells = [as_markdown(each, budget.words) for each in (row.what, row.before, row.after, row.why)]
        lines.append(f"| {' | '.join([ids(row.ids), *cells])} |")
    return "\n".join(lines)
