"""Modes, occurrences, failures and what is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate import __version__
from gate.errors import MissingRecordingError, RecordingError, RecordingExhaustedError
from gate.record.recordings.exchange import Answer, Failure, Scope
from gate.record.recordings.store import Store
from gate.record.recordings.tally import Counts
from tests.support.recorded_calls import CALLS, CASE, SCOPE, SECRET, Upstream, asking, call, opened, recorded, replayed


def test_a_replay_gives_what_was_recorded_and_asks_nobody(tmp_path: Path) -> None:
    answers = recorded(tmp_path, *CALLS)
    session = opened(tmp_path, "replay")
    assert replayed(session, *CALLS) == answers
    assert len(set(answers)) == len(CALLS)
    assert session.totals() == Counts(replayed=len(CALLS))
    assert session.counts(CASE) == Counts(replayed=4)
    assert session.unused() == ()
    assert session.missing_entries() == ()


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(len(CALLS))), st.integers(0, len(CALLS)))
def test_order_and_selection_change_no_answer(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], size: int
) -> None:
    folder = tmp_path_factory.mktemp("recordings")
    answers = recorded(folder, *CALLS)
    session = opened(folder, "replay")
    given_back: dict[tuple[str, Scope], list[bytes]] = {}
    for place in order[:size]:
        given_back.setdefault(CALLS[place], []).append(replayed(session, CALLS[place])[0])
    for asked, found in given_back.items():
        stored = [answer for each, answer in zip(CALLS, answers, strict=True) if each == asked]
        assert found == stored[: len(found)]


def test_an_answer_is_never_given_twice(tmp_path: Path) -> None:
    recorded(tmp_path, ("a", SCOPE), ("a", SCOPE))
    session = opened(tmp_path, "replay")
    replayed(session, ("a", SCOPE), ("a", SCOPE))
    with pytest.raises(
        RecordingExhaustedError, match=r"recording exhausted: all 2 stored answers to POST https://api\.openai\.com"
    ):
        session.ask(asking("a"), SCOPE)
    assert session.counts(CASE) == Counts(replayed=2, exhausted=1)
    assert [type(error) for error in session.noted(SCOPE)] == [RecordingExhaustedError]
    assert [asked.n for entry in session.missing_entries() for asked in entry.asked] == [2]


def test_what_is_missing_is_noted_where_the_test_swallows_it(tmp_path: Path) -> None:
    recorded(tmp_path, ("a", SCOPE))
    session = opened(tmp_path, "replay")
    with pytest.raises(MissingRecordingError, match=r"trial 3 of tests/test_a\.py::test_x") as caught:
        session.ask(asking("changed"), Scope(CASE, 3))
    assert SECRET not in str(caught.value)
    assert caught.value.where == str(tmp_path / "tests/test_a.py.jsonl")
    assert [error.message for error in session.noted(Scope(CASE, 3))] == [caught.value.message]
    assert session.noted(SCOPE) == ()
    (entry,) = session.missing_entries()
    assert SECRET.encode() not in repr(entry).encode()
    assert b"changed" in entry.request.body
    assert [name.lower() for name, _ in entry.request.headers] == ["content-type"]
    assert [(asked.case, asked.trial, asked.n) for asked in entry.asked] == [(CASE, 3, 0)]


def test_a_retry_of_a_client_lacks_no_further_answer(tmp_path: Path) -> None:
    session = opened(tmp_path, "replay")
    for retries in (0, 1, 2):
        with pytest.raises(MissingRecordingError):
            session.ask(asking("a", retries=retries), SCOPE)
    assert [asked.n for entry in session.missing_entries() for asked in entry.asked] == [0, 1]


def test_live_stores_nothing_but_counts(tmp_path: Path) -> None:
    session = opened(tmp_path / "recordings", "live")
    upstream = Upstream(200, 500, "time-out")
    for _ in range(3):
        call(session, asking("a"), SCOPE, upstream)
    session.finish()
    assert session.totals() == Counts(live=3, failed=2)
    assert not (tmp_path / "recordings").exists()


def test_auto_records_what_is_missing_and_replays_the_rest(tmp_path: Path) -> None:
    upstream = Upstream()
    first = recorded(tmp_path, ("a", SCOPE), mode="auto", upstream=upstream)
    session = opened(tmp_path, "auto", can_record=True)
    answers = [call(session, asking(text), SCOPE, upstream).body for text in ("a", "a", "b")]
    session.finish()
    assert answers[0] == first[0]
    assert session.totals() == Counts(live=2, replayed=1)
    assert replayed(opened(tmp_path, "replay"), ("a", SCOPE), ("a", SCOPE), ("b", SCOPE)) == answers
    assert upstream.calls == 3


def test_auto_replays_without_a_key(tmp_path: Path) -> None:
    session = opened(tmp_path / "recordings", "auto")
    with pytest.raises(MissingRecordingError):
        session.ask(asking("a"), SCOPE)
    session.finish()
    assert session.mode == "replay"
    assert not (tmp_path / "recordings").exists()


def test_recording_replaces_the_cases_that_ended_and_no_other(tmp_path: Path) -> None:
    old = recorded(tmp_path, *CALLS)
    session, upstream = opened(tmp_path, "record"), Upstream(*[201] * 99)
    new = [call(session, asking(text), scope, upstream) for text, scope in CALLS]
    assert session.ended(CASE)
    session.finish()
    after = opened(tmp_path, "replay")
    statuses = [call(after, asking(text), scope, Upstream()).status for text, scope in CALLS]
    assert statuses == [201, 201, 201, 201, 200, 200, 201]  # calls outside of tests end with the run
    again = replayed(opened(tmp_path, "replay"), *CALLS)
    assert again == [new[place].body if status == 201 else old[place] for place, status in enumerate(statuses)]


def test_an_outage_does_not_cost_what_was_stored(tmp_path: Path) -> None:
    old = recorded(tmp_path, ("a", SCOPE), ("b", SCOPE))
    session = opened(tmp_path, "record")
    call(session, asking("a"), SCOPE, Upstream())
    call(session, asking("b"), SCOPE, Upstream(503))
    assert not session.ended(CASE)
    session.finish()
    assert session.kept == (CASE,)
    assert replayed(opened(tmp_path, "replay"), ("a", SCOPE), ("b", SCOPE)) == old


def test_a_case_that_asks_nothing_any_more_keeps_nothing(tmp_path: Path) -> None:
    recorded(tmp_path, ("a", SCOPE))
    session = opened(tmp_path, "record")
    assert session.ended(CASE)
    assert session.ended("tests/test_new.py::test_x")
    session.finish()
    assert Store(tmp_path).files() == []


def test_failures_are_no_answers_unless_they_are_asked_for(tmp_path: Path) -> None:
    upstream = Upstream(429, "time-out", 200, 500)
    answers = [recorded(tmp_path, *[("a", SCOPE)] * 4, upstream=upstream)[2]]
    session = opened(tmp_path, "replay")
    assert replayed(session, ("a", SCOPE)) == answers
    with pytest.raises(RecordingExhaustedError):
        session.ask(asking("a"), SCOPE)
    assert session.unused() == ()
    faithful = opened(tmp_path, "replay", replay_failures=True)
    found = [call(faithful, asking("a"), SCOPE, Upstream()) for _ in range(4)]
    assert [(answer.status, answer.failure) for answer in found] == [(429, ""), (0, "time-out"), (200, ""), (500, "")]
    with pytest.raises(RecordingExhaustedError):
        faithful.ask(asking("a"), SCOPE)


@pytest.mark.parametrize("failure", [401, 402, 403, 407, 408, 429, 500, 503, 529, "time-out", "connection", "protocol"])
def test_a_request_that_only_failed_is_missing(tmp_path: Path, failure: int | Failure) -> None:
    recorded(tmp_path, ("a", SCOPE), upstream=Upstream(failure))
    with pytest.raises(MissingRecordingError):
        opened(tmp_path, "replay").ask(asking("a"), SCOPE)
    assert opened(tmp_path, "replay").stored_trials(CASE) == 0


@pytest.mark.parametrize("status", [200, 204, 302, 400, 404, 422])
def test_what_a_server_says_of_the_request_itself_is_an_answer(tmp_path: Path, status: int) -> None:
    recorded(tmp_path, ("a", SCOPE), upstream=Upstream(status))
    found = opened(tmp_path, "replay").ask(asking("a"), SCOPE)
    assert isinstance(found, Answer)
    assert found.status == status


def test_a_stream_comes_back_in_its_chunks_without_secrets(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    recorder = session.ask(asking("a"), SCOPE)
    assert not isinstance(recorder, Answer)
    recorder.start(200, (("content-type", "text/event-stream"), ("set-cookie", "session=abc; Path=/")))
    for piece in (b"data: one\n\n", b"data: two\n\n", b"data: [DONE]\n\n"):
        recorder.chunk(piece)
    recorder.finish()
    recorder.finish()
    recorder.fail("protocol")
    session.ended(CASE)
    session.finish()
    answer = call(opened(tmp_path, "replay"), asking("a"), SCOPE, Upstream())
    assert answer.chunks == (b"data: one\n\n", b"data: two\n\n", b"data: [DONE]\n\n")
    assert session.totals() == Counts(live=1)
    (entry,) = Store(tmp_path).entries()
    assert entry.meta.at == "2025-11-30"
    assert entry.meta.client == "OpenAI/Python"
    stored = (tmp_path / "tests/test_a.py.jsonl").read_bytes()
    assert SECRET.encode() not in stored
    assert b"session=abc" not in stored


def test_the_model_that_answered_is_kept(tmp_path: Path) -> None:
    recorded(tmp_path, ("a", SCOPE))
    (entry,) = Store(tmp_path).entries()
    assert entry.meta.model == "gpt-4o-mini-2024-07-18"
    assert entry.meta.tool == __version__


def test_what_never_ended_is_not_stored(tmp_path: Path) -> None:
    session = opened(tmp_path, "auto", can_record=True)
    recorder = session.ask(asking("a"), SCOPE)
    assert not isinstance(recorder, Answer)
    recorder.start(200, ())
    recorder.chunk(b"half")
    session.finish()
    assert list(Store(tmp_path).entries()) == []


def test_an_answer_that_never_ends_fills_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.record.recordings.live.LARGEST", 1000)
    session = opened(tmp_path, "record")
    recorder = session.ask(asking("a"), SCOPE)
    assert not isinstance(recorder, Answer)
    recorder.start(200, ())
    for _ in range(50):
        recorder.chunk(b"x" * 100)
    with pytest.raises(RecordingError, match="is not stored"):
        recorder.finish()
    assert session.totals() == Counts(live=1, broken=1)
    assert len(session.noted(SCOPE)) == 1


def test_trials_that_are_stored_are_counted_and_those_of_one_sample_found(tmp_path: Path) -> None:
    scopes = [Scope(CASE, trial) for trial in range(3)]
    recorded(tmp_path, *[("a", scope) for scope in scopes])
    session = opened(tmp_path, "replay")
    assert session.stored_trials(CASE) == 3
    assert session.stored_trials("tests/test_a.py::none") == 0
    replayed(session, *[("a", scope) for scope in scopes])
    assert not session.same_answers(CASE)


def test_one_answer_that_a_cache_gave_to_every_trial_is_one_sample(tmp_path: Path) -> None:
    session = opened(tmp_path, "record")
    for trial in range(3):
        assert bool(session.same_answers(CASE)) is (trial > 1)
        recorder = session.ask(asking("a"), Scope(CASE, trial))
        assert not isinstance(recorder, Answer)
        recorder.start(200, ())
        recorder.chunk(b'{"id":"chatcmpl-1"}')
        recorder.finish()
    assert session.same_answers(CASE)
    session.ended(CASE)
    session.finish()
    again = opened(tmp_path, "replay")
    replayed(again, *[("a", Scope(CASE, trial)) for trial in range(3)])
    assert again.same_answers(CASE)


def test_unused_answers_of_the_cases_that_ran(tmp_path: Path) -> None:
    recorded(tmp_path, *CALLS)
    session = opened(tmp_path, "replay")
    replayed(session, ("a", SCOPE))
    unused = session.unused([CASE])
    assert sorted((head.trial, head.n) for head in unused) == [(0, 0), (0, 1), (1, 0)]
    assert list(unused) == sorted(unused, key=lambda head: head.order)
    assert len(session.unused()) == len(CALLS) - 1
