"""Recordings that were stopped, and what the next one takes over from them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gate.record.recordings.exchange import Scope
from gate.record.recordings.locking import STATE
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from gate.record.recordings.tally import Counts
from gate.record.recordings.workers import RunSession
from tests.support.recorded_calls import CASE, SCOPE, Upstream, asking, call, opened, recorded, replayed
from tests.support.stored_entries import OTHER, add, bodies, made, path_in

AGAIN = [("a", SCOPE), ("a", SCOPE), ("b", SCOPE)]


def stopped(folder: Path, *calls: tuple[str, Scope], upstream: Upstream, ends: bool = False) -> list[bytes]:
    """A recording that ended without a word, as a killed one does."""
    session = opened(folder, "record")
    found = [call(session, asking(text), scope, upstream).body for text, scope in calls]
    if ends:
        session.ended(CASE)
    session.finish(whole=False)
    return found


def claimed(folder: Path) -> list[str]:
    return [path.name for path in (folder / STATE).iterdir() if path.name.startswith("run-")]


def test_what_a_stopped_recording_paid_for_is_given_again_and_the_rest_is_asked(tmp_path: Path) -> None:
    upstream = Upstream()
    old = recorded(tmp_path, *AGAIN, upstream=upstream)
    paid = stopped(tmp_path, *AGAIN[:2], upstream=upstream)
    assert replayed(opened(tmp_path, "replay"), *AGAIN) == old

    session = opened(tmp_path, "record")
    assert "goes on from a recording that was stopped" in session.notices[0]
    found = [call(session, asking(text), scope, upstream).body for text, scope in AGAIN]
    assert found[:2] == paid
    assert upstream.calls == len(AGAIN) + 3, "three of the first, two that were paid, and one more"
    assert session.counts(CASE) == Counts(live=1, replayed=2)
    assert session.ended(CASE)
    session.finish()
    assert replayed(opened(tmp_path, "replay"), *AGAIN) == found
    assert b'"run"' not in path_in(tmp_path).read_bytes()
    assert claimed(tmp_path) == []
    assert opened(tmp_path, "record").notices == ()


def test_a_case_that_had_ended_is_not_paid_for_twice(tmp_path: Path) -> None:
    upstream = Upstream()
    recorded(tmp_path, *AGAIN, upstream=upstream)
    paid = stopped(tmp_path, *AGAIN, upstream=upstream, ends=True)
    session = opened(tmp_path, "record")
    assert [call(session, asking(text), scope, upstream).body for text, scope in AGAIN] == paid
    assert upstream.calls == 2 * len(AGAIN)
    assert session.ended(CASE, whole=False), "it asked, though nothing left the machine"


def test_what_the_test_does_not_ask_any_more_goes(tmp_path: Path) -> None:
    upstream = Upstream()
    recorded(tmp_path, *AGAIN, upstream=upstream)
    stopped(tmp_path, *AGAIN, upstream=upstream)
    recorded(tmp_path, ("a", SCOPE), upstream=upstream)
    assert [entry.n for entry in Store(tmp_path).entries()] == [0]


def test_a_recording_that_is_stopped_again_and_again_pays_once(tmp_path: Path) -> None:
    upstream = Upstream()
    recorded(tmp_path, *AGAIN, upstream=upstream)
    for number in (1, 1, 2):
        stopped(tmp_path, *AGAIN[:number], upstream=upstream)
    assert upstream.calls == len(AGAIN) + 2
    recorded(tmp_path, *AGAIN, upstream=upstream)
    assert upstream.calls == len(AGAIN) + 3


def test_another_run_that_writes_meanwhile_keeps_the_draft(tmp_path: Path) -> None:
    upstream = Upstream()
    recorded(tmp_path, *AGAIN, upstream=upstream)
    paid = stopped(tmp_path, *AGAIN, upstream=upstream)
    recorded(tmp_path, ("c", Scope(OTHER)), mode="auto", upstream=upstream)
    assert recorded(tmp_path, *AGAIN, upstream=upstream) == paid


def test_a_recording_of_yesterday_is_asked_anew(tmp_path: Path) -> None:
    upstream = Upstream()
    recorded(tmp_path, *AGAIN, upstream=upstream)
    paid = stopped(tmp_path, *AGAIN, upstream=upstream)
    (name,) = claimed(tmp_path)
    long_ago = time.time() - 2 * 86_400
    os.utime(tmp_path / STATE / name, (long_ago, long_ago))
    assert not set(recorded(tmp_path, *AGAIN, upstream=upstream)) & set(paid)
    assert claimed(tmp_path) == []


def test_without_its_claim_a_draft_of_elsewhere_is_no_answer(tmp_path: Path) -> None:
    """A checkout has the file, if somebody committed it so, and not the folder that git ignores."""
    upstream = Upstream()
    old = recorded(tmp_path, *AGAIN, upstream=upstream)
    paid = stopped(tmp_path, *AGAIN, upstream=upstream)
    for name in claimed(tmp_path):
        (tmp_path / STATE / name).unlink()
    assert replayed(opened(tmp_path, "replay"), *AGAIN) == old
    assert not set(recorded(tmp_path, *AGAIN, upstream=upstream)) & set(paid)


def test_a_living_recording_is_left_alone(tmp_path: Path) -> None:
    upstream = Upstream()
    living = opened(tmp_path, "record")
    call(living, asking("a"), SCOPE, upstream)
    other = opened(tmp_path, "record")
    assert other.notices == ()
    call(other, asking("a"), SCOPE, upstream)
    assert upstream.calls == 2
    for session in (living, other):
        session.finish()


def test_failures_are_asked_again(tmp_path: Path) -> None:
    recorded(tmp_path, *AGAIN)
    stopped(tmp_path, *AGAIN[:2], upstream=Upstream(429, 200))
    upstream = Upstream()
    session = opened(tmp_path, "record")
    for text, scope in AGAIN:
        call(session, asking(text), scope, upstream)
    assert session.counts(CASE) == Counts(live=2, replayed=1)
    assert session.ended(CASE)


def test_processes_of_a_run_go_on_from_the_same_ones(tmp_path: Path) -> None:
    upstream = Upstream()
    recorded(tmp_path, *AGAIN, upstream=upstream)
    paid = stopped(tmp_path, *AGAIN, ("a", Scope()), upstream=upstream)
    leader = RunSession(Store(tmp_path), "record")
    worker = RunSession(Store(tmp_path), "record", run=leader.run)
    assert [call(worker, asking(text), scope, upstream).body for text, scope in [*AGAIN, ("a", Scope())]] == paid
    assert worker.ended(CASE)
    left = worker.left([], [])
    assert left == {"": True}
    worker.finish()
    leader.end_left([left])
    leader.finish()
    assert replayed(opened(tmp_path, "replay"), *AGAIN, ("a", Scope())) == paid
    assert b'"run"' not in path_in(tmp_path).read_bytes(), "the leader tidies what its workers could not"


@pytest.mark.parametrize("mode", ["auto", "replay"])
def test_where_nothing_older_is_stored_all_that_was_paid_holds(tmp_path: Path, mode: str) -> None:
    """Two runs were killed, the second before it had asked what the first had."""
    add(Store(tmp_path), made(body=b"one", run="aa"), made(body=b"two", run="aa"), made(body=b"one", run="bb"))
    assert bodies(Store(tmp_path)) == [b"one", b"two"]
    if mode == "auto":
        assert [entry.n for entry in add(Store(tmp_path), made(body=b"three"))] == [2]
        assert bodies(Store(tmp_path)) == [b"one", b"two", b"three"]
    else:
        add(Store(tmp_path), made(case=OTHER))
    store = Store(tmp_path)
    store.compact(every=True)
    assert bodies(Store(tmp_path))[:2] == [b"one", b"two"]
    assert b'"run"' not in path_in(tmp_path).read_bytes()


def test_what_a_killed_process_left_half_made_goes_with_the_next_that_writes(tmp_path: Path) -> None:
    recorded(tmp_path, *AGAIN)
    half = tmp_path / STATE / "tmpabc.part"
    half.write_text("half")
    recorded(tmp_path, *AGAIN)
    assert not half.exists()


def test_a_damaged_file_of_others_does_not_end_a_recording(tmp_path: Path) -> None:
    recorded(tmp_path, *AGAIN)
    (tmp_path / "tests" / "test_b.py.jsonl").write_text("<<<<<<< ours\n")
    session: RecordingSession = opened(tmp_path, "record")
    call(session, asking("a"), SCOPE, Upstream())
    session.ended(CASE)
    session.finish()
    assert [entry.n for entry in Store(tmp_path).entries(CASE)] == [0]
