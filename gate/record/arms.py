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


@dataclass(frozen=True, slots=True)
class Turn:
    """What one run of one arm gave.

    Attributes:
        outcomes: by id, one character a trial.
        reason: why it is of no use, one sentence: no report, or code of the project from outside the arm's tree.
    """

    outcomes: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""


def run_arms(
    suspects: Sequence[Suspect],
    run: Callable[[Arm, Sequence[str], int], Turn],
    is_open: Callable[[str, str], bool],
    *,
    fresh: int,
    ratio: int,
    turn: int,
    earlier: Mapping[str, tuple[str, str]] | None = None,
) -> Fresh:
    """Make fresh trials of every suspect on both sides until each is answered or has had all of them.

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
        "base": {each.base: before.get(each.head, ("", ""))[0] for each in suspects},
        "head": {each.head: before.get(each.head, ("", ""))[1] for each in suspects},
    }

    def still_open(each: Suspect) -> bool:
        base = found["base"][each.base]
        return len(base) < fresh and is_open(base, found["head"][each.head])

    left, calls, place = list(filter(still_open, suspects)), 0, 0
    while left:
        count = min(turn, fresh - max(len(found["base"][each.base]) for each in left))
        order: tuple[Arm, Arm] = ("base", "head") if place % 2 == 0 else ("head", "base")
        for arm in order:
            names = [getattr(each, arm) for each in left]
            wanted = count if arm == "base" else count * ratio
            done = run(arm, names, wanted)
            calls += sum(map(len, done.outcomes.values()))
            void = _void(arm, done, names, wanted)
            if void:
                return Fresh(void=void, calls=calls)
            for name in names:
                found[arm][name] += done.outcomes[name]
        left, place = list(filter(still_open, left)), place + 1
    return Fresh({each.head: (found["base"][each.base], found["head"][each.head]) for each in suspects}, calls=calls)


def _void(arm: Arm, done: Turn, names: Sequence[str], count: int) -> str:
    if done.reason:
        return f"the {arm}'s fresh trials could not be made: {done.reason}"
    short = [name for name in names if len(done.outcomes.get(name, "")) != count]
    return f"the {arm} made no {count} trials of {short[0]}" if short else ""
