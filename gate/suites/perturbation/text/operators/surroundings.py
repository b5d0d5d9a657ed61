"""What stands around the text: a sentence that says nothing about it, another format."""

from __future__ import annotations

import json
import re

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operator import Meaning, Operator, at_places
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.tables.surroundings import DISTRACTORS

_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?]) +(?=\S)")


def _distracted(prepared: Prepared, draws: Draws, _: float) -> str:
    """The sentence stands before or after, on a line of its own where the text has several."""
    text, sentence = prepared.text, draws.pick(DISTRACTORS)
    if not text.strip():
        return text
    gap = "\n" if "\n" in text else " "
    return f"{sentence}{gap}{text}" if draws.below(2) else f"{text}{gap}{sentence}"


def _quoted(prepared: Prepared, _: Draws, __: float) -> str:
    return "\n".join(f"> {line}" for line in prepared.text.split("\n")) if prepared.text else ""


def _json(prepared: Prepared, _: Draws, __: float) -> str:
    return json.dumps({"text": prepared.text}, ensure_ascii=False) if prepared.text else ""


OPERATORS = (
    Operator(
        "distractor",
        Meaning.PRESERVING,
        "surroundings",
        "a sentence without bearing stands before or after",
        _distracted,
    ),
    Operator(
        "format-lines",
        Meaning.PRESERVING,
        "surroundings",
        "each sentence stands on a line of its own",
        at_places(lambda text: text.matches(_BETWEEN_SENTENCES), lambda _, __: "\n"),
        1.0,
    ),
    Operator("format-quote", Meaning.PRESERVING, "surroundings", "the text is a quotation in Markdown", _quoted),
    Operator("format-json", Meaning.PRESERVING, "surroundings", "the text is a value in JSON", _json),
)
