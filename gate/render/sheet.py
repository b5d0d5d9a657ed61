"""A view as Markdown: the same document for the comment, the step summary and the page, under a budget of detail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gate.render import details
from gate.render.budget import Budget
from gate.render.form import Form
from gate.render.grouping import Row
from gate.render.provenance import links
from gate.render.spans import Line, as_markdown, bold, code, own
from gate.render.view import View, undecided_line
from gate.render.words import ids, listed, plural
from gate.schema.verdict import Level


@dataclass(frozen=True, slots=True)
class Shown:
    """The parts of a view that a budget lets through."""

    table: tuple[Row, ...]
    notes: tuple[Row, ...]


def document(view: View, budget: Budget, form: Form) -> str:
    """The whole document without a marker, one trailing newline less."""
    shown = within(view, budget)
    parts = [
        f"{form.heading} {view.status.symbol} {as_markdown(view.title, budget.words)}",
        "\n".join(_broken(as_markdown(each, budget.words)) for each in view.lead),
        table(shown.table, budget, view.headings),
        *details.folded(view, shown.table, shown.notes, budget, form),
        undecided(view, budget),
        "\n".join(_broken(f"**Note:** {_sentence(each, budget)}") for each in view.notices[: budget.notices]),
        "\n".join(_broken(as_markdown(each, budget.words)) for each in view.outcome),
        left_out(view, shown, budget),
        f"<sub>{foot(view, budget)}</sub>",
    ]
    return "\n\n".join(part.removesuffix("  ") for part in parts if part)


def _broken(text: str) -> str:
    """GitHub breaks lines of a comment where the source does, a page only after two spaces."""
    return f"{text}  "


def _sentence(words: str, budget: Budget) -> str:
    from gate.render import escape

    return escape.markdown(words, 2 * budget.words)


def table(rows: Sequence[Row], budget: Budget, headings: tuple[str, str]) -> str:
    """The one table over all kinds; empty without rows. Its first header is as wide as ids are, so none breaks."""
    if not rows:
        return ""
    what, why = headings
    lines = [f"| Finding | {what} | main | here | {why} |", "|---|---|---|---|---|"]
    for row in rows:
        label = ids(row.ids) + (" ⚠️" if not row.fails else "")
        cells = [label, *(as_markdown(each, budget.words) for each in (row.what, row.before, row.after, row.why))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def within(view: View, budget: Budget) -> Shown:
    """The rows that a budget lets through."""
    errors = [row for row in view.table if row.level is Level.ERROR]
    warnings = [row for row in view.table if row.level is not Level.ERROR][: budget.warnings]
    return Shown(tuple([*errors, *warnings][: budget.rows]), view.notes[: budget.notes])


def undecided(view: View, budget: Budget) -> str:
    """The line of what stays undecided; empty without any."""
    if not view.undecided:
        return ""
    return f"❔ {as_markdown(undecided_line(view.undecided, budget.named), budget.words)}"


def left_out(view: View, shown: Shown, budget: Budget) -> str:
    """What the budget does not let through, and where it is; empty when all is shown."""
    parts: list[str] = []
    rows = {id(row) for row in shown.table}
    hidden = [row for row in view.table if id(row) not in rows]
    for label, kept in (
        ("finding", [row for row in hidden if row.level is Level.ERROR]),
        ("warning", [row for row in hidden if row.level is not Level.ERROR]),
        ("note", list(view.notes[len(shown.notes) :])),
    ):
        count = sum(len(row.findings) for row in kept)
        parts += [plural(count, label)] if count else []
    parts += details.left_out(view, shown.table, budget)
    if len(view.notices) > budget.notices:
        parts.append(plural(len(view.notices) - budget.notices, "further note"))
    if not parts:
        return ""
    where = ["`gate show ID`"] + [f"[{label}]({url})" for label, url in links(view.verdict)]
    return f"**Left out to stay readable:** {listed(parts)}. The rest is in {' and in '.join(where)}."


def foot(view: View, budget: Budget) -> str:
    """Provenance on one line."""
    pieces = [as_markdown(piece, min(budget.words, 80)) for piece in view.foot]
    pieces += [f"[{label}]({url})" for label, url in links(view.verdict)]
    return " · ".join(pieces)


def shortest(view: View, form: Form) -> str:
    """The headline and where the rest is, when nothing else fits."""
    title = replace(view, title=view.title[:1]).title
    line: Line = (bold("Left out to stay readable:"), own(" everything else. See "), code("gate show"), own("."))
    return f"{form.heading} {view.status.symbol} {as_markdown(title, 60)}\n\n{as_markdown(line, 60)}"
