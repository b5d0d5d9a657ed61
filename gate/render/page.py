"""`report.html`: the Markdown of the view as one self-contained page that loads nothing and runs nothing."""

from __future__ import annotations

from gate.render import escape
from gate.render.budget import PAGE
from gate.render.curve import svg
from gate.render.frame import framed
from gate.render.sheet import Form, document
from gate.render.spans import as_text
from gate.render.view import TITLE, build_view
from gate.schema.verdict import Verdict

_TEXT_TAGS = ("h1", "h2", "h3", "p", "ul", "ol", "li", "code", "pre", "strong", "em", "sub", "a", "br", "hr")
_TABLE_TAGS = ("table", "thead", "tbody", "tr", "th", "td")
_PICTURE = {
    "svg": {"class", "viewBox", "role", "aria-label"},
    "polyline": {"class", "points"},
    "circle": {"class", "cx", "cy", "r"},
    "text": {"text-anchor", "x", "y"},
}
"""What a curve is drawn of: nothing in it loads, links, moves or runs."""
TAGS = frozenset((*_TEXT_TAGS, *_TABLE_TAGS, "details", "summary", "figure", *_PICTURE))
ATTRIBUTES = {"a": {"href"}, "code": {"class"}, **_PICTURE}
EXTENSIONS = ("tables", "fenced_code", "sane_lists", "md_in_html")


def page(verdict: Verdict) -> str:
    """The whole HTML document, with one trailing newline."""
    view = build_view(verdict)
    form = Form(heading="#", details='<details markdown="1">', first="id", draw=svg)
    title = escape.html(f"{view.status.plain} {as_text(view.title, 80)} – {TITLE}")
    body = _accessible(_sanitised(_converted(document(view, PAGE, form))))
    return framed(title, body)


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
