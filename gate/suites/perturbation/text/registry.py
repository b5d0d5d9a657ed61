"""All text operators, by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from gate.errors import UsageError
from gate.suites.perturbation.text.operator import Meaning, Operator
from gate.suites.perturbation.text.operators import (
    encodings,
    entities,
    injection,
    lookalike,
    order,
    surface,
    surroundings,
    synonym,
    typing,
    wording,
)

FAMILIES = (typing, lookalike, surface, wording, synonym, order, entities, surroundings, encodings, injection)
OPERATORS: dict[str, Operator] = {operator.name: operator for family in FAMILIES for operator in family.OPERATORS}
"""By name, in the order of the families."""


def preserving() -> tuple[Operator, ...]:
    """The operators that keep the meaning, which alone gate without further ado."""
    return tuple(operator for operator in OPERATORS.values() if operator.meaning is Meaning.PRESERVING)


def chosen(operators: Iterable[str | Operator], where: str = "operators") -> tuple[Operator, ...]:
    """Operators from names, families and operators of your own, each once, in the order given.

    Raises:
        UsageError: no such name, two operators of one name, or none at all.
    """
    if isinstance(operators, str | Operator):
        operators = [operators]
    found: dict[str, Operator] = {}
    for each in operators:
        for operator in [each] if isinstance(each, Operator) else _named(each, where):
            if found.setdefault(operator.name, operator) != operator:
                remedy = "give each operator a name of its own"
                raise UsageError(f"two operators are called {operator.name!r:.40}", where=where, remedy=remedy)
    if not found:
        raise UsageError("no operator is given", where=where, remedy="name at least one, for example `keyboard-typo`")
    return tuple(found.values())


def _named(name: str, where: str) -> list[Operator]:
    if name in OPERATORS:
        return [OPERATORS[name]]
    family = [operator for operator in OPERATORS.values() if operator.family == name]
    if family:
        return family
    families = {operator.family for operator in OPERATORS.values()}
    near = difflib.get_close_matches(str(name), [*OPERATORS, *sorted(families)], 1)
    remedy = f"did you mean `{near[0]}`?" if near else "see docs/text.md for the names"
    raise UsageError(f"there is no text operator {name!r:.60}", where=where, remedy=remedy)
