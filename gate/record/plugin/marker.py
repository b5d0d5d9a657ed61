"""The `stochastic` marker: what it may say, read once a test and refused with a sentence where it is wrong."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NoReturn

from gate.errors import UsageError

if TYPE_CHECKING:
    import pytest

NAME = "stochastic"
_KEPT = "_gate_asked"
MOST_TRIALS = 500
"""As many as a design is calibrated for beside as many of main: 1,000 of both sides in all."""
_DECIDING = ("max_trials", "delta", "min_rate", "power", "timeout")
Errors = tuple[type[BaseException], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a test asks for.

    Attributes:
        max_trials: most trials of a pull request, at most 500.
        delta: drop of the pass rate that must be found, a fraction.
        min_rate: rate below which the test fails whatever main does; None for none.
        power: chance to find such a drop.
        timeout: seconds after which a trial has failed; None for the run's own limit.
        infrastructure: further types of errors that are no trials.
        reason: for readers of the test.
    """

    max_trials: int = 60
    delta: float = 0.30
    min_rate: float | None = None
    power: float = 0.90
    timeout: float | None = None
    infrastructure: Errors = ()
    reason: str | None = None

    def deciding(self) -> dict[str, str]:
        """The parameters that decide, as JSON text by name; the baseline keeps them, and there its own decide."""
        found = {name: getattr(self, name) for name in _DECIDING}
        told = {name: json.dumps(value) for name, value in found.items() if value is not None}
        if self.infrastructure:
            names = sorted(f"{each.__module__}.{each.__qualname__}" for each in self.infrastructure)
            told["infrastructure"] = json.dumps(names)
        return dict(sorted(told.items()))


def asked_of(item: Any) -> Asked | None:
    """What the marker of a test asks for; None without a marker.

    Raises:
        UsageError: the marker has a parameter that it can't have.
    """
    marker = item.get_closest_marker(NAME)
    if marker is None:
        return None
    kept: tuple[Any, Asked] | None = item.__dict__.get(_KEPT)
    if kept is None or kept[0] is not marker:
        kept = marker, read_marker(marker, item.nodeid)
        item.__dict__[_KEPT] = kept
    return kept[1]


def check_markers(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse every marker that is wrong, before any test runs.

    Raises:
        pytest.UsageError: with one line a wrong marker.
    """
    told: dict[str, pytest.Item] = {}
    for item in items:
        try:
            asked_of(item)
        except UsageError as error:
            told[str(error)] = item
    if not told:
        return
    import pytest

    if not hasattr(config, "workerinput"):
        raise pytest.UsageError("\n".join(told))
    for words, item in told.items():  # an error of a worker's own would be its end without a word
        report = pytest.CollectReport(item.nodeid, "failed", words, [])
        config.hook.pytest_collectreport(report=report)
    items[:] = []


def read_marker(marker: pytest.Mark, nodeid: str) -> Asked:
    """Check a marker.

    Raises:
        UsageError: naming the test, the parameter and what it may be.
    """
    where = f"{nodeid}: the marker `{NAME}`"
    if marker.args:
        raise UsageError(
            f"it takes no parameter without a name, and {marker.args[0]!r:.40} has none",
            where=where,
            remedy="write `@pytest.mark.stochastic(max_trials=60)`",
        )
    known = [field.name for field in fields(Asked)]
    for name in marker.kwargs:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"write `{near[0]}`" if near else f"choose among {', '.join(known)}"
            if name == "alpha":
                hint = "set `alpha` for the whole pull request in the settings of the gate: it is shared by all tests"
            raise UsageError(f"it has no parameter `{name:.40}`", where=where, remedy=hint)
    return Asked(**{name: _CHECKS[name](value, f"{where}: {name}") for name, value in marker.kwargs.items()})


def trials(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_TRIALS:
        refuse(value, where, f"a whole number of at least 1 and at most {MOST_TRIALS}")
    return int(value)


def open_share(value: object, where: str) -> float:
    number = _number(value)
    if number is None or not 0 < number < 1:
        refuse(value, where, "strictly between 0 and 1")
    return number


def rate(value: object, where: str) -> float | None:
    number = _number(value)
    if value is not None and (number is None or not 0 < number <= 1):
        refuse(value, where, "a rate above 0 and at most 1, or None")
    return number


def _seconds(value: object, where: str) -> float | None:
    number = _number(value)
    if value is not None and (number is None or number <= 0):
        refuse(value, where, "a number of seconds above 0, or None")
    return number


def _errors(value: object, where: str) -> Errors:
    types = value if isinstance(value, tuple | list) else (value,)
    for each in types:
        if not isinstance(each, type) or not issubclass(each, BaseException):
            refuse(each, where, "types of exceptions")
        if each in (BaseException, Exception, AssertionError):
            refuse(each, where, "narrower types: with this one no failure would be a trial")
    return tuple(types)


def _reason(value: object, where: str) -> str | None:
    if value is not None and not isinstance(value, str):
        refuse(value, where, "a text, or None")
    return value


def _number(value: object) -> float | None:
    """A finite builtin number of anything that is one; None of anything else."""
    if isinstance(value, bool | str | bytes) or value is None:
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def refuse(value: object, where: str, expected: str) -> NoReturn:
    raise UsageError(f"expected {expected}, found {value!r:.60}", where=where, remedy="change it in the test")


_CHECKS: Mapping[str, Callable[[object, str], Any]] = {
    "max_trials": trials,
    "delta": open_share,
    "min_rate": rate,
    "power": open_share,
    "timeout": _seconds,
    "infrastructure": _errors,
    "reason": _reason,
}
