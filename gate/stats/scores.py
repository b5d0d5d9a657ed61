"""Scores in [0, 1] (a judge's marks, a similarity), one at a time, against a baseline of scores.

Regression: at a few looks, the permutation test of "the mean fell", each look with its part of the share (Bonferroni).
Holds: as soon as betting against "the mean fell by delta or more" has multiplied the stake by 1/(1 − power).
Scores, means, drops and effects are in units of the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, fsum, prod, sqrt
from typing import TYPE_CHECKING, Literal

from gate.stats.intervals import Effect, Interval, check_confidence
from gate.stats.permutation import permutation_level
from gate.stats.refusal import TooLittle
from gate.stats.special import normal_quantile

if TYPE_CHECKING:
    from numpy.random import Generator

Looks = tuple[tuple[int, float], ...]
LOOKS: Looks = ((5, 0.10), (10, 0.15), (20, 0.20), (40, 0.25), (60, 0.30))
"""Number of scores at each look, and its part of the share."""
_BETS = 20
"""Stakes that are mixed; more change nothing that matters."""


@dataclass(frozen=True, slots=True)
class ScoreDecision:
    """What the scores say so far.

    Attributes:
        verdict: `regression`, `holds` (a drop of delta is excluded) or `undecided`.
        count: scores that were used; those after a decision are ignored.
        level: attained level of "the mean fell": the smallest over the looks of level / part, at most 1; compare it
            with the share. 1 before the first look.
        done: whether no further score is wanted: decided, or the last look is over.
        effect: candidate's mean minus the baseline's, and its interval by the normal distribution, approximate and not
            adjusted for stopping.
    """

    verdict: Literal["regression", "holds", "undecided"]
    count: int
    level: float
    done: bool
    effect: Effect


def decide_scores(
    baseline: Sequence[float],
    candidate: Sequence[float],
    share: float,
    *,
    delta: float,
    power: float = 0.90,
    looks: Looks = LOOKS,
    confidence: float = 0.95,
    generator: Generator | None = None,
) -> ScoreDecision | TooLittle:
    """Decide on all scores so far; ask again after each further one.

    An unchanged pull request is called a regression with chance at most `share`, whatever the distribution of scores
    is. A drop of delta or more is called `holds` with chance at most 1 − power as far as the baseline's mean is known:
    the null value of the bets is that mean plus one standard error, minus delta.

    Args:
        baseline: scores of main.
        candidate: scores of the pull request, in order.
        share: the case's share of the false-alarm budget.
        delta: the drop of the mean that matters.
        looks: increasing numbers of scores with parts that add up to at most 1.
        confidence: of the interval of the effect.
        generator: see `permutation_level`; give one of the same state each time.

    Raises:
        ValueError: a score outside [0, 1]; share, delta, power or confidence outside (0, 1); looks out of order.
    """
    _check_design(share, delta, power, looks)
    check_confidence(confidence)
    refused = _refuse(baseline, candidate, share, looks)
    if refused is not None:
        return refused
    null = _mean(baseline) + _standard_error(baseline) - delta
    parts, attained = dict(looks), 1.0
    stakes = [1.0] * _BETS
    verdict: Literal["regression", "holds", "undecided"] = "undecided"
    used = 0
    for used, score in enumerate(candidate[: looks[-1][0]], start=1):
        stakes = [stake * _gain(score, null, bet) for bet, stake in enumerate(stakes, start=1)]
        if used in parts:
            level = permutation_level(baseline, candidate[:used], generator)
            attained = min(attained, level / parts[used])
            if attained <= share:
                verdict = "regression"
                break
        if null <= 0 or _mean(stakes) >= 1 / (1 - power):
            verdict = "holds"
            break
    done = verdict != "undecided" or used == looks[-1][0]
    return ScoreDecision(verdict, used, attained, done, _effect(baseline, candidate[:used], confidence))


def betting_evidence(scores: Sequence[float], null: float) -> float:
    """Factor by which betting against "the mean is at most `null`" multiplied the stake.

    The mean over λ = k/(21 null), k from 1 to 20, of the product of 1 + λ (score − null): the diversified Kelly bets of
    Waudby-Smith and Ramdas (2024). When the mean is at most `null`, the factor ever reaches 1/β with chance at most β
    (Ville 1939), so it can be looked at after every score.

    Raises:
        ValueError: null not above 0, or a score outside [0, 1].
    """
    if null <= 0:
        raise ValueError("null lies above 0")
    if not all(0 <= score <= 1 for score in scores):
        raise ValueError("scores lie between 0 and 1")
    return _mean([prod(_gain(score, null, bet) for score in scores) for bet in range(1, _BETS + 1)])


def _gain(score: float, null: float, bet: int) -> float:
    """Factor of one bet with λ = bet / ((_BETS + 1) null); above 0, since λ null is below 1."""
    return 1 + bet / (_BETS + 1) * (score / null - 1) if null > 0 else 1.0


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _standard_error(scores: Sequence[float]) -> float:
    """Of the mean, with the variance (1/4 + Σ (score − mean)²)/(n + 1) of Waudby-Smith and Ramdas (2024).

    Above 0 even when all scores are the same.
    """
    mean = _mean(scores)
    variance = (0.25 + fsum((score - mean) ** 2 for score in scores)) / (len(scores) + 1)
    return sqrt(variance / len(scores))


def _effect(baseline: Sequence[float], candidate: Sequence[float], confidence: float) -> Effect:
    change = _mean(candidate) - _mean(baseline)
    spread = sqrt(_standard_error(baseline) ** 2 + _standard_error(candidate) ** 2)
    half = normal_quantile((1 - confidence) / 2) * spread
    return Effect(change, Interval(max(-1.0, change - half), min(1.0, change + half), confidence))


def _check_design(share: float, delta: float, power: float, looks: Looks) -> None:
    if not 0 < share < 1 or not 0 < delta < 1 or not 0 < power < 1:
        raise ValueError("share, delta and power lie strictly between 0 and 1")
    counts, parts = [count for count, _ in looks], [part for _, part in looks]
    if not looks or counts != sorted(set(counts)) or counts[0] < 1:
        raise ValueError("looks are increasing numbers of scores, at least 1")
    if min(parts) <= 0 or fsum(parts) > 1 + 1e-9:
        raise ValueError("the parts of the looks lie above 0 and add up to at most 1")


def _refuse(baseline: Sequence[float], candidate: Sequence[float], share: float, looks: Looks) -> TooLittle | None:
    if not all(0 <= score <= 1 for scores in (baseline, candidate) for score in scores):
        raise ValueError("scores lie between 0 and 1")
    if len(baseline) < 2:
        return TooLittle("a baseline of fewer than 2 scores says nothing about their spread")
    if all(share * part * comb(len(baseline) + count, count) < 1 for count, part in looks):
        return TooLittle(f"a baseline of {len(baseline)} scores can't show any drop at a share of {share:.2g}")
    return None if candidate else TooLittle("the candidate has no score yet")
