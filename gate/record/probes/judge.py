"""Grades answers in a cell, with what people graded before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gate.sandbox.cell import Cell
from gate.suites.probes import grading, rounds
from gate.suites.probes.answer import Answer
from gate.suites.probes.graded import Graded
from gate.suites.probes.grading import ManualGrade
from gate.suites.probes.probe import Probe

Manual = Callable[[Probe, int, Sequence[Answer]], ManualGrade | None]
"""Gives a person's grade of these very answers to a sample of a probe; None where nobody gave one."""


class CellJudge:
    """The checks of the probes, run in a cell; called from several threads.

    Args:
        cell: where code of answers runs.
        manual: what people graded.
    """

    def __init__(self, cell: Cell, manual: Manual) -> None:
        self._cell = cell
        self._manual = manual

    def first_prompt(self, probe: Probe) -> str:
        """What the agent is given first."""
        return rounds.first_prompt(probe)

    def grade(self, probe: Probe, answers: Sequence[Answer], sample: int) -> Graded:
        """What the checks, or a person, make of the answers of all rounds."""
        manual = self._manual(probe, sample, answers)
        return grading.grade(probe, answers, self._cell, sample=sample, manual=manual)

    def next_prompt(self, probe: Probe, answers: Sequence[Answer], graded: Graded) -> str | None:
        """What the agent is given after them; None where there is nothing more to ask."""
        return rounds.next_prompt(probe, answers, graded, self._cell)
