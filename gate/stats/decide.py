"""The one function that decides a stochastic case from its trials on both sides and its share of the error budget.

Both samples are fixed ones. `regression` is Fisher's exact test (Fisher 1934, one-sided): given the sum of passes, the
candidate's passes are hypergeometric when nothing changed, so its level holds at every true rate. `holds` asks whether
a drop of `delta` is excluded, by one-sided exact bounds on both rates (Clopper and Pearson 1934), each at half of the
chance to miss such a drop (Bonferroni). What is neither is `undecided`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gate.schema.report import Trials
from gate.stats.fisher import fisher_one_sided
from gate.stats.intervals import lower_bound, upper_bound
from gate.stats.refusal import TooLittle

__all__ = ["Answer", "Decision", "decide", "excludes_drop", "fisher_one_sided", "lower_bound", "upper_bound"]

Answer = Literal["regression", "holds", "undecided"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the trials say.

    Attributes:
        verdict: `regression`, `holds` (a drop of delta is excluded) or `undecided`.
        level: attained one-sided level of "the rate fell"; small means that it fell.
        limit: level at or below which it counts as a regression: the case's share of alpha.
        baseline, candidate: (passes, trials).
        smallest_drop: the smallest drop from the baseline's observed rate to an observed rate of as many candidate
            trials that would count as a regression; None when not even all of them failing would.
    """

    verdict: Answer
    level: float
    limit: float
    baseline: tuple[int, int]
    candidate: tuple[int, int]
    smallest_drop: float | None


def decide(baseline: Trials, candidate: Trials, share: float, *, delta: float, power: float = 0.90) -> Decision:
    """Decide one case.

    Args:
        baseline: trials of main.
        candidate: trials of the pull request.
        share: the case's share of the false-alarm budget, alpha / M, with M the stochastic cases of the whole baseline.
        delta: the drop of the pass rate that matters, as a fraction.
        power: chance with which a drop of delta must not be called `holds`.

    Raises:
        ValueError: share, delta or power outside (0, 1).
    """
    if not 0 < share < 1 or not 0 < delta < 1 or not 0 < power < 1:
        raise ValueError("share, delta and power lie strictly between 0 and 1")
    passes, count = baseline.passes, baseline.count
    now, trials = candidate.passes, candidate.count
    level = fisher_one_sided(passes, count, now, trials)
    verdict: Answer = "undecided"
    if level <= share:
        verdict = "regression"
    elif excludes_drop(passes, count, now, trials, delta=delta, miss=1 - power):
        verdict = "holds"
    drop = _smallest_drop(passes, count, trials, share)
    return Decision(verdict, level, share, (passes, count), (now, trials), drop)


def excludes_drop(passes: int, count: int, now: int, trials: int, *, delta: float, miss: float) -> bool:
    """Whether the rate fell by less than delta, wrongly said at most `miss` of the time for any drop of delta or more.

    False when either sample is empty.
    """
    highest, lowest = upper_bound(passes, count, miss / 2), lower_bound(now, trials, miss / 2)
    if isinstance(highest, TooLittle) or isinstance(lowest, TooLittle):
        return False
    return highest - lowest < delta


def _smallest_drop(passes: int, count: int, trials: int, share: float) -> float | None:
    """By bisection: the level grows with the candidate's passes."""
    if fisher_one_sided(passes, count, 0, trials) > share:
        return None
    low, high = 0, trials
    while low < high:
        middle = (low + high + 1) // 2
        if fisher_one_sided(passes, count, middle, trials) <= share:
            low = middle
        else:
            high = middle - 1
    return passes / count - low / trials
