"""Assertions about pass rates, for any test suite: no pull request, no plugin and no configuration are needed.

`assert_pass_rate` holds a rate against a floor, `assert_no_regression` a candidate against a baseline. Both call until
the answer is clear and stop there. The `evaluate_` twins return the same result and never fail.
"""

from __future__ import annotations

from gate.assertions.arguments import ArgumentError, OutcomeError, TrialTimeoutError
from gate.assertions.pass_rate import assert_pass_rate, compute_wilson_interval, evaluate_pass_rate
from gate.assertions.regression import assert_no_regression, evaluate_regression
from gate.assertions.results import PassRateResult, RegressionResult, StatisticalAssertionError, UndecidedWarning

__all__ = [
    "ArgumentError",
    "OutcomeError",
    "PassRateResult",
    "RegressionResult",
    "StatisticalAssertionError",
    "TrialTimeoutError",
    "UndecidedWarning",
    "assert_no_regression",
    "assert_pass_rate",
    "compute_wilson_interval",
    "evaluate_pass_rate",
    "evaluate_regression",
]
