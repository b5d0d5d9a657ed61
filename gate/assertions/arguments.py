"""What the assertions refuse to work with, before the first call where that is possible."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from math import inf, nan
from typing import Any, SupportsFloat

from gate.errors import UndecidedError, UsageError

Call = Callable[[], object]


class ArgumentError(UsageError, ValueError):
    """An argument of an assertion with a value that it can't have."""


class OutcomeError(UsageError, TypeError):
    """A trial that can't be called, or that returned something else than a truth value."""


class TrialTimeoutError(UndecidedError, TimeoutError):
    """A trial took longer than `timeout`: nothing was measured, so it is no failed trial."""


def one_of(ours: str, value: Call | None, theirs: str, other: Call | None) -> Call:
    """The one callable that was given under either name."""
    if (value is None) == (other is None):
        given = "both were given" if value is not None else "none was"
        raise OutcomeError(f"one of {ours} and {theirs} is needed, {given}", remedy=f"pass the callable as {ours}")
    call = other if value is None else value
    if not callable(call):
        raise OutcomeError(
            f"{ours} is {type(call).__name__}, not a function without arguments",
            remedy="pass the function itself, or a lambda; don't call it",
        )
    return call


def fraction(name: str, value: object, low: float = 0.0) -> float:
    """A number strictly between `low` and 1."""
    number = _number(value)
    if not low < number < 1:
        raise ArgumentError(
            f"{name} is {value!r}, but lies strictly between {low:g} and 1",
            remedy=f"give {name} as a fraction of 1: 0.95 for 95 %",
        )
    return number


def floor_and_tolerance(min_rate: object, tolerance: object) -> tuple[float, float]:
    """A floor with room for the tolerance below it."""
    floor, below = fraction("min_rate", min_rate), fraction("tolerance", tolerance)
    if floor <= below:
        raise ArgumentError(
            f"min_rate is {floor:g} and tolerance {below:g}, which leaves no rate below the floor to be found",
            remedy="choose a tolerance that is smaller than min_rate",
        )
    return floor, below


def count(name: str, value: object) -> int:
    """A whole number of at least 1."""
    try:
        number = 0 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if number < 1:
        raise ArgumentError(f"{name} is {value!r}, but a whole number of at least 1", remedy=f"write {name}=50")
    return number


def time_limit(timeout: object, *calls: Call) -> float | None:
    """Seconds a trial; only for async functions, because Python can't stop any other."""
    if timeout is None:
        return None
    seconds = _number(timeout)
    if not 0 < seconds < inf:
        raise ArgumentError(f"timeout is {timeout!r}, but a number of seconds above 0", remedy="write timeout=30")
    if not all(map(is_async, calls)):
        raise ArgumentError(
            "timeout needs async functions: a trial that is not async can't be stopped from outside",
            remedy="write the trial as async def, or set the time-out of the client that it calls",
        )
    return seconds


def truth(value: Any, who: str, number: int) -> bool:
    """The outcome of a trial: True, False or a bool of NumPy. A number is refused: a score is no outcome yet."""
    kind = type(value)
    if kind is bool or (kind.__module__ == "numpy" and kind.__name__ in {"bool", "bool_"}):
        return bool(value)
    raise OutcomeError(
        f"{who} returned {_shown(value)} in call {number}, but has to return True or False",
        remedy="compare it with what you expect, as in `return score >= 0.8`",
    )


def _number(value: object) -> float:
    """As a float; not a number when it is none, which no range holds."""
    return float(value) if isinstance(value, SupportsFloat) and not isinstance(value, bool) else nan


def is_async(call: Call) -> bool:
    """Whether it is an async function, or an object that is called like one."""
    return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None))  # noqa: B004


def _shown(value: object) -> str:
    """Type and a short excerpt; a value whose repr fails is its type alone."""
    if value is None:
        return "None"
    try:
        text = repr(value)
    except Exception:
        return f"a {type(value).__name__}"
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
