"""Calls where nobody listens: the suite's own server comes, somebody else's does, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.record.plugin.awaited import Awaited
from gate.record.plugin.own_servers import OwnServers
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.session import Mode, RecordingSession
from gate.record.recordings.store import Store
from gate.sandbox.network.loopback import Listeners

CASE = Scope("tests/test_a.py::test_a")
ASKED = Request("POST", "http://127.0.0.1:4711/v1/chat/completions", (), b'{"model":"m"}')
OK = (200, (("content-type", "application/json"),))


class Servers(OwnServers):
    """Of which a test says who is there."""

    def __init__(self) -> None:
        super().__init__(Listeners())
        self.own = False

    def __call__(self, url: str) -> bool:
        return self.own


@pytest.fixture
def servers() -> Servers:
    return Servers()


def session(folder: Path, mode: Mode) -> RecordingSession:
    return RecordingSession(Store(folder), mode)


def record(awaited: Awaited, *, fails: bool) -> None:
    """As a client does."""
    recorder = awaited.ask(ASKED, CASE)
    assert not isinstance(recorder, Answer)
    if fails:
        recorder.fail("connection")
        recorder.fail("protocol")
    else:
        recorder.start(*OK)
        recorder.chunk(b"{}")
        recorder.finish()
        recorder.fail("protocol")


def test_a_server_of_the_suite_that_comes_meanwhile_is_not_recorded(tmp_path: Path, servers: Servers) -> None:
    recording = session(tmp_path, "record")
    awaited = Awaited(recording, servers, recording)
    record(awaited, fails=True)
    servers.own = True
    record(awaited, fails=False)
    awaited.settle()
    assert recording.totals() == type(recording.totals())()
    assert list(Store(tmp_path).entries()) == []


def test_who_answers_though_nobody_is_seen_to_listen_is_recorded(tmp_path: Path, servers: Servers) -> None:
    """As where the kernel hands a port on to a container."""
    recording = session(tmp_path, "record")
    record(Awaited(recording, servers, recording), fails=False)
    recording.ended(CASE.case)
    recording.finish()
    assert [entry.answer.body for entry in Store(tmp_path).entries()] == [b"{}"]
    replay = session(tmp_path, "replay")
    found = Awaited(replay, servers, replay).ask(ASKED, CASE)
    assert isinstance(found, Answer)
    assert found.body == b"{}"


def test_who_never_comes_is_an_outage_of_which_the_recording_is_told_once(tmp_path: Path, servers: Servers) -> None:
    recording = session(tmp_path, "record")
    awaited = Awaited(recording, servers, recording)
    for _ in range(3):
        record(awaited, fails=True)
    assert recording.totals().failed == 0
    awaited.settle()
    awaited.settle()
    assert recording.totals().failed == 1


def test_a_replay_is_told_of_what_it_lacks_once_it_is_known_that_nobody_comes(tmp_path: Path, servers: Servers) -> None:
    replay = session(tmp_path, "replay")
    awaited = Awaited(replay, servers, replay)
    for _ in range(3):
        found = awaited.ask(ASKED, CASE)
        assert isinstance(found, Answer)
        assert found.failure == "connection"
    assert replay.untroubled
    awaited.settle()
    assert replay.counts(CASE.case).missing == 1
    assert [entry.asked[0].case for entry in replay.missing_entries()] == [CASE.case]


@pytest.mark.parametrize("status", [200, 429])
def test_what_is_stored_is_given_at_once(tmp_path: Path, servers: Servers, status: int) -> None:
    """An answer, and where failures are answers a failure."""
    recording = session(tmp_path, "record")
    recorder = recording.ask(ASKED, CASE)
    assert not isinstance(recorder, Answer)
    recorder.start(status, OK[1])
    recorder.finish()
    recording.finish()
    replay = RecordingSession(Store(tmp_path), "replay", replay_failures=True)
    found = Awaited(replay, servers, replay).ask(ASKED, CASE)
    assert isinstance(found, Answer)
    assert (found.status, found.failure) == (status, "")
