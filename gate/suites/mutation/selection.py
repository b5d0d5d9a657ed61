"""Which mutants are tried when not all can be: spread over rules first, then over operators, by a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gate.suites.mutation.operators.edit import Mutant
from gate.suites.mutation.prompt.model import stable_id


def select(mutants: Sequence[Mutant], most: int | None, seed: int) -> tuple[Mutant, ...]:
    """At most so many mutants, in the order in which they were given.

    The rules take turns in an order that the seed and their ids decide, so that other rules don't move them; a rule's
    turn goes to the operator that was taken least so far. Mutants of sections, examples, order and tools come after
    the first turn of all rules and take turns with them from then on.
    """
    if most is None or len(mutants) <= most:
        return tuple(mutants)
    waiting: dict[str, dict[str, list[tuple[str, int]]]] = {}
    for place, mutant in enumerate(mutants):
        own = waiting.setdefault(mutant.rule or f"-{mutant.operator}", {})
        own.setdefault(mutant.operator, []).append((stable_id(str(seed), mutant.id), place))
    for own in waiting.values():
        for places in own.values():
            places.sort(reverse=True)  # the next one last, where it is quickly taken away
    turns = sorted(waiting, key=lambda subject: (subject.startswith("-"), stable_id(str(seed), subject)))
    taken: list[int] = []
    used: Counter[str] = Counter()
    while len(taken) < most:
        for subject in turns:
            own = waiting[subject]
            if not own or len(taken) >= most:
                continue
            operator = min(own, key=lambda name: (used[name], own[name][-1]))
            taken.append(own[operator].pop()[1])
            used[operator] += 1
            if not own[operator]:
                del own[operator]
    return tuple(mutants[place] for place in sorted(taken))
