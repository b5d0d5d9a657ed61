"""What joins the trials of a baseline, what starts them anew, and what leaves them alone."""

from __future__ import annotations

import pytest

from gate.baselines.counting import count_on, moved, says_nothing, stopped
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Session, Trials

ASKED = {"delta": "0.3", "max_trials": "60"}


def case(*sessions: tuple[str, str], fixed: bool = True, **more: object) -> Case:
    trials = Trials(tuple(Session(name, outcomes, fixed) for name, outcomes in sessions), asked=ASKED)
    given = {"outcome": Outcome.PASSED, "stochastic": True, "trials": trials, "fingerprint": "a", **more}
    return Case("t.py::t", **given)  # type: ignore[arg-type]


def kept(found: Case) -> list[tuple[str, str]]:
    assert found.trials is not None
    return [(session.id, session.outcomes) for session in found.trials.sessions]


BEFORE = case(("one", "1111"), ("two", "1101"))


def test_a_fixed_sample_joins_and_the_last_sessions_stay() -> None:
    found = count_on(BEFORE, case(("three", "1011")), 10)
    assert kept(found) == [("one", "1111"), ("two", "1101"), ("three", "1011")]
    assert kept(count_on(BEFORE, case(("three", "1011")), 2)) == [("two", "1101"), ("three", "1011")]
    assert kept(count_on(BEFORE, case(("two", "0000")), 10)) == [("one", "1111"), ("two", "0000")]


def test_the_first_time_only_fixed_samples_count() -> None:
    assert kept(count_on(None, case(("one", "11")), 10)) == [("one", "11")]
    found = count_on(None, case(("one", "11"), fixed=False), 10)
    assert kept(found) == []
    assert found.trials is not None
    assert found.trials.asked == ASKED, "what it asks for is known"


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.FAILED])
def test_a_stopped_sample_adds_nothing_and_changes_nothing(outcome: Outcome) -> None:
    now = case(("three", "000"), fixed=False, outcome=outcome, fingerprint="b")
    assert stopped(now)
    found = count_on(BEFORE, now, 10)
    assert kept(found) == kept(BEFORE)
    assert found.outcome is Outcome.PASSED
    assert found.fingerprint == "a", "the trials that are kept are of the test as it was"


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.ERROR, Outcome.CRASHED, Outcome.XFAILED, Outcome.XPASSED])
def test_what_is_no_draw_of_the_rate_adds_nothing(outcome: Outcome) -> None:
    now = case(("three", "0000000000"), outcome=outcome)
    assert not stopped(now)
    found = count_on(BEFORE, now, 10)
    assert kept(found) == kept(BEFORE)
    assert found.outcome is Outcome.PASSED, "its trials stay valid"
    assert says_nothing(BEFORE, now)
    plain = Case("t.py::t", outcome=outcome)
    assert count_on(Case("t.py::t", outcome=Outcome.PASSED), plain, 10) is plain


@pytest.mark.parametrize("outcome", [Outcome.SKIPPED, Outcome.XFAILED, Outcome.XPASSED])
def test_a_test_whose_source_says_that_it_is_no_draw_any_more_is_believed(outcome: Outcome) -> None:
    found = count_on(BEFORE, case(outcome=outcome, fingerprint="b"), 10)
    assert (found.outcome, kept(found)) == (outcome, kept(BEFORE))


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.CRASHED])
def test_a_test_that_changed_and_could_not_be_measured_stays_as_it_was(outcome: Outcome) -> None:
    assert count_on(BEFORE, case(outcome=outcome, fingerprint="b"), 10).outcome is Outcome.PASSED


def test_a_draw_says_something() -> None:
    assert not says_nothing(BEFORE, case(("three", "0")))
    assert not says_nothing(case(), case(outcome=Outcome.ERROR)), "without trials there is nothing to keep"
    assert not says_nothing(case(("one", "1"), outcome=Outcome.ERROR), case(outcome=Outcome.SKIPPED))


def test_stopped_samples_of_an_older_baseline_leave_with_the_first_fixed_one() -> None:
    before = case(("one", "1"), fixed=False)
    assert kept(count_on(before, case(("two", "0"), fixed=False), 10)) == [("one", "1")]
    assert kept(count_on(before, case(("two", "0")), 10)) == [("two", "0")]


@pytest.mark.parametrize(
    "more", [{"fingerprint": "b"}, {"trials": Trials((Session("three", "1011"),), asked={**ASKED, "timeout": "9"})}]
)
def test_a_test_that_changed_counts_anew(more: dict[str, object]) -> None:
    found = count_on(BEFORE, case(("three", "1011"), **more), 10)  # type: ignore[arg-type]
    assert kept(found) == [("three", "1011")]


def test_what_an_older_baseline_does_not_know_is_the_same() -> None:
    before = Case("t.py::t", outcome=Outcome.PASSED, trials=Trials((Session("one", "1"),)))
    found = count_on(before, case(("two", "0")), 10)
    assert kept(found) == [("one", "1"), ("two", "0")]
    assert (found.fingerprint, found.stochastic) == ("a", True)


@pytest.mark.parametrize(
    ("before", "now", "outcome"),
    [
        (BEFORE, case(("three", "0000"), outcome=Outcome.FAILED), Outcome.PASSED),
        (case(("one", "00"), outcome=Outcome.FAILED), case(("two", "01")), Outcome.FAILED),
        (case(("one", "00"), outcome=Outcome.PASSED), case(("two", "00"), outcome=Outcome.FAILED), Outcome.FAILED),
        (case(("one", "11"), outcome=Outcome.FAILED), case(("two", "11")), Outcome.PASSED),
        (BEFORE, case(("three", "00"), outcome=Outcome.FAILED, fingerprint="b"), Outcome.FAILED),
    ],
    ids=["chance", "chance upwards", "all fail", "all pass", "another test"],
)
def test_the_outcome_follows_when_all_trials_agree(before: Case, now: Case, outcome: Outcome) -> None:
    assert count_on(before, now, 10).outcome is outcome


def test_a_case_without_trials_stays_as_it_is() -> None:
    plain = Case("t.py::t", outcome=Outcome.FAILED)
    assert count_on(Case("t.py::t", outcome=Outcome.PASSED), plain, 10) is plain
    assert count_on(None, plain, 10) is plain


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1" * 50, "1" * 10, ""),
        ("1" * 50, "1" * 8 + "00", ""),  # 45 of 1,770 tables: a level of .025
        ("1" * 50, "1" * 7 + "000", "fell"),  # 120 of 34,220: .0035
        ("0" * 50, "0" * 7 + "111", "rose"),
        ("1", "0" * 10, ""),  # 1 of 11
        ("", "0" * 10, ""),
    ],
)
def test_a_rate_that_moved_is_found_by_fishers_exact_test(old: str, new: str, expected: str) -> None:
    before = case(("one", old)) if old else case()
    assert moved(before, case(("two", new))) == expected
    assert moved(before, case(*([("one", old)] if old else []), ("two", new))) == expected


def test_the_outcome_of_a_varying_test_without_trials_is_one_trial() -> None:
    before = Case("t.py::t", outcome=Outcome.PASSED, trials=Trials((Session("one", "1" * 99),)))
    assert moved(before, Case("t.py::t", outcome=Outcome.FAILED)) == "fell"  # 1 of 100
    assert moved(before, Case("t.py::t", outcome=Outcome.ERROR)) == ""
