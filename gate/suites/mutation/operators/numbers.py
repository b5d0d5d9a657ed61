"""Numbers in prose: which are limits, how large they are, and how a changed one is written in the same style.

Left alone are dates, times, `24/7` and other fractions, versions, names such as GPT-4, ordinals, years, numbers of
steps and pages, and enumerations inside a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gate.suites.mutation.prompt.languages import Language
from gate.suites.mutation.prompt.model import Span

NumberKind = Literal["percent", "money", "share", "count"]

_MOST_DIGITS = 18
_NUMBER = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?"
    r"|[0-9]{1,3}(?:[ \u00a0\u202f'’][0-9]{3})+(?:[.,][0-9]+)?|[0-9]+(?:[.,][0-9]+)?)(?![0-9])"
)
_MONEY_BEFORE = r"(?:(?:US|R|A|C|NZ|HK)?[$€£¥￥₹]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|BRL))\s?"
_PERCENT = (
    r"(?:\s?[%％](?!\w)|\s(?:percent|per\scent|Prozent|pour\scent|por\sciento|per\scento|por\scento)\b|パーセント)"
)
_MONEY_AFTER = (
    r"(?:\s?[$€£¥￥₹]|\s?(?:USD|EUR|GBP|CHF|JPY|CNY|BRL|dollars?|euros?|pounds?|francs?|reais|dólares|Euro|Dollar)\b"
    r"|元|円|块|美元|欧元|ドル|ユーロ)"
)
_UNIT = r"(?:ms|s|secs?|mins?|h|hrs?|d|[kKmMgGtT]?[bB]|k|km|cm|mm|m|kg|g|mg|ml|l|px|x|pt)(?![A-Za-z0-9])"
_ALONE = r"""
      [0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:T[0-9:.]+Z?)?   # 2026-01-31
    | [0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})(?![0-9])
    | [0-9]{4}年(?:[0-9]{1,2}月)?(?:[0-9]{1,2}日)? | [0-9]{1,2}月(?:[0-9]{1,2}日)? | [0-9]{1,2}日(?!間|以)
    | [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?                        # 10:30
    | [0-9]{1,2}\s?(?:a\.?m\.?|p\.?m\.?|Uhr|o['’]clock)(?!\w)
    | [0-9]+\s?/\s?[0-9]+                                      # 24/7
    | [0-9]+(?:\.[0-9]+){2,}                                   # 1.2.3
    | [0-9]+(?:-[0-9]+){2,}                                    # telephone
    | \+[0-9][0-9 ()-]{6,20}[0-9]
    | (?<![A-Za-z0-9])(?!(?:USD|EUR|GBP|CHF|JPY|CNY|BRL)[0-9])   # GPT-4, v2.1
      [A-Za-z_][A-Za-z_]{0,30}[-_.]?[0-9][A-Za-z0-9._-]*
    | \#[0-9]+ | \([0-9]+\) | [=&][0-9]+ | [0-9]+(?=[>&=][&0-9])    # references and code
    | [0-9]+(?:st|nd|rd|th|er|re|ème|e|º|ª|°(?![CF]))(?![A-Za-z])
    | [0-9]+(?!{unit})[A-Za-z][A-Za-z0-9]*                     # 3D, 4o
    | 第[0-9]+
"""
_COUNTED = re.compile(
    r"\s*(?:words?|tokens?|char|letters?|lines?|items?|rows?|milli|seconds?|minutes?|users?|wörter|zeichen|mots|caractères"
    r"|palabras|caracteres|parole|caratteri|palavras|字|词|个|文字|語|件)",
    re.IGNORECASE,
)
_BEFORE_WORD = re.compile(r"([^\W\d_]+)[.:\s]*\s?$")
_ENUMERATES = re.compile(r"[.)]\s+[^\W\d_]")


def _scanner() -> re.Pattern[str]:
    alone = _ALONE.replace("{unit}", _UNIT)
    return re.compile(
        rf"""
        (?P<alone>{alone})
        | (?P<before>{_MONEY_BEFORE})?(?<![0-9])(?P<number>{_NUMBER})
          (?:(?P<to>\s?[-–—~〜]\s?|\s(?:to|bis|à|a|até|hasta)\s|至|到|から)(?:{_MONEY_BEFORE})?(?P<second>{_NUMBER}))?
          (?:(?P<percent>{_PERCENT})|(?P<money>{_MONEY_AFTER})|(?P<unit>\s?{_UNIT}))?
        """,
        re.VERBOSE,
    )


_SCANNER = _scanner()
_WIDE = str.maketrans("０１２３４５６７８９．，", "0123456789.,")
_TO_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")


@dataclass(frozen=True, slots=True)
class Number:
    """One limit; a range has two spans, which change together."""

    spans: tuple[Span, ...]
    kind: NumberKind


def numbers_in(text: str, span: Span, table: Language) -> Iterator[Number]:
    """Numbers in digits that a rule may mean as a limit, in order."""
    shown = span.of(text).translate(_WIDE)  # one character for one: the offsets stay
    for found in _SCANNER.finditer(shown):
        if found["alone"] or found["number"] is None:
            continue
        parts = [part for part in ("number", "second") if found[part]]
        if any(len(found[part]) > _MOST_DIGITS for part in parts) or _is_reference(shown, found, table):
            continue
        spans = tuple(Span(span.start + found.start(part), span.start + found.end(part)) for part in parts)
        yield Number(spans, _kind(found, table))


def _kind(found: re.Match[str], table: Language) -> NumberKind:
    if found["percent"]:
        return "percent"
    if found["before"] or found["money"]:
        return "money"
    value = value_of(found["number"], table.decimal)
    return "share" if 0 < value < 1 and not found["unit"] else "count"


def _is_reference(shown: str, found: re.Match[str], table: Language) -> bool:
    """Whether a number names something instead of limiting it: a step, a year, a member of an enumeration."""
    if found["before"] or found["percent"] or found["money"]:
        return False
    before, after = shown[max(0, found.start() - 40) : found.start()], shown[found.end() : found.end() + 20]
    word = _BEFORE_WORD.search(before)
    if word and word[1].lower() in table.references:
        return True
    if _ENUMERATES.match(after) and not found["second"]:
        return True
    digits = found["number"]
    year = len(digits) == 4 and digits.isdigit() and 1900 <= int(digits) <= 2099 and not found["unit"]
    return year and not _COUNTED.match(after)


def value_of(shown: str, decimal: str) -> Decimal:
    """The value of a number as it is written; `decimal` decides what `1.000` and `1,000` mean."""
    plain = re.sub(r"[ \u00a0\u202f'’]", "", shown)
    point = _point(plain, decimal)
    kept = plain if point is None else plain[:point].replace(".", "").replace(",", "") + "." + plain[point + 1 :]
    return Decimal(kept if point is not None else kept.replace(".", "").replace(",", ""))


def _point(plain: str, decimal: str) -> int | None:
    """Where the decimal mark stands, or None."""
    marks = [place for place, sign in enumerate(plain) if sign in ".,"]
    if not marks:
        return None
    last = marks[-1]
    if len(marks) > 1:
        return last if plain[last] != plain[marks[0]] else None
    groups = len(plain) - last - 1 == 3 and 0 < last <= 3 and plain[0] != "0"
    return None if groups and plain[last] != decimal else last


def changed(value: Decimal, kind: NumberKind) -> Decimal:
    """Another value of the same type: ten times as large, or within the whole for percentages and shares."""
    if value == 0:
        return Decimal(10)
    if kind in ("percent", "share"):
        whole = Decimal(100 if kind == "percent" else 1)
        return value * 5 if value * 5 <= whole else value / 10
    return value * 10


def written(value: Decimal, like: str, decimal: str) -> str:
    """A value with the grouping, the decimal mark and at least the decimals of `like`."""
    plain = re.sub(r"[ \u00a0\u202f'’]", "", like)
    point = _point(plain.translate(_WIDE), decimal)
    decimals = 0 if point is None else len(plain) - point - 1
    exponent = value.normalize().as_tuple().exponent
    needed = max(decimals, -exponent if isinstance(exponent, int) else 0)
    whole, _, fraction = f"{value:.{needed}f}".partition(".")
    narrow = like.translate(_WIDE)
    head = narrow if point is None else narrow[: len(narrow) - decimals - 1]
    group = next((sign for sign in head if not sign.isdigit()), "")
    if group:
        whole = f"{int(whole):,}".replace(",", group)
    mark = plain.translate(_WIDE)[point] if point is not None else decimal
    shown = whole + (mark + fraction if fraction else "")
    return shown.translate(_TO_WIDE) if like and like[0] in "０１２３４５６７８９" else shown
