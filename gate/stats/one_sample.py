"""Is a pass rate as high as it should be? One trial at a time, stopped as soon as the answer is clear.

The logarithm of Wald's ratio (Wald 1945), `min_rate - tolerance` against `min_rate`, cut off at a cap and calibrated
exactly by dynamic programming over (trials, passes), because Wald's own bounds say nothing about a cap:

- below: the ratio reaches A, the smallest bound that spends at most four fifths of alpha before the cap; at the cap the
  fewest passes follow, as long as alpha holds them. A rate of `min_rate` or more is called below with chance at most
  alpha.
- holds: the ratio falls to -ln((1 - alpha)/beta), Wald's bound, or to ln(beta) where that bound alone would spend more
  than beta; at the cap the most passes follow, as long as beta holds them. A rate of `min_rate - tolerance` or less is
  said to hold with chance at most beta.
- undecided: what is left at the cap. It is given earlier when the remaining trials can't change it.

All chances are for independent trials of one rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor, log
from typing import Literal

from gate.stats.refusal import TooLittle

RateAnswer = Literal["holds", "below", "undecided"]
_EARLY = 0.8
_TIE = 1e-9
_BISECTIONS = 30
_Limits = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class RateOperation:
    """What the test does at one true rate: the chance of each answer, and the mean number of trials."""

    below: float
    holds: float
    undecided: float
    trials: float


@dataclass(frozen=True, slots=True)
class RateTest:
    """The test of one pass rate; ask it after every trial and stop at the first answer.

    Attributes:
        min_rate: the rate that must not be called below, a fraction.
        tolerance: how far below it a rate must be found, a fraction.
        alpha: chance at most to call a rate of `min_rate` or more below.
        beta: chance at most to say that a rate of `min_rate - tolerance` or less holds.
        cap: trials at most.
        below_at: by trials - 1, the passes at or under which the rate is below; -1 where none are few enough.
        holds_at: by trials - 1, the passes at or over which it holds; more than the trials where none are enough.
    """

    min_rate: float
    tolerance: float
    alpha: float
    beta: float
    cap: int
    below_at: tuple[int, ...]
    holds_at: tuple[int, ...]

    def answer(self, passes: int, trials: int) -> RateAnswer | None:
        """The answer after `trials` trials, or None when another one is needed."""
        if passes <= self.below_at[trials - 1]:
            return "below"
        if passes >= self.holds_at[trials - 1]:
            return "holds"
        if passes > self.below_at[-1] and passes + self.cap - trials < self.holds_at[-1]:
            return "undecided"
        return None

    def operating(self, rate: float) -> RateOperation:
        """What the test does at a true rate, exactly, by dynamic programming.

        Raises:
            ValueError: rate outside [0, 1].
        """
        if not 0 <= rate <= 1:
            raise ValueError("a rate lies between 0 and 1")
        chances, mean = {"below": 0.0, "holds": 0.0, "undecided": 0.0}, 0.0
        going = {0: 1.0}
        for trials in range(1, self.cap + 1):
            mean += sum(going.values())
            after, going = _one_more(going, rate), {}
            for passes, chance in after.items():
                answer = self.answer(passes, trials)
                if answer is None:
                    going[passes] = chance
                else:
                    chances[answer] += chance
        return RateOperation(**chances, trials=mean)


def rate_test(min_rate: float, tolerance: float, *, alpha: float, beta: float, cap: int) -> RateTest | TooLittle:
    """The test for what is asked; a refusal when not even a cap full of failures would be evidence enough.

    Args:
        min_rate: fraction strictly between 0 and 1.
        tolerance: fraction above 0 and less than `min_rate`.
        alpha: chance at most to call `min_rate` or more below.
        beta: chance at most to say that `min_rate - tolerance` or less holds.
        cap: trials at most.

    Raises:
        ValueError: a value outside its range.
    """
    if not 0 < tolerance < min_rate < 1 or not 0 < alpha < 0.5 or not 0 < beta < 0.5 or cap < 1:
        raise ValueError("0 < tolerance < min_rate < 1, alpha and beta between 0 and a half, a cap of at least 1")
    need = ceil(log(alpha) / log(1 - min_rate) - _TIE)
    if cap < need:
        return TooLittle(f"not even {cap} failed of {cap} trials would be evidence enough: {need} would be")
    lower = min_rate - tolerance
    wald, safe = log((1 - alpha) / beta), -log(beta)
    limits = _calibrated(min_rate, lower, alpha, cap, wald)
    if _chances(limits, lower)[1] > beta:
        limits = _calibrated(min_rate, lower, alpha, cap, safe)
    below_at, holds_at = _with_the_cap(limits, (min_rate, lower), alpha, beta)
    return RateTest(min_rate, tolerance, alpha, beta, cap, below_at, holds_at)


def _calibrated(high: float, low: float, alpha: float, cap: int, holds: float) -> _Limits:
    """Limits for the smallest A that keeps to the share of alpha before the cap; ln(1/share) always does."""
    least, most = 0.0, -log(_EARLY * alpha)
    for _ in range(_BISECTIONS):
        middle = (least + most) / 2
        if _chances(_limits(high, low, cap, middle, holds), high)[0] <= _EARLY * alpha:
            most = middle
        else:
            least = middle
    return _limits(high, low, cap, most, holds)


def _limits(high: float, low: float, cap: int, below: float, holds: float) -> _Limits:
    """Passes at which the logarithm of the ratio, low against high, has reached `below` or fallen to -`holds`."""
    a_pass, a_fail = log(low / high), log((1 - low) / (1 - high))
    step = a_fail - a_pass
    below_at = tuple(floor((n * a_fail - below) / step + _TIE) for n in range(1, cap + 1))
    holds_at = tuple(ceil((n * a_fail + holds) / step - _TIE) for n in range(1, cap + 1))
    return tuple(max(-1, passes) for passes in below_at), holds_at


def _with_the_cap(limits: _Limits, rates: tuple[float, float], alpha: float, beta: float) -> _Limits:
    """Share out what is left at the cap, and answer early wherever the remaining trials can't change that."""
    below_at, holds_at = limits
    cap = len(below_at)
    spent_below, _, left_high = _chances(limits, rates[0])
    _, spent_holds, left_low = _chances(limits, rates[1])
    last_below, last_holds = below_at[-1], holds_at[-1]
    for passes, spent in zip(sorted(left_high), accumulate(left_high[k] for k in sorted(left_high)), strict=True):
        if spent_below + spent > alpha:
            break
        last_below = passes
    falling = sorted((k for k in left_low if k > last_below), reverse=True)
    for passes, spent in zip(falling, accumulate(left_low[k] for k in falling), strict=True):
        if spent_holds + spent > beta:
            break
        last_holds = passes
    settled = (last_below - (cap - n) for n in range(1, cap + 1))
    return (
        tuple(max(-1, early, late) for early, late in zip(below_at, settled, strict=True)),
        tuple(min(early, last_holds) for early in holds_at),
    )


def _chances(limits: _Limits, rate: float) -> tuple[float, float, dict[int, float]]:
    """Chance to stop at either limit by the cap, and what is still open there, by passes."""
    below = holds = 0.0
    going = {0: 1.0}
    for low, high in zip(*limits, strict=True):
        after, going = _one_more(going, rate), {}
        for passes, chance in after.items():
            if passes <= low:
                below += chance
            elif passes >= high:
                holds += chance
            else:
                going[passes] = chance
    return below, holds, going


def _one_more(going: dict[int, float], rate: float) -> dict[int, float]:
    after: dict[int, float] = {}
    for passes, chance in going.items():
        after[passes + 1] = after.get(passes + 1, 0.0) + chance * rate
        after[passes] = after.get(passes, 0.0) + chance * (1 - rate)
    return after
