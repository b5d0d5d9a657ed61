"""An absolute floor under a pass rate, whatever main does, as rules that the trial loop can ask.

`floor_for` gives the sequential test of `gate.stats.one_sample`: a rate of `min_rate` or more is found below it with
chance at most `level`, and one that lies `delta` below it is found with chance `power` where the cap allows. Where no
rate can lie that far below the floor, `Floor` asks the same with a sample of fixed size, cut short.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import Protocol

from gate.stats.one_sample import RateTest, rate_test
from gate.stats.refusal import TooLittle
from gate.trials.loop import Answer


class FloorRule(Protocol):
    """Whether a rate lies below its floor: `regression` when it does."""

    @property
    def min_rate(self) -> float:
        """The floor, a fraction."""

    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        """What the trials so far say; s0 is of no account."""


@dataclass(frozen=True, slots=True)
class SequentialFloor:
    """The sequential test of one rate as a rule of the loop; without a test no sample of its size can answer."""

    min_rate: float
    test: RateTest | None

    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        """`regression` below the floor, `holds` when a rate delta below it is excluded."""
        if self.test is None:
            return "undecided"
        found = self.test.answer(passes, passes + fails)
        return "more" if found is None else "regression" if found == "below" else found


@dataclass(frozen=True, slots=True)
class Floor:
    """An exact test of one sample of fixed size, answered as soon as the remaining trials can't change it.

    Of `cap` trials at most `most` may pass for the rate to count as below the floor, with `most` the largest number
    whose binomial tail at the floor is at most `level`: P(X ≤ most; cap, floor) ≤ level. That is the same as an upper
    bound of Clopper and Pearson (1934) below the floor.

    Attributes:
        min_rate: a fraction in (0, 1].
        cap: trials of the whole sample.
        level: chance at most to find a rate below the floor that is not.
        most: passes with which the whole sample counts as below; -1 when no sample of this size can.
    """

    min_rate: float
    cap: int
    level: float
    most: int = field(init=False)

    def __post_init__(self) -> None:
        if not 0 < self.min_rate <= 1 or not 0 < self.level < 1 or self.cap < 1:
            raise ValueError("a floor lies in (0, 1], its level strictly between 0 and 1, and its cap is at least 1")
        object.__setattr__(self, "most", _most(self.min_rate, self.cap, self.level))

    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        """`regression` below the floor, `holds` when that can't be found any more, `undecided` when it never could."""
        if self.most < 0:
            return "undecided"
        if passes > self.most:
            return "holds"
        return "regression" if fails >= self.cap - self.most else "more"


def floor_for(min_rate: float, cap: int, level: float, *, delta: float, power: float) -> FloorRule:
    """The rule for a floor.

    Args:
        min_rate: a fraction in (0, 1].
        cap: most trials.
        level: chance at most to find a rate of `min_rate` or more below it.
        delta: how far below it a rate is to be found, a fraction.
        power: chance to find such a rate, where the cap allows it.
    """
    if not delta < min_rate < 1 or not level < 0.5 or not power > 0.5:
        return Floor(min_rate, cap, level)
    test = rate_test(min_rate, delta, alpha=level, beta=1 - power, cap=cap)
    return SequentialFloor(min_rate, None if isinstance(test, TooLittle) else test)


def _most(rate: float, cap: int, level: float) -> int:
    tail, most = 0.0, -1
    for passes in range(cap + 1):
        tail += comb(cap, passes) * rate**passes * (1 - rate) ** (cap - passes)
        if tail > level:
            break
        most = passes
    return most
