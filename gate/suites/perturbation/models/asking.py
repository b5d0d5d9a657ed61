"""Rows go to a model in batches under a cap of memory; rows on which it raises are found by halving a batch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gate.errors import GateError, UsageError
from gate.suites.perturbation.models import rows as pieces
from gate.suites.perturbation.models.answers import Answers
from gate.suites.perturbation.models.model import Model
from gate.suites.perturbation.models.reading import Part, read
from gate.suites.perturbation.models.registry import as_model

MEMORY = 256 * 2**20
"""Bytes of input that may be in flight, counted as eight bytes a cell, three times: the rows, the copy, the model's."""
LARGEST_BATCH = 65_536
MOST_FAILED = 100
_CELL = 3 * 8
_CHECKED = 1000
"""First rows that are compared with what the model left of them: a model that writes does so to all of a batch."""


def ask(
    model: Any,
    native_rows: Any,
    rows: int,
    where: str,
    *,
    memory: int = MEMORY,
    threads: int = 1,
    exact: bool = False,
    copies: bool = True,
) -> Answers:
    """What a model answers, in batches.

    Args:
        model: a `Model`, or anything that `as_model` takes.
        native_rows: array, frame or list of the user's own kind.
        rows: how many there are.
        memory: bytes of input in flight; it sets the size of a batch.
        threads: how many batches are asked at once of a model that is thread-safe.
        exact: leave the answers as they came. By default they are rounded (see `Answers.rounded`), so that neither
            the size of a batch nor the number of threads shows in them.
        copies: give the model a copy, and say in `Answers.mutated` whether it changed it. False for rows that were made
            for this call, once a model has shown that it changes nothing.

    Raises:
        UsageError: answers of a wrong shape, kind or range; a model that fails on every row or on more than 100.
            What a recording raises is passed on.
    """
    found = as_model(model, where=where)
    if not rows:
        raise UsageError("there are no rows to ask about", where=where, remedy="give at least one")
    workers = max(1, threads) if found.thread_safe else 1
    size = _batch(found, native_rows, memory, workers)
    spans = [(start, min(start + size, rows)) for start in range(0, rows, size)]
    asker = _Asker(found, native_rows, where, copies=copies)
    if workers == 1 or len(spans) == 1:
        asked = [asker.batch(start, stop) for start, stop in spans]
    else:
        with ThreadPoolExecutor(workers) as pool:
            asked = list(pool.map(lambda span: asker.batch(*span), spans))
    answers = _joined([piece for batch in asked for piece in batch], rows, found, where, asker)
    return answers if exact else answers.rounded()


def _batch(model: Model, native_rows: Any, memory: int, workers: int) -> int:
    affordable = memory // (_CELL * pieces.width(native_rows) * workers)
    limits = [LARGEST_BATCH, max(1, affordable)] + ([model.batch] if model.batch else [])
    return min(limits)


class _Asker:
    """Asks for spans of rows and remembers which could not be answered."""

    def __init__(self, model: Model, native_rows: Any, where: str, *, copies: bool) -> None:
        self.failed: dict[int, str] = {}
        self.first: Exception | None = None
        self.mutated = False
        self._model, self._rows, self._where, self._copies = model, native_rows, where, copies

    def batch(self, start: int, stop: int) -> list[tuple[int, Part]]:
        """Parts by their first row; rows on which the model raises are in none."""
        given = pieces.part(self._rows, start, stop)
        shown = pieces.duplicate(given) if self._copies else given
        try:
            raw = self._model.call(shown)
        except GateError:
            raise
        except Exception as error:  # the model is the user's code: whatever it raises belongs to its rows
            return list(self._halved(start, stop, error))
        if start == 0 and self._copies:
            few = min(stop, _CHECKED)
            self.mutated = not pieces.same(pieces.part(given, 0, few), pieces.part(shown, 0, few))
        return [(start, read(raw, stop - start, self._model, self._where))]

    def _halved(self, start: int, stop: int, error: Exception) -> Iterator[tuple[int, Part]]:
        if stop - start == 1:
            self.first = self.first or error
            self.failed[start] = f"{type(error).__name__}: {error}"
            if len(self.failed) > MOST_FAILED:
                raise UsageError(
                    f"the model raised on more than {MOST_FAILED} rows, on row {start} {self.failed[start]:.200}",
                    where=self._where,
                    remedy="mend the model, or leave out the rows that it can't take",
                ) from error
            return
        middle = (start + stop) // 2
        yield from self.batch(start, middle)
        yield from self.batch(middle, stop)


def _joined(parts: list[tuple[int, Part]], rows: int, model: Model, where: str, asker: _Asker) -> Answers:
    import numpy as np

    if not parts:
        cause = asker.failed[min(asker.failed)]
        raise UsageError(
            f"the model raised on every row: {cause:.300}", where=where, remedy="try the model on one row by hand"
        ) from asker.first
    kinds = {part.kind for _, part in parts} | {part.content.shape[1:] for _, part in parts}
    if len(kinds) > 2:
        raise UsageError(
            "the model answers one batch in another way than the next", where=where, remedy="return one kind of answer"
        )
    kind = parts[0][1].kind
    names = _names(parts, model, where)
    content = np.full((rows, *parts[0][1].content.shape[1:]), -1 if kind == "labels" else np.nan)
    failed = dict(asker.failed)
    for start, part in parts:
        piece = part.content
        if kind == "labels":
            places = np.array([*(names.index(name) for name in part.names), -1], dtype=np.int64)
            piece = places[piece]
        content[start : start + len(piece)] = piece
        for row in np.flatnonzero(part.empty).tolist():
            failed[start + row] = "the model answered NaN or nothing"
    if len(failed) == rows:
        raise UsageError("the model gave no number for any row", where=where, remedy="try it on one row by hand")
    content[list(failed)] = -1 if kind == "labels" else np.nan
    if kind == "labels":
        content = content.astype(np.int64)
    ordered = {row: failed[row] for row in sorted(failed)}
    return Answers(kind, content, names, ordered, model.cutoff, asker.mutated)


def _names(parts: list[tuple[int, Part]], model: Model, where: str) -> tuple[str, ...]:
    first = parts[0][1]
    if first.kind == "values":
        return ()
    if first.kind == "probabilities":
        if len({part.names for _, part in parts}) > 1:
            raise UsageError("the classes differ between batches", where=where, remedy="give `labels`")
        return model.labels or first.names or tuple(str(place) for place in range(first.content.shape[1]))
    seen = {name for _, part in parts for name in part.names}
    if not model.labels:
        return tuple(sorted(seen, key=_by_value))
    unknown = sorted(seen - set(model.labels))
    if unknown:
        raise UsageError(
            f"the model answered {unknown[0]!r:.60}, which is none of its classes",
            where=where,
            remedy=f"list every class; known are {', '.join(model.labels[:10])}",
        )
    return model.labels


def _by_value(name: str) -> tuple[int, float, str]:
    """Numbers by value, then texts by code point, as scikit-learn orders its classes."""
    try:
        number = float(name)
    except ValueError:
        number = math.inf
    return (0, number, name) if math.isfinite(number) else (1, 0.0, name)
