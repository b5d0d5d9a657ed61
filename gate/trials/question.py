"""From a plan and what a test asks to the rule that stops its trials."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gate.trials.designs import Fixed, Joint, first_answer
from gate.trials.floor import Floor, FloorRule, floor_for
from gate.trials.loop import DesignLike, TrialsRun
from gate.trials.plan import Ask, Plan

if TYPE_CHECKING:
    from gate.stats.design import Design, Question

FLOOR_LEVEL = 0.05
"""Chance to find a rate below its floor that is not, where no plan gives a share of the budget."""


@dataclass(frozen=True, slots=True)
class Posed:
    """How the trials of one case are stopped and read.

    Attributes:
        design: the rule that the loop asks.
        cap: most trials.
        s0: passes on main.
        main: the rule against main, where there is one.
        floor: the rule against `min_rate`, where there is one.
    """

    design: DesignLike
    cap: int
    s0: int = 0
    main: DesignLike | None = None
    floor: FloorRule | None = None

    def regressed(self, run: TrialsRun) -> bool:
        """Whether the trials show a fall against main."""
        return self.main is not None and self._answer(self.main, run) == "regression"

    def below(self, run: TrialsRun) -> float | None:
        """The floor below which the rate lies; None when it does not."""
        found = self.floor is not None and self._answer(self.floor, run) == "regression"
        return self.floor.min_rate if found and self.floor is not None else None

    def _answer(self, rule: DesignLike, run: TrialsRun) -> str:
        """The first answer of one rule along the trials, as the loop heard it."""
        return first_answer(rule, self.s0, run.outcomes)


class Wishes(Protocol):
    """What the test of a case asks for itself."""

    @property
    def max_trials(self) -> int:
        """Most trials."""

    @property
    def min_rate(self) -> float | None:
        """The floor, a fraction; None for none."""

    @property
    def delta(self) -> float:
        """How far below it a rate is to be found, a fraction."""

    @property
    def power(self) -> float:
        """Chance to find such a rate."""


def pose(plan: Plan, case: str, asked: Wishes, designs: MutableMapping[Any, Any]) -> Posed:
    """The rule for one case.

    Args:
        case: its id.
        asked: what its test asks for; a plan that knows the case has the baseline's own.
        designs: cache of calibrated designs.

    Raises:
        ValueError: the plan asks what no design can answer.
    """
    min_rate = asked.min_rate
    if plan.fixed is not None:
        whole = None if min_rate is None else Floor(min_rate, plan.fixed, FLOOR_LEVEL)
        return Posed(Fixed(plan.fixed), plan.fixed, floor=whole)
    ask = plan.asks.get(case)
    if ask is not None:
        return _against_main(ask, designs)
    count = min(plan.estimate, asked.max_trials)
    if min_rate is None:
        return Posed(Fixed(count), count)
    floor = floor_for(min_rate, asked.max_trials, FLOOR_LEVEL, delta=asked.delta, power=asked.power)
    return Posed(Joint(Fixed(count), floor), asked.max_trials, floor=floor)


def question_of(ask: Ask) -> Question:
    """What is asked about a case, as the statistics take it."""
    from gate.stats.design import Question

    return Question(ask.n0, ask.cap, ask.share, ask.delta, ask.power, patient=ask.patient)


def design_of(ask: Ask, designs: MutableMapping[Any, Any]) -> Design:
    """The calibrated design of the question about a case.

    Args:
        designs: cache of calibrated designs.
    """
    from gate.stats.design import design_for

    return design_for(question_of(ask), designs)


def _against_main(ask: Ask, designs: MutableMapping[Any, Any]) -> Posed:
    main = design_of(ask, designs)
    if ask.min_rate is None:
        return Posed(main, ask.cap, ask.s0, main=main)
    floor = floor_for(ask.min_rate, ask.cap, ask.floor_share or ask.share, delta=ask.delta, power=ask.power)
    return Posed(Joint(main, floor), ask.cap, ask.s0, main=main, floor=floor)
