"""Secrets that a name stands around, or before more than a text: elements of XML, objects, and parts of a path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gate.record.recordings.secret_names import API_KEY, PASSWORD, TOKEN, field_kind
from gate.record.recordings.spans import Span

LONGEST_OBJECT = 4096
"""Bytes of an object below a name that are looked into."""
_MOST_TOKENS = 64
_SPACE = re.compile(rb"(?:\s|\\+[nrt]){0,64}")
_PLAIN = re.compile(rb"-?[0-9][0-9.eE+-]*|true|false|null")
_ELEMENT = re.compile(rb">\s{0,64}([^<>\s]{1,4096})\s{0,64}</")
_OPENED = re.compile(rb"<(?:[A-Za-z][A-Za-z0-9_.-]{0,32}:)?\Z")
_DEPTH = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
_VALUES = frozenset({"value", "secret", "plaintext", "raw", "secretvalue", "secret_value"})
_BOT = re.compile(
    rb"(?:(?<=/bot)[0-9]{1,16}:[A-Za-z0-9_-]{16,128}|(?<![A-Za-z0-9_-])[0-9]{6,16}:AA[A-Za-z0-9_-]{30,128})"
)
_COLON = re.compile(rb"[0-9](?=:[A-Za-z0-9_-]{16})")
_PATH = re.compile(rb"/([A-Za-z_-]{3,32})/(?:[0-9]{1,32}/)?([^/?#\s\"'\\<>]{12,4096})")
_IN_PATH = {"webhook": TOKEN, "webhooks": TOKEN, "key": API_KEY, "keys": API_KEY}


def element(data: bytes, first: int, last: int, plausible: Callable[[bytes], bool]) -> Span | None:
    """`<ApiKey>…</ApiKey>`, the name at `first` to `last`; one word that looks like a secret, or any for a password."""
    if not _OPENED.search(data[max(0, first - 40) : first]):
        return None
    found = _ELEMENT.match(data, last)
    kind = field_kind(data[first:last].decode("ascii", "replace")) if found else ""
    if found is None or not kind or not (kind == PASSWORD or plausible(found.group(1))):
        return None
    return Span(found.start(1), found.end(1), kind)


def in_object(
    data: bytes,
    start: int,
    kind: str,
    quote: bytes,
    closing: Callable[[bytes, int, bytes], int],
    plausible: Callable[[bytes], bool],
) -> Iterator[Span]:
    """Texts of an object that stands behind the name of a secret, `{"api_key": {"value": "…"}}`.

    Taken are those that look like a secret, and what is called a value; a description of the field is neither.

    Args:
        start: where the brace may be.
        quote: as around the name, with the backslashes of its depth.
    """
    name = ""
    for begin, end in _texts(data, start, quote, closing):
        after = _after_space(data, end + len(quote))
        if data[after : after + 1] == b":":
            name = data[begin:end].decode("utf-8", "replace").lower()
        elif _is_value(data[begin:end], name, kind, plausible):
            yield Span(begin, end, kind)


def _texts(
    data: bytes, start: int, quote: bytes, closing: Callable[[bytes, int, bytes], int]
) -> Iterator[tuple[int, int]]:
    """Where the texts of an object begin and end, names included, as far as it is one."""
    place, depth = _after_space(data, start), 0
    if data[place : place + 1] != b"{":
        return
    limit = place + LONGEST_OBJECT
    for _ in range(_MOST_TOKENS):
        mark = data[place : place + 1]
        if data.startswith(quote, place) and depth:
            begin = place + len(quote)
            place = closing(data, begin, quote)
            if place < 0:
                return
            yield begin, place
            place += len(quote)
        elif plain := _PLAIN.match(data, place):
            place = plain.end()
        else:
            depth += _DEPTH.get(mark, 0)
            place += 1
        if depth <= 0 or place >= limit or not mark:
            return
        place = _after_space(data, place)


def _is_value(value: bytes, name: str, kind: str, plausible: Callable[[bytes], bool]) -> bool:
    if not value or len(value.split()) != 1:
        return False
    return (name in _VALUES and kind != TOKEN and value not in (b"string", b"null")) or plausible(value)


def _after_space(data: bytes, place: int) -> int:
    found = _SPACE.match(data, place)
    return found.end() if found else place


def bots(data: bytes, start: int, end: int) -> Iterator[Span]:
    """Tokens of bots, `123456:AA…`, in an address or by themselves."""
    for colon in _COLON.finditer(data, start, end):
        before = data[max(start, colon.start() - 15) : colon.start() + 1]
        digits = len(before) - len(before.rstrip(b"0123456789"))
        if found := _BOT.match(data, colon.start() + 1 - digits, end):
            yield Span(found.start(), found.end(), TOKEN)


def in_path(path: bytes, plausible: Callable[[bytes], bool]) -> Iterator[Span]:
    """Parts of a path behind one that is named like a secret, `/token/…`, `/webhooks/12/…`."""
    place = 0
    while found := _PATH.search(path, place):
        title = found.group(1).decode("ascii").lower()
        kind = _IN_PATH.get(title) or field_kind(title)
        if kind and plausible(found.group(2)):
            yield Span(found.start(2), found.end(2), kind)
        place = found.start(2) - 1 if found.group(2) else found.end()
