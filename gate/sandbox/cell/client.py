"""A cell as its user has it: a zygote in a process of its own, asked for one job at a time by each thread."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gate.sandbox.cell import wire
from gate.sandbox.cell.values import Ended, Ending, Job, SandboxError
from gate.sandbox.cell.zygote import BOOT, GOODBYE

PYTHON = str(Path(sys.executable).resolve())
FLAGS = ("-s", "-P", "-S", "-c")
ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": os.defpath, "PYTHONHASHSEED": "0"}
ROOT = str(Path(__file__).resolve().parents[3])
_FIRST_USER, _USERS = 61184, 4336  # what systemd keeps for users that live as long as a service
_CONNECT_SECONDS = 5.0
_GONE_REMEDY = "look whether the machine ran out of memory, and start again"


class Zygote:
    """The process from which jobs are forked.

    Args:
        process: it, or the command that holds it.
        control: a socket to it, see `zygote.main`.

    Attributes:
        python: the path of its interpreter, as its jobs know it.

    Raises:
        SandboxError: it does not start, with the last thing that it said.
    """

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self._lock = threading.Lock()
        self._process, self._control = process, control
        word = control.recv(4096)
        if not word:
            control.close()
            raise SandboxError(f"the cell does not start: {last_word(process)}")
        self.python = os.fsdecode(word)

    def run(self, job: Job) -> Ended:
        """Run one job; may be called from several threads at once.

        Raises:
            SandboxError: the cell could not do its part.
        """
        channel, theirs = socket.socketpair()
        with channel, _own_user() as user:
            try:
                with theirs, self._lock:
                    socket.send_fds(self._control, [b"j"], [theirs.fileno()])
                wire.send(channel, _asked(job, user), _blobs(job))
                head, blobs = wire.receive(channel)
                while "connect" in head:
                    _connect(channel, job.network)
                    head, blobs = wire.receive(channel)
            except (OSError, EOFError):
                raise SandboxError("the process beside a job was ended from outside", remedy=_GONE_REMEDY) from None
        if "error" in head:
            raise SandboxError(f"a job can't be run: {head['error']}", remedy="read the reason; nothing was measured")
        return _answered(head, blobs)

    def close(self) -> None:
        """End the process; jobs that run are ended with their clients."""
        with contextlib.suppress(OSError), self._control:
            self._control.send(GOODBYE)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()


def start(settings: dict[str, Any], around: tuple[str, ...] = ()) -> Zygote:
    """Start a cell's process.

    Args:
        settings: what all jobs share: `means`, `landlock` (version), `folder` (all of the cell's), `scratch` (a part
            of it), `readable`, `others` (processes of the same user), `own_signals_only`.
        around: a command that the interpreter is started by.

    Raises:
        SandboxError: it does not start.
    """
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [*around, PYTHON, *FLAGS, BOOT, ROOT, str(theirs.fileno()), json.dumps(settings)]
    with theirs:
        process = subprocess.Popen(
            command,
            cwd="/",
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    return Zygote(process, control)


def last_word(process: subprocess.Popen[bytes]) -> str:
    """What a process said last before it ended."""
    said = process.communicate()[1].decode("utf-8", "replace").splitlines()
    lines = [line.strip() for line in said if line.strip() and "--help" not in line]
    return lines[-1] if lines else "it said nothing"


@contextlib.contextmanager
def _own_user() -> Iterator[int]:
    """A user that nobody else is, for root's jobs; the name of a socket is the claim, and ends with this process."""
    start = int.from_bytes(os.urandom(4), "big")
    for number in range(_USERS):
        uid = _FIRST_USER + (start + number) % _USERS
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as claim:
            try:
                claim.bind(f"\0gate-cell-{uid}")
            except OSError:
                continue
            yield uid
            return
    raise SandboxError("every user that a job could have is taken", remedy="end some of the runs on this machine")


def _connect(channel: socket.socket, port: int | None) -> None:
    """Give the warden a connection to the one port of its job."""
    try:
        connection = socket.create_connection(("127.0.0.1", port or 0), _CONNECT_SECONDS)
    except OSError:
        channel.sendall(b"-")
        return
    with connection:
        socket.send_fds(channel, [b"+"], [connection.fileno()])


def _asked(job: Job, user: int) -> dict[str, Any]:
    limits = {name: getattr(job.limits, name) for name in job.limits.__slots__}
    return {
        "argv": list(job.argv),
        "files": list(job.files),
        "stdin": job.stdin is not None,
        "environment": dict(job.environment),
        "limits": limits,
        "collect": list(job.collect),
        "user": user,
        "network": job.network,
        "readable": [str(path.absolute()) for path in job.readable],
    }


def _blobs(job: Job) -> list[bytes]:
    return [*job.files.values(), *([] if job.stdin is None else [job.stdin])]


def _answered(head: dict[str, Any], blobs: list[bytes]) -> Ended:
    stdout, stderr, verdict, *contents = blobs
    return Ended(
        ending=Ending(head["ending"]),
        code=head["code"],
        signal=head["signal"],
        stdout=stdout,
        stderr=stderr,
        truncated=head["truncated"],
        files=dict(zip(head["files"], contents, strict=True)),
        verdict=verdict,
        wall=head["wall"],
        cpu=head["cpu"],
        refused=tuple(head["refused"]),
    )
