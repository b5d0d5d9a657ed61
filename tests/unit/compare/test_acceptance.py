"""What a person accepted or main waives does not fail, as long as it is no worse than what was accepted."""

from __future__ import annotations

from typing import Any

import pytest

from gate.compare import compare
from gate.compare.acceptance import about, still_needed
from gate.render import comment, terminal, verdict_json
from gate.render.verdict_json import verdict_from_json
from gate.schema.acceptance import Acceptance, Permissions, Waiver
from gate.schema.changes import Changes
from gate.schema.report import Report
from gate.schema.verdict import ExitCode, Verdict
from gate.settings import Settings
from tests.support.compare import case as case_of
from tests.support.compare import cut_short, predictions, report

BEFORE = report({"t.py::a": "passed", "t.py::b": "passed"})
AFTER = report({"t.py::a": "failed", "t.py::b": "passed"})


def judged(before: Report, after: Report, **permissions: Any) -> Verdict:
    return compare(before, after, Settings(), permissions=Permissions(**permissions))


def accept(case_id: str = "t.py::a", rule: str = "newly-failing", amount: float = 1) -> Acceptance:
    return Acceptance(rule, case_id, amount, "f" * 40, "ann", "the old answer was wrong", "https://x.example/1")


def waive(until: str = "", case_id: str = "t.py::a", amount: float = 1) -> Waiver:
    return Waiver("newly-failing", case_id, amount, "known", "ann", "data team", until, line=4)


def test_an_accepted_finding_does_not_fail_and_says_who_and_why() -> None:
    verdict = judged(BEFORE, AFTER, acceptances=(accept(),))
    assert (verdict.exit_code, verdict.failing) == (ExitCode.HOLDS, ())
    assert [finding.accepted for finding in verdict.findings] == [accept()]
    text = comment(verdict)
    assert "1 finding is accepted" in text
    assert "accepted by `ann`: the old answer was wrong" in text
    assert "accepted" in terminal(verdict)
    assert verdict_from_json(verdict_json(verdict)) == verdict


@pytest.mark.parametrize(
    "other", [accept("t.py::b"), accept(rule="negative-flip"), accept(amount=0.5)], ids=["case", "rule", "amount"]
)
def test_another_finding_or_a_further_drop_is_red(other: Acceptance) -> None:
    verdict = judged(BEFORE, AFTER, acceptances=(other,))
    assert verdict.exit_code is ExitCode.REGRESSION
    assert verdict.accepted == ()


def test_an_amount_bounds_what_is_accepted() -> None:
    before = report(None, case_of("m", None, predictions=(predictions("1111", "1111"),)))
    two = report(None, case_of("m", None, predictions=(predictions("1111", "0011"),)))
    three = report(None, case_of("m", None, predictions=(predictions("1111", "0001"),)))
    (finding,) = judged(before, two).failing
    given = accept(finding.case_id, finding.rule.value, finding.amount)
    assert judged(before, two, acceptances=(given,)).exit_code is ExitCode.HOLDS
    assert judged(before, three, acceptances=(given,)).exit_code is ExitCode.REGRESSION


def test_what_was_not_measured_can_not_be_accepted() -> None:
    verdict = judged(BEFORE, cut_short(BEFORE))
    (finding,) = verdict.failing
    given = accept(finding.case_id, finding.rule.value, 1e9)
    assert judged(BEFORE, cut_short(BEFORE), acceptances=(given,)).exit_code is ExitCode.UNDECIDED


def test_a_waiver_holds_to_its_last_day() -> None:
    held = judged(BEFORE, AFTER, waivers=(waive("2027-01-31"),), today="2027-01-31")
    assert held.exit_code is ExitCode.HOLDS
    assert "waived on main until 2027-01-31, owner `data team`: known" in comment(held)
    assert verdict_from_json(verdict_json(held)) == held
    over = judged(BEFORE, AFTER, waivers=(waive("2027-01-31"),), today="2027-02-01")
    assert over.exit_code is ExitCode.REGRESSION
    assert any("ended on 2027-01-31; its owner is data team" in notice for notice in over.notices)


def test_a_waiver_that_is_not_needed_or_too_small_is_named() -> None:
    unused = judged(BEFORE, BEFORE, waivers=(waive(),))
    assert unused.exit_code is ExitCode.HOLDS
    assert any("waivers.toml:4) is not needed any more" in notice for notice in unused.notices)
    small = judged(BEFORE, AFTER, waivers=(waive(amount=0.5),))
    assert small.exit_code is ExitCode.REGRESSION
    assert any("covers 0.5, and this is worse" in notice for notice in small.notices)


def test_findings_that_fail_stand_before_accepted_ones() -> None:
    both = report({"t.py::a": "failed", "t.py::b": "failed"})
    verdict = judged(BEFORE, both, acceptances=(accept("t.py::a"),))
    assert [finding.case_id for finding in verdict.findings] == ["t.py::b", "t.py::a"]
    assert [finding.id for finding in verdict.failing] == ["F1"]
    assert verdict.exit_code is ExitCode.REGRESSION


@pytest.mark.parametrize(("suites", "said"), [(1, True), (2, False)])
def test_one_file_serves_all_suites_and_a_case_of_another_is_not_called_unneeded(suites: int, said: bool) -> None:
    given = Permissions(waivers=(waive(case_id="other.py::x"),), today="2026-01-01")
    verdict = compare(BEFORE, AFTER, Settings(), permissions=given, changes=Changes(suites=suites))
    assert any("other.py::x" in each for each in verdict.notices) is said


def test_a_waiver_of_a_part_is_of_its_case() -> None:
    """Of a metric, a set of examples or an attack: suites share the file, and a refresh rids it of what holds."""
    part, other = waive(case_id="t.py::a#score#x"), waive(case_id="other.py::a#score")
    assert about([part, other], (), BEFORE) == (part,)
    assert still_needed([part, other], (), {"t.py::a"}) == (other,)
    (said,) = compare(
        BEFORE,
        BEFORE,
        Settings(),
        changes=Changes(suites=2),
        permissions=Permissions(waivers=(part, other), today="2026-01-01"),
    ).notices
    assert "t.py::a#score#x" in said
    assert "is not needed any more" in said
