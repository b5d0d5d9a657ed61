"""Adopting and refreshing: what is kept, what starts again, what is refused."""

from __future__ import annotations

import pytest

from gate.baselines.refresh import adopt, refresh
from gate.errors import BaselineError, UsageError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Completeness, Report, Session, Trials

OLD, NEW = "1" * 40, "2" * 40


def report(*, flaky: Outcome = Outcome.PASSED, sure: Outcome = Outcome.PASSED, suite: str = "default") -> Report:
    return Report(cases=(Case("t.py::flaky", outcome=flaky), Case("t.py::sure", outcome=sure)), suite=suite)


@pytest.fixture
def previous() -> tuple[bytes, Report]:
    counted = Case(
        "t.py::flaky", outcome=Outcome.PASSED, trials=Trials((Session("1111111.1", "1"), Session("1111111.2", "0")))
    )
    data = refresh(Report(cases=(counted, Case("t.py::sure", outcome=Outcome.PASSED))), OLD).data
    return data, read_report(data, "baseline")


def trials(data: bytes, case_id: str = "t.py::flaky") -> list[tuple[str, str]]:
    (case,) = (case for case in read_report(data, "baseline").cases if case.id == case_id)
    return [] if case.trials is None else [(session.id, session.outcomes) for session in case.trials.sessions]


def test_first_time_everything_is_added() -> None:
    prepared = refresh(report(), OLD)
    assert prepared.changed
    assert {(entry.group, entry.id) for entry in prepared.entries} == {
        ("Added", "t.py::flaky"),
        ("Added", "t.py::sure"),
    }


def test_refresh_counts_on_and_keeps_the_commit_of_what_did_not_change(previous: tuple[bytes, Report]) -> None:
    data, before = previous
    prepared = refresh(report(), NEW, previous=before, current=data)
    assert trials(prepared.data) == [("1111111.1", "1"), ("1111111.2", "0"), ("2222222", "1")]
    at = {case.id: case.measured_at for case in read_report(prepared.data, "b").cases}
    assert NEW.startswith(at["t.py::flaky"])
    assert OLD.startswith(at["t.py::sure"])
    assert [(entry.group, entry.id, entry.before, entry.after) for entry in prepared.entries] == [
        ("Trials", "t.py::flaky", "1/2", "2/3")
    ]


def test_the_same_report_twice_changes_nothing(previous: tuple[bytes, Report]) -> None:
    data, before = previous
    once = refresh(report(), NEW, previous=before, current=data)
    twice = refresh(report(), NEW, previous=read_report(once.data, "b"), current=once.data)
    assert twice.data == once.data
    assert not twice.changed
    assert twice.entries == ()


def test_adopt_starts_a_changed_case_again(previous: tuple[bytes, Report]) -> None:
    data, before = previous
    prepared = adopt(report(flaky=Outcome.FAILED), NEW, previous=before, current=data)
    assert trials(prepared.data) == [("2222222", "0")]
    (entry,) = prepared.entries
    assert (entry.group, entry.before, entry.after) == ("Now failing", "passed (1/2)", "failed (0/1)")


def test_adopt_counts_an_unchanged_case_on_unless_it_is_named(previous: tuple[bytes, Report]) -> None:
    data, before = previous
    assert len(trials(adopt(report(), NEW, previous=before, current=data).data)) == 3
    restarted = adopt(report(), NEW, previous=before, current=data, restart=["t.py::flaky"])
    assert trials(restarted.data) == [("2222222", "1")]


def test_adopt_refuses_to_restart_what_is_not_there(previous: tuple[bytes, Report]) -> None:
    with pytest.raises(UsageError, match=r"no case `t\.py::other`"):
        adopt(report(), NEW, previous=previous[1], restart=["t.py::other"])


def test_removed_cases_leave_and_are_told(previous: tuple[bytes, Report]) -> None:
    data, before = previous
    prepared = refresh(Report(cases=(Case("t.py::sure", outcome=Outcome.PASSED),)), NEW, previous=before, current=data)
    assert [(entry.group, entry.id) for entry in prepared.entries] == [("Removed", "t.py::flaky")]
    assert b"flaky" not in prepared.data


@pytest.mark.parametrize("action", [refresh, adopt])
def test_what_is_not_whole_or_empty_or_of_another_suite_is_refused(
    action: object, previous: tuple[bytes, Report]
) -> None:
    assert callable(action)
    broken = Report(cases=report().cases, completeness=Completeness(reasons=("a crash",)))
    with pytest.raises(BaselineError, match="the run is not whole: a crash"):
        action(broken, NEW)
    with pytest.raises(BaselineError, match="no case"):
        action(Report(cases=()), NEW)
    with pytest.raises(BaselineError, match="of the suite `slow`, the baseline of `default`"):
        action(report(suite="slow"), NEW, previous=previous[1])
    forced = action(broken, NEW, force="known crash of the driver")
    assert read_report(forced.data, "b").forced == "known crash of the driver"
    assert read_report(action(report(), NEW, force="not needed").data, "b").forced == ""
