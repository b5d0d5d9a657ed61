"""Secrets that a stream gives in pieces: a model's text comes a few characters an event."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator

from gate.record.recordings.secrets_in import spans_of
from gate.record.recordings.spans import Span

_PIECE = re.compile(
    rb'"(?:content|text|delta|arguments|partial_json|thinking|reasoning|reasoning_content|response|completion|refusal)"'
    rb'\s{0,8}:\s{0,8}"((?:[^"\\]|\\.)*+)"',
    re.S,
)


def spans_of_stream(data: bytes) -> tuple[Span, ...]:
    """Secrets in the text that the events of a stream give together, such as those whose name came an event before.

    The first piece of each has its kind; the others have none, so that nothing is put in their place. Texts of several
    answers in one stream are read as one, in the order in which their pieces came.
    """
    places = [found.span(1) for found in _PIECE.finditer(data)]
    if len(places) < 2:
        return ()
    starts = list(itertools.accumulate((end - start for start, end in places), initial=0))
    whole = b"".join(data[start:end] for start, end in places)
    return tuple(part for span in spans_of(whole) for part in _parts(span, places, starts))


def _parts(span: Span, places: list[tuple[int, int]], starts: list[int]) -> Iterator[Span]:
    """A span of the whole text as spans of the pieces that it came in."""
    first = bisect.bisect_right(starts, span.start) - 1
    last = bisect.bisect_left(starts, span.end) - 1
    for turn in range(first, last + 1):
        begin = places[turn][0] + max(0, span.start - starts[turn])
        end = min(places[turn][1], places[turn][0] + span.end - starts[turn])
        if end > begin:
            yield Span(begin, end, span.kind if turn == first else "", span.quote if turn == first else b"")
