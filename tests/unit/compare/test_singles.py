"""Suites of single runs: every flip is listed, and only the suite or a group of it can fail the check."""

from __future__ import annotations

from gate.compare import compare
from gate.compare.singles import groups_of
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report
from gate.schema.verdict import ExitCode, RuleName, Verdict
from gate.settings import Settings

TOGETHER = Settings(stochastic=("evals",))


def suite(failing: range | list[int], *, count: int = 400) -> Report:
    failed = set(failing)
    return Report(
        tuple(
            Case(
                f"evals/test_{place % 4}.py::test[{place}]",
                outcome=Outcome.FAILED if place in failed else Outcome.PASSED,
            )
            for place in range(count)
        )
    )


def rules(verdict: Verdict) -> list[RuleName]:
    return [each.rule for each in verdict.findings]


def test_flips_in_both_directions_are_listed_and_decide_nothing() -> None:
    verdict = compare(suite(range(40)), suite(range(20, 60)), TOGETHER)
    assert verdict.exit_code is ExitCode.HOLDS
    (note,) = verdict.findings
    assert note.rule is RuleName.SINGLE_RUN_FLIPS
    assert len(note.evidence[0].rows) == 40


def test_without_the_setting_the_verdict_is_strict_and_a_notice_names_the_setting() -> None:
    verdict = compare(suite(range(40)), suite(range(20, 60)), Settings())
    assert verdict.exit_code is ExitCode.REGRESSION
    assert any('stochastic = "suite"' in each for each in verdict.notices)


def test_a_fall_of_the_whole_suite_fails_the_check() -> None:
    verdict = compare(suite([]), suite(range(0, 400, 10)), TOGETHER)
    assert verdict.exit_code is ExitCode.REGRESSION
    assert rules(verdict)[0] is RuleName.SUITE_REGRESSION
    assert "the suite" in verdict.findings[0].subject


def test_a_group_that_fell_is_named_beside_a_suite_that_did_not() -> None:
    broke = [place for place in range(400) if place % 4 == 1][:12]
    verdict = compare(suite([place for place in range(400) if place % 4 != 1][:14]), suite(broke), TOGETHER)
    fell = [each for each in verdict.findings if each.rule is RuleName.SUITE_REGRESSION]
    assert [each.subject for each in fell] == ["file evals/test_1.py"]


def test_skips_and_vanished_tests_are_no_draws() -> None:
    base = suite([])
    here = Report((Case("evals/test_0.py::test[0]", outcome=Outcome.SKIPPED), *base.cases[1:-1]))
    assert {RuleName.NEWLY_SKIPPED, RuleName.MISSING_CASE} <= set(rules(compare(base, here, TOGETHER)))


def test_groups_are_file_class_function_and_parameters() -> None:
    assert groups_of("a/test_b.py::TestC::test_d[de-long]") == (
        ("file", "a/test_b.py"),
        ("class", "a/test_b.py::TestC"),
        ("function", "a/test_b.py::TestC::test_d"),
        ("parameter", "de"),
        ("parameter", "long"),
    )
    assert groups_of("suite.case") == (("file", "suite.case"),)
