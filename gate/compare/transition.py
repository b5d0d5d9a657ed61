"""What going from one outcome to another means: one cell for every pair, absence included."""

from __future__ import annotations

from enum import StrEnum

from gate.schema.outcome import Outcome
from gate.schema.verdict import RuleName

ABSENT = "absent"


class Step(StrEnum):
    """An outcome, or absence."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    RERUN = "rerun"
    CRASHED = "crashed"
    ABSENT = ABSENT


_HELD = (Step.PASSED, Step.XFAILED, Step.XPASSED, Step.RERUN)
_BROKEN = (Step.FAILED, Step.ERROR, Step.CRASHED)


def step_of(outcome: Outcome | None) -> Step:
    return Step.ABSENT if outcome is None else Step(outcome.value)


def _cell(before: Step, after: Step) -> RuleName | None:
    if before == after:
        return None
    if before == Step.ABSENT:
        return _appeared(after)
    if after == Step.ABSENT:
        return RuleName.MISSING_CASE
    if after in _BROKEN:
        if before in _BROKEN:
            return None
        return RuleName.NEWLY_FAILING if after == Step.FAILED else RuleName.NEWLY_ERRORING
    if after == Step.SKIPPED:
        return RuleName.NEWLY_SKIPPED
    if before in _BROKEN:
        return RuleName.FLAKY if after == Step.RERUN else RuleName.FIXED
    return RuleName.FLAKY if after == Step.RERUN else None


def _appeared(after: Step) -> RuleName | None:
    if after == Step.FAILED:
        return RuleName.NEWLY_FAILING
    if after in _BROKEN:
        return RuleName.NEWLY_ERRORING
    return RuleName.FLAKY if after == Step.RERUN else RuleName.NEW_CASE


MATRIX: dict[tuple[Step, Step], RuleName | None] = {
    (before, after): _cell(before, after) for before in Step for after in Step
}
"""The rule that speaks for each pair, None where nothing is to be said.

A test that failed, was skipped or errored on main and fails here is main's own; one that was skipped on main and fails
here newly fails, since nothing was known to hold. A failing test that vanished or is skipped now is missing or newly
skipped all the same: what was known to be broken must not disappear unseen.
"""
