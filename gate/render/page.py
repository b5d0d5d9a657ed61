"""`report.html`: the view of a verdict and its pictures as one self-contained page that loads and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gate.render import agent_section, details, escape, sheet
from gate.render.budget import PAGE
from gate.render.chart_rates import rates
from gate.render.curve import svg
from gate.render.form import Form
from gate.render.frame import framed
from gate.render.mutation_page import STYLE_OF_MUTANTS
from gate.render.page_calls import calls
from gate.render.page_html import accessible, section
from gate.render.page_mutants import mutants
from gate.render.page_style import STYLE
from gate.render.picture import STYLE as OF_PICTURE
from gate.render.picture import of_both_sides
from gate.render.spans import Line, as_markdown, as_text
from gate.render.statistics import told
from gate.render.trend import Trend
from gate.render.trend_chart import trends
from gate.render.view import TITLE, View, build_view
from gate.schema.report import Report
from gate.schema.verdict import Verdict

_TEXT_TAGS = ("h1", "h2", "h3", "p", "ul", "ol", "li", "code", "pre", "strong", "em", "sub", "a", "br", "hr")
_TABLE_TAGS = ("table", "thead", "tbody", "tr", "th", "td")
_PICTURE = {
    "figure": {"class", "tabindex", "role", "aria-label"},
    "svg": {"class", "viewBox", "role", "aria-label"},
    "polyline": {"class", "points"},
    "polygon": {"class", "points"},
    "line": {"class", "x1", "y1", "x2", "y2"},
    "circle": {"class", "cx", "cy", "r"},
    "title": set(),
    "desc": set(),
    "text": {"class", "text-anchor", "x", "y"},
}
"""What a picture is drawn of: nothing in it loads, links, moves or runs."""
TAGS = frozenset((*_TEXT_TAGS, *_TABLE_TAGS, "details", "summary", *_PICTURE))
ATTRIBUTES = {"a": {"href"}, "code": {"class"}, **_PICTURE}
EXTENSIONS = ("tables", "fenced_code", "sane_lists", "md_in_html")
FORM = Form(heading="#", details='<details markdown="1">', draw=svg, axes=of_both_sides)


def page(verdict: Verdict, *, report: Report | None = None, trend: Trend | None = None) -> str:
    """The whole HTML document, with one trailing newline.

    Args:
        report: the candidate that was judged, for the kill matrix and the calls of each test.
        trend: of the last refreshes; None leaves that part out.
    """
    view = build_view(verdict)
    title = escape.html(f"{view.status.plain} {as_text(view.title, 80)} – {TITLE}")
    parts = [part for part in _parts(view, report, trend) if part[2]]
    before = f"<header>\n{_head(view)}\n</header>\n{_contents(parts)}"
    after = f"<footer>\n{body_of(f'<sub>{sheet.foot(view, PAGE)}</sub>')}\n</footer>"
    body = "\n".join(section(*part) for part in parts)
    return framed(title, body, STYLE + OF_PICTURE + STYLE_OF_MUTANTS, before=before, after=after)


def _head(view: View) -> str:
    """The headline, what changed and what to do next, what a reviewer must see."""
    notices = [f"**Note:** {escape.markdown(each, 2 * PAGE.words)}" for each in view.notices[: PAGE.notices]]
    lines = [f"# {view.status.symbol} {as_markdown(view.title, PAGE.words)}", _lines(view.lead), "  \n".join(notices)]
    return body_of("\n\n".join(line for line in lines if line))


def _lines(lines: tuple[Line, ...]) -> str:
    return "  \n".join(as_markdown(each, PAGE.words) for each in lines)


def _contents(parts: list[tuple[str, str, str]]) -> str:
    items = "".join(f'<li><a href="#{key}">{title}</a></li>' for key, title, _ in parts)
    return f'<nav aria-label="Contents">\n<ul>{items}</ul>\n</nav>' if items else ""


def _parts(view: View, report: Report | None, trend: Trend | None) -> Iterator[tuple[str, str, str]]:
    """Key, heading and body of each part; an empty body is no part."""
    verdict, cases = view.verdict, () if report is None else report.cases
    decisions = told(verdict.decisions)
    yield "findings", "Findings", _findings(view)
    yield "held", "What held", body_of(_lines(view.outcome)) if view.outcome else ""
    yield "agent", "Coding agent", _agent(verdict) if verdict.scores else ""
    yield "rates", "Pass rates", rates(decisions) if decisions else ""
    yield "mutants", "Mutants of prompts", mutants(cases)
    yield "calls", "Calls and costs", calls(verdict, cases)
    yield "trends", "Trends", "" if trend is None else trends(trend)


def _findings(view: View) -> str:
    """The table, then what is folded behind it; scores and rates have parts of their own."""
    shown = sheet.within(view, PAGE)
    bare = replace(view, verdict=replace(view.verdict, scores=(), decisions=()))
    parts = [
        sheet.table(shown.table, PAGE, view.headings),
        *details.folded(bare, shown.table, shown.notes, PAGE, FORM),
        sheet.undecided(view, PAGE),
        sheet.left_out(view, shown, PAGE),
    ]
    return body_of("\n\n".join(part for part in parts if part), "Findings") if any(parts) else ""


def _agent(verdict: Verdict) -> str:
    held = agent_section.headline(verdict).partition(": ")[2]
    text = f"**{held}**\n\n{of_both_sides(verdict.scores)}\n\n"
    return body_of(text + agent_section.section(verdict, PAGE.members), "Coding agent")


def body_of(text: str, title: str = TITLE) -> str:
    """Our own Markdown as HTML; only what is needed for it comes through.

    Args:
        title: what it stands under, the name of a table that has no heading.
    """
    return accessible(_sanitised(_converted(text)), title)


def _converted(text: str) -> str:
    import markdown

    return markdown.markdown(text, extensions=list(EXTENSIONS), output_format="html")


def _sanitised(body: str) -> str:
    import nh3

    return nh3.clean(
        body,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer",
        strip_comments=True,
    )
