"""Rows go to a model in batches under a cap of memory; rows on which it raises are found by halving a batch."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NoReturn

from gate.errors import GateError, UsageError
from gate.suites.perturbation.models import rows as pieces
from gate.suites.perturbation.models.answers import Answers
from gate.suites.perturbation.models.model import Model
from gate.suites.perturbation.models.reading import Part, read
from gate.suites.perturbation.models.registry import as_model

MEMORY = 256 * 2**20
"""Bytes of input that may be in flight, counted as eight bytes a cell, three times: the rows, the copy, the model's."""
LARGEST_BATCH = 131072
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
    asker = _Asker(found, where, copies=copies)
    spans = [(start, min(start + size, rows)) for start in range(0, rows, size)]
    batches = ((start, stop - start, pieces.part(native_rows, start, stop)) for start, stop in spans)
    asked = [piece for _, parts in asker.each(batches, workers) for piece in parts]
    answers = _joined(asked, rows, found, where, asker)
    return answers if exact else answers.rounded()


def ask_each(
    model: Model,
    batches: Iterable[tuple[Any, int]],
    like: Answers,
    where: str,
    *,
    threads: int = 1,
    copies: bool = True,
) -> Iterator[tuple[int, Any, Answers]]:
    """What a model answers to rows that are made batch by batch, so that never all of them are held.

    Batches are made in their order by the thread of the caller, at most two a thread ahead; answers come in that order.

    Args:
        batches: rows of the user's own kind, and how many they are, no more than the model takes at once.
        like: its answers to other rows: what a batch looks like in which it fails on every row.
        copies: see `ask`.

    Yields:
        Place of the first row, the rows as they were made, and the answers, rounded; `failed` counts from the batch.

    Raises:
        UsageError: as `ask`, but for a model that fails on every row.
    """
    import numpy as np

    workers = max(1, threads) if model.thread_safe else 1
    asker = _Asker(model, where, copies=copies)

    def placed() -> Iterator[tuple[int, int, Any]]:
        start = 0
        for native, rows in batches:
            yield start, rows, native
            start += rows

    for (start, rows, native), parts in asker.each(placed(), workers):
        if parts:
            own = [(place - start, part) for place, part in parts]
            answers = _joined(own, rows, model, where, asker, since=start).rounded()
        else:
            empty = np.full((rows, *like.content.shape[1:]), np.nan if like.kind != "labels" else -1)
            failed = {row: asker.failed[start + row] for row in range(rows)}
            answers = replace(like, content=empty.astype(like.content.dtype), failed=failed)
        yield start, native, answers


def _batch(model: Model, native_rows: Any, memory: int, workers: int) -> int:
    return batch_size(model, pieces.width(native_rows), memory, workers)


def batch_size(model: Model, columns: int, memory: int = MEMORY, workers: int = 1) -> int:
    """How many rows of so many columns are asked about at once."""
    affordable = memory // (_CELL * max(1, columns) * workers)
    limits = [LARGEST_BATCH, max(1, affordable)] + ([model.batch] if model.batch else [])
    return min(limits)


Placed = tuple[int, int, Any]
"""Place of a batch's first row, how many rows it has, and the rows."""


class _Asker:
    """Asks for batches and remembers which rows could not be answered."""

    def __init__(self, model: Model, where: str, *, copies: bool) -> None:
        self.failed: dict[int, str] = {}
        self.first: Exception | None = None
        self.mutated = False
        self._model, self._where, self._copies = model, where, copies

    def each(self, batches: Iterable[Placed], workers: int) -> Iterator[tuple[Placed, list[tuple[int, Part]]]]:
        """Every batch with its parts, in their order; batches are made as they are needed."""
        if workers == 1:
            for placed in batches:
                yield placed, self.batch(*placed)
            return
        with ThreadPoolExecutor(workers) as pool:
            waiting: deque[tuple[Placed, Future[list[tuple[int, Part]]]]] = deque()
            for placed in batches:
                waiting.append((placed, pool.submit(self.batch, *placed)))
                if len(waiting) > workers:
                    first, found = waiting.popleft()
                    yield first, found.result()
            for first, found in waiting:
                yield first, found.result()

    def batch(self, start: int, rows: int, given: Any) -> list[tuple[int, Part]]:
        """Parts by their first row; rows on which the model raises are in none."""
        shown = pieces.duplicate(given) if self._copies else given
        try:
            raw = self._model.call(shown)
        except GateError:
            raise
        except Exception as error:  # the model is the user's code: whatever it raises belongs to its rows
            return list(self._halved(start, rows, given, error))
        if start == 0 and self._copies:
            few = min(rows, _CHECKED)
            self.mutated = not pieces.same(pieces.part(given, 0, few), pieces.part(shown, 0, few))
        return [(start, read(raw, rows, self._model, self._where))]

    def _halved(self, start: int, rows: int, given: Any, error: Exception) -> Iterator[tuple[int, Part]]:
        if rows == 1:
            self.first = self.first or error
            self.failed[start] = f"{type(error).__name__}: {error}"
            if len(self.failed) > MOST_FAILED:
                raise UsageError(
                    f"the model raised on more than {MOST_FAILED} rows, on row {start} {self.failed[start]:.200}",
                    where=self._where,
                    remedy="mend the model, or leave out the rows that it can't take",
                ) from error
            return
        half = rows // 2
        yield from self.batch(start, half, pieces.part(given, 0, half))
        yield from self.batch(start + half, rows - half, pieces.part(given, half, rows))


def joined(answers: Sequence[Answers], where: str) -> Answers:
    """Answers to batches as answers to all their rows, in order.

    Raises:
        UsageError: they are of several kinds or classes.
    """
    import numpy as np

    first = answers[0]
    names = first.labels
    if len({(each.kind, each.content.shape[1:]) for each in answers}) > 1:
        _refuse_mixed(where)
    if first.kind == "labels":
        seen = {name for each in answers for name in each.labels}
        names = first.labels if seen == set(first.labels) else tuple(sorted(seen, key=_by_value))
        answers = [each if each.labels == names else _named(each, names) for each in answers]
    elif any(each.labels != names for each in answers):
        raise UsageError("the classes differ between batches", where=where, remedy="give `labels`")
    failed: dict[int, str] = {}
    start = 0
    for each in answers:
        failed |= {start + row: cause for row, cause in each.failed.items()}
        start += each.rows
    content = np.concatenate([each.content for each in answers])
    return replace(first, content=content, labels=names, failed=failed, mutated=any(each.mutated for each in answers))


def _named(answers: Answers, names: tuple[str, ...]) -> Answers:
    import numpy as np

    places = np.array([*(names.index(name) for name in answers.labels), -1], dtype=np.int64)
    return replace(answers, content=places[answers.content], labels=names)


def _refuse_mixed(where: str) -> NoReturn:
    raise UsageError(
        "the model answers one batch in another way than the next", where=where, remedy="return one kind of answer"
    )


def _joined(
    parts: list[tuple[int, Part]], rows: int, model: Model, where: str, asker: _Asker, since: int | None = None
) -> Answers:
    import numpy as np

    if not parts:
        cause = asker.failed[min(asker.failed)]
        raise UsageError(
            f"the model raised on every row: {cause:.300}", where=where, remedy="try the model on one row by hand"
        ) from asker.first
    kinds = {part.kind for _, part in parts} | {part.content.shape[1:] for _, part in parts}
    if len(kinds) > 2:
        _refuse_mixed(where)
    kind = parts[0][1].kind
    names = _names(parts, model, where)
    first_part = parts[0][1]
    if kind == "probabilities" and len(first_part.content) == rows and not first_part.empty.any():
        return Answers(kind, first_part.content, names, {}, model.cutoff, asker.mutated)  # one batch, read into its own
    content = np.full((rows, *first_part.content.shape[1:]), -1 if kind == "labels" else np.nan)
    first = since or 0
    failed = {row - first: cause for row, cause in asker.failed.items() if first <= row < first + rows}
    for start, part in parts:
        piece = part.content
        if kind == "labels":
            places = np.array([*(names.index(name) for name in part.names), -1], dtype=np.int64)
            piece = places[piece]
        content[start : start + len(piece)] = piece
        for row in np.flatnonzero(part.empty).tolist():
            failed[start + row] = "the model answered NaN or nothing"
    if len(failed) == rows and since is None:
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
