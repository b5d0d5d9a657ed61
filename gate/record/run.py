"""The suite as a child process: always a report, or a reason why there is none."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from gate.record import endings
from gate.record.descendants import ended_afterwards
from gate.sandbox.network import CANNOT_ENTER
from gate.sandbox.network.guard import UNGUARDED, Guard

HEAD_BYTES = 2_000_000
TAIL_BYTES = 64_000
_CHUNK = 65_536
_GRACE_SECONDS = 5.0
_PATIENCE_SECONDS = 2.0
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)

Echo = Callable[[bytes], None]
"""Takes what a child prints, piece by piece, and an empty piece at its end."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended.

    Attributes:
        report: the candidate file of this very run; None when it left none.
        exit_code: pytest's own, None when a signal ended it.
        reason: why there is no report, one sentence; empty when there is one.
        tail: the last lines that it printed, for evidence; untrusted text.
        signal: the number of the signal that ended it.
        seconds: how long it ran.
        warning: that a signal ended it after the report was complete, one sentence; else empty.
    """

    report: Path | None
    exit_code: int | None
    reason: str = ""
    tail: str = ""
    signal: int | None = None
    seconds: float = 0.0
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        exit_code: None when a signal ended it, or when it did not start.
        signal: number of the signal that ended it.
        reason: why it could not be started, one sentence; else empty.
        tail: the last that it printed; untrusted text.
        timed_out: whether its time was up.
        seconds: on the monotonic clock.
    """

    exit_code: int | None
    signal: int | None
    reason: str = ""
    tail: str = ""
    timed_out: bool = False
    seconds: float = 0.0


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
        guard: what keeps it, and all that it starts, from the network.
    """

    python: str
    cwd: Path
    environ: Mapping[str, str]
    user: User | None = None
    guard: Guard = UNGUARDED


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
        try:
            old.unlink(missing_ok=True)
        except OSError as error:  # it must never be taken for this run's
            return RunResult(None, None, f"the old file {old} can't be removed: {error.strerror or error}")
    # `-p gate` finds the entry point also where the suite's environment turns the loading of plugins off
    command = [world.python, "-m", "pytest", "-p", "gate", *options, f"--gate-report={report.absolute()}", *arguments]
    ended = run_command(command, world=world, timeout=timeout, echo=echo)
    if ended.reason:
        return RunResult(None, None, ended.reason)
    code = -ended.signal if ended.signal is not None else ended.exit_code or 0
    result = _result(report, partial, code, ended.tail, timed_out=timeout if ended.timed_out else None)
    return replace(result, seconds=ended.seconds)


def run_command(command: Sequence[str], *, world: World, timeout: float, echo: Echo | None = None) -> Ended:
    """Run one command in a world, and end whatever it left behind.

    Args:
        timeout: seconds; then it and all that it started are ended.
        echo: takes what it prints, at most its first 2 MB and last 64 kB.
    """
    printed = _Printed(echo)
    started = time.monotonic()
    with contextlib.ExitStack() as after:
        after.callback(printed.close)  # also where it is interrupted: what follows must not continue its last line
        with ended_afterwards():
            try:
                process = _start(command, world)
            except (OSError, ValueError) as error:
                return Ended(None, None, _not_started(error, world, command[0]))
            reader = threading.Thread(target=printed.read, args=(process.stdout,), daemon=True)
            reader.start()
            timed_out = _wait(process, timeout)
        reader.join(_PATIENCE_SECONDS)
    if not reader.is_alive() and process.stdout is not None:
        process.stdout.close()
    code = process.returncode
    return Ended(
        code if code >= 0 else None,
        -code if code < 0 else None,
        tail=printed.tail(),
        timed_out=timed_out,
        seconds=time.monotonic() - started,
    )


def _start(command: Sequence[str], world: World) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        world.guard.wrap(command),
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


def _not_started(error: OSError | ValueError, world: World, program: str) -> str:
    if not world.cwd.is_dir():
        return f"the suite's folder `{world.cwd}` does not exist"
    told = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    return f"`{program}` can't be started: {told}"


def _wait(process: subprocess.Popen[bytes], timeout: float) -> bool:
    """Wait for the child and then end whatever it left in its group; True when its time was up."""
    try:
        process.wait(timeout)
        timed_out = False
    except subprocess.TimeoutExpired:
        timed_out = True
        _end(process)
    except BaseException:
        _end(process)
        raise
    _signal_group(process.pid, _KILL)  # daemons of the suite must not outlive it
    return timed_out


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    _signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        _signal_group(process.pid, _KILL)
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
        if room > 0:
            self._pass_on(chunk[:room])
        self._passed += min(len(chunk), max(room, 0))
        self._tail.append(chunk)
        self._kept += len(chunk)
        while self._kept - len(self._tail[0]) >= TAIL_BYTES:
            self._kept -= len(self._tail[0])
            self._dropped += len(self._tail.popleft())

    def _pass_on(self, data: bytes) -> None:
        """A reader that went away must not stop the suite, which would wait for ever on a full pipe."""
        try:
            if self._echo is not None:
                self._echo(data)
        except (OSError, ValueError):
            self._echo = None

    def close(self) -> None:
        with self._lock:
            self._closed = True
            total = self._dropped + self._kept
            if total > self._passed:
                rest = b"".join(self._tail)[-TAIL_BYTES:][-(total - self._passed) :]
                left_out = total - self._passed - len(rest)
                note = f"\n[… {left_out:,} bytes left out …]\n".encode() if left_out else b""
                self._pass_on(note + rest)
            self._pass_on(b"")

    def tail(self) -> str:
        return b"".join(self._tail)[-TAIL_BYTES:].decode("utf-8", "replace")


def _result(report: Path, partial: Path, code: int, tail: str, *, timed_out: float | None) -> RunResult:
    running = endings.running_tests(partial)
    with contextlib.suppress(OSError):
        partial.unlink()
    result = RunResult(None, code if code >= 0 else None, tail=tail, signal=-code if code < 0 else None)
    if timed_out is not None:
        return replace(result, reason=f"the suite was stopped after {timed_out:g} seconds{running}")
    if code != endings.USAGE and report.is_file() and not report.is_symlink():
        warning = f"{endings.ended(code)} after its report" if code < 0 else ""  # of exit codes `as_ended` speaks
        return replace(result, report=report, warning=warning)
    if code == CANNOT_ENTER and tail.startswith("gate: "):
        return replace(result, reason=tail.partition("\n")[0].removeprefix("gate: "))
    return replace(result, reason=endings.reason(code, tail, running))
