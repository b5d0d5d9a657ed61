"""`report.html`: the Markdown of the view as one self-contained page that loads nothing and runs nothing."""

from __future__ import annotations

from gate.render import escape
from gate.render.budget import PAGE
from gate.render.curve import svg
from gate.render.form import Form
from gate.render.frame import framed
from gate.render.page_style import STYLE
from gate.render.picture import STYLE as OF_PICTURE
from gate.render.picture import of_both_sides
from gate.render.sheet import document
from gate.render.spans import as_text
from gate.render.view import TITLE, build_view
from gate.schema.verdict import Verdict

_TEXT_TAGS = ("h1", "h2", "h3", "p", "ul", "ol", "li", "code", "pre", "strong", "em", "sub", "a", "br", "hr")
_TABLE_TAGS = ("table", "thead", "tbody", "tr", "th", "td")
_PICTURE = {
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
TAGS = frozenset((*_TEXT_TAGS, *_TABLE_TAGS, "details", "summary", "figure", *_PICTURE))
ATTRIBUTES = {"a": {"href"}, "code": {"class"}, **_PICTURE}
EXTENSIONS = ("tables", "fenced_code", "sane_lists", "md_in_html")


def page(verdict: Verdict) -> str:
    """The whole HTML document, with one trailing newline."""
    view = build_view(verdict)
    form = Form(heading="#", details='<details markdown="1">', first="id", draw=svg, axes=of_both_sides)
    title = escape.html(f"{view.status.plain} {as_text(view.title, 80)} – {TITLE}")
    style = STYLE + OF_PICTURE if verdict.scores else STYLE
    return framed(title, body_of(document(view, PAGE, form)), style)


def body_of(text: str) -> str:
    """Our own Markdown as HTML; only what is needed for it comes through."""
    return _accessible(_sanitised(_converted(text)))


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


def _accessible(body: str) -> str:
    """Headers say what they head, and wide tables scroll by keyboard. Sanitised text holds no other such tags."""
    scoped = body.replace("<th>", '<th scope="col">')
    framed = scoped.replace("<table>", '<div class="wide" tabindex="0" role="region" aria-label="table"><table>')
    return framed.replace("</table>", "</table></div>")
