"""A recording over older answers that is killed and gone on with: nothing is lost but the calls in flight.

One run of four processes with eight threads each, which `kill -9` ends all at once, at several points. Until it has
gone on, the older answers hold; then every call was paid once, but those that were in flight.
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

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no kill -9 and no fork")

PROCESSES, THREADS, CALLS, CASES = 4, 8, 4, 2
WHOLE = PROCESSES * THREADS * CALLS * CASES

PROGRAM = f"""
import json, os, sys, threading
from pathlib import Path
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.store import Store
from gate.record.recordings.workers import RunSession

folder, pause = Path(sys.argv[1]), float(sys.argv[2])
asked = os.open(folder / "asked.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
taken = os.open(folder / "taken.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
leader = RunSession(Store(folder / "recordings"), "record")
wait = threading.Event()


def work(session, case, thread):
    for number in range({CALLS}):
        body = json.dumps({{"model": "m", "input": f"{{thread}} {{number // 2}}"}}).encode()
        found = session.ask(Request("POST", "https://api.example/v1/responses", (), body), Scope(case, thread % 3))
        if isinstance(found, Answer):
            continue
        said = os.urandom(8).hex()
        os.write(asked, f"{{said}}\\n".encode())
        found.start(200, (("content-type", "application/json"),))
        found.chunk(json.dumps({{"id": said, "text": "x" * 200}}).encode())
        found.finish()
        os.write(taken, f"{{said}}\\n".encode())
        wait.wait(pause)


def process(name):
    session = RunSession(Store(folder / "recordings"), "record", run=leader.run)
    for number in range({CASES}):
        case = f"tests/test_{{name % 2}}.py::{{name}}-{{number}}"
        threads = [threading.Thread(target=work, args=(session, case, thread)) for thread in range({THREADS})]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        session.ended(case)
    session.finish()


children = []
for name in range({PROCESSES}):
    child = os.fork()
    if not child:
        try:
            process(name)
        finally:
            sys.stderr.flush()
            os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
leader.finish()
"""


def start(folder: Path, pause: float = 0) -> Forked:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", PROGRAM, str(folder), str(pause)]
    return begin(command, environ)


def record(folder: Path) -> None:
    assert start(folder).wait(timeout=120) == 0


def kill_after(folder: Path, count: int) -> None:
    """Kill all processes of a run at once, when so many answers more were taken."""
    process, before, end = start(folder, 0.02), len(lines(folder, "taken")), time.monotonic() + 60
    while len(lines(folder, "taken")) < before + count and time.monotonic() < end:
        time.sleep(0.001)
    assert process.poll() is None, "it ended before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def lines(folder: Path, name: str) -> list[str]:
    path = folder / f"{name}.log"
    return [line for line in path.read_text().split("\n")[:-1] if line] if path.exists() else []


def stored(folder: Path) -> Counter[str]:
    """Every answer that holds."""
    store = Store(folder / "recordings")
    assert store.problems() == []
    return Counter(json.loads(entry.answer.body)["id"] for entry in store.entries())


def drafted(folder: Path) -> set[str]:
    """Every answer that stands in a file, whether it holds or not."""
    found = set()
    for path in (folder / "recordings").rglob("*.jsonl"):
        for line in path.read_bytes().split(b"\n")[:-1]:
            answer = json.loads(line).get("answer")
            found |= {answer["json"]["id"]} if answer else set()
    return found


def replay_all(folder: Path) -> None:
    """Whatever holds answers every call, and each answer is given once."""
    session = RecordingSession(Store(folder / "recordings"), "replay")
    for name in range(PROCESSES):
        for case in (f"tests/test_{name % 2}.py::{name}-{number}" for number in range(CASES)):
            for thread in range(THREADS):
                for number in range(CALLS):
                    body = json.dumps({"model": "m", "input": f"{thread} {number // 2}"}).encode()
                    asked = Request("POST", "https://api.example/v1/responses", (), body)
                    assert isinstance(session.ask(asked, Scope(case, thread % 3)), Answer)
    assert session.unused() == ()


@pytest.mark.parametrize("points", [(5,), (WHOLE // 2, 40)])
def test_what_a_killed_recording_paid_for_is_used_when_it_goes_on(tmp_path: Path, points: tuple[int, ...]) -> None:
    record(tmp_path)
    old = set(lines(tmp_path, "asked"))
    assert len(old) == WHOLE
    for point in points:
        kill_after(tmp_path, point)
        replay_all(tmp_path)  # a case is answered whole, by the old answers or the new ones
    paid = set(lines(tmp_path, "taken")) - old
    assert paid <= drafted(tmp_path)
    lost = set(lines(tmp_path, "asked")) - drafted(tmp_path) - old
    assert len(lost) <= PROCESSES * THREADS * len(points)

    record(tmp_path)
    found = stored(tmp_path)
    assert set(found.values()) == {1}
    assert not old & set(found), "every older answer was replaced"
    assert paid <= set(found), "what was paid is used"
    assert len(lines(tmp_path, "asked")) == 2 * WHOLE + len(lost), "only what was in flight is asked again"
    assert drafted(tmp_path) == set(found)
    replay_all(tmp_path)
    assert not any(path.name.startswith("run-") for path in (tmp_path / "recordings/.state").iterdir())
