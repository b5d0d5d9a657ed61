"""The report of an agent as one page that loads nothing and runs nothing: the template with its picture."""

from __future__ import annotations

from gate.render import escape
from gate.render.frame import framed
from gate.render.page import body_of
from gate.render.page_style import STYLE
from gate.render.picture import STYLE as OF_PICTURE
from gate.render.picture import picture
from gate.render.probes.template import TITLE, headline, render_template
from gate.schema.probe_report import ProbeReport

_BEFORE = "<h2>Dimension Scores</h2>"


def render_page(report: ProbeReport) -> str:
    """The whole HTML document, with one trailing newline."""
    here = {each.dimension: None if each.value is None else float(each.value) for each in report.scores}
    drawn = picture(here, report.before)
    head, heading, rest = body_of(render_template(report)).partition(_BEFORE)
    title = f"{escape.html(report.agent, 80)} {headline(report.composite)} – {TITLE}"
    return framed(title, f"{head}{drawn}\n{heading}{rest}", STYLE + OF_PICTURE)
