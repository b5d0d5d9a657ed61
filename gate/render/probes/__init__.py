"""What probes of a coding agent found, as the fixed template, as a page, and for other programs."""

from gate.render.picture import picture
from gate.render.probes.junit import render_junit
from gate.render.probes.page import render_page
from gate.render.probes.sarif import render_sarif
from gate.render.probes.tables import render_csv, render_json
from gate.render.probes.template import render_template

__all__ = ["picture", "render_csv", "render_json", "render_junit", "render_page", "render_sarif", "render_template"]
