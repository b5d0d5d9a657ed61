"""Requests and answers without secrets, and what looks like a secret in a text.

A secret becomes a placeholder such as `~secret-api-key~`, the same for every value of its kind, so that a recording
that was made with one key matches a request with another, and holds neither. All else stays byte for byte: JSON, forms
and events stay what they are. What was encoded (gzip and the like) comes back decoded where it holds a secret, without
`content-encoding`; `content-length` is corrected where it said the length of the body.

Known limits: binary data and a body whose encoding can't be undone are left as they are; two requests that differ in
nothing but a secret become equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote_plus, unquote_plus

from gate.record.recordings import bodies
from gate.record.recordings.exchange import Answer, Headers, Request
from gate.record.recordings.secret_markup import in_path
from gate.record.recordings.secret_names import (
    AUTHORIZATION,
    COOKIE,
    PASSWORD,
    field_kind,
    header_kind,
    query_value_kind,
)
from gate.record.recordings.secret_places import LONGEST_VALUE, field_value_is_secret, is_plausible
from gate.record.recordings.secrets_in import spans_of, without_secrets
from gate.record.recordings.spans import Span, merged, placeholder, replaced, replaced_in_chunks
from gate.record.recordings.streamed import spans_of_stream

_AUTHORITY = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]*://)([^/?#\s]*@)")
_MULTIPART_FIELD = re.compile(rb'\bname="?([^"\r\n;]{1,120})"?[^\r\n]{0,512}\r\n(?:[^\r\n]{1,512}\r\n){0,20}\r\n', re.I)
_PLAIN_ESCAPE = re.compile(rb"\\u00(3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9Aa]|2[DdEe])")
_ADDRESSES = frozenset({"location", "content-location", "referer", "origin", "link", "refresh"})
_MASKED = 4
_MOST_ROUNDS = 8
_SHORTEST = 8
"""Characters of a text that can hold a name and a secret."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that looks like a secret.

    Attributes:
        kind: such as `api-key`, `password`, `random`.
        place: line and column, counted from 1, as `line 3, column 14`; columns in bytes.
        excerpt: its first few characters and its length, never the whole.
    """

    kind: str
    place: str
    excerpt: str


def request(asked: Request) -> Request:
    """The request without secrets, its body decoded where its encodings can be undone. Never raises."""
    given = asked.headers
    try:
        body = bodies.decoded(given, asked.body)
        given, body = bodies.as_utf8(bodies.without(given, ("content-encoding",)), body)
    except bodies.UnreadableError:
        body = asked.body
    body = _body(given, body)
    return replace(asked, url=url(asked.url), headers=headers(_measured(given, asked.body, body)), body=body)


def answer(given: Answer) -> Answer:
    """The answer without secrets, in the chunks in which it came. Never raises.

    A secret that spans chunks is replaced in the chunk where it begins. An answer without secrets keeps its encoding.
    """
    clean = headers(given.headers)
    chunks = given.chunks
    try:
        plain = bodies.decoded_chunks(given.headers, chunks)
    except bodies.UnreadableError:
        return replace(given, headers=clean)
    without = _chunks(given.headers, plain)
    if without == plain:
        return replace(given, headers=clean)
    if bodies.encodings(given.headers):
        clean = bodies.without(clean, ("content-encoding",))
    measured = _measured(clean, given.body, b"".join(without))
    return replace(given, headers=measured, chunks=tuple(chunk for chunk in without if chunk))


def headers(given: Headers) -> Headers:
    """Headers without secrets, by their names and by what values hold; names and attributes of cookies stay."""
    return tuple((name, _header(name, value)) for name, value in given)


def url(address: str) -> str:
    """An address without userinfo, and without the values of query parameters that are named like secrets."""
    start = _AUTHORITY.match(address)
    if start and start.group(2) != f"{placeholder(PASSWORD)}@":
        address = f"{start.group(1)}{placeholder(PASSWORD)}@{address[start.end() :]}"
    path, mark, rest = address.partition("?")
    if mark:
        query, sharp, fragment = rest.partition("#")
        address = f"{path}?{_pairs(query, query_value_kind, random=False)}{sharp}{fragment}"
    return text(_without_path(address), random=False)


def _without_path(address: str) -> str:
    """An address without the parts of its path that stand behind one such as `token`."""
    end = address.find("?")
    path = address[: end if end >= 0 else len(address)].encode("utf-8", "surrogatepass")
    found = merged(path, in_path(path, is_plausible))
    if not found:
        return address
    return replaced(path, found).decode("utf-8", "surrogatepass") + (address[end:] if end >= 0 else "")


def _in_form(name: str, value: str) -> str:
    return field_kind(name) or field_value_is_secret(name, value.encode("utf-8", "surrogatepass"), b"")


def text(value: str, *, random: bool = True) -> str:
    """A text without secrets that are known by their place or shape."""
    if len(value) < _SHORTEST:
        return value
    data = value.encode("utf-8", "surrogatepass")
    clean = without_secrets(data, random=random)
    return value if clean is data else clean.decode("utf-8", "surrogatepass")


def find(value: str, *, random: bool = True) -> list[Found]:
    """What looks like a secret in a text, such as that of a file of recordings; nothing in what was redacted.

    Args:
        random: also what looks drawn at random, see `spans_of`.
    """
    data = value.encode("utf-8", "surrogatepass")
    found, line, begin, seen = [], 1, 0, 0
    for span in spans_of(data, random=random):
        line += data.count(b"\n", seen, span.start)
        begin = max(begin, data.rfind(b"\n", seen, span.start) + 1)
        seen = span.start
        column = span.start - begin + 1
        found.append(Found(span.kind, f"line {line}, column {column}", _excerpt(data[span.start : span.end])))
    return found


def _excerpt(secret: bytes) -> str:
    shown = secret[: min(_MASKED, len(secret) // 4)].decode("utf-8", "replace")
    return f"{shown}… ({len(secret)} characters)"


def _header(name: str, value: str) -> str:
    kind, small = header_kind(name), name.lower()
    if kind == COOKIE:
        return _cookies(value, all_of_them=small in ("cookie", "cookie2"))
    if kind == AUTHORIZATION:
        scheme, space, rest = value.strip().partition(" ")
        known = bool(space) and rest.strip() and re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,30}", scheme)
        return f"{scheme} {placeholder(kind)}" if known else (placeholder(kind) if value.strip() else value)
    if kind:
        return placeholder(kind) if value.strip() else value
    return url(value) if small in _ADDRESSES else text(value, random=False)


def _cookies(value: str, *, all_of_them: bool) -> str:
    """The values of a `cookie` header, or that of the first pair of a `set-cookie`, whose attributes stay."""
    pieces = value.split(";")
    for turn, piece in enumerate(pieces if all_of_them else pieces[:1]):
        name, sign, content = piece.partition("=")
        if not sign and piece.strip():
            pieces[turn] = placeholder(COOKIE)
        elif content.strip():
            pieces[turn] = f"{name}={placeholder(COOKIE)}"
    return ";".join(pieces)


def _pairs(query: str, kind_of: Callable[[str, str], str], *, random: bool) -> str:
    """A query or form without secrets; pairs without any stay as they are written."""
    out = []
    for pair in query.split("&"):
        name, sign, value = pair.partition("=")
        kind = kind_of(unquote_plus(name), unquote_plus(value, errors="surrogateescape")) if value else ""
        if kind:
            pair = f"{name}={placeholder(kind)}"  # noqa: PLW2901
        elif "%" in value or "+" in value:
            plain = unquote_plus(value, errors="surrogateescape")
            clean = text(plain, random=random)
            if clean != plain:
                pair = f"{name}{sign}{quote_plus(clean, safe='~', errors='surrogateescape')}"  # noqa: PLW2901
        out.append(pair)
    return "&".join(out)


def _body(given: Headers, body: bytes) -> bytes:
    """A decoded body without secrets; binary data stays as it is."""
    media = bodies.media_type(given)
    if not bodies.is_textual(media) and not _is_text(body):
        return body
    if media == bodies.FORM and body[:1] not in (b"{", b"["):
        form = body.decode("latin-1")
        clean = _pairs(form, _in_form, random=True)
        body = body if clean == form else clean.encode("latin-1", "replace")
    elif media.startswith("multipart/"):
        body = _multipart(body)
    return without_secrets(_unescaped(body))


def _unescaped(body: bytes) -> bytes:
    """JSON with letters and digits as themselves instead of `\\u0061`, so that names are recognised; the same value."""
    if body[:64].lstrip()[:1] not in (b"{", b"[") or b"\\u00" not in body:
        return body
    return _PLAIN_ESCAPE.sub(_character, body)


def _character(found: re.Match[bytes]) -> bytes:
    before = found.string[max(0, found.start() - 64) : found.start()]
    escaped = (len(before) - len(before.rstrip(b"\\"))) % 2  # then the backslash is itself a character
    return found.group() if escaped else bytes.fromhex(found.group(1).decode())


def _multipart(body: bytes) -> bytes:
    """A multipart body without the values of fields that are named like secrets."""
    found, end = [], 0
    for field in _MULTIPART_FIELD.finditer(body):
        start, kind = field.end(), field_kind(field.group(1).decode("utf-8", "replace"))
        if 0 <= end < start:
            end = body.find(b"\r\n--", start)
        if kind and start < end <= start + LONGEST_VALUE and body[start:end].strip():
            found.append(Span(start, end, kind))
    return replaced(body, merged(body, found))


def _chunks(given: Headers, chunks: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Decoded chunks without secrets; the same object where there are none. Binary data stays as it is: another length
    would break its framing."""
    if not bodies.is_textual(bodies.media_type(given)) and not _is_text(b"".join(chunks)):
        return chunks
    streams = bodies.is_stream(bodies.media_type(given))
    for _ in range(_MOST_ROUNDS):
        body = b"".join(chunks)
        found = spans_of(body) or (spans_of_stream(body) if streams else ())
        if not found:
            break
        chunks = replaced_in_chunks(chunks, found)
    return chunks


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _measured(given: Headers, before: bytes, after: bytes) -> Headers:
    """Headers whose `content-length`, where it said the length before, says the length now."""
    if len(before) == len(after):
        return given
    said = str(len(before))
    return tuple(
        (name, str(len(after)) if name.lower() == "content-length" and value.strip() == said else value)
        for name, value in given
    )
