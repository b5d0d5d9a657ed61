"""What is set up again is given what it was given first, within a process and across those of a run."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gate.errors import MissingRecordingError
from gate.record.recordings.exchange import Answer, Failure, Scope
from gate.record.recordings.repeating import Repeating
from tests.support.recorded_calls import Upstream, asking, opened

CASE = "t.py::fixture f"
SCOPE = Scope(CASE)


def ask(calls: Repeating, upstream: Upstream, text: str = "a", scope: Scope = SCOPE) -> bytes | Failure:
    found = calls.ask(asking(text), scope)
    if isinstance(found, Answer):
        return found.failure or found.body
    status, body = upstream.answer()
    if isinstance(status, str):
        found.fail(status)
        return status
    found.start(status, (("content-type", "application/json"),))
    found.chunk(body[:5])
    found.chunk(body[5:])
    found.finish()
    return body


@pytest.fixture
def upstream() -> Upstream:
    return Upstream()


def test_each_set_up_takes_the_same_sequence(tmp_path: Path, upstream: Upstream) -> None:
    calls = Repeating(opened(tmp_path / "r", "record"))
    given = []
    for _ in range(3):
        with calls.instance(CASE):
            first = [ask(calls, upstream, text) for text in ("a", "b", "a")]
        with calls.instance(CASE, goes_on=True):
            given.append([*first, ask(calls, upstream, "a")])
    assert upstream.calls == 4
    assert given[0] == given[1] == given[2]
    assert len(set(given[0])) == 4, "within a set-up none is given twice"


def test_tests_are_asked_every_time(tmp_path: Path, upstream: Upstream) -> None:
    calls = Repeating(opened(tmp_path / "r", "record"), folder=tmp_path)
    assert ask(calls, upstream) != ask(calls, upstream)
    with calls.instance(CASE):
        assert ask(calls, upstream, scope=Scope("t.py::test")) != ask(calls, upstream, scope=Scope("t.py::test"))
    assert upstream.calls == 4


def test_processes_share_what_they_were_given(tmp_path: Path, upstream: Upstream) -> None:
    one, two = (Repeating(opened(tmp_path / name, "record"), folder=tmp_path) for name in "ab")
    with one.instance(CASE):
        first = [ask(one, upstream), ask(one, upstream)]
    with two.instance(CASE):
        assert [ask(two, upstream), ask(two, upstream), ask(two, upstream, "more")][:2] == first
    with one.instance(CASE):
        assert [ask(one, upstream), ask(one, upstream)] == first
        ask(one, upstream, "more")
    assert upstream.calls == 3


def test_one_sets_up_while_the_other_waits_also_outside_of_tests(tmp_path: Path, upstream: Upstream) -> None:
    workers = [Repeating(opened(tmp_path / str(name), "record"), folder=tmp_path) for name in range(4)]
    together = threading.Barrier(4, timeout=30)

    def work(calls: Repeating) -> list[bytes | Failure]:
        together.wait()
        outside = ask(calls, upstream, scope=Scope())
        with calls.instance(CASE):
            return [outside, ask(calls, upstream), ask(calls, upstream)]

    with ThreadPoolExecutor(4) as pool:
        given = list(pool.map(work, workers))
    assert given == given[:1] * 4
    assert upstream.calls == 3


def test_half_a_line_of_a_killed_process_is_written_over(tmp_path: Path, upstream: Upstream) -> None:
    one, two = (Repeating(opened(tmp_path / name, "record"), folder=tmp_path / "s") for name in "ab")
    (tmp_path / "s").mkdir()
    with one.instance(CASE):
        ask(one, upstream)
    (path,) = (tmp_path / "s").iterdir()
    path.write_bytes(path.read_bytes()[:-9])
    with two.instance(CASE):
        given = ask(two, upstream)
    three = Repeating(opened(tmp_path / "c", "record"), folder=tmp_path / "s")
    with three.instance(CASE):
        assert ask(three, upstream) == given
    assert upstream.calls == 2


@pytest.mark.parametrize(("failures", "calls_made"), [(False, 2), (True, 1)])
def test_a_failure_is_no_answer_unless_asked(tmp_path: Path, failures: bool, calls_made: int) -> None:
    upstream = Upstream("time-out", 200)
    calls = Repeating(opened(tmp_path / "r", "record", replay_failures=failures), failures=failures)
    given = []
    for _ in range(2):
        with calls.instance(CASE):
            given.append(ask(calls, upstream))
    assert given[0] == "time-out"
    assert (given[1] == "time-out") == failures
    assert upstream.calls == calls_made


def test_what_is_missing_is_missing_each_time(tmp_path: Path) -> None:
    session = opened(tmp_path / "r", "replay")
    calls = Repeating(session, folder=tmp_path)
    for _ in range(2):
        with calls.instance(CASE), pytest.raises(MissingRecordingError):
            calls.ask(asking("a"), SCOPE)
        with pytest.raises(MissingRecordingError):  # the lock is free again
            calls.ask(asking("a"), Scope())
    assert session.counts(CASE).missing == 2
