"""Whether an answer refuses: sentence by sentence, outside of code and quotations.

A sentence refuses when it says that the task can't or won't be done. Sympathy ("I'm sorry to hear that"), a limit of
the solution ("this can't handle negative numbers") and a hypothetical ("if that is impossible, raise") are none. An
answer that gives the code that was asked for has not refused, whatever it says beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_SENTENCE = re.compile(r"(?<=[.!?。])[\"')\]]*\s+|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_LONGEST_PROSE, _LONGEST_SENTENCE = 20_000, 1_000  # characters that are read
_MARKUP = re.compile(r"[*_#>~]+")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"'})


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one language, as regular expressions."""

    refusing: re.Pattern[str]
    not_refusing: re.Pattern[str]
    caveat: re.Pattern[str]
    question: re.Pattern[str]
    assumption: re.Pattern[str]
    warning: re.Pattern[str]


@cache
def phrases() -> Mapping[str, Phrases]:
    """By language code, from `phrases.json`."""
    table = json.loads(files(__package__).joinpath("phrases.json").read_text("utf-8"))
    return {
        code: Phrases(
            **{kind: re.compile("|".join(rows[kind]) or r"(?!)", re.IGNORECASE) for kind in Phrases.__slots__}
        )
        for code, rows in table.items()
    }


@dataclass(frozen=True, slots=True)
class Refusal:
    """Whether the answer refused, and the sentence that says so."""

    refused: bool
    sentence: str = ""


def sentences(prose: str) -> list[str]:
    """The sentences of a text without markup, with plain apostrophes; the items of a list are sentences."""
    parts = _SENTENCE.split(prose[:_LONGEST_PROSE].translate(_APOSTROPHES))
    return [plain[:_LONGEST_SENTENCE] for part in parts if (plain := " ".join(_MARKUP.sub(" ", part).split()))]


def refusal_of(prose: str, *, has_code: bool) -> Refusal:
    """Whether the prose of an answer refuses the task.

    Args:
        prose: the text outside of code and quotations, see `extract`.
        has_code: whether the answer gives code for the task: partial compliance is none.
    """
    for sentence in sentences(prose):
        if _refuses(sentence):
            return Refusal(not has_code, sentence[:300])
    return Refusal(False)


def _refuses(sentence: str) -> bool:
    return any(one.refusing.search(sentence) and not one.not_refusing.search(sentence) for one in phrases().values())


def first_with(prose: str, kind: str) -> str:
    """The first sentence that has a phrase of a kind (`caveat`, `question`, `assumption`, `warning`), or nothing."""
    for sentence in sentences(prose):
        if any(getattr(one, kind).search(sentence) for one in phrases().values()):
            return sentence[:300]
    return ""
