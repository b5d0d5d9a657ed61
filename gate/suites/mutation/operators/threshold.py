"""Change threshold: another number in the place of each limit of a rule."""

from __future__ import annotations

from gate.suites.mutation.operators.edit import Edit, shortened
from gate.suites.mutation.operators.numbers import changed, numbers_in, value_of, written
from gate.suites.mutation.operators.words import in_case_of
from gate.suites.mutation.prompt.languages import Language, language
from gate.suites.mutation.prompt.model import Prompt, Rule, Span, numbered
from gate.suites.mutation.prompt.placeholders import is_touched, overlapping

_Change = tuple[tuple[Span, ...], tuple[str, ...]]
_SIGNS = {10: "十", 20: "二十", 30: "三十", 40: "四十", 50: "五十", 100: "百"}
_WIDE = str.maketrans("０１２３４５６７８９．，", "0123456789.,")


def change_threshold(prompt: Prompt, rule: Rule) -> list[Edit] | str:
    """One edit for each number, range or number word."""
    table = language(rule.language)
    covered = overlapping(prompt.protected, rule.span)
    found = []
    for spans, instead in sorted([*_digits(prompt, rule, table), *_words(prompt, rule, table)]):
        if not any(is_touched(covered, *span) for span in spans):
            found.append((spans, instead))
    if not found:
        return "it has no number that limits something"
    keys = numbered(prompt.text[spans[0].start : spans[-1].end] for spans, _ in found)
    shown = shortened(prompt.rule_text(rule))
    return [
        Edit(
            spans, instead, f"change “{key}” to “{_whole(prompt.text, spans, instead)}” in “{shown}”", f"{key} {number}"
        )
        for (spans, instead), (key, number) in zip(found, keys, strict=True)
    ]


def _whole(text: str, spans: tuple[Span, ...], instead: tuple[str, ...]) -> str:
    if len(spans) == 1:
        return instead[0]
    return instead[0] + text[spans[0].end : spans[1].start] + instead[1]


def _digits(prompt: Prompt, rule: Rule, table: Language) -> list[_Change]:
    found = []
    for number in numbers_in(prompt.text, rule.span, table):
        shown = [span.of(prompt.text) for span in number.spans]
        values = [value_of(one.translate(_WIDE), table.decimal) for one in shown]
        factor = [changed(value, number.kind) for value in values]
        if len(values) == 2 and number.kind in ("percent", "share") and factor[0] >= factor[1]:
            factor = [value / 10 for value in values]  # both ends move the same way
        instead = tuple(written(value, like, table.decimal) for value, like in zip(factor, shown, strict=True))
        if instead != tuple(shown):
            found.append((number.spans, instead))
    return found


def _words(prompt: Prompt, rule: Rule, table: Language) -> list[_Change]:
    found: list[_Change] = []
    for pattern, value in table.numbers:
        for match in pattern.finditer(prompt.text, rule.span.start, rule.span.end):
            larger = value * 10 or 10
            word = table.number_words.get(larger) if table.spaced else _SIGNS.get(larger)
            instead = in_case_of(match.group(), word or str(larger))
            found.append(((Span(*match.span()),), (instead,)))
    return found
