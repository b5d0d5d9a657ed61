"""A run of probes that is killed in its middle and started again, beside one that nothing disturbs.

`python -m tests.support.probe_resume 200` says how it went with 200 probes.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support.command_line import environment
from tests.support.probe_runs import write_probes

# A shell lets what it starts in the background ignore interrupts, and so do their children.
_HEARS = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
_PATIENCE = 300.0
WRITTEN = ("report.md", "report.html", "candidate.json", "results.csv", "results.json", "junit.xml", "security.sarif")


class Model(ThreadingHTTPServer):
    """Answers by the prompt alone, every third time wrongly; from a number of calls on it keeps each waiting."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answered: Counter[str] = Counter()
        self.hold_after: int | None = None
        self.held = threading.Semaphore(0)
        self.turn = threading.Lock()
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: Any) -> None:
        """A client that was killed is part of it."""


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = body["messages"][-1]["content"]
        with self.server.turn:
            limit = self.server.hold_after
            waits = limit is not None and self.server.answered.total() >= limit
            if not waits:
                self.server.answered[prompt] += 1
        if waits:
            self.server.held.release()
            self.server.over.wait(_PATIENCE)
            return
        value = 41 if sum(prompt.encode()) % 3 == 0 else 42
        content = f"```python\ndef answer():\n    return {value}\n```"
        usage = {"prompt_tokens": 5, "completion_tokens": 7}
        answer = {"model": "gpt-4o-mini", "choices": [{"message": {"content": content}}], "usage": usage}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@contextlib.contextmanager
def model() -> Iterator[Model]:
    with Model() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


@dataclass(frozen=True, slots=True)
class Resumed:
    """How it went.

    Attributes:
        kept: answers on the record when the run was killed.
        asked: how often each prompt was answered over both runs.
        same: files that are the same as those of the undisturbed run, byte for byte.
        code: exit code of the run that was broken off, negative for a signal.
        told: what it said.
    """

    kept: int
    asked: Counter[str]
    same: tuple[str, ...]
    code: int
    told: str


def killed_and_resumed(
    folder: Path, probes: int, after: int, jobs: int = 4, by: int = signal.SIGKILL, *, beside: bool = True
) -> Resumed:
    """Break a run of so many probes off after some answers, go on, and compare with an undisturbed run.

    Args:
        beside: whether there is an undisturbed run; else nothing is compared.
    """
    names = [f"probe-{number:03}" for number in range(probes)]
    places = {}
    for name in ("killed", "whole"):
        write_probes(folder / name / "probes", names)
        (folder / name / "gate.toml").write_text('probes = "probes"\nprobe-shipped = false\n', encoding="utf-8")
        places[name] = folder / name
    with model() as server:
        command = [sys.executable, "-P", "-m", "gate", "probes", "run", "--agent-url", server.url]
        command += ["--model", "gpt-4o-mini", "--jobs", str(jobs), "--date", "2026-11-30"]
        variables = environment({"PYTHONPATH": str(Path.cwd()), "GATE_MODEL_KEY": "x" * 20})
        server.hold_after = after
        heard = [sys.executable, "-c", _HEARS, *command]
        with subprocess.Popen(
            heard, cwd=places["killed"], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as first:
            for _ in range(jobs):
                assert server.held.acquire(timeout=_PATIENCE), "the run did not come to its middle"
            os.kill(first.pid, by)
            told = first.communicate(timeout=_PATIENCE)[1].decode("utf-8", "replace")
        record = places["killed"] / ".gate" / "probes" / "answers.ndjson"
        kept = record.read_bytes().count(b'"ended":')
        server.hold_after = None
        _run(command, places["killed"], variables)
        asked = Counter(server.answered)
        if not beside:
            return Resumed(kept, asked, (), first.returncode, told)
        _run(command, places["whole"], variables)
    folders = [place / ".gate" / "probes" for place in places.values()]
    same = [name for name in WRITTEN if (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()]
    return Resumed(kept, asked, tuple(same), first.returncode, told)


def _run(command: list[str], place: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=place, env=variables, capture_output=True, text=True, check=True, timeout=2 * _PATIENCE
    )


if __name__ == "__main__":
    count = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        found = killed_and_resumed(Path(place), count, count // 2)
        once = sum(times == 1 for times in found.asked.values())
        print(
            json.dumps(
                {
                    "probes": count,
                    "kept when killed": found.kept,
                    "asked once": once,
                    "asked again": len(found.asked) - once,
                    "files that are the same": list(found.same),
                }
            )
        )
