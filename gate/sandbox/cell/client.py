"""A cell as its user has it: a zygote in a process of its own, asked for one job at a time by each thread."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from gate.sandbox.cell import wire
from gate.sandbox.cell.values import Ended, Ending, Job, SandboxError
from gate.sandbox.cell.zygote import BOOT

PYTHON = str(Path(sys.executable).resolve())
_ROOT = str(Path(__file__).resolve().parents[3])
_GONE_REMEDY = "look whether the machine ran out of memory, and start again"


class Zygote:
    """The process from which jobs are forked.

    Args:
        settings: what all jobs share: `means`, `landlock` (version), `scratch`, `readable`, `python`, `processes`,
            `own_signals_only`.
        around: a command that the interpreter is started by.
    """

    def __init__(self, settings: dict[str, Any], around: tuple[str, ...] = ()) -> None:
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [*around, PYTHON, "-s", "-P", "-S", "-c", BOOT, _ROOT, str(theirs.fileno()), json.dumps(settings)]
        with theirs:
            self._process = subprocess.Popen(
                command,
                cwd="/",
                env={"LANG": "C.UTF-8", "PATH": os.defpath, "PYTHONHASHSEED": "0"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        if self._control.recv(1) != b"+":
            said = self._process.communicate()[1].decode("utf-8", "replace").strip()
            raise SandboxError(f"the cell does not start: {said.splitlines()[-1] if said else 'it said nothing'}")

    def run(self, job: Job) -> Ended:
        """Run one job; may be called from several threads at once.

        Raises:
            SandboxError: the cell could not do its part.
        """
        channel, theirs = socket.socketpair()
        with channel:
            try:
                with theirs, self._lock:
                    socket.send_fds(self._control, [b"j"], [theirs.fileno()])
                wire.send(channel, _asked(job), _blobs(job))
                head, blobs = wire.receive(channel)
            except (OSError, EOFError):
                raise SandboxError("the process beside a job was ended from outside", remedy=_GONE_REMEDY) from None
        if "error" in head:
            raise SandboxError(f"a job can't be run: {head['error']}", remedy="read the reason; nothing was measured")
        return _answered(head, blobs)

    def close(self) -> None:
        """End the process; jobs that run are ended with their clients."""
        self._control.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()


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
