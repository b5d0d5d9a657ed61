"""Many writers at once and processes killed at any moment: every call is stored once, none but those in flight is lost.

Real processes and `kill -9`. Each process writes down what it asked of the model and what the recorder has taken, so
that both can be compared with what is stored in the end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from tests.support.fork_server import Forked, begin

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system can't kill a process at once")

WORKER = """
import json, os, sys, threading
from pathlib import Path
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store

folder, mode, name, case, threads, calls, size, pause = sys.argv[1:9]
session = RecordingSession(Store(Path(folder) / "recordings"), mode, can_record=True)
asked = os.open(Path(folder) / "asked.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
taken = os.open(Path(folder) / "taken.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def call(thread, number):
    body = json.dumps({"model": "m", "input": f"{name} {thread} {number // 2}"}).encode()
    found = session.ask(Request("POST", "https://api.example/v1/responses", (), body), Scope(case, thread))
    if isinstance(found, Answer):
        return
    said = f"{name}-{thread}-{number}-{os.getpid()}"
    os.write(asked, f"{said}\\n".encode())
    found.start(200, (("content-type", "application/json"),))
    found.chunk(json.dumps({"id": said, "text": "x" * int(size)}).encode())
    found.finish()
    os.write(taken, f"{said}\\n".encode())


def work(thread):
    for number in range(int(calls)):
        call(thread, number)
        if float(pause):
            stop.wait(float(pause))


stop = threading.Event()
workers = [threading.Thread(target=work, args=(thread,)) for thread in range(int(threads))]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
session.ended(case)
session.finish()
"""

SUICIDE = """
import os, signal
write, written = os.write, []


def half(handle, data):
    if b'"answer":' in bytes(data):
        written.append(data)
        if len(written) == 5:
            write(handle, data[: max(1, int(len(data) * part))])
            os.kill(os.getpid(), signal.SIGKILL)
    return write(handle, data)


os.write = half
"""

REWRITER = """
import sys, time
from pathlib import Path
from gate.record.recordings.store import Store

store = Store(Path(sys.argv[1]) / "recordings")
store.prepare(sys.argv[2])
while True:
    store.compact()
    time.sleep(0.002)
"""


def start(program: str, *arguments: object) -> Forked:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return begin([sys.executable, "-c", program, *map(str, arguments)], environ)


def worker(
    folder: Path,
    mode: str,
    name: str,
    *,
    case: str,
    threads: int = 2,
    calls: int = 40,
    size: int = 200,
    pause: float = 0,
) -> Forked:
    return start(WORKER, folder, mode, name, case, threads, calls, size, pause)


def ended(*processes: Forked) -> None:
    assert [process.wait(timeout=120) for process in processes] == [0] * len(processes)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def stored(folder: Path) -> Counter[str]:
    store = Store(folder / "recordings")
    assert store.problems() == []
    return Counter(json.loads(entry.answer.body)["id"] for entry in store.entries())


def kill_after(folder: Path, count: int, *processes: Forked) -> None:
    """Kill once so many answers were taken."""
    end = time.monotonic() + 60
    while len(lines(folder / "taken.log")) < count and time.monotonic() < end:
        assert all(process.poll() is None for process in processes), "it ended before it could be killed"
        time.sleep(0.002)
    for process in processes:
        process.kill()
        process.wait()


def replay_all(folder: Path, name: str, case: str, threads: int, calls: int) -> None:
    session = RecordingSession(Store(folder / "recordings"), "replay")
    for thread in range(threads):
        for number in range(calls):
            body = json.dumps({"model": "m", "input": f"{name} {thread} {number // 2}"}).encode()
            asked = Request("POST", "https://api.example/v1/responses", (), body)
            assert isinstance(session.ask(asked, Scope(case, thread)), Answer)
    assert session.unused([case]) == ()


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_eight_threads_store_every_call_once(tmp_path: Path, mode: str) -> None:
    ended(worker(tmp_path, mode, "a", case="tests/test_a.py::x", threads=8, calls=30))
    assert len(lines(tmp_path / "asked.log")) == 240
    assert stored(tmp_path) == Counter(lines(tmp_path / "asked.log"))
    replay_all(tmp_path, "a", "tests/test_a.py::x", 8, 30)


@pytest.mark.parametrize(("mode", "shared"), [("record", False), ("auto", False), ("auto", True)])
def test_four_processes_store_every_call_once(tmp_path: Path, mode: str, shared: bool) -> None:
    """Also where all belong to one case, as processes of one test do."""
    cases = {name: f"tests/test_a.py::{'x' if shared else name}" for name in "abcd"}
    ended(*[worker(tmp_path, mode, name, case=case) for name, case in cases.items()])
    assert len(lines(tmp_path / "asked.log")) == 4 * 2 * 40
    assert stored(tmp_path) == Counter(lines(tmp_path / "asked.log"))
    text = (tmp_path / "recordings/tests/test_a.py.jsonl").read_text()
    assert text.count('"request":') == 4 * 2 * 20
    if not shared:
        for name, case in cases.items():
            replay_all(tmp_path, name, case, 2, 40)


@pytest.mark.parametrize("mode", ["record", "auto"])
@pytest.mark.parametrize("after", [3, 25, 60])
def test_killed_in_the_middle_nothing_is_lost_but_the_calls_in_flight(tmp_path: Path, mode: str, after: int) -> None:
    cases = {name: f"tests/test_a.py::{name}" for name in "abcd"}
    processes = [worker(tmp_path, mode, name, case=case, pause=0.02) for name, case in cases.items()]
    kill_after(tmp_path, after, *processes[:2])
    ended(*processes[2:])
    taken, asked = lines(tmp_path / "taken.log"), lines(tmp_path / "asked.log")
    found = stored(tmp_path)
    assert set(taken) <= set(found) <= set(asked)
    assert set(found.values()) == {1}
    assert len(asked) - len(taken) <= 4, "two threads in each of two processes"

    ended(*[worker(tmp_path, "auto", name, case=case) for name, case in cases.items()])
    again = lines(tmp_path / "asked.log")
    assert len(again) == 4 * 2 * 40 + len(asked) - len(found), "only what was lost is asked again"
    assert set(taken) <= set(stored(tmp_path))
    assert sum(stored(tmp_path).values()) == 4 * 2 * 40
    for name, case in cases.items():
        replay_all(tmp_path, name, case, 2, 40)


@pytest.mark.parametrize("part", [0.0001, 0.5, 0.9999])
def test_killed_within_a_line(tmp_path: Path, part: float) -> None:
    """The process kills itself when the fifth line is written in part, while others go on."""
    case, path = "tests/test_a.py::x", tmp_path / "recordings/tests/test_a.py.jsonl"
    other = worker(tmp_path, "auto", "other", case=case, threads=1, calls=10, size=100_000)
    killed = start(f"part = {part}" + SUICIDE + WORKER, tmp_path, "auto", "a", case, 1, 20, 100_000, 0)
    assert killed.wait(timeout=120) == -signal.SIGKILL
    ended(other)
    assert set(lines(tmp_path / "taken.log")) == set(stored(tmp_path))
    assert sum(stored(tmp_path).values()) == 10 + 4
    lost = set(lines(tmp_path / "asked.log")) - set(stored(tmp_path))
    assert len(lost) == 1

    killed = start(f"part = {part}" + SUICIDE + WORKER, tmp_path, "auto", "b", case, 1, 20, 100_000, 0)
    assert killed.wait(timeout=120) == -signal.SIGKILL
    assert not path.read_bytes().endswith(b"\n")
    store = Store(tmp_path / "recordings")
    assert store.problems() == []
    assert ["the last line was half-written" in notice for notice in store.notices] == [True]
    ended(worker(tmp_path, "auto", "b", case=case, threads=1, calls=20))
    assert sum(stored(tmp_path).values()) == 10 + 4 + 20
    assert Store(tmp_path / "recordings").notices == ()


def test_an_interrupted_recording_keeps_the_old_answers(tmp_path: Path) -> None:
    case = "tests/test_a.py::x"
    ended(worker(tmp_path, "record", "a", case=case, calls=20))
    before = stored(tmp_path)
    process = worker(tmp_path, "record", "a", case=case, calls=20, pause=0.05)
    kill_after(tmp_path, 40 + 10, process)
    assert stored(tmp_path) == before
    replay_all(tmp_path, "a", case, 2, 20)
    ended(worker(tmp_path, "auto", "a", case=case, calls=20))
    assert stored(tmp_path) == before
    ended(worker(tmp_path, "record", "a", case=case, calls=20))
    after = stored(tmp_path)
    assert not before & after
    assert sum(after.values()) == 40


def test_killed_while_a_file_is_rewritten(tmp_path: Path) -> None:
    case = "tests/test_a.py::x"
    ended(worker(tmp_path, "auto", "a", case=case, calls=20, size=5_000))
    for turn in range(6):
        before = len(lines(tmp_path / "taken.log"))
        rewriter = start(REWRITER, tmp_path, case)
        writer = worker(tmp_path, "auto", f"turn{turn}", case=case, calls=30, size=2000)
        kill_after(tmp_path, before + 10 * turn, rewriter)
        ended(writer)
        assert stored(tmp_path) == Counter(lines(tmp_path / "asked.log"))
    assert Store(tmp_path / "recordings").files() == ["tests/test_a.py.jsonl"]
