"""What a test ended with, as every stage names it."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """How one case ended. Absence is not an outcome: the case is missing from the report."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    RERUN = "rerun"
    """Failed first, passed when it was run again (pytest-rerunfailures, Surefire's flaky tests)."""
    CRASHED = "crashed"
    """The process that ran it died."""

    @property
    def holds(self) -> bool:
        """Whether the check that the case makes was made and held."""
        return self in HOLDING

    @property
    def fails(self) -> bool:
        """Whether the case ended badly; neither this nor `holds` is true of a skipped one."""
        return self in FAILING


HOLDING = frozenset({Outcome.PASSED, Outcome.XFAILED, Outcome.XPASSED, Outcome.RERUN})
FAILING = frozenset({Outcome.FAILED, Outcome.ERROR, Outcome.CRASHED})
SEVERITY = {
    Outcome.CRASHED: 7,
    Outcome.ERROR: 6,
    Outcome.FAILED: 5,
    Outcome.SKIPPED: 4,
    Outcome.RERUN: 3,
    Outcome.XPASSED: 2,
    Outcome.XFAILED: 1,
    Outcome.PASSED: 0,
}
"""Worse is higher; where one id stands twice in a report, the worst outcome counts."""
