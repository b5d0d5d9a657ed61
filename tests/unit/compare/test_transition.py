"""All 81 cells, written down a second time in the words of the reviewer."""

from __future__ import annotations

import pytest

from gate.compare.transition import MATRIX, Step, step_of
from gate.schema.outcome import Outcome
from gate.schema.report import Report
from tests.support.compare import case, judged, metric, report, rules_of, trials

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
        return "newly-failing" if before in ("passed", "rerun", "xpassed") else None
    if after == "xpassed" and before in ("passed", "rerun"):
        return "settings-changed"
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


def test_a_mark_lets_no_failure_in_in_two_steps() -> None:
    """First the mark beside a test that passes, then the failure under it."""

    def run(outcome: str) -> Report:
        return report({"tests/a.py::t": outcome})

    first = judged(run("passed"), run("xpassed"))
    assert [(each.what, each.before, each.after) for each in first.findings] == [
        ("marker xfail, though it passes", "not marked", "marked xfail")
    ]
    second = judged(run("xpassed"), run("xfailed"))
    assert (second.findings[0].what, second.exit_code) == ("newly fails under its `xfail` mark", 1)
    assert judged(run("passed"), run("xfailed")).findings[0].what == "newly fails under a new `xfail` mark"


def test_a_stochastic_test_can_not_hide_under_a_mark() -> None:
    main = report({}, case("tests/a.py::s", "passed", stochastic=True, trials=trials("1" * 48 + "00")))
    marked = report({}, case("tests/a.py::s", "xfailed", stochastic=True, trials=trials("0" * 9)))
    verdict = judged(main, marked)
    assert rules_of(verdict) == ["newly-failing"]
    assert (verdict.findings[0].before, verdict.findings[0].after, verdict.exit_code) == ("48/50", "xfailed", 1)
    passing = report({}, case("tests/a.py::s", "xpassed", stochastic=True, trials=trials("1" * 20)))
    assert rules_of(judged(main, passing)) == ["settings-changed"]


def test_step_of_nothing_is_absence() -> None:
    assert step_of(None) is Step.ABSENT
    assert step_of(Outcome.CRASHED) is Step.CRASHED


def test_an_outcome_that_is_no_longer_given_is_missing() -> None:
    main = report({}, case("probe", "passed", metrics=(metric(1.0),)))
    here = report({}, case("probe", None, metrics=(metric(1.0),)))
    verdict = judged(main, here)
    assert rules_of(verdict) == ["missing-case"]
    assert verdict.exit_code == 1


def test_trials_that_are_no_longer_made_are_missing() -> None:
    main = report({}, case("probe", None, stochastic=True, trials=trials("1" * 20)))
    for here in (case("probe", None, stochastic=True), case("probe", "skipped", trials=trials("1" * 20))):
        found = judged(main, report({}, here)).findings
        assert [each.what for each in found if each.rule == "missing-case"] == ["is no longer tried"]
