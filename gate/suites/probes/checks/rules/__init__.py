"""Static rules: insecure patterns that show in the code alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One place in the code that a rule found.

    Attributes:
        rule: name of the rule, see `static_rules.RULES`.
        cwe: the weakness.
        line: from 1.
        message: one sentence.
        by: `gate`, or bandit's id of the test (`B608`).
        severity, confidence: `low`, `medium` or `high`; those of `gate` are all high, since each has a single form.
    """

    rule: str
    cwe: str
    line: int
    message: str
    by: str = "gate"
    severity: str = "high"
    confidence: str = "high"
