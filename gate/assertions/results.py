"""What the assertions found, and how they say it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TypeVar

from gate.stats.one_sample import RateAnswer
from gate.stats.paired_rates import PairAnswer


class StatisticalAssertionError(AssertionError):
    """An assertion that failed. `result` holds the counts."""

    def __init__(self, result: PassRateResult | RegressionResult) -> None:
        super().__init__(result.explain())
        self.result = result


class UndecidedWarning(UserWarning):
    """An assertion that passed because the calls were used up before anything was clear."""


@dataclass(frozen=True, slots=True)
class PassRateResult:
    """One pass rate against its floor. Rates are fractions.

    Attributes:
        decision: `below` the floor, `holds` (a rate of `min_rate - tolerance` or less is excluded) or `undecided`.
        success_count, sample_count: trials that passed, and all of them.
        ci_lower, ci_upper: Wilson interval of the rate, as if the number of trials had been fixed before.
        min_rate, tolerance, confidence, max_samples, description: what was asked.
    """

    decision: RateAnswer
    success_count: int
    sample_count: int
    ci_lower: float
    ci_upper: float
    min_rate: float
    tolerance: float
    confidence: float
    max_samples: int
    description: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the assertion holds: not found below the floor."""
        return self.decision != "below"

    @property
    def decided(self) -> bool:
        """Whether the evidence was enough."""
        return self.decision != "undecided"

    @property
    def observed_rate(self) -> float:
        """Passed trials / trials."""
        return self.success_count / self.sample_count

    @property
    def calls(self) -> int:
        """Calls of the trial."""
        return self.sample_count

    def explain(self) -> str:
        """What was found, what was asked, and what to do."""
        floor, low = percent(self.min_rate), percent(self.min_rate - self.tolerance)
        heads = {
            "below": f"pass rate below {floor}",
            "holds": f"pass rate not below {floor}",
            "undecided": f"pass rate undecided at {floor}",
        }
        steps = {
            "below": "read the failed trials; if this rate will do, lower min_rate",
            "holds": "nothing",
            "undecided": "raise max_samples, or tolerance if a larger drop is all that matters",
        }
        return _lines(
            _named(heads[self.decision], self.description),
            f"found: {self.success_count} of {self.sample_count} trials passed ({percent(self.observed_rate)}), "
            f"{percent(self.confidence)} interval {percent(self.ci_lower)} to {percent(self.ci_upper)}"
            " (as if their number had been fixed)",
            f"asked: {floor} or more to pass and {low} or less to fail, each wrong at most {_odds(self.confidence)}, "
            f"in at most {self.max_samples} trials",
            f"next: {steps[self.decision]}",
        )


@dataclass(frozen=True, slots=True)
class RegressionResult:
    """The candidate's pass rate against the baseline's. Rates and changes are fractions.

    Attributes:
        decision: `regression`, `holds` (a drop of `tolerance` or more is excluded) or `undecided`.
        sample_count: pairs; each is one call of the baseline and one of the candidate.
        baseline_successes, candidate_successes: calls that passed.
        broke, fixed: pairs in which only the baseline passed, and only the candidate.
        p_value: attained one-sided level; at most 1 - confidence when and only when the decision is `regression`.
        ci_lower, ci_upper: interval of candidate minus baseline, as if the number of pairs had been fixed before:
            Bonett and Price (2012) for paired calls, Newcombe (1998) for independent ones.
        confidence, max_samples, paired, tolerance, description: what was asked.
    """

    decision: PairAnswer
    sample_count: int
    baseline_successes: int
    candidate_successes: int
    broke: int
    fixed: int
    p_value: float
    ci_lower: float
    ci_upper: float
    confidence: float
    max_samples: int
    paired: bool
    tolerance: float
    description: str | None = None

    @property
    def regressed(self) -> bool:
        """Whether the assertion fails."""
        return self.decision == "regression"

    @property
    def passed(self) -> bool:
        """Whether the assertion holds: no regression was found."""
        return not self.regressed

    @property
    def decided(self) -> bool:
        """Whether the evidence was enough."""
        return self.decision != "undecided"

    @property
    def baseline_rate(self) -> float:
        """Passed calls of the baseline / its calls."""
        return self.baseline_successes / self.sample_count

    @property
    def candidate_rate(self) -> float:
        """Passed calls of the candidate / its calls."""
        return self.candidate_successes / self.sample_count

    @property
    def change(self) -> float:
        """Candidate's rate minus baseline's: negative when it got worse."""
        return self.candidate_rate - self.baseline_rate

    @property
    def calls(self) -> int:
        """Calls of both functions together."""
        return 2 * self.sample_count

    @property
    def test_name(self) -> str:
        """The test that decided, paired or not."""
        return "sequential_mcnemar"

    def explain(self) -> str:
        """What was found, what was asked, and what to do."""
        heads = {
            "regression": "regression: the pass rate fell",
            "holds": f"no regression of {_points(self.tolerance)} or more",
            "undecided": "regression undecided: neither found nor excluded",
        }
        steps = {
            "regression": "read the pairs in which only the baseline passed; if the drop is meant, change the baseline",
            "holds": "nothing",
            "undecided": "raise max_samples, or tolerance if a larger drop is all that matters",
        }
        count = self.sample_count
        return _lines(
            _named(heads[self.decision], self.description),
            f"found: the baseline passed {self.baseline_successes} of {count} ({percent(self.baseline_rate)}), "
            f"the candidate {self.candidate_successes} of {count} ({percent(self.candidate_rate)}); "
            f"{self.broke} pairs broke, {self.fixed} were fixed, p = {self.p_value:.2g}",
            f"change: {100 * self.change:+.0f} points, {percent(self.confidence)} interval "
            f"{100 * self.ci_lower:+.0f} to {100 * self.ci_upper:+.0f} (as if their number had been fixed)",
            f"asked: to fail an unchanged candidate, or to rule out a drop of {_points(self.tolerance)} or more, "
            f"wrongly at most {_odds(self.confidence)} each, in at most {self.max_samples} pairs",
            f"next: {steps[self.decision]}",
        )


Found = TypeVar("Found", PassRateResult, RegressionResult)


def report(result: Found, level: int) -> Found:
    """The result as it is."""
    del level
    return result


def enforce(result: Found, level: int) -> Found:
    """The result of an assertion that holds; a warning when that is for want of evidence.

    Raises:
        StatisticalAssertionError: it doesn't hold.
    """
    __tracebackhide__ = True
    if not result.passed:
        raise StatisticalAssertionError(result)
    if not result.decided:
        warnings.warn(result.explain(), UndecidedWarning, stacklevel=level)
    return result


def percent(value: float) -> str:
    """0.905 as 90.5 %."""
    return f"{100 * value:.3g} %"


def _points(value: float) -> str:
    return f"{100 * value:.3g} points"


def _odds(confidence: float) -> str:
    """The error rate in words: 0.95 as "5 times in 100"."""
    error = 1 - confidence
    whole = 100 if error >= 0.0095 else 10_000
    return f"{error * whole:.3g} times in {whole:,}"


def _named(head: str, description: str | None) -> str:
    return f"{head}: {description!r}" if description else head


def _lines(first: str, *others: str) -> str:
    return "\n  ".join((first, *others))
