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


_NAMES: dict[str, RuleName | None] = {
    "fail": RuleName.NEWLY_FAILING,
    "err": RuleName.NEWLY_ERRORING,
    "skip": RuleName.NEWLY_SKIPPED,
    "gone": RuleName.MISSING_CASE,
    "flaky": RuleName.FLAKY,
    "mark": RuleName.SETTINGS_CHANGED,
    "fixed": RuleName.FIXED,
    "new": RuleName.NEW_CASE,
    "–": None,
}
_ROWS = """
          passed failed error skipped xfailed xpassed rerun crashed absent
passed    –      fail   err   skip    fail    mark    flaky err     gone
failed    fixed  –      –     –       –       fixed   flaky –       gone
error     fixed  –      –     –       –       fixed   flaky –       gone
skipped   –      fail   err   –       –       –       flaky err     gone
xfailed   fixed  fail   err   skip    –       fixed   flaky err     gone
xpassed   –      fail   err   skip    fail    –       flaky err     gone
rerun     –      fail   err   skip    fail    mark    –     err     gone
crashed   fixed  –      –     –       –       fixed   flaky –       gone
absent    new    fail   err   new     new     new     flaky err     –
"""


def _matrix() -> dict[tuple[Step, Step], RuleName | None]:
    head, *rows = [line.split() for line in _ROWS.strip().splitlines()]
    return {
        (Step(row[0]), Step(after)): _NAMES[cell] for row in rows for after, cell in zip(head, row[1:], strict=True)
    }


MATRIX = _matrix()
"""The rule that speaks for each (baseline, candidate) pair, None where nothing is to be said.

- What failed on main and does not hold here is main's own. A known failure that is skipped here loses nothing.
- Whatever vanished is missing, known failures and skipped cases included: it must not disappear unseen.
- A test that passed and now fails under an `xfail` mark newly fails, whether the mark is new or stood on main already
  (xpassed): a mark must not let a failure in, not even in two steps. One that passes under a new mark says so.
- A test that was skipped on main, or is new, and fails here newly fails: nothing says that it ever held, but a check
  that fails is not a pull request that holds.
"""


def step_of(outcome: Outcome | None) -> Step:
    """The step of an outcome; a case without one made no check."""
    return Step.ABSENT if outcome is None else Step(outcome.value)


def markdown_table() -> str:
    """The matrix as docs/rules.md prints it: a row for main's outcome, a column for the pull request's."""
    steps = list(Step)
    lines = ["| main ↓ here → | " + " | ".join(steps) + " |", "|---" * (len(steps) + 1) + "|"]
    for before in steps:
        cells = [f"`{rule}`" if (rule := MATRIX[before, after]) else "–" for after in steps]
        lines.append(f"| **{before}** | " + " | ".join(cells) + " |")
    return "\n".join(lines)
