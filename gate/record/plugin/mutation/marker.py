"""The marker `mutate_prompt`: what it may say, read once a test and refused with a sentence where it is wrong."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from gate.errors import UsageError
from gate.record.plugin import marker as stochastic
from gate.record.plugin.mutation import clastogen

if TYPE_CHECKING:
    import pytest

NAME = "mutate_prompt"
TEXT = (
    "mutate_prompt(target, max_mutants=None, delta=.30, alpha=.05, power=.90, max_trials=60, operators=None, seed=0, "
    "p0=None): with --gate-mutate, mutants of the prompt in `target` are tried on this test, which should notice them"
)
MOST_MUTANTS = 10_000
_DECIDING = ("max_trials", "delta", "power")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one marker asks for.

    Attributes:
        target: specifications of what holds a prompt, see `gate.suites.mutation.targets`.
        max_mutants: of each target, chosen by `seed`; None for all.
        delta: drop of the test's pass rate by which it has noticed a mutant, a fraction.
        alpha: chance that any mutant of the run is called killed that changes nothing.
        power: chance to find such a drop.
        max_trials: most trials of one mutant with this test, at most 500.
        operators: names; a function or a command among them is a semantic operator. Empty for all.
        p0: the test's pass rate without mutants, where it is known; None where it is measured.
    """

    target: tuple[str, ...] = ()
    max_mutants: int | None = None
    delta: float = 0.30
    alpha: float = 0.05
    power: float = 0.90
    max_trials: int = 60
    operators: tuple[Any, ...] = ()
    seed: int = 0
    p0: float | None = None

    def deciding(self) -> dict[str, str]:
        """The parameters that decide about a mutant that main killed, as JSON text by name."""
        return {name: json.dumps(getattr(self, name)) for name in sorted(_DECIDING)}

    @property
    def min_rate(self) -> None:
        """A mutant has no floor."""
        return None

    @property
    def names(self) -> tuple[str, ...] | None:
        """Operators by name; None for all."""
        found = tuple(each if isinstance(each, str) else "semantic" for each in self.operators)
        return tuple(dict.fromkeys(found)) or None

    @property
    def rewrite(self) -> Callable[[str], object] | None:
        """The semantic operator's function or command."""
        return next((each for each in self.operators if not isinstance(each, str)), None)


def wanted_of(item: pytest.Item) -> tuple[Wanted, ...]:
    """What the markers of a test ask for, nearest first: each counts, also where one stands twice.

    Raises:
        UsageError: a marker has a parameter that it can't have.
    """
    found = [read_marker(each.args, each.kwargs, item.nodeid) for each in item.iter_markers(NAME)]
    if clastogen.applies(item.config):
        for each in item.iter_markers(clastogen.NAME):
            found.append(read_marker((), clastogen.arguments(each, item.nodeid), item.nodeid, clastogen.NAME))
    return tuple(found)


def is_marked(item: pytest.Item) -> bool:
    """Whether a test has the marker, or the reference's where nobody else reads it."""
    if item.get_closest_marker(NAME) is not None:
        return True
    return item.get_closest_marker(clastogen.NAME) is not None and clastogen.applies(item.config)


def read_marker(args: tuple[Any, ...], kwargs: Mapping[str, Any], nodeid: str, name: str = NAME) -> Wanted:
    """Check a marker.

    Raises:
        UsageError: naming the test, the parameter and what it may be.
    """
    where = f"{nodeid}: the marker `{name}`"
    if len(args) > 1 or (args and "target" in kwargs):
        raise UsageError(
            "it takes the target alone without a name",
            where=where,
            remedy='write `@pytest.mark.mutate_prompt(target="package.module:PROMPT")`',
        )
    given = {**({"target": args[0]} if args else {}), **kwargs}
    known = [field.name for field in fields(Wanted)]
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"write `{near[0]}`" if near else f"choose among {', '.join(known)}"
            raise UsageError(f"it has no parameter `{key:.40}`", where=where, remedy=hint)
    if "target" not in given:
        raise UsageError("it names no target", where=where, remedy='write target="package.module:PROMPT"')
    return Wanted(**{key: _CHECKS[key](value, f"{where}: {key}") for key, value in given.items()})


def _targets(value: object, where: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else []
    if not listed or not all(isinstance(each, str) and each.strip() for each in listed):
        stochastic.refuse(value, where, 'a target such as "package.module:PROMPT", or a list of them')
    return tuple(dict.fromkeys(listed))


def _mutants(value: object, where: str) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_MUTANTS):
        stochastic.refuse(value, where, f"a whole number of at least 1 and at most {MOST_MUTANTS}, or None for all")
    return value


def _operators(value: object, where: str) -> tuple[Any, ...]:
    from gate.suites.mutation.operators import OPERATORS

    listed = [] if value is None else list(value) if isinstance(value, list | tuple) else [value]
    listed = [_command(each, where) if isinstance(each, list | tuple) else each for each in listed]
    for each in listed:
        if not callable(each) and each not in OPERATORS:
            near = difflib.get_close_matches(str(each).replace("_", "-"), OPERATORS, n=1)
            hint = f"write `{near[0]}`" if near else f"choose among {', '.join(OPERATORS)}"
            raise UsageError(f"there is no operator {each!r:.60}", where=where, remedy=hint)
    if sum(map(callable, listed)) > 1:
        stochastic.refuse(value, where, "at most one function or command, which rewrites a rule")
    return tuple(listed)


def _command(words: list[Any] | tuple[Any, ...], where: str) -> Any:
    """A command that rewrites rules, within the list of operators."""
    from gate.suites.mutation.operators.command import Command

    if not words or not all(isinstance(each, str) and "\0" not in each for each in words) or not words[0].strip():
        stochastic.refuse(words, where, 'a command as a list of words, such as ["./rewrite", "--gently"]')
    return Command(tuple(words))


def _seed(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        stochastic.refuse(value, where, "a whole number")
    return int(value)


_CHECKS: Mapping[str, Callable[[object, str], Any]] = {
    "target": _targets,
    "max_mutants": _mutants,
    "delta": stochastic.open_share,
    "alpha": stochastic.open_share,
    "power": stochastic.open_share,
    "max_trials": stochastic.trials,
    "operators": _operators,
    "seed": _seed,
    "p0": stochastic.rate,
}
