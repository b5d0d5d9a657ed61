"""Fresh trials of suspects on both sides in one session: the base's tree and the head's take turns, turn by turn.

What happens to the model service during the session then happens to both arms, and the committed baseline has no part
in the answer. The order of the arms changes from turn to turn, so that a drift within the session cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gate.schema.fresh import Fresh, Suspect

Arm = Literal["base", "head"]
FOREIGN = "came from outside its tree"
"""How the plugin says in a report that an arm ran code of another tree (`gate.record.plugin.arm`)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one run of one arm gave.

    Attributes:
        outcomes: by id, one character a trial.
        reason: why it is of no use, one sentence: no report, or code of the project from outside the arm's tree.
    """

    outcomes: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Void:
    """Why fresh trials of a suspect confirm nothing.

    Attributes:
        reason: one sentence.
        lasting: whether it follows from the content, so that another run would find the same; an outage does not.
    """

    reason: str
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class BothArms(Fresh):
    """Fresh trials of all suspects; `trials` holds those that are whole, and `void` says why the first other is not.

    Attributes:
        voids: by the head's id, those that could not be made to the end.
    """

    voids: Mapping[str, Void] = field(default_factory=dict)


def both_arms(trials: Mapping[str, tuple[str, str]], voids: Mapping[str, Void], calls: int) -> BothArms:
    """Those that are whole, and why the others are not."""
    first = next(iter(voids.values()), None)
    return BothArms(trials, "" if first is None else first.reason, calls, voids=voids)


def run_arms(
    suspects: Sequence[Suspect],
    run: Callable[[Arm, Sequence[str], int], Turn],
    is_open: Callable[[str, str], bool],
    *,
    fresh: int,
    ratio: int,
    turn: int,
    earlier: Mapping[str, tuple[str, str]] | None = None,
) -> BothArms:
    """Make fresh trials of every suspect on both sides until each is answered or has had all of them.

    A suspect of which an arm makes too few is void, and the others go on without it. A run that is of no use as a
    whole makes those void that still wait for an answer; code from outside the tree makes all of them void, since it
    was there from the start.

    Args:
        run: makes so many trials of each of these ids in one arm.
        is_open: whether a suspect with these trials of base and head needs more.
        fresh: most trials of a suspect on the base.
        ratio: trials of the head for one of the base.
        turn: trials of the base between two looks.
        earlier: trials of both arms that an earlier run made of the same content, by the head's id.
    """
    before = earlier or {}
    found: dict[Arm, dict[str, str]] = {
        "base": {each.head: before.get(each.head, ("", ""))[0] for each in suspects},
        "head": {each.head: before.get(each.head, ("", ""))[1] for each in suspects},
    }
    void: dict[str, Void] = {}

    def still_open(each: Suspect) -> bool:
        base = found["base"][each.head]
        return each.head not in void and len(base) < fresh and is_open(base, found["head"][each.head])

    left, calls, place = list(filter(still_open, suspects)), 0, 0
    while left:
        count = min(turn, fresh - max(len(found["base"][each.head]) for each in left))
        order: tuple[Arm, Arm] = ("base", "head") if place % 2 == 0 else ("head", "base")
        for arm in order:
            names = {each.head: getattr(each, arm) for each in left if each.head not in void}
            if not names:
                break
            wanted = count if arm == "base" else count * ratio
            done = run(arm, list(names.values()), wanted)
            calls += sum(map(len, done.outcomes.values()))
            new = _void(arm, done, names, wanted)
            if any(each.lasting for each in new.values()):
                return both_arms({}, {each.head: next(iter(new.values())) for each in suspects}, calls)
            void |= new
            for head in names.keys() - new.keys():
                found[arm][head] += done.outcomes[names[head]]
        left, place = list(filter(still_open, left)), place + 1
    whole = [each.head for each in suspects if each.head not in void]
    return both_arms({head: (found["base"][head], found["head"][head]) for head in whole}, void, calls)


def _void(arm: Arm, done: Turn, names: Mapping[str, str], count: int) -> dict[str, Void]:
    """Suspects of which a turn is of no use, by the head's id."""
    if done.reason:
        why = Void(f"the {arm}'s fresh trials could not be made: {done.reason}", FOREIGN in done.reason)
        return dict.fromkeys(names, why)
    short = {head: name for head, name in names.items() if len(done.outcomes.get(name, "")) != count}
    return {head: Void(f"the {arm} made no {count} trials of {name}") for head, name in short.items()}
