"""Operators that put one word in the place of another, by the tables of the rule's language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gate.suites.mutation.operators.edit import Edit, OnRule, shortened
from gate.suites.mutation.prompt.languages import WORD, Language, Pairs, language
from gate.suites.mutation.prompt.model import Prompt, Rule, Span
from gate.suites.mutation.prompt.placeholders import is_touched, overlapping

_SYMBOLS: Pairs = tuple(
    (re.compile(found), instead)
    for found, instead in (
        (r">=", "<="), (r"<=", ">="), ("≥", "≤"), ("≤", "≥"),
        (r">(?=\s*[$€£¥]?\d)", "<"), (r"<(?=\s*[$€£¥]?\d)", ">"),
    )
)  # fmt: skip
_MARKUP = re.compile(r"[*_\"'“„«(\[>\s]*")
_CONDITION_FIRST = re.compile(r"[^,.;:，]{1,200}[,，]\s+(?:then\s+)?")


def invert_negation(prompt: Prompt, rule: Rule) -> list[Edit] | str:
    """Turn a prohibition into an obligation and the reverse; an English imperative without a keyword is forbidden."""
    table = language(rule.language)
    found = _replaced(prompt, rule, table.pairs["invert"], "invert")
    if found or not table.negative:
        return found or f"no word of it is in the table of {table.name}"
    return _forbidden(prompt, rule, table) or "it has neither a keyword nor an imperative"


def _by_table(kind: str, verb: str, further: Pairs = ()) -> OnRule:
    def operator(prompt: Prompt, rule: Rule) -> list[Edit] | str:
        table = language(rule.language)
        found = _replaced(prompt, rule, (*table.pairs[kind], *further), verb)
        return found or f"no word of it is in the table of {table.name}"

    return operator


weaken_modal = _by_table("weaken", "weaken")
flip_comparator = _by_table("compare", "flip", _SYMBOLS)
swap_scope = _by_table("scope", "widen or narrow")


def in_case_of(found: str, instead: str) -> str:
    """The replacement in the letter case of what it replaces."""
    letters = [sign for sign in found if sign.isalpha()]
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return instead.upper()
    if letters and letters[0].isupper():
        return instead[:1].upper() + instead[1:]
    return instead


def first_of(text: str, span: Span, pairs: Pairs, covered: Sequence[Span]) -> tuple[re.Match[str], str] | None:
    """The earliest word of a table in a span, outside of covered spans, which are in order, with its replacement."""
    best: tuple[re.Match[str], str] | None = None
    for pattern, instead in pairs:
        for found in pattern.finditer(text, span.start, span.end):
            if is_touched(covered, *found.span()):
                continue
            if best is None or found.start() < best[0].start():
                best = found, instead
            break
    return best


def _replaced(prompt: Prompt, rule: Rule, pairs: Pairs, verb: str) -> list[Edit]:
    covered = overlapping(prompt.protected, rule.span)
    found = first_of(prompt.text, rule.span, pairs, covered)
    if found is None:
        return []
    match, template = found
    instead = in_case_of(match.group(), match.expand(template))
    if instead == match.group():
        return []
    told = f"{verb} “{match.group()}” to “{instead}” in “{shortened(prompt.rule_text(rule))}”"
    return [Edit((Span(*match.span()),), (instead,), told)]


def _forbidden(prompt: Prompt, rule: Rule, table: Language) -> list[Edit]:
    """`Escalate if …` becomes `Do not escalate if …`; `If …, escalate` becomes `If …, do not escalate`."""
    text = prompt.text
    start = _start(text, rule, table)
    word = WORD.match(text, start, rule.span.end)
    if not word or word.group().lower() in table.function_words or overlapping(prompt.protected, Span(*word.span())):
        return []
    first = word.group()
    if not text[word.end() : word.end() + 1].isspace() or (first.isupper() and len(first) > 1):
        return []  # a name or a heading, no verb
    lowered = first[:1].lower() + first[1:]
    instead = (table.negative if start == _first(text, rule) else table.negative_inside) + lowered
    told = f"invert “{first}” to “{instead}” in “{shortened(prompt.rule_text(rule))}”"
    return [Edit((Span(*word.span()),), (instead,), told)]


def _first(text: str, rule: Rule) -> int:
    markup = _MARKUP.match(text, rule.span.start, rule.span.end)
    return markup.end() if markup else rule.span.start


def _start(text: str, rule: Rule, table: Language) -> int:
    """Where the imperative begins: at the sentence's first word, or behind a condition that comes first."""
    first = _first(text, rule)
    condition = table.condition.match(text, first, rule.span.end)
    behind = _CONDITION_FIRST.match(text, first, rule.span.end) if condition else None
    return behind.end() if behind else first
