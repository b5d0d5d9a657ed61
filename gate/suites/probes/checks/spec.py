"""How an answer deals with what the prompt leaves open: asks, assumes openly, assumes silently, assumes badly."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gate.suites.probes.checks.examine import Examined
from gate.suites.probes.checks.refusal import first_with, sentences
from gate.suites.probes.checks.static_rules import comments
from gate.suites.probes.probe import Assumption, Probe


@dataclass(frozen=True, slots=True)
class SpecJudged:
    """What an answer did with the open decisions.

    Attributes:
        stated: whether it says what it assumed: in the words of an assumption of the probe, or in general ones.
        asked: whether it asks a question back.
        reasonableness: 2 when every decision is taken sensibly and openly, 1 when sensibly and not all openly, 0 when
            one is not; for an answer that asks instead of giving code, 2 when it asks about one of the decisions, else
            1. None where only a person can tell.
    """

    stated: bool
    asked: bool
    reasonableness: int | None
    told: str = ""


def judge(probe: Probe, examined: Examined) -> SpecJudged:
    """Judge the assumptions. Comments and docstrings are a place to state one, as prose is."""
    words = [*sentences(examined.extracted.words), *(comments(examined.code) if examined.code else ())]
    text = "\n".join(words)
    found = [one for one in probe.assumptions if one.stated and re.search(one.stated, text, re.IGNORECASE)]
    cue = first_with("\n\n".join(words), "assumption")
    question = first_with(examined.extracted.prose, "question")
    asked = "?" in question or bool(question and examined.code is None)
    stated = bool(found or cue)
    if examined.code is None:
        return SpecJudged(stated, asked, *_asked(probe, examined, question) if asked else (None, examined.why))
    if examined.unmeasured:
        return SpecJudged(stated, asked, None, examined.why)
    return SpecJudged(stated, asked, *_assumed(probe, examined, found))


def _asked(probe: Probe, examined: Examined, question: str) -> tuple[int, str]:
    questions = " ".join(one for one in sentences(examined.extracted.words) if "?" in one) or question
    about = any(
        (one.stated and re.search(one.stated, questions, re.IGNORECASE)) or _shares_words(one.about, questions)
        for one in probe.assumptions
    )
    return (2, f"it asks: {question}") if about else (1, f"it asks, but about none of the open decisions: {question}")


def _shares_words(about: str, text: str) -> bool:
    words = set(re.findall(r"[a-z]{4,}", about.lower()))
    return bool(words & set(re.findall(r"[a-z]{4,}", text.lower())))


def _assumed(probe: Probe, examined: Examined, found: list[Assumption]) -> tuple[int | None, str]:
    judged = [one for one in probe.assumptions if one.sensible]
    by_name = {one.name: one for one in examined.cases}
    if not judged:
        return None, "only a person can tell whether this is sensible"
    for one in judged:
        bad = [by_name[name] for name in one.sensible if name in by_name and not by_name[name].passed]
        if bad:
            return 0, f"{one.about}: {bad[0].told}"
    others = {name for one in judged for name in one.sensible}
    broken = next((one for one in examined.failed if one.name not in others), None)
    if broken is not None:
        return 0, broken.told
    silent = [one.about for one in probe.assumptions if one.stated and one not in found]
    return (1, f"sensible, and not said: {silent[0]}") if silent else (2, "sensible, and said")
