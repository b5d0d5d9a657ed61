"""Trials of one session are alike: how much, estimated from the baseline's sessions.

The model is the beta-binomial: in each session a case has a pass rate of its own, a Beta variable with the case's mean
rate q and the intra-class correlation ρ (both parameters add up to 1/ρ − 1). ρ is a fraction: the correlation of two
trials of the same case in the same session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from gate.stats.intervals import Interval, check_confidence, check_counts
from gate.stats.refusal import TooLittle
from gate.stats.special import student_quantile

Counts = tuple[int, int]
"""Passes and trials of one session."""
LEAST_CASES = 5
"""Cases that vary, below which an estimate has no useful error."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """The intra-class correlation of trials of one session.

    Attributes:
        estimate: may be a little below 0 by chance.
        error: its standard error.
        interval: cut to −1 to 1.
        cases, sessions: cases that vary, and how many sessions they have in all.
    """

    estimate: float
    error: float
    interval: Interval
    cases: int
    sessions: int


@dataclass(frozen=True, slots=True)
class _Squares:
    """Sums over sessions, of one case or several: squares between and within, degrees of freedom, N − Σ n²/N."""

    between: float
    within: float
    freedom_between: int
    freedom_within: int
    size: float

    def __sub__(self, other: _Squares) -> _Squares:
        return _Squares(
            self.between - other.between,
            self.within - other.within,
            self.freedom_between - other.freedom_between,
            self.freedom_within - other.freedom_within,
            self.size - other.size,
        )

    @property
    def mean_size(self) -> float:
        """Of a session; the m of the estimator."""
        return self.size / self.freedom_between

    @property
    def estimate(self) -> float:
        between, within = self.between / self.freedom_between, self.within / self.freedom_within
        return (between - within) / (between + (self.mean_size - 1) * within)


def session_correlation(cases: Sequence[Sequence[Counts]], confidence: float = 0.95) -> Correlation | TooLittle:
    """Estimate ρ, common to all cases, from (passes, trials) of the sessions of each case.

    The analysis-of-variance estimator (Ridout, Demétrio and Firth 1999, section 2), with sums of squares between and
    within sessions added up over the cases: (B − W)/(B + (m − 1) W) with B and W the mean squares and m the mean size
    of a session (Σ (N − Σ n²/N) / Σ (sessions − 1)). Every case has its own rate. Cases that always pass or always fail
    say nothing and are left out.

    The error is the larger of two: the jackknife over cases, and the error for normal data (Swiger et al. 1964). Both
    take cases as independent; when a bad session hits all cases at once, it is too small.

    Raises:
        ValueError: counts that are no counts, or confidence outside (0, 1).
    """
    check_confidence(confidence)
    found = [squares for sessions in cases if (squares := _squares(sessions)) is not None]
    if len(found) < LEAST_CASES:
        return TooLittle(
            f"cases that vary and have trials in at least two sessions: {len(found)}; {LEAST_CASES} are needed to "
            "estimate the correlation of a session"
        )
    total = _sum(found)
    without = [(total - each).estimate for each in found]
    mean, estimate = fsum(without) / len(without), total.estimate
    jackknife = sqrt((len(found) - 1) / len(found) * fsum((each - mean) ** 2 for each in without))
    error = max(jackknife, _normal_error(total))
    half = student_quantile((1 - confidence) / 2, len(found) - 1) * error
    interval = Interval(max(-1.0, estimate - half), min(1.0, estimate + half), confidence)
    return Correlation(estimate, error, interval, len(found), total.freedom_between + len(found))


def effective_trials(sessions: Sequence[int], icc: float) -> float:
    """How many independent trials the trials of these sessions are worth (Kish 1965): the sum of n/(1 + (n − 1) ρ).

    Args:
        sessions: trials of each session.
        icc: ρ, from 0 to 1.

    Raises:
        ValueError: icc outside [0, 1] or a negative number of trials.
    """
    check_sessions(sessions, icc)
    return fsum(size / (1 + (size - 1) * icc) for size in sessions if size)


def _squares(sessions: Sequence[Counts]) -> _Squares | None:
    """None for a case that doesn't vary, or that has no two sessions or no session of two trials."""
    for passes, trials in sessions:
        check_counts(passes, trials)
    used = [(passes, trials) for passes, trials in sessions if trials]
    count, total = sum(trials for _, trials in used), sum(passes for passes, _ in used)
    if len(used) < 2 or count == len(used) or total in (0, count):
        return None
    rate = total / count
    between = fsum(trials * (passes / trials - rate) ** 2 for passes, trials in used)
    within = fsum(passes * (trials - passes) / trials for passes, trials in used)
    size = count - sum(trials * trials for _, trials in used) / count
    return _Squares(between, within, len(used) - 1, count - len(used), size)


def _sum(found: Sequence[_Squares]) -> _Squares:
    return _Squares(
        fsum(each.between for each in found),
        fsum(each.within for each in found),
        sum(each.freedom_between for each in found),
        sum(each.freedom_within for each in found),
        fsum(each.size for each in found),
    )


def _normal_error(total: _Squares) -> float:
    """(1 − ρ)(1 + (m − 1) ρ)/m √(2/b + 2/w) with b and w the degrees of freedom, and ρ = 0 for an estimate below."""
    icc, size = min(max(total.estimate, 0.0), 0.99), total.mean_size
    freedom = 2 / total.freedom_between + 2 / total.freedom_within
    return (1 - icc) * (1 + (size - 1) * icc) / size * sqrt(freedom)


def check_sessions(sessions: Sequence[int], icc: float) -> None:
    """Raises ValueError when icc is outside [0, 1] or a number of trials below 0."""
    if not 0 <= icc <= 1 or any(size < 0 for size in sessions):
        raise ValueError("icc lies between 0 and 1, and numbers of trials are at least 0")
