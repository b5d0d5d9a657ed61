"""How two requests differ, to be read by people, and which stored request a new one is closest to."""

from __future__ import annotations

import bisect
import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

MOST_LINES = 20_000
"""Lines of one request that are compared. What is beyond is counted, not compared."""
WIDEST = 96
"""Characters of a line of text, beyond which it is broken between words."""
MOST_CANDIDATES = 2_000
_CONTEXT = 2
_BEYOND = "… and {:,} lines more of the diff"
_SAMPLE = 200_000
_CLOSEST = 12

_SENTENCE = re.compile(r"[^\n]*?(?:\n+|[.!?…。！？][\"')\]]*\s+|\Z)", re.S)
_WORDS = re.compile(r"\w{1,8}")
_T = TypeVar("_T")


def between(old: Mapping[str, Any], new: Mapping[str, Any], most: int | None = None) -> str:
    """Unified diff of two requests as they are shown (`Key.shown`); empty where they are equal.

    JSON is laid out one value a line; long texts are split at sentences and lines, so that one changed character of a
    prompt is one changed line.

    Args:
        most: characters of the diff, 100 or more; what is beyond is left out at the end of a line, and counted.
    """
    before, after = lines(old), lines(new)
    cut = max(len(before), len(after)) - MOST_LINES
    found = difflib.unified_diff(before[:MOST_LINES], after[:MOST_LINES], "recorded", "asked", n=_CONTEXT, lineterm="")
    text = "\n".join(_with_seen_ends(list(found)))
    if cut > 0 and before[MOST_LINES:] != after[MOST_LINES:]:
        text += f"\n… and differences in {cut} lines more"
    return text.lstrip("\n") if most is None else _cut(text.lstrip("\n"), most)


def _cut(text: str, most: int) -> str:
    """At most so many characters: whole lines, and how many more there are."""
    if len(text) <= most:
        return text
    found, kept, room = text.split("\n"), 0, most - len(_BEYOND.format(MOST_LINES * 2))
    while (room := room - len(found[kept]) - 1) >= 0:
        kept += 1
    return "\n".join([*found[:kept], _BEYOND.format(len(found) - kept)])


def _with_seen_ends(found: list[str]) -> Iterable[str]:
    """The lines of a diff. A last space, which sentences have between them, is made visible where it is all that
    differs."""
    sides = {sign: {line[1:].rstrip(" ") for line in found[2:] if line[:1] == sign} for sign in "+-"}
    same = sides["+"] & sides["-"]
    for line in found:
        hidden = line[:1] in "+-" and line.endswith(" ") and line[1:].rstrip(" ") in same
        yield f"{line[:-1]}·" if hidden else line


def lines(shown: Mapping[str, Any]) -> list[str]:
    """A shown request as lines: method and address, one header a line, then the body."""
    out = [f"{shown.get('method', '')} {shown.get('url', '')}".strip()]
    headers = shown.get("headers")
    if isinstance(headers, Mapping):
        out += [f"{name}: {value}" for name, value in headers.items()]
    body = shown.get("body")
    if isinstance(body, Mapping):
        for kind, content in body.items():
            out += _body(kind, content)
    return out


def closest(asked: Mapping[str, Any], candidates: Iterable[tuple[_T, Mapping[str, Any]]]) -> _T | None:
    """The candidate whose request is most like the one that was asked; None without any of the same method and host.

    All candidates (the first 2,000) are ranked by the words and ends that they share with the request; the best 12 of
    them are compared by their sentences as well, over at most 200,000 characters each.

    Args:
        candidates: pairs of anything, such as a digest, and a request as shown. The first of equals wins.
    """
    wanted, where = _sample(asked), _where(asked)
    bag = Counter(_WORDS.findall(wanted))
    ranked: list[tuple[float, int, _T, str]] = []
    for turn, (name, shown) in enumerate(candidates):
        if turn == MOST_CANDIDATES:
            break
        if _where(shown) == where:
            text = _sample(shown)
            likeness = _shared(bag, Counter(_WORDS.findall(text))) + _share_of_ends(wanted, text) / 2
            ranked.append((-likeness, turn, name, text))
    ranked.sort(key=lambda each: each[:2])
    best = max(ranked[:_CLOSEST], key=lambda each: (_alike(wanted, each[3]), -each[1]), default=None)
    return best[2] if best else None


def _body(kind: str, content: Any) -> list[str]:
    if kind == "json" and isinstance(content, str):
        return _json(content)
    if kind == "lines" and isinstance(content, list):
        return [line for each in content for line in _json(str(each))]
    if kind == "text" and isinstance(content, str):
        return sentences(content)
    if kind == "form" and isinstance(content, list):
        return [line for name, value in content for line in _labelled(f"{name}=", str(value))]
    if kind == "parts" and isinstance(content, list):
        return [line for part in content for line in _part(part)]
    return json.dumps({kind: content}, ensure_ascii=False, indent=1).splitlines()


def _part(part: Mapping[str, Any]) -> list[str]:
    out = ["--part"]
    out += [f"{name}: {value}" for name, value in part.get("headers", ())]
    for kind, content in part.get("body", {}).items():
        out += _body(kind, content)
    return out


def _json(text: str) -> list[str]:
    try:
        value = json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return sentences(text)
    return list(_laid_out(value, "", ""))


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON that keeps names that stand twice."""


def _laid_out(value: Any, label: str, indent: str) -> Iterable[str]:
    inner = indent + "  "
    if isinstance(value, _Pairs):
        yield f"{indent}{label}{{"
        for name, each in value:
            yield from _laid_out(each, f"{json.dumps(name, ensure_ascii=False)}: ", inner)
        yield f"{indent}}}"
    elif isinstance(value, list):
        yield f"{indent}{label}["
        for each in value:
            yield from _laid_out(each, "", inner)
        yield f"{indent}]"
    elif isinstance(value, str):
        for line in _labelled(label, value):
            yield indent + line
    else:
        yield f"{indent}{label}{json.dumps(value)}"


def _labelled(label: str, text: str) -> list[str]:
    """A short text behind its label, a longer one in lines below it."""
    if "\n" not in text and len(text) <= WIDEST:
        return [label + json.dumps(text, ensure_ascii=False)]
    return [f"{label}|", *(f"  {line}" for line in sentences(text))]


def sentences(text: str) -> list[str]:
    """A text in lines: broken at its own lines and at sentences, and where those are too long between words.

    White space at an end is shown as `·` and other invisible characters by their escapes, so that no change is unseen.
    """
    out = []
    for found in _SENTENCE.finditer(text):
        rest = found.group()
        while len(rest) > WIDEST:
            cut = rest.rfind(" ", WIDEST // 2, WIDEST) + 1 or WIDEST
            out.append(_visible(rest[:cut]))
            rest = rest[cut:]
        if rest:
            out.append(_visible(rest))
    return out


def _visible(line: str) -> str:
    body = line.rstrip("\n")
    breaks = "\\n" * (len(line) - len(body) - 1)
    core = body.rstrip(" ")
    spaces = len(body) - len(core)
    text = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in core)
    return text + (" " if spaces == 1 and line == body else "·" * spaces) + breaks


def _where(shown: Mapping[str, Any]) -> tuple[str, str]:
    scheme, _, rest = str(shown.get("url", "")).partition("://")
    return str(shown.get("method", "")), f"{scheme}://{rest.partition('/')[0]}"


def _sample(shown: Mapping[str, Any]) -> str:
    body = shown.get("body") or {}
    texts = [each if isinstance(each, str) else json.dumps(each) for each in body.values()]
    return "\n".join([str(shown.get("url", "")), *texts])[:_SAMPLE]


def _shared(one: Counter[str], other: Counter[str]) -> float:
    """Share of words in common: Dice's coefficient over counted words (Dice 1945)."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _alike(one: str, other: str) -> float:
    """Likeness from 0 to 1 by lines and sentences in their order, then by the length they share at both ends."""
    ratio = difflib.SequenceMatcher(None, sentences(one), sentences(other), autojunk=True).quick_ratio()
    return ratio + _share_of_ends(one, other) / 2


def _share_of_ends(one: str, other: str) -> float:
    return _same_ends(one, other) / max(len(one), len(other), 1)


def _same_ends(one: str, other: str) -> int:
    """How many characters two texts share at their beginning and, apart from those, at their end."""
    most = min(len(one), len(other))
    head = _longest(most, lambda size: one[:size] == other[:size])
    return head + _longest(most - head, lambda size: one[len(one) - size :] == other[len(other) - size :])


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The greatest size up to `most` for which it holds, given that it holds for all smaller ones."""
    return bisect.bisect_left(range(1, most + 1), True, key=lambda size: not holds(size))
