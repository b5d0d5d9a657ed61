"""How the chance of a false kill is spread over the mutants of a run.

Each mutant has a part in proportion to the tests that try it. One that is killed needs its part no more and hands it,
with what it was handed itself, to the mutant behind it: the fallback procedure (Wiens 2003; Wiens and Dmitrienko 2005),
which keeps the chance of any false kill whatever the mutants have in common, since what is handed on comes from
hypotheses that were rejected. A mutant whose verdict is not known yet, as where several processes try them, hands on
nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Parts are rounded down to these multiples of a mutant's own, so that few designs are needed."""


class Shares:
    """The parts of a run.

    Args:
        order: mutants to decide about by the ids of their cases, each with the number of its tests; the order of all
            processes.
        alphas: of each, what its tests' markers allow; a part is handed on between equal ones only.
    """

    def __init__(self, order: Sequence[tuple[str, int]], alphas: Sequence[frozenset[float]]) -> None:
        self._places = {case: place for place, (case, _) in enumerate(order)}
        self._order = order
        self._alphas = alphas
        self.among = max(sum(tests for _, tests in order), 1)
        """Over how many decisions the chance is spread."""

    def part(self, case: str, killed: Callable[[str], bool | None]) -> float:
        """Part of alpha for one test of a mutant, at least 1 / `among`.

        Args:
            killed: whether a mutant of the run was; None where that is not known yet.
        """
        place = self._places.get(case)
        if place is None:
            return 1 / self.among
        own = max(self._order[place][1], 1)
        times = _STEPS[bisect_right(_STEPS, (own + self._handed(place, killed)) / own) - 1]
        return times / self.among

    def _handed(self, place: int, killed: Callable[[str], bool | None]) -> int:
        """Parts of the mutants right before a place that were killed, one after the other."""
        found, before, most = 0, place - 1, _STEPS[-1] * max(self._order[place][1], 1)
        while before >= 0 and found < most and self._is_alike(before, place) and killed(self._order[before][0]):
            found += self._order[before][1]
            before -= 1
        return found

    def _is_alike(self, before: int, place: int) -> bool:
        return self._alphas[before] == self._alphas[place]
