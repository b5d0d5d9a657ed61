"""A verdict as text: comment, step summary, annotations, terminal, page and JSON, all from one view."""

from gate.render.annotate import annotations
from gate.render.comment import comment, summary
from gate.render.marker import Marker, marker, parse_marker
from gate.render.mutation_page import ShownPrompt, mutation_page
from gate.render.page import page
from gate.render.record import Record, parse_record
from gate.render.show import show
from gate.render.terminal_table import terminal
from gate.render.verdict_json import verdict_from_json, verdict_json
from gate.render.view import TITLE, View, build_view

__all__ = [
    "TITLE",
    "Marker",
    "Record",
    "ShownPrompt",
    "View",
    "annotations",
    "build_view",
    "comment",
    "marker",
    "mutation_page",
    "page",
    "parse_marker",
    "parse_record",
    "show",
    "summary",
    "terminal",
    "verdict_from_json",
    "verdict_json",
]
