"""What a model of texts answers: a class, a text, or probabilities of classes for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation import probabilities
from gate.suites.perturbation.text.prepared import Prepared

Model = Callable[[list[str]], Any]
"""n texts -> n classes or texts, (n, classes) probabilities, or n floats, which are those of the second of two."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says of one text.

    Attributes:
        label: the class, or the text that it wrote; None where it gave none. Of probabilities the place of the highest.
        probabilities: of all classes, in their order; empty where the model gives classes only.
    """

    label: str | None
    probabilities: tuple[float, ...] = ()


def ask(model: Model, texts: Sequence[str], where: str) -> tuple[Answer, ...]:
    """One answer a text; None and NaN are no answer. What the model raises is passed on with a note.

    Raises:
        UsageError: another number of answers, or answers that are no classes and no probabilities.
    """
    if not texts:
        return ()
    try:
        told = model(list(texts))
    except Exception as error:
        error.add_note(f"{where}: raised by the model")
        raise
    if isinstance(told, str | bytes | dict | set | frozenset) or not isinstance(told, Iterable):
        remedy = "take a list of texts and return a list of as many classes, or an array of probabilities"
        raise UsageError(f"the model gave a {type(told).__name__} for {len(texts):,} texts", where=where, remedy=remedy)
    rows = _plain(told)
    if len(rows) != len(texts):
        remedy = "return one answer for each text"
        raise UsageError(f"the model gave {len(rows):,} answers for {len(texts):,} texts", where=where, remedy=remedy)
    if any(isinstance(row, list | tuple) for row in rows) or all(isinstance(row, float) for row in rows):
        return _from_probabilities(rows, where)
    return tuple(Answer(_label(row, where)) for row in rows)


def checked_texts(texts: Iterable[str], where: str) -> tuple[str, ...]:
    """The texts as a tuple.

    Raises:
        UsageError: one text instead of several, none, something else than a text, a lone surrogate.
    """
    if isinstance(texts, str | bytes):
        raise UsageError("one text is given for a list of texts", where=where, remedy="put it in a list")
    found = tuple(texts)
    if not found:
        raise UsageError("there are no texts", where=where, remedy="give at least one")
    for place, text in enumerate(found):
        Prepared(text, f"{where}, text {place}")
    return found


def _plain(told: Any) -> list[Any]:
    listed = getattr(told, "tolist", None)
    rows = listed() if callable(listed) else list(told)
    return [row.tolist() if hasattr(row, "tolist") else row for row in rows]


def _from_probabilities(rows: list[Any], where: str) -> tuple[Answer, ...]:
    found = probabilities.ask(lambda _: rows, None, len(rows), where)
    best = probabilities.best(found)
    return tuple(
        Answer(None if place < 0 else str(place), tuple(row)) for place, row in zip(best, found.tolist(), strict=True)
    )


def _label(value: object, where: str) -> str | None:
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, float):
        if math.isnan(value):
            return None
        value = int(value) if value.is_integer() else value
    if isinstance(value, str | int):
        return str(value).encode("utf-8", "backslashreplace").decode("utf-8")  # a lone surrogate stands as an escape
    remedy = "return texts, whole numbers or truth values, None where there is no answer"
    raise UsageError(f"the model gave a {type(value).__name__} as a class", where=where, remedy=remedy)
