"""A cell as its user has it: a zygote in a process of its own, asked for one job at a time by each thread."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Place:
    """Where one job may run: a warden that waits for it, and the claim to its user."""

    channel: socket.socket
    claim: socket.socket

    def close(self) -> None:
        self.channel.close()
        self.claim.close()


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
        self._spare: _Place | None = None
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
        with contextlib.closing(self._place(job)) as place:
            channel = place.channel
            try:
                wire.send(channel, _asked(job), _blobs(job))
                head, blobs = wire.receive(channel)
                while "connect" in head:
                    _connect(channel, job.network)
                    head, blobs = wire.receive(channel)
            except (OSError, EOFError):
                raise SandboxError("the process beside a job was ended from outside", remedy=_GONE_REMEDY) from None
        if "error" in head:
            raise SandboxError(f"a job can't be run: {head['error']}", remedy="read the reason; nothing was measured")
        return _answered(head, blobs)

    def _place(self, job: Job) -> _Place:
        """A place for a job; the next one is made ready meanwhile."""
        if job.readable:
            return self._prepare([str(path.absolute()) for path in job.readable])
        with self._lock:
            place, self._spare = self._spare, None
        place = place or self._prepare([])
        spare = self._prepare([])
        with self._lock:
            self._spare, other = spare, self._spare
        if other is not None:  # another thread was quicker
            other.close()
        return place

    def _prepare(self, readable: list[str]) -> _Place:
        claim, user = _own_user()
        channel, theirs = socket.socketpair()
        with theirs:
            try:
                word = json.dumps({"user": user, "readable": readable}).encode()
                socket.send_fds(self._control, [word], [theirs.fileno()])
            except OSError:
                claim.close()
                channel.close()
                raise SandboxError("the process of the cell is gone", remedy=_GONE_REMEDY) from None
        return _Place(channel, claim)

    def close(self) -> None:
        """End the process; jobs that run are ended with their clients."""
        if self._spare is not None:
            self._spare.close()
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
            of it), `readable`, `group` (see `cgroup.here`), `others` (processes of the same user), `own_signals_only`.
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


def _own_user() -> tuple[socket.socket, int]:
    """A user that nobody else is, for root's jobs; a socket's name is the claim to it, which closing it gives up."""
    start = int.from_bytes(os.urandom(4), "big")
    for number in range(_USERS):
        uid = _FIRST_USER + (start + number) % _USERS
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            claim.bind(f"\0gate-cell-{uid}")
        except OSError:
            claim.close()
        else:
            return claim, uid
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


def _asked(job: Job) -> dict[str, Any]:
    limits = {name: getattr(job.limits, name) for name in job.limits.__slots__}
    return {
        "argv": list(job.argv),
        "files": list(job.files),
        "stdin": job.stdin is not None,
        "environment": dict(job.environment),
        "limits": limits,
        "collect": list(job.collect),
        "network": job.network,
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
