"""Adopting and refreshing: what is kept, what starts again, what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.baselines.difference import as_text
from gate.baselines.refresh import Prepared, adopt, refresh
from gate.errors import BaselineError, UsageError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Calls, Case, Completeness, Report, Session, Source, Trials

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


def test_one_outcome_of_a_case_that_varies_is_no_change(previous: tuple[bytes, Report]) -> None:
    data, before = previous
    for action in (refresh, adopt):
        prepared = action(report(flaky=Outcome.FAILED), NEW, previous=before, current=data)
        assert trials(prepared.data) == [("1111111.1", "1"), ("1111111.2", "0"), ("2222222", "0")]
        (entry,) = prepared.entries
        assert (entry.group, entry.before, entry.after, entry.remark) == ("Trials", "1/2", "1/3", "")
        assert {case.id: case.outcome for case in read_report(prepared.data, "b").cases}[
            "t.py::flaky"
        ] is Outcome.PASSED


def marked(outcomes: str, session: str, *, fixed: bool = True, fingerprint: str = "a") -> Report:
    outcome = Outcome.PASSED if "1" in outcomes else Outcome.FAILED
    kept = Trials((Session(session, outcomes, fixed),), asked={"max_trials": "60"})
    case = Case("t.py::s", outcome=outcome, stochastic=True, trials=kept, fingerprint=fingerprint)
    return Report(cases=(case,))


def told(prepared: Prepared) -> list[tuple[str, str, str, str]]:
    return [(entry.group, entry.before, entry.after, entry.remark) for entry in prepared.entries]


@pytest.fixture
def stochastic() -> Report:
    return read_report(refresh(marked("1" * 50, "old"), OLD).data, "baseline")


def test_a_rate_that_fell_is_a_remark_of_a_refresh_and_the_trials_count_on(stochastic: Report) -> None:
    prepared = refresh(marked("0" * 4 + "1" * 6, "new"), NEW, previous=stochastic)
    assert told(prepared) == [("Trials", "50/50", "56/60", "fell: 6/10 in this run")]
    assert trials(prepared.data, "t.py::s") == [("old", "1" * 50), ("new", "0000111111")]
    chance = refresh(marked("0" + "1" * 9, "new"), NEW, previous=stochastic)
    assert told(chance) == [("Trials", "50/50", "59/60", "")]


def test_adopting_a_rate_that_fell_accepts_it(stochastic: Report) -> None:
    prepared = adopt(marked("0" * 4 + "1" * 6, "new"), NEW, previous=stochastic)
    assert trials(prepared.data, "t.py::s") == [("new", "0000111111")]
    assert told(prepared) == [("Trials", "50/50", "6/10", "fell: 6/10 in this run")]
    chance = adopt(marked("0" + "1" * 9, "new"), NEW, previous=stochastic)
    assert trials(chance.data, "t.py::s") == [("old", "1" * 50), ("new", "0111111111")]


def test_a_stopped_sample_is_not_counted_and_that_is_said(stochastic: Report) -> None:
    for action in (refresh, adopt):
        prepared = action(marked("1" * 7, "head", fixed=False), NEW, previous=stochastic)
        assert trials(prepared.data, "t.py::s") == [("old", "1" * 50)]
        assert told(prepared) == [("Not counted", "", "7/7", "stopped by their own results, so no fair sample")]
        assert not refresh(
            marked("1" * 7, "head", fixed=False), NEW, previous=stochastic, current=prepared.data
        ).changed
    accepted = adopt(marked("0" * 5, "head", fixed=False), NEW, previous=stochastic, restart=["t.py::s"])
    assert trials(accepted.data, "t.py::s") == []
    assert ("Now failing", "passed (50/50)", "failed", "restarted") in told(accepted)


def test_a_changed_test_starts_anew_and_that_is_said(stochastic: Report) -> None:
    prepared = refresh(marked("1" * 10, "new", fingerprint="b"), NEW, previous=stochastic)
    assert trials(prepared.data, "t.py::s") == [("new", "1" * 10)]
    assert told(prepared) == [("Trials", "50/50", "10/10", "restarted: its test changed")]
    assert "(restarted: its test changed)" in as_text(prepared.entries)


def test_a_changed_marker_starts_anew_and_that_is_said(stochastic: Report) -> None:
    (case,) = marked("1" * 10, "new").cases
    assert case.trials is not None
    asked = replace(case, trials=replace(case.trials, asked={"max_trials": "30"}))
    prepared = refresh(Report(cases=(asked,)), NEW, previous=stochastic)
    assert told(prepared) == [("Trials", "50/50", "10/10", "restarted: its marker changed")]


def test_an_outcome_on_which_all_trials_agree_is_a_change(stochastic: Report) -> None:
    prepared = refresh(marked("0" * 10, "new"), NEW, previous=stochastic, sessions=1)
    assert told(prepared) == [("Now failing", "passed (50/50)", "failed (0/10)", "fell: 0/10 in this run")]


def test_a_tool_that_knows_no_markers_removes_none(stochastic: Report) -> None:
    plain = Report(cases=(Case("t.py::s", outcome=Outcome.FAILED),), source=Source(format="junit"))
    prepared = refresh(plain, NEW, previous=stochastic)
    assert trials(prepared.data, "t.py::s") == [("old", "1" * 50)]
    assert read_report(prepared.data, "b").cases[0].stochastic
    assert prepared.entries == ()


def test_as_many_sessions_are_kept_as_the_settings_say(stochastic: Report) -> None:
    before = stochastic
    for number in range(4):
        prepared = refresh(marked("1" * 10, f"s{number}"), NEW, previous=before, sessions=3)
        before = read_report(prepared.data, "baseline")
    assert [name for name, _ in trials(prepared.data, "t.py::s")] == ["s1", "s2", "s3"]


def test_an_error_is_no_trial_of_a_test_that_varies(previous: tuple[bytes, Report]) -> None:
    data, before = previous
    for outcome in (Outcome.ERROR, Outcome.CRASHED, Outcome.SKIPPED):
        prepared = refresh(report(flaky=outcome), NEW, previous=before, current=data)
        assert trials(prepared.data) == [("1111111.1", "1"), ("1111111.2", "0")]


def test_trials_without_the_name_of_a_session_get_one() -> None:
    once = refresh(marked("11", ""), OLD)
    twice = refresh(marked("10", ""), NEW, previous=read_report(once.data, "baseline"))
    assert trials(twice.data, "t.py::s") == [("1111111", "11"), ("2222222", "10")]


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


def test_a_first_baseline_in_which_nothing_passes_needs_a_reason(previous: tuple[bytes, Report]) -> None:
    failing = report(flaky=Outcome.FAILED, sure=Outcome.ERROR)
    with pytest.raises(BaselineError, match="nothing passes"):
        adopt(failing, NEW)
    assert read_report(adopt(failing, NEW, force="known broken").data, "b").forced == "known broken"
    data, before = previous
    assert adopt(failing, NEW, previous=before, current=data).changed, "what there is already may turn out to be broken"


def asked_again(outcomes: str, *, fingerprint: str = "aa", live: int = 0) -> Report:
    """A run whose one stochastic test was given recorded answers."""
    calls = Calls(live=live, replayed=len(outcomes) - live)
    made = Trials((Session("3333333.replay", outcomes),), asked={"delta": "0.3"})
    return Report(
        cases=(
            Case(
                "t.py::model",
                outcome=Outcome.PASSED,
                stochastic=True,
                trials=made,
                fingerprint=fingerprint,
                calls=calls,
            ),
        )
    )


@pytest.mark.parametrize(
    ("run", "kept"),
    [
        (asked_again("1101"), "1101"),
        (asked_again("1001"), "11011001"),  # equal answers that end otherwise are those of other code
        (asked_again("1101", live=1), "11011101"),
        (asked_again("1101", fingerprint="bb"), "1101"),  # another test: its trials start anew
    ],
    ids=["the same", "other outcomes", "one was live", "another test"],
)
def test_a_replay_counts_once(run: Report, kept: str) -> None:
    recorded = asked_again("1101", live=4)
    named = replace(recorded.cases[0], trials=Trials((Session("1111111.1", "1101"),), asked={"delta": "0.3"}))
    first = refresh(replace(recorded, cases=(named,)), OLD)
    prepared = refresh(run, NEW, previous=read_report(first.data, "b"), current=first.data)
    assert "".join(outcomes for _, outcomes in trials(prepared.data, "t.py::model")) == kept
    told = [entry.after for entry in prepared.entries if entry.group == "Not counted"]
    assert told == (["3/4"] if run == asked_again("1101") else [])
    if told:
        assert prepared.data == first.data
