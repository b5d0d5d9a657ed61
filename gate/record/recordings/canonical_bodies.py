"""A body in a form in which equal ones are equal, as JSON values: text for what is text, a digest for what is not."""

from __future__ import annotations

import hashlib
import re
from typing import Any
from urllib.parse import unquote_to_bytes

from gate.record.recordings import bodies
from gate.record.recordings.canonical_json import canonical_json
from gate.record.recordings.exchange import Headers
from gate.record.recordings.volatile import PLACEHOLDER, Volatile, field_is_volatile, json_change, text_without

DEEPEST_PARTS = 4
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CONTROLS = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def canonical_body(headers: Headers, body: bytes, volatile: Volatile, depth: int = 0) -> dict[str, Any]:
    """A decoded body as one of `{}` (none), `{"json": text}`, `{"lines": [text]}`, `{"form": [[name, value]]}`,
    `{"parts": [{"headers", "body"}]}`, `{"text": text}` and `{"binary": {"bytes", "digest"}}`.

    What is not what its media type says is taken as text or as binary data.
    """
    if not body:
        return {}
    media = bodies.media_type(headers)
    found: dict[str, Any] | None = None
    if media == bodies.FORM and body.lstrip()[:1] not in (b"{", b"["):
        found = {"form": pairs(body, volatile)}
    elif media.startswith("multipart/") and depth < DEEPEST_PARTS:
        found = _multipart(headers, body, volatile, depth)
    elif bodies.is_json_lines(media):
        found = _lines(body, volatile)
    elif _may_be_json(media, body):
        found = _json(body, volatile)
    return found if found is not None else _plain(body, volatile)


def pairs(query: bytes, volatile: Volatile) -> list[list[str]]:
    """Name and value of each pair of a query or form, sorted by name; equal names stay in their order."""
    out = []
    for pair in query.split(b"&"):
        if pair:
            name, _, value = pair.partition(b"=")
            key = _unquoted(name)
            out.append(
                [key, PLACEHOLDER if field_is_volatile(volatile, key) else text_without(volatile, _unquoted(value))]
            )
    out.sort(key=lambda pair: pair[0])
    return out


def _unquoted(text: bytes) -> str:
    return unquote_to_bytes(text.replace(b"+", b" ")).decode("utf-8", "surrogateescape")


def _may_be_json(media: str, body: bytes) -> bool:
    """By its media type, or where none is said or a client such as curl said that of forms, by its first character."""
    if bodies.is_json(media):
        return True
    return media in ("", bodies.FORM) and body.lstrip()[:1] in (b"{", b"[")


def _json(body: bytes, volatile: Volatile) -> dict[str, Any] | None:
    text = canonical_json(body, json_change(volatile))
    return None if text is None else {"json": text_without(volatile, text)}


def _lines(body: bytes, volatile: Volatile) -> dict[str, Any] | None:
    out = []
    change = json_change(volatile)
    for line in body.replace(b"\x1e", b"\n").split(b"\n"):
        if not line.strip():
            continue
        text = canonical_json(line, change)
        if text is None:
            return None
        out.append(text_without(volatile, text))
    return {"lines": out}


def _multipart(headers: Headers, body: bytes, volatile: Volatile, depth: int) -> dict[str, Any] | None:
    boundary = bodies.parameter(bodies.header(headers, "content-type"), "boundary").encode("utf-8", "replace")
    if not boundary:
        return None
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary)
    if len(pieces) < 3 or not pieces[-1].startswith(b"--"):
        return None
    parts = []
    for piece in pieces[1:-1]:
        head, content = _head(piece.lstrip(b" \t"))
        kept = sorted([name, value] for name, value in head if name != "content-length")
        parts.append({"headers": kept, "body": canonical_body(head, content, volatile, depth + 1)})
    return {"parts": parts}


def _head(piece: bytes) -> tuple[Headers, bytes]:
    """Headers of a part in small letters, and what follows them."""
    if piece.startswith(b"\r\n\r\n"):
        return (), piece[4:]
    end = _HEAD_END.search(piece, 1)
    if end is None:
        return (), piece
    lines = piece[: end.start()].decode("utf-8", "replace").splitlines()
    split = (line.partition(":") for line in lines if ":" in line)
    return tuple((name.strip().lower(), value.strip()) for name, _, value in split), piece[end.end() :]


def _plain(body: bytes, volatile: Volatile) -> dict[str, Any]:
    """Text where the bytes are readable UTF-8, else their number and digest."""
    if not _CONTROLS.search(body):
        try:
            return {"text": text_without(volatile, body.decode())}
        except UnicodeDecodeError:
            pass
    return {"binary": {"bytes": len(body), "digest": hashlib.blake2b(body, digest_size=16).hexdigest()}}
