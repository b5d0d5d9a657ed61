"""Many tests that each lost a little are found together, and a service that drifted is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.compare import compare
from gate.compare.whole_suite import together
from gate.schema.fresh import Fresh
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.schema.verdict import Finding, RuleName, Verdict
from gate.settings import Settings
from gate.stats.suite_level import Stratum


def case(name: str, trials: str, *, fixed: bool = True) -> Case:
    return Case(name, outcome=Outcome.PASSED, stochastic=True, trials=Trials((Session("s", trials, fixed),)))


def reports(failing: int, *, cases: int = 100, broken: int = 0, main: str = "1" * 47 + "000") -> tuple[Report, Report]:
    """Of the candidate's cases so many fail their first trial alone, and the last `broken` fail altogether."""
    before = tuple(case(f"t.py::{place}", main) for place in range(cases))
    texts = ["0" + "1" * 59] * failing + ["1" * 60] * (cases - failing - broken) + ["0" * 60] * broken
    after = tuple(case(each.id, text, fixed=False) for each, text in zip(before, texts, strict=True))
    return Report(before), Report(after)


def beside(base: int, head: int, *, cases: int = 100) -> Fresh:
    """Five fresh trials of every case on both sides, of which the first fails in so many cases; no suspect has any."""
    texts = {side: ["01111"] * failing + ["11111"] * (cases - failing) for side, failing in enumerate((base, head))}
    suite = {f"t.py::{place}": both for place, both in enumerate(zip(texts[0], texts[1], strict=True))}
    return Fresh(void="more suspects than the limit", suite=suite)


def found(verdict: Verdict) -> list[Finding]:
    return [each for each in verdict.findings if each.rule is RuleName.SUITE_REGRESSION]


def test_a_small_fall_everywhere_is_one_finding_of_the_suite() -> None:
    (finding,) = found(compare(*reports(40), Settings(), fresh=Fresh()))
    assert finding.subject == "all stochastic tests"
    assert finding.amount > 0
    assert finding.what == "pass less often as a whole, though none of them need show it alone"
    assert finding.why.startswith("level ")


def test_nothing_is_said_where_nothing_fell() -> None:
    verdict = compare(*reports(8), Settings(), fresh=beside(0, 90))
    assert not found(verdict), "fresh trials are not looked at without a fall to confirm"
    assert not verdict.notices


def test_fresh_trials_of_both_sides_decide_where_there_are_any() -> None:
    (finding,) = found(compare(*reports(40), Settings(), fresh=beside(20, 60)))
    assert finding.why.startswith("fresh trials of both sides, level ")
    assert finding.after == "−8.0 points over 100 tests"


def test_a_drift_of_both_sides_is_told_and_no_finding() -> None:
    verdict = compare(*reports(40), Settings(), fresh=beside(60, 62))
    assert not found(verdict)
    (told,) = verdict.notices
    assert told.startswith("all stochastic tests together pass less often than in main's baseline (−")
    assert "but not clearly less than main's code does in the same session (−0.4 points, level 0." in told
    assert told.count(" points, level ") == 2


def test_fresh_trials_that_all_pass_show_no_fall() -> None:
    verdict = compare(*reports(40), Settings(), fresh=beside(0, 0))
    assert not found(verdict)
    assert "in the same session (no change): " in verdict.notices[0]


def test_trials_for_the_suite_confirm_no_single_test() -> None:
    verdict = compare(*reports(40), Settings(), fresh=beside(60, 60))
    assert {each.how for each in verdict.decisions} == {"sequential"}
    assert [each.limit for each in verdict.decisions] == pytest.approx([0.04 / 100] * 100)


def test_tests_that_fell_by_themselves_are_counted() -> None:
    (finding,) = found(compare(*reports(40, broken=2), Settings()))
    assert finding.what == "pass less often as a whole, 2 tests that fell by themselves included"


def test_tests_that_fell_by_themselves_are_not_the_whole_suite() -> None:
    baseline, candidate = reports(0, cases=20, broken=3, main="1" * 50)
    fell = {each.case_id for each in compare(baseline, candidate, Settings()).decisions if each.answer == "regression"}
    assert len(fell) == 3
    assert not found(compare(baseline, candidate, Settings()))
    strata = {name: Stratum(50, 50, 0 if name in fell else 2, 2) for name in (case.id for case in baseline.cases)}
    assert together(strata, {}, 0.01).falls, "without a word on single tests these three would do"


def test_a_warning_of_alike_trials_counts_the_suite_where_nothing_confirms_it() -> None:
    unguarded, unconfirmed = (compare(*reports(40), Settings(), fresh=each).budget for each in (None, Fresh()))
    quiet = compare(*reports(8), Settings(), fresh=Fresh()).budget
    confirmed = compare(*reports(40), Settings(), fresh=replace(beside(60, 60), void="")).budget
    assert (quiet.inflated, confirmed.inflated) == (None, None)
    assert unguarded.inflated is not None
    assert unconfirmed.inflated is not None
    assert 0.05 < unconfirmed.inflated < unguarded.inflated <= 1
