"""How the mutants of a run stand against main's, in the words of the verdict.

A mutant that main killed and whose trials here show no fall is undecided, and counts as on main: as killed. A rule is
newly unguarded where main guarded it, and unguarded on main already where main did not either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gate.schema.mutation import DECIDED, Guard, RuleState

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class AgainstMain:
    """Rules that nothing guards here, and mutants without an answer.

    Attributes:
        newly: guarded on main.
        already: unguarded on main, too.
        new: main measured no mutant of them, so they are new or have other words.
        undecided: mutants that count as on main.
    """

    newly: tuple[RuleState, ...]
    already: tuple[RuleState, ...]
    new: tuple[RuleState, ...]
    undecided: int


def standing(mutant: Mapping[str, Any]) -> str:
    """What a mutant counts as: its status, or main's where few trials show no fall."""
    as_on_main = mutant["status"] == "undecided" and mutant.get("main") == "killed"
    return "killed" if as_on_main else str(mutant["status"])


def guards(statuses: Iterable[tuple[str, str]]) -> dict[str, Guard]:
    """By rule whether it is guarded, from pairs of a rule and a mutant's status; those not measured are absent."""
    found: dict[str, Guard] = {}
    for rule, status in statuses:
        if rule and status in DECIDED:
            guarded = status == "killed" or found.get(rule) == "guarded"
            found[rule] = "guarded" if guarded else "unguarded"
    return found


def against_main(mutants: Iterable[Json], rules: Iterable[RuleState]) -> AgainstMain | None:
    """The rules of one target, or None where main knows none of its mutants."""
    every = list(mutants)
    if not any(each.get("main") for each in every):
        return None
    before = guards((each["rule"], each.get("main", "")) for each in every)
    lost = [each for each in rules if each.state == "unguarded"]
    return AgainstMain(
        newly=tuple(each for each in lost if before.get(each.rule) == "guarded"),
        already=tuple(each for each in lost if before.get(each.rule) == "unguarded"),
        new=tuple(each for each in lost if each.rule not in before),
        undecided=sum(standing(each) != each["status"] for each in every),
    )
