"""All secrets in some bytes, and the bytes without them. Linear in time and memory; it never raises."""

from __future__ import annotations

import itertools

from gate.record.recordings.secret_places import placed
from gate.record.recordings.secret_shapes import LONGEST_TOKEN, shaped, tokens
from gate.record.recordings.spans import Span, merged, replaced

_MOST_ROUNDS = 8


def spans_of(data: bytes, *, random: bool = True) -> tuple[Span, ...]:
    """Where secrets are, in order and without overlaps; what is a placeholder already is none.

    Args:
        data: text in UTF-8 or any other bytes that hold ASCII as itself.
        random: also strings of no known shape that look drawn at random. Leave them out of addresses and headers,
            where ids and places in lists look the same.
    """
    by_shape: list[Span] = []
    runs: list[tuple[int, int]] = []
    for start, end in tokens(data):
        if end - start > LONGEST_TOKEN:
            runs.append((start, end))
        else:
            by_shape += shaped(data, start, end, random=random)
    by_place: list[Span] = []
    # What lies between long runs of data is all that can hold a name.
    for (_, start), (end, _) in itertools.pairwise([(0, 0), *runs, (len(data), len(data))]):
        if end - start > 1:
            by_place += placed(data, start, end)
    return merged(data, [*by_place, *by_shape])


def without_secrets(data: bytes, *, random: bool = True) -> bytes:
    """Data with a placeholder for each secret. What is without secrets comes back as the same object."""
    for _ in range(_MOST_ROUNDS):  # what stands beside a placeholder may only then be seen as a secret
        found = spans_of(data, random=random)
        if not found:
            break
        data = replaced(data, found)
    return data
