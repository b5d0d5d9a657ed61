"""The suite as a child process: always a report, or a reason why there is none."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

HEAD_BYTES = 2_000_000
TAIL_BYTES = 64_000
_CHUNK = 65_536
_GRACE_SECONDS = 5.0
_PATIENCE_SECONDS = 2.0
_USAGE = 4

Echo = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended.

    Attributes:
        report: the candidate file of this very run; None when it left none.
        exit_code: pytest's own, None when a signal ended it.
        reason: why there is no report, one sentence; empty when there is one.
        tail: the last lines that it printed, for evidence; untrusted text.
    """

    report: Path | None
    exit_code: int | None
    reason: str = ""
    tail: str = ""


@dataclass(frozen=True, slots=True)
class User:
    """Whose rights the child has; needs root."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class World:
    """In what the suite runs.

    Attributes:
        python: interpreter of its environment.
        cwd: its folder.
        environ: the whole environment of the child.
        user: whose rights it has; None keeps this process's.
    """

    python: str
    cwd: Path
    environ: Mapping[str, str]
    user: User | None = None


def run_suite(
    arguments: Sequence[str],
    *,
    world: World,
    report: Path,
    timeout: float,
    options: Sequence[str] = (),
    echo: Echo | None = None,
) -> RunResult:
    """Run pytest in a process group of its own and wait for the report.

    Args:
        arguments: the user's own, for pytest.
        world: interpreter, folder, environment and user of the child.
        report: where the plugin writes; whatever stood there before is removed first.
        timeout: seconds; then the whole group is ended.
        options: the gate's own options for the plugin.
        echo: takes what the child prints, at most its first 2 MB and last 64 kB.
    """
    partial = report.with_name(report.name + ".partial")
    for old in (report, partial):
        with contextlib.suppress(OSError):
            old.unlink()
    command = [world.python, "-m", "pytest", *options, f"--gate-report={report.absolute()}", *arguments]
    printed = _Printed(echo)
    try:
        process = subprocess.Popen(
            command,
            cwd=world.cwd,
            env=dict(world.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=world.user.uid if world.user else None,
            group=world.user.gid if world.user else None,
            extra_groups=[] if world.user else None,
            umask=0o022 if world.user else -1,
        )
    except OSError as error:
        return RunResult(None, None, f"`{world.python}` can't be started: {error.strerror or error}")
    timed_out = _wait(process, printed, timeout)
    code = process.returncode
    return _result(report, partial, code, printed.tail(), timed_out=timeout if timed_out else None)


def _wait(process: subprocess.Popen[bytes], printed: _Printed, timeout: float) -> bool:
    """Wait for the child and then end whatever it left in its group; True when its time was up."""
    reader = threading.Thread(target=printed.read, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        process.wait(timeout)
        timed_out = False
    except subprocess.TimeoutExpired:
        timed_out = True
        _end(process)
    except BaseException:
        _end(process)
        raise
    _signal_group(process.pid, signal.SIGKILL)  # daemons of the suite must not outlive it
    reader.join(_PATIENCE_SECONDS)
    printed.close()
    return timed_out


def _end(process: subprocess.Popen[bytes]) -> None:
    _signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()


def _signal_group(group: int, number: int) -> None:
    if sys.platform == "win32":
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


class _Printed:
    """What the child printed: the first part is passed on, the last part is kept, the middle is counted."""

    def __init__(self, echo: Echo | None) -> None:
        self._echo = echo
        self._passed = 0
        self._tail: deque[bytes] = deque()
        self._kept = 0
        self._dropped = 0
        self._lock = threading.Lock()
        self._closed = False

    def read(self, stream: IO[bytes]) -> None:
        """Take what comes until the child and all that inherited its output are gone."""
        while chunk := os.read(stream.fileno(), _CHUNK):
            with self._lock:
                if self._closed:
                    return
                self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        room = HEAD_BYTES - self._passed
        if room > 0 and self._echo is not None:
            self._echo(chunk[:room])
        self._passed += min(len(chunk), max(room, 0))
        self._tail.append(chunk)
        self._kept += len(chunk)
        while self._kept - len(self._tail[0]) >= TAIL_BYTES:
            self._kept -= len(self._tail[0])
            self._dropped += len(self._tail.popleft())

    def close(self) -> None:
        with self._lock:
            self._closed = True
            total = self._dropped + self._kept
            if self._echo is not None and total > self._passed:
                rest = b"".join(self._tail)[-TAIL_BYTES:][-(total - self._passed) :]
                left_out = total - self._passed - len(rest)
                self._echo(f"\n[… {left_out:,} bytes left out …]\n".encode() + rest)

    def tail(self) -> str:
        return b"".join(self._tail)[-TAIL_BYTES:].decode("utf-8", "replace")


def _result(report: Path, partial: Path, code: int, tail: str, *, timed_out: float | None) -> RunResult:
    exit_code = code if code >= 0 else None
    running = _running(partial)
    with contextlib.suppress(OSError):
        partial.unlink()
    if timed_out is not None:
        return RunResult(None, exit_code, f"the suite was stopped after {timed_out:g} seconds{running}", tail)
    if report.is_file() and not report.is_symlink():
        return RunResult(report, exit_code, tail=tail)
    return RunResult(None, exit_code, _reason(code, tail, running), tail)


def _reason(code: int, tail: str, running: str) -> str:
    if code < 0:
        return f"the process of the suite ended by {_signal_name(-code)}{running}"
    if "No module named pytest" in tail:
        return "the suite's Python has no pytest: install it there beside robustness-gate"
    if "unrecognized arguments: --gate-" in tail or "unrecognized arguments: --gate" in tail:
        return "the suite's Python has no robustness-gate: install it there beside pytest"
    if code == _USAGE:
        lines = [line for line in tail.splitlines() if line.strip()]
        said = next((line for line in lines if line.startswith("ERROR:")), lines[-1] if lines else "")
        return f"pytest was called wrongly (exit code 4): {said[:300]}"
    return f"the process of the suite ended with exit code {code} and left no report{running}"


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _running(partial: Path) -> str:
    """Which tests had started and not ended, from the trace that the plugin keeps on disk."""
    open_tests: dict[str, None] = {}
    try:
        for line in partial.read_text(encoding="utf-8").splitlines():
            word, nodeid = json.loads(line)
            if word == "start":
                open_tests[str(nodeid)[:200]] = None
            else:
                open_tests.pop(str(nodeid)[:200], None)
    except (OSError, ValueError):
        return ""
    return f" while {', '.join(list(open_tests)[-3:])} ran" if open_tests else ""
