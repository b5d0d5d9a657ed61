"""Secrets that are known by where they stand: after a name, in an address, after `Bearer`, in a PEM block."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gate.record.recordings.secret_markup import bots, element, in_object
from gate.record.recordings.secret_names import (
    AUTHORIZATION,
    COOKIE,
    PASSWORD,
    PRIVATE_KEY,
    TOKEN,
    field_kind,
    header_kind,
    query_value_kind,
    weak_kind,
)
from gate.record.recordings.secret_shapes import after_escape, entropy, is_basic
from gate.record.recordings.spans import Span

LONGEST_NAME = 64
LONGEST_VALUE = 65_536
"""Bytes. A quote that closes later does not belong to the name's value."""

_WORDS = (
    *(b"pass", b"pwd", b"secret", b"token", b"key", b"credential", b"cookie", b"auth", b"sig"),
    *(b"bearer", b"jwt", b"assertion"),
)
"""In small letters, parts of all names that are told from text; few, since each is searched for in every body."""
_NAME = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_NAME_REST = re.compile(rb"[A-Za-z0-9_-]{0,64}+")
_AFTER = re.compile(rb"(\\*[\"'])?[ \t]{0,8}(:|=>?|,)\s{0,16}(\\*[\"'])?")
_OPEN_LIST = re.compile(rb"\s{0,64}\[\s{0,64}(\\*\")")
_NEXT_IN_LIST = re.compile(rb"\s{0,64},\s{0,64}(\\*\")")
_NUMBER = re.compile(rb"\s{0,8}(-?[0-9]{3,})(?=\s{0,8}[,}\]])")
_LONG_NUMBER = 6
"""Digits of a number that may be a key or a token; fewer count something."""
_PAIR_END = re.compile(rb"\s{0,64}[\])]")
_PAIR_START = re.compile(rb"[\[(]\s{0,64}\\*[\"']\Z")
_QUERY_VALUE = re.compile(rb"[^&\s\"'\\<>#)\]]{1,8192}")
_QUERY_BEFORE = (b"?", b"&", b";", b"\\u0026")
_BARE = re.compile(rb"(?![:=])[^\s\"'\\,;&<>(){}\[\]`|$*]{8,4096}+(?![(\[{])")
_COOKIES = re.compile(rb"(?:[A-Za-z0-9_.-]{1,64}=[^\s;,\"'\\]{4,4096}(?:; ?|(?=[\s\"'\\]|\Z)))++")
_TEMPLATE = re.compile(rb"\$?\{[^{}]*\}|\{\{[^{}]*\}\}|<[^<>]*>|\$[A-Z_]+|\*+|[xX.]{3,}")
_WORDY = re.compile(rb"[A-Za-z_][A-Za-z]*[0-9]{0,4}(?:[._/:-][A-Za-z]*[0-9]{0,4})*")
_KEY = re.compile(rb"[A-Za-z0-9_+=.~-]+")
_DIGEST = re.compile(rb"(?:0x)?[0-9a-f-]+|[0-9A-F-]+|[0-9.:TZ+-]+")
_JOINT = re.compile(rb"[_.~+=-]")
_LEAST_BITS = 3.2
_SCHEME = re.compile(
    rb"(?:bearer|basic|token|digest|negotiate|apikey|key|hawk|aws4-hmac-sha256)[ \t]{1,8}([^\s\"'\\,]{1,4096})", re.I
)
_BEARER = re.compile(rb"bearer(?:[ \t+]|%20|\\u0020){1,8}([A-Za-z0-9._~+/=-]{8,})", re.I)
_BASIC = re.compile(rb"basic(?:[ \t+]|%20|\\u0020){1,8}([A-Za-z0-9+/_-]{4,}={0,2})", re.I)
_USERINFO = re.compile(rb"[^\s/@\"'<>\\?#]{1,512}(?=@[^\s@/])")
_PEM_BEGIN = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}\Z")
_PEM_DATA = re.compile(rb"(?:(?:\s|\\+[nr]){0,8}[A-Za-z0-9+/=]{40,})++")
_PEM_REST = re.compile(rb"(?:[A-Za-z0-9+/=\s,:]|-(?!-)|\\+[nr])*+")


def placed(data: bytes, start: int, end: int) -> Iterator[Span]:
    """Secrets in a part of some bytes, in the order of how sure their kind is."""
    yield from _pem(data, start, end)
    small = data[start:end].lower()
    yield from _named(data, small, start, end)
    yield from _userinfo(data, start, end)
    yield from bots(data, start, end)
    yield from _schemes(data, small, start)


def field_value_is_secret(name: str, value: bytes, around: bytes) -> str:
    """Kind of secret that the text value of a field holds; empty for none.

    A field called just `token` may hold a piece of text: it is one next to a `logprob`, when short, or with a space.
    A template such as `${API_KEY}` is no secret.
    """
    kind = field_kind(name)
    if not kind and is_plausible_key(value):
        kind = weak_kind(name)
    if not kind or not value.strip() or _TEMPLATE.fullmatch(value):
        return ""
    if kind == TOKEN and name.lower() == "token" and (len(value) < 6 or b"logprob" in around or b" " in value.strip()):
        return ""
    return kind


def is_plausible(value: bytes) -> bool:
    """Whether a bare value after a name such as `password=` is a secret, not a word, a name in code or a date."""
    if len(set(value)) < 6 or _WORDY.fullmatch(value):
        return False
    return any(48 <= each <= 57 for each in value) and any(chr(each).isalpha() for each in value)


def is_plausible_key(value: bytes) -> bool:
    """Whether the value of a field with a doubtful name, such as `key`, looks like a secret: one word of 12 characters
    and more that mix letters and digits, and no id, address, path or digest."""
    if not 12 <= len(value) <= LONGEST_VALUE or not _KEY.fullmatch(value) or _DIGEST.fullmatch(value):
        return False
    mixed = any(len(set(each)) > 6 and re.search(rb"[0-9].*[0-9]", each) for each in _JOINT.split(value))
    return is_plausible(value) and mixed and entropy(value) >= _LEAST_BITS


def _places(data: bytes, text: bytes, start: int = 0, end: int | None = None) -> Iterator[int]:
    place = data.find(text, start, end)
    while place >= 0:
        yield place
        place = data.find(text, place + len(text), end)


def _pem(data: bytes, start: int, end: int) -> Iterator[Span]:
    done = start
    for place in _places(data, b"PRIVATE KEY", start, end):
        begin = _PEM_BEGIN.search(data[max(done, place - 52) : place])
        if place < done or begin is None:
            continue
        first = place - len(begin.group())
        head = data.find(b"-----", place, place + 40)
        if head >= 0:
            done = max(done, _pem_end(data, head + 5, end))
            yield Span(first, done if done > head else first, PRIVATE_KEY)


def _pem_end(data: bytes, start: int, end: int) -> int:
    """Where a block of PEM ends whose head ends at `start`: behind its last line, or behind its data if it is cut.

    0 where no data follows, as in a text that speaks of such blocks. It never goes beyond a quote.
    """
    inside = _PEM_REST.match(data, start, end)
    close = inside.end() if inside else start
    if data.startswith(b"-----END", close):
        tail = data.find(b"-----", close + 8, min(close + 80, end))
        quote = data.find(b'"', close, max(tail, close))
        if tail >= 0 and quote < 0:
            return tail + 5
    cut = _PEM_DATA.match(data, start, end)
    return cut.end() if cut else 0


def _named(data: bytes, small: bytes, start: int, end: int) -> Iterator[Span]:
    """After a name that says so: `"name": "value"` at any depth of quoting, `name=value`, `?name=value`."""
    for text in _WORDS:
        seen = start
        for offset in _places(small, text):
            place = start + offset
            if place < seen:
                continue
            rest = _NAME_REST.match(data, place)
            seen = max(place + 1, rest.end() if rest else 0)
            after = _AFTER.match(data, seen, end)
            if after is None and data[seen : seen + 1] != b">":
                continue
            before = data[max(start, place - LONGEST_NAME) : place]
            first = min(place, after_escape(data, place - (len(before) - len(before.rstrip(_NAME)))))
            if after is None:
                span = element(data, first, seen, is_plausible)
                if span is not None:
                    seen = span.end
                    yield span
                continue
            for span in _valued(data, (first, seen), after, end):
                seen = max(seen, span.end)
                yield span


def _valued(data: bytes, name: tuple[int, int], after: re.Match[bytes], end: int) -> Iterator[Span]:
    first, last = name
    closing, sign, opening = after.groups()
    title = data[first:last].decode("ascii", "replace")
    if closing is not None and data[max(0, first - len(closing)) : first] == closing:
        if opening is not None and len(opening) != len(closing):
            return  # the end of a text in which only the name stands
        if sign == b",":
            yield from _header_pair(data, title, first, after)
        elif opening is not None:
            yield from _quoted(data, title, after.end(), opening)
        else:
            yield from _unquoted(data, title, after.end(), closing)
    elif closing is opening is None and sign == b"=" and data[max(0, first - 6) : first].endswith(_QUERY_BEFORE):
        found = _QUERY_VALUE.match(data, after.end(), end)
        kind = query_value_kind(title, found.group().decode("utf-8", "replace")) if found else ""
        if found and kind and (title.lower() != "key" or len(found.group()) >= 8):
            yield Span(found.start(), found.end(), kind)
    elif closing is None and sign != b",":
        yield from _bare(data, title, after, end)


def _quoted(data: bytes, title: str, start: int, opening: bytes) -> Iterator[Span]:
    stop = closing_quote(data, start, opening)
    if stop < 0:
        return
    around = data[max(0, start - 160) : start] + data[stop : stop + 160]
    if kind := field_value_is_secret(title, data[start:stop], around):
        yield Span(start, stop, kind)


def _unquoted(data: bytes, title: str, start: int, quote: bytes) -> Iterator[Span]:
    """A list of texts, a number, or an object with the value somewhere in it."""
    kind = field_kind(title)
    if kind and (number := _NUMBER.match(data, start)):
        long = len(number.group(1)) >= _LONG_NUMBER and title.lower() != "token"
        if kind == PASSWORD or (long and kind != COOKIE):
            yield Span(number.start(1), number.end(1), kind, quote)
    if kind:
        yield from in_object(data, start, kind, quote, closing_quote, is_plausible)
    found = _OPEN_LIST.match(data, start) if kind else None
    while found:
        stop = closing_quote(data, found.end(), found.group(1))
        if stop < 0:
            return
        yield Span(found.end(), stop, kind)
        found = _NEXT_IN_LIST.match(data, stop + len(found.group(1)))


def _header_pair(data: bytes, title: str, first: int, after: re.Match[bytes]) -> Iterator[Span]:
    """`["authorization", "…"]`, as headers are often written."""
    opening, kind = after.group(3), header_kind(title)
    if opening is None or not kind or not (kind in (AUTHORIZATION, COOKIE) or "-" in title):
        return
    if not _PAIR_START.search(data[max(0, first - 80) : first]):
        return
    stop = closing_quote(data, after.end(), opening)
    if stop >= 0 and _PAIR_END.match(data, stop + len(opening)):
        yield Span(after.end(), stop, kind)


def _bare(data: bytes, title: str, after: re.Match[bytes], end: int) -> Iterator[Span]:
    """`NAME=value` and `name: value` in text, only where the value looks like a secret."""
    kind, opening = header_kind(title) if "-" in title else field_kind(title), after.group(3)
    if not kind:
        return
    if kind == COOKIE:
        if opening is None and after.group(2) == b":" and (found := _COOKIES.match(data, after.end(), end)):
            yield Span(found.start(), found.end(), kind)
        return
    if kind == AUTHORIZATION and (scheme := _SCHEME.match(data, after.end(), end)):
        yield Span(scheme.start(1), scheme.end(1), kind)
        return
    found = _BARE.match(data, after.end(), end)
    if found:  # an empty span says how far was looked
        yield Span(found.start() if is_plausible(found.group()) else found.end(), found.end(), kind)


def _userinfo(data: bytes, start: int, end: int) -> Iterator[Span]:
    for text in (b"://", b":\\/\\/"):
        for place in _places(data, text, start, end):
            found = _USERINFO.match(data, place + len(text), end)
            if found and (b":" in found.group() or is_plausible(found.group())):
                yield Span(found.start(), found.end(), PASSWORD)


def _schemes(data: bytes, small: bytes, start: int) -> Iterator[Span]:
    for offset in _places(small, b"bearer"):
        found = _BEARER.match(data, start + offset)
        if found and is_plausible(found.group(1)):
            yield Span(found.start(1), found.end(1), AUTHORIZATION)
    for offset in _places(small, b"basic"):
        found = _BASIC.match(data, start + offset)
        if found and is_basic(found.group(1)):
            yield Span(found.start(1), found.end(1), AUTHORIZATION)


def closing_quote(data: bytes, start: int, opening: bytes) -> int:
    """Where the quote closes that was opened by `opening`, a quote with the backslashes of its depth; -1 for nowhere.

    At depth d (JSON in a text of JSON, d times) a quote has 2^d - 1 backslashes; one more depth of escapes doubles
    them, so that a quote belongs to this depth when its number of backslashes is 2^d - 1 modulo 2^(d+1).
    """
    depth = len(opening) - 1
    place = data.find(opening[-1:], start, start + LONGEST_VALUE)
    while place >= 0:
        run = data[max(start, place - 64) : place]
        slashes = len(run) - len(run.rstrip(b"\\"))
        if slashes % (2 * (depth + 1)) == depth:
            return place - depth
        if slashes < depth:
            return -1
        place = data.find(opening[-1:], place + 1, start + LONGEST_VALUE)
    return -1
