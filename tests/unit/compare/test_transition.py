"""All 81 cells, written down a second time in the words of the reviewer."""

from __future__ import annotations

import pytest

from gate.compare.transition import MATRIX, Step, step_of
from gate.schema.outcome import Outcome
from tests.support.compare import judged, report, rules_of

HELD = ("passed", "xfailed", "xpassed", "rerun")
BROKEN = ("failed", "error", "crashed")


def expected(before: str, after: str) -> str | None:
    if "absent" in (before, after) and before != after:
        if after == "absent":
            return "missing-case"
        return {
            "failed": "newly-failing",
            "error": "newly-erroring",
            "crashed": "newly-erroring",
            "rerun": "flaky",
        }.get(after, "new-case")
    if before in BROKEN:
        return {"passed": "fixed", "xpassed": "fixed", "rerun": "flaky"}.get(after)
    if after in BROKEN:
        return "newly-failing" if after == "failed" else "newly-erroring"
    if after == "skipped":
        return "newly-skipped" if before in HELD else None
    if after == "xfailed":
        return "newly-failing" if before in ("passed", "rerun") else None
    if after == "rerun":
        return None if before in ("rerun", "absent") else "flaky"
    return "fixed" if before == "xfailed" and after in ("passed", "xpassed") else None


@pytest.mark.parametrize("before", list(Step))
@pytest.mark.parametrize("after", list(Step))
def test_every_cell(before: Step, after: Step) -> None:
    rule = MATRIX[before, after]
    assert (rule.value if rule else None) == expected(before, after)


@pytest.mark.parametrize("before", list(Step))
@pytest.mark.parametrize("after", list(Step))
def test_every_cell_reaches_the_verdict(before: Step, after: Step) -> None:
    anchor = {"tests/a.py::anchor": "passed"}
    main = report(anchor | ({} if before == "absent" else {"tests/a.py::t": before.value}))
    here = report(anchor | ({} if after == "absent" else {"tests/a.py::t": after.value}))
    verdict = judged(main, here)
    said = [each.rule.value for each in (*verdict.findings, *verdict.good_news)]
    wanted = expected(before, after)
    assert said == ([] if wanted is None else [wanted])
    fails = wanted in ("newly-failing", "newly-erroring", "newly-skipped", "missing-case")
    assert verdict.exit_code == (1 if fails else 0)


def test_step_of_nothing_is_absence() -> None:
    assert step_of(None) is Step.ABSENT
    assert step_of(Outcome.CRASHED) is Step.CRASHED


def test_an_outcome_that_is_no_longer_given_is_missing() -> None:
    from tests.support.compare import case, metric

    main = report({}, case("probe", "passed", metrics=(metric(1.0),)))
    here = report({}, case("probe", None, metrics=(metric(1.0),)))
    verdict = judged(main, here)
    assert rules_of(verdict) == ["missing-case"]
    assert verdict.exit_code == 1
