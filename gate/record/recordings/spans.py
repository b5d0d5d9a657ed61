"""Places of secrets in bytes, and what is put there instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PLACEHOLDER = re.compile(rb"~secret-[a-z-]{1,24}~")

_WITH_OTHERS = frozenset({"authorization", "cookie"})
_LONGEST_DONE = 4096


@dataclass(frozen=True, slots=True)
class Span:
    """One secret.

    Attributes:
        start, end: where its bytes are, the end excluded.
        kind: such as `api-key`; empty for what is taken away without a placeholder.
        quote: put around the placeholder, where a bare number becomes a text.
    """

    start: int
    end: int
    kind: str
    quote: bytes = b""


def placeholder(kind: str) -> str:
    """What stands for any secret of a kind; nothing for no kind.

    It is made of characters that need no escape in JSON, headers, cookies, addresses and forms, so that the same
    placeholder is found again wherever it was put.
    """
    return f"~secret-{kind}~" if kind else ""


def is_placeholder(value: bytes) -> bool:
    """Whether a value has been replaced already."""
    return _PLACEHOLDER.fullmatch(value) is not None


def merged(data: bytes, found: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order without overlaps, placeholders and empty ones left out.

    Spans that overlap become one, of the kind of the one that was named first.
    """
    ranked = [(span.start, rank, span) for rank, span in enumerate(found) if span.end > span.start]
    ranked = [each for each in ranked if not _is_done(data, each[2])]
    ranked.sort(key=lambda each: (each[0], each[1]))
    out: list[tuple[int, Span]] = []
    for _, rank, span in ranked:
        if not out or span.start >= out[-1][1].end:
            out.append((rank, span))
            continue
        before, last = out[-1]
        first = last if before < rank else span
        out[-1] = (min(before, rank), Span(last.start, max(last.end, span.end), first.kind, first.quote))
    return tuple(span for _, span in out)


def _is_done(data: bytes, span: Span) -> bool:
    """Whether a span is a placeholder, or a header's value that holds one beside a scheme, a name or attributes."""
    value = data[span.start : span.end] if span.end - span.start < _LONGEST_DONE else b""
    if span.kind in _WITH_OTHERS:
        return _PLACEHOLDER.search(value) is not None
    return is_placeholder(value)


def replaced(data: bytes, spans: Iterable[Span]) -> bytes:
    """Data with each of the ordered spans replaced by its placeholder."""
    pieces, place = [], 0
    for span in spans:
        pieces += [data[place : span.start], span.quote, placeholder(span.kind).encode(), span.quote]
        place = span.end
    pieces.append(data[place:])
    return b"".join(pieces)


def replaced_in_chunks(chunks: tuple[bytes, ...], spans: tuple[Span, ...]) -> tuple[bytes, ...]:
    """The same over a body in pieces: a placeholder stands in the piece in which its secret begins.

    Pieces that were nothing but the rest of a secret are left out.
    """
    out, begin, turn = [], 0, 0
    for chunk in chunks:
        end, place, pieces = begin + len(chunk), begin, []
        while turn < len(spans) and spans[turn].start < end:
            span = spans[turn]
            if span.start >= begin:
                pieces += [chunk[place - begin : span.start - begin], span.quote, placeholder(span.kind).encode()]
                pieces.append(span.quote)
            place = min(span.end, end)
            if span.end > end:
                break
            turn += 1
        pieces.append(chunk[place - begin :])
        if text := b"".join(pieces):
            out.append(text)
        begin = end
    return tuple(out)
