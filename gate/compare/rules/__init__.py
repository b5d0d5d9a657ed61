"""The registry: every rule, in the order in which findings of one weight are listed."""

from __future__ import annotations

from gate.compare.comparison import Rule
from gate.compare.rules import (
    adversarial_regression,
    baseline_changed,
    fixed,
    flaky,
    incomplete_run,
    metric_regression,
    missing_case,
    mutant_survives,
    negative_flip,
    new_case,
    newly_erroring,
    newly_failing,
    newly_skipped,
    positive_flip,
    prediction_churn,
    settings_changed,
    single_run_flips,
    stale_recording,
    suite_regression,
    undecided,
    unstable_id,
    unused_recording,
)

RULES: tuple[Rule, ...] = (
    incomplete_run.RULE,
    stale_recording.RULE,
    newly_failing.RULE,
    newly_erroring.RULE,
    mutant_survives.RULE,
    missing_case.RULE,
    suite_regression.RULE,
    newly_skipped.RULE,
    negative_flip.RULE,
    adversarial_regression.RULE,
    metric_regression.RULE,
    undecided.RULE,
    flaky.RULE,
    unstable_id.RULE,
    baseline_changed.RULE,
    settings_changed.RULE,
    prediction_churn.RULE,
    single_run_flips.RULE,
    unused_recording.RULE,
    fixed.RULE,
    positive_flip.RULE,
    new_case.RULE,
)
