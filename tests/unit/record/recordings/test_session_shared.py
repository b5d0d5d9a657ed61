"""One session under limits, over damage, threads and forks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.errors import BudgetExhaustedError, MissingRecordingError, RecordingError, RecordingExhaustedError
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.session import Mode
from gate.record.recordings.tally import Counts
from gate.record.recordings.usage import Usage
from tests.support.recorded_calls import CALLS, CASE, SCOPE, Upstream, asking, call, opened, recorded, replayed


class Purse:
    """A meter that lets so many calls go."""

    def __init__(self, calls: int) -> None:
        self.left = calls
        self.told: list[str] = []

    def before(self, request: Request, key: str, scope: Scope) -> str:
        if not self.left:
            raise BudgetExhaustedError("no more", where=scope.case)
        self.left -= 1
        return key

    def after(self, ticket: str, answer: Answer) -> None:
        self.told.append(f"live {answer.status}")

    def replayed(self, scope: Scope, usage: Usage) -> None:
        self.told.append(f"replayed {usage.model}")


def test_a_budget_refuses_calls_and_hears_of_all_others(tmp_path: Path) -> None:
    recorded(tmp_path, ("a", SCOPE))
    purse = Purse(1)
    session = opened(tmp_path, "auto", can_record=True, meter=purse)
    for text in ("a", "b"):
        call(session, asking(text), SCOPE, Upstream())
    with pytest.raises(BudgetExhaustedError):
        session.ask(asking("c"), SCOPE)
    assert purse.told == ["replayed gpt-4o-mini-2024-07-18", "live 200"]
    assert session.totals() == Counts(live=1, replayed=1, refused=1)
    assert [type(error) for error in session.noted(SCOPE)] == [BudgetExhaustedError]


def test_a_call_whose_answer_can_not_be_stored_is_not_paid_for(tmp_path: Path) -> None:
    (tmp_path / "recordings").mkdir()
    (tmp_path / "recordings" / "tests").write_text("in the way")
    session = opened(tmp_path / "recordings", "auto", can_record=True)
    with pytest.raises(RecordingError, match="can't be"):
        session.ask(asking("a"), SCOPE)
    assert session.totals().live == 0
    assert session.totals().broken == 1


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_no_call_leaves_whose_answer_a_damaged_file_could_not_take(tmp_path: Path, mode: Mode) -> None:
    recorded(tmp_path, *CALLS)
    with (tmp_path / "tests/test_a.py.jsonl").open("ab") as file:
        file.write(b"<<<<<<< HEAD\n")
    session = opened(tmp_path, mode)
    for text in ("new", "newer", "new"):
        with pytest.raises(RecordingError, match="merge conflict markers"):
            session.ask(asking(text), SCOPE)
    assert session.totals() == Counts(broken=3)


def test_recording_says_at_once_that_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "recordings").write_text("in the way")
    with pytest.raises(RecordingError, match="can't be written"):
        opened(tmp_path / "recordings", "record")


def test_a_damaged_file_is_noted_and_stops_no_other(tmp_path: Path) -> None:
    answers = recorded(tmp_path, *CALLS)
    with (tmp_path / "tests/test_a.py.jsonl").open("ab") as file:
        file.write(b"garbage\n")
    session = opened(tmp_path, "replay")
    with pytest.raises(RecordingError, match="damaged"):
        session.ask(asking("a"), SCOPE)
    assert session.counts(CASE) == Counts(broken=1)
    assert replayed(session, CALLS[5]) == [answers[5]]


def test_threads_share_the_answers_out(tmp_path: Path) -> None:
    answers = recorded(tmp_path, *[("a", SCOPE)] * 80)
    session = opened(tmp_path, "replay")
    found: list[bytes] = []

    def work() -> None:
        for _ in range(10):
            found.append(call(session, asking("a"), SCOPE, Upstream()).body)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(answers)


def in_a_child(work: Callable[[], None]) -> None:
    """Run in a forked process, which must end well."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_child_and_its_parent_never_take_the_same_answer(tmp_path: Path) -> None:
    answers = recorded(tmp_path, *[("a", SCOPE)] * 4)
    session = opened(tmp_path, "replay")
    assert replayed(session, ("a", SCOPE)) == answers[:1]

    def work() -> None:
        assert replayed(session, ("a", SCOPE)) == answers[1:2]
        with pytest.raises(MissingRecordingError):
            session.ask(asking("b"), SCOPE)
        session.finish()

    in_a_child(work)
    assert replayed(session, ("a", SCOPE)) == answers[2:3]
    in_a_child(lambda: None)
    assert replayed(session, ("a", SCOPE)) == answers[3:]
    with pytest.raises(RecordingExhaustedError):
        session.ask(asking("a"), SCOPE)
    assert session.totals() == Counts(replayed=4, missing=1, exhausted=1)
    assert [type(error) for error in session.noted(SCOPE)] == [MissingRecordingError, RecordingExhaustedError]
    assert len(session.missing_entries()) == 2


@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("mode", ["record", "auto"])
def test_what_a_forked_child_recorded_is_the_runs(tmp_path: Path, mode: Mode) -> None:
    session, upstream = opened(tmp_path, mode, can_record=True), Upstream()
    in_a_child(lambda: [call(session, asking("a"), SCOPE, Upstream(201)) for _ in range(2)] and None)
    call(session, asking("a"), SCOPE, upstream)
    assert upstream.calls == 1
    session.ended(CASE)
    session.finish()
    assert session.totals() == Counts(live=3)
    after = opened(tmp_path, "replay")
    assert [call(after, asking("a"), SCOPE, Upstream()).status for _ in range(3)] == [201, 201, 200]
