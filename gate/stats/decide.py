"""The one function that decides a stochastic case from its trials on both sides and its share of the error budget.

Both samples are fixed ones here: each session of the suite is one trial. The regression side is Fisher's exact test
(Fisher 1934, one-sided): given the sum of passes, the candidate's passes are hypergeometric when nothing changed, so
its level holds at every true rate. The other side asks whether a drop of `delta` is excluded.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal

from gate.schema.report import Trials

MISS_LEVEL = 0.10
Decision3 = Literal["regression", "holds", "undecided"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the trials say.

    Attributes:
        verdict: `regression`, `holds` (a drop of delta is excluded) or `undecided`.
        level: attained one-sided level of "the rate fell"; small means that it fell.
        limit: level at or below which it counts as a regression: the case's share of alpha.
        baseline, candidate: (passes, trials).
        smallest_drop: drop from the baseline's observed rate that this many candidate trials would have shown if every
            one of them had gone as badly as it takes; None when not even all failing would.
    """

    verdict: Decision3
    level: float
    limit: float
    baseline: tuple[int, int]
    candidate: tuple[int, int]
    smallest_drop: float | None


def decide(baseline: Trials, candidate: Trials, share: float, *, delta: float) -> Decision:
    """Decide one case.

    Args:
        baseline: trials of main.
        candidate: trials of the pull request.
        share: the case's share of the false-alarm budget, alpha / M.
        delta: the drop of the pass rate that matters, as a fraction.

    Raises:
        ValueError: share or delta outside (0, 1).
    """
    if not 0 < share < 1 or not 0 < delta < 1:
        raise ValueError("share and delta lie strictly between 0 and 1")
    passes, count = baseline.passes, baseline.count
    now, trials = candidate.passes, candidate.count
    level = fisher_one_sided(passes, count, now, trials)
    verdict: Decision3 = "undecided"
    if level <= share:
        verdict = "regression"
    elif trials and count and excludes_drop(passes, count, now, trials, delta):
        verdict = "holds"
    drop = _smallest_drop(passes, count, trials, share)
    return Decision(verdict, level, share, (passes, count), (now, trials), drop)


def fisher_one_sided(passes: int, count: int, now: int, trials: int) -> float:
    """Chance of at most `now` passes among `trials`, given all passes of both samples (hypergeometric lower tail).

    1.0 when either sample is empty: no evidence.
    """
    total, everything = passes + now, count + trials
    if not count or not trials:
        return 1.0
    lowest = max(0, total - count)
    ways = sum(comb(trials, k) * comb(count, total - k) for k in range(lowest, now + 1))
    return ways / comb(everything, total)


def excludes_drop(passes: int, count: int, now: int, trials: int, delta: float) -> bool:
    """Whether a drop of delta is implausible: at every true rate q, `now` or more passes at q - delta together with
    the baseline at q or less are at most `MISS_LEVEL` likely, as a product of binomial tails over a grid of rates.
    """
    steps = 200
    worst = 0.0
    for step in range(1, steps):
        rate = delta + (1 - delta) * step / steps
        seen = _upper_tail(now, trials, rate - delta)
        known = _lower_tail(passes, count, rate)
        worst = max(worst, seen * known)
    return worst <= MISS_LEVEL


def _upper_tail(passes: int, trials: int, rate: float) -> float:
    return sum(comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(passes, trials + 1))


def _lower_tail(passes: int, trials: int, rate: float) -> float:
    return sum(comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(passes + 1))


def _smallest_drop(passes: int, count: int, trials: int, share: float) -> float | None:
    for now in range(trials, -1, -1):
        if fisher_one_sided(passes, count, now, trials) <= share:
            return passes / count - now / trials
    return None
