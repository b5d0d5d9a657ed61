"""Did the pass rate fall? Baseline and candidate are called in pairs until the answer is clear.

Of the pairs that differ, `broke` passed for the baseline and failed for the candidate, `fixed` the reverse. When
nothing changed, each of them is a fair coin (McNemar 1947), whatever the rates are, however often pairs differ, and
whether or not both calls of a pair depend on each other. So the level needs no model but that pairs are independent:

- regression: `broke` among d changed pairs reaches a limit. The limits spend alpha as d grows, in the manner of Lan and
  DeMets (1983): by d changed pairs at most alpha (1 - exp(-(d/h)^2)), h = 1.85 log2(1/alpha). At the cap, given the d
  that there are, further counts of `broke` follow as long as alpha holds them. So an unchanged candidate, or a better
  one, is called a regression with chance at most alpha, given any d.
- holds: a bet against "the rate fell by `tolerance` or more" has multiplied its stake by 1/beta (Waudby-Smith and
  Ramdas 2024; Ville 1939). After a pair with x = broke - fixed in {-1, 0, 1} the stake is multiplied by
  1 + l (tolerance - x), with l = tolerance/(tolerance^2 + .2): about the best bet when nothing changed and one pair in
  five differs, as at a rate of .9. So a candidate that is worse by `tolerance` or more is said to hold with chance at
  most beta. It is not said of counts that would be a regression at the cap, so that the attained level and the answer
  never contradict each other.
- undecided: neither at the cap. It is given as soon as a regression can't be reached any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, expm1, log, log1p, log2
from typing import Literal

from gate.stats.intervals import Effect, Interval, wilson
from gate.stats.refusal import TooLittle

PairAnswer = Literal["regression", "holds", "undecided"]
_HORIZON = 1.85
_CHANGED = 0.2
_NEGLIGIBLE = 1e-18
_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class PairOperation:
    """What the test does at true rates: the chance of each answer, and the mean number of pairs."""

    regression: float
    holds: float
    undecided: float
    pairs: float


@dataclass(frozen=True, slots=True)
class PairTest:
    """The test of two pass rates; ask it after every pair and stop at the first answer.

    Attributes:
        tolerance: the drop that must not be said to hold, a fraction.
        alpha: chance at most to call an unchanged or better candidate a regression.
        beta: chance at most to say that a drop of `tolerance` or more holds.
        cap: pairs at most.
        early: by changed pairs d, the `broke` that is a regression at once; d + 1 where none is.
        last: the same at the cap.
        enough: by `fixed`, the smallest `broke` that is a regression by the cap; more than the cap where none is.
        gains: growth of the logarithm of the stake after a pair that broke, was fixed, or did not differ.
        target: logarithm of the stake at which the candidate holds.
    """

    tolerance: float
    alpha: float
    beta: float
    cap: int
    early: tuple[int, ...]
    last: tuple[int, ...]
    enough: tuple[int, ...]
    gains: tuple[float, float, float]
    target: float

    def answer(self, broke: int, fixed: int, pairs: int) -> PairAnswer | None:
        """The answer after `pairs` pairs, or None when another one is needed."""
        changed = broke + fixed
        if broke >= self.early[changed] or (pairs == self.cap and broke >= self.last[changed]):
            return "regression"
        loss, win, same = self.gains
        stake = broke * loss + fixed * win + (pairs - changed) * same
        if stake >= self.target - _TIE and broke < self.last[changed]:
            return "holds"
        if pairs == self.cap or self.enough[fixed] > broke + self.cap - pairs:
            return "undecided"
        return None

    def level(self, broke: int, fixed: int) -> float:
        """Attained level of "the rate fell": where the test stops, at most alpha when and only when it is a regression.

        The chance, when nothing changed, to have been stopped by the limits before as many changed pairs, or else to
        have as many of them broken or more (stagewise ordering, Fairbanks and Madsen 1982). 1.0 when no pair changed.
        """
        if not broke + fixed:
            return 1.0
        for changed, spent, going in _coin(self.early):
            if changed == broke + fixed:
                return min(1.0, spent + sum(chance for count, chance in going.items() if count >= broke))
        raise ValueError("more changed pairs than the cap")

    def operating(self, breaks: float, fixes: float) -> PairOperation:
        """What the test does, exactly, when a pair breaks with chance `breaks` and is fixed with chance `fixes`.

        For independent calls at rates p and q these are p (1 - q) and (1 - p) q.

        Raises:
            ValueError: a chance below 0, or both together above 1.
        """
        if breaks < 0 or fixes < 0 or breaks + fixes > 1 + _TIE:
            raise ValueError("both chances are at least 0 and at most 1 together")
        chances, mean = {"regression": 0.0, "holds": 0.0, "undecided": 0.0}, 0.0
        going = {(0, 0): 1.0}
        for pairs in range(1, self.cap + 1):
            mean += sum(going.values())
            after, going = _one_more_pair(going, breaks, fixes), {}
            for (broke, fixed), chance in after.items():
                answer = self.answer(broke, fixed, pairs)
                if answer is None:
                    going[broke, fixed] = chance
                else:
                    chances[answer] += chance
        return PairOperation(**chances, pairs=mean)


def pair_test(tolerance: float, *, alpha: float, beta: float, cap: int) -> PairTest | TooLittle:
    """The test for what is asked; a refusal when not even a cap full of broken pairs would be evidence enough.

    Args:
        tolerance: the drop of the pass rate that must not be said to hold, a fraction.
        alpha: chance at most to call an unchanged candidate a regression.
        beta: chance at most to say that a drop of `tolerance` or more holds.
        cap: pairs at most, each one call of both.

    Raises:
        ValueError: a value outside its range.
    """
    if not 0 < tolerance < 1 or not 0 < alpha < 0.5 or not 0 < beta < 0.5 or cap < 1:
        raise ValueError("tolerance between 0 and 1, alpha and beta between 0 and a half, and a cap of at least 1")
    need = ceil(-log2(alpha) - _TIE)
    if cap < need:
        return TooLittle(f"not even {cap} broken of {cap} pairs would be evidence enough: {need} would be")
    early = _early_limits(alpha, cap)
    last = _last_limits(early, alpha)
    enough = tuple(
        next((broke for broke in range(cap - fixed + 1) if broke >= last[broke + fixed]), cap + 1)
        for fixed in range(cap + 1)
    )
    bet = tolerance / (tolerance * tolerance + _CHANGED)
    gains = (log1p(bet * (tolerance - 1)), log1p(bet * (tolerance + 1)), log1p(bet * tolerance))
    return PairTest(tolerance, alpha, beta, cap, early, last, enough, gains, -log(beta))


def independent_difference(
    baseline: tuple[int, int], candidate: tuple[int, int], confidence: float = 0.95
) -> Effect | TooLittle:
    """Change of the pass rate between independent samples, by (passes, trials): Newcombe's (1998) tenth interval.

    With d the observed change, and the Wilson intervals (l, u) of the baseline's rate p and (m, v) of the candidate's
    rate q: from d - sqrt((q - m)^2 + (u - p)^2) to d + sqrt((v - q)^2 + (p - l)^2).

    Raises:
        ValueError: confidence outside (0, 1), or passes outside 0 to trials.
    """
    before, now = wilson(*baseline, confidence), wilson(*candidate, confidence)
    if isinstance(before, TooLittle):
        return before
    if isinstance(now, TooLittle):
        return now
    p, q = baseline[0] / baseline[1], candidate[0] / candidate[1]
    low = q - p - ((q - now.low) ** 2 + (before.high - p) ** 2) ** 0.5
    high = q - p + ((now.high - q) ** 2 + (p - before.low) ** 2) ** 0.5
    return Effect(q - p, Interval(max(-1.0, low), min(1.0, high), confidence))


def _early_limits(alpha: float, cap: int) -> tuple[int, ...]:
    """By changed pairs, the fewest broken ones that the spending function still holds; d + 1 where none does."""
    horizon = _HORIZON * -log2(alpha)
    limits, spent, going = [1], 0.0, {0: 1.0}
    for changed in range(1, cap + 1):
        going, dropped = _toss(going)
        room = -alpha * expm1(-((changed / horizon) ** 2))
        limit, spent = _lowest(going, changed, spent + dropped, room)
        going = {broke: chance for broke, chance in going.items() if broke < limit}
        limits.append(limit)
    return tuple(limits)


def _last_limits(early: tuple[int, ...], alpha: float) -> tuple[int, ...]:
    """The same for all of alpha, given that the early limits have not been reached before."""
    return (1, *(_lowest(going, changed, spent, alpha)[0] for changed, spent, going in _coin(early)))


def _lowest(going: dict[int, float], changed: int, spent: float, room: float) -> tuple[int, float]:
    """The lowest limit above half of the changed pairs that spends at most `room` in all, and what is spent then."""
    limit = changed + 1
    while 2 * (limit - 1) > changed and spent + going.get(limit - 1, 0.0) <= room:
        limit -= 1
        spent += going.get(limit, 0.0)
    return limit, spent


def _coin(early: tuple[int, ...]) -> Iterator[tuple[int, float, dict[int, float]]]:
    """By number of changed pairs: chance to have been stopped before, and the others' chances, by broken pairs."""
    spent, going = 0.0, {0: 1.0}
    for changed in range(1, len(early)):
        going, dropped = _toss(going)
        spent += dropped
        yield changed, spent, going
        spent += sum(chance for broke, chance in going.items() if broke >= early[changed])
        going = {broke: chance for broke, chance in going.items() if broke < early[changed]}


def _toss(going: dict[int, float]) -> tuple[dict[int, float], float]:
    """One more fair coin. Paths of no weight are dropped, and counted as spent, which errs on the safe side."""
    after: dict[int, float] = {}
    dropped = 0.0
    for broke, chance in going.items():
        if chance < _NEGLIGIBLE:
            dropped += chance
            continue
        after[broke + 1] = after.get(broke + 1, 0.0) + chance / 2
        after[broke] = after.get(broke, 0.0) + chance / 2
    return after, dropped


def _one_more_pair(going: dict[tuple[int, int], float], breaks: float, fixes: float) -> dict[tuple[int, int], float]:
    after: dict[tuple[int, int], float] = {}
    for (broke, fixed), chance in going.items():
        for key, weight in (
            ((broke + 1, fixed), breaks),
            ((broke, fixed + 1), fixes),
            ((broke, fixed), 1 - breaks - fixes),
        ):
            if weight > 0:
                after[key] = after.get(key, 0.0) + chance * weight
    return after
