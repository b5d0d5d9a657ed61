"""Jobs without a cell: the rights of the gate, and limits that a program which means harm can leave.

For machines on which nothing holds, and only where a person asked for it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from gate.sandbox.cell import folder
from gate.sandbox.cell.client import PYTHON
from gate.sandbox.cell.values import Ended, Ending, Job, Limits, SandboxError

_CHUNK = 65536
_PATIENCE = 2.0
_NOT_FOUND = 127


class Unsandboxed:
    """Runs jobs as plain child processes.

    Args:
        place: an existing folder for the folders of jobs, each removed with its job.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self.python = PYTHON

    def run(self, job: Job) -> Ended:
        """As `Cell.run`; `memory`, `disk` and `processes` hold for each process by itself, or not at all.

        Raises:
            SandboxError: not a POSIX system, or a job that may only reach one port, which nothing here would hold.
        """
        if os.name != "posix":
            raise SandboxError("jobs need a POSIX system", remedy="use Linux, or the container of the gate")
        with tempfile.TemporaryDirectory(prefix="job-", dir=self._place) as name:
            opened = os.open(name, os.O_RDONLY | os.O_DIRECTORY)
            try:
                folder.prepare(opened)
                for path, data in job.files.items():
                    folder.write(opened, path, data)
                return _run(job, name, opened)
            finally:
                os.close(opened)


def _run(job: Job, own: str, opened: int) -> Ended:
    ours, theirs = os.pipe()
    begun = time.monotonic()
    environment = {
        "GATE_RESULT_FD": str(theirs),
        "HOME": f"{own}/home",
        "LANG": "C.UTF-8",
        "PATH": os.environ.get("PATH", os.defpath),
        "TMPDIR": f"{own}/tmp",  # noqa: S108
        **job.environment,
    }
    try:
        process = subprocess.Popen(
            job.argv,
            cwd=f"{own}/work",
            env=environment,
            stdin=subprocess.PIPE if job.stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(theirs,),
            start_new_session=True,
            preexec_fn=_limiter(job.limits),  # noqa: PLW1509 -- it only sets limits
        )
    except OSError as error:
        os.close(ours)
        os.close(theirs)
        said = f"cell: `{job.argv[0]}` can't be started: {error.strerror}\n".encode()
        return Ended(Ending.EXITED, _NOT_FOUND, None, b"", said, False, {}, b"", 0.0, 0.0)
    os.close(theirs)
    return _attend(job, process, os.fdopen(ours, "rb"), opened, begun)


def _attend(job: Job, process: subprocess.Popen[bytes], verdict: IO[bytes], opened: int, begun: float) -> Ended:
    cut = threading.Event()

    def flooded() -> None:
        cut.set()
        _kill(process)

    streams = [stream for stream in (process.stdout, process.stderr, verdict) if stream is not None]
    readers = [_Reader(stream, job.limits.output, flooded) for stream in streams]
    if process.stdin is not None:
        threading.Thread(target=_feed, args=(process.stdin, job.stdin or b""), daemon=True).start()
    late = False
    try:
        process.wait(job.limits.wall)
    except subprocess.TimeoutExpired:
        late = True
    wall = time.monotonic() - begun
    _kill(process)
    code = process.wait()
    for reader in readers:
        reader.join(_PATIENCE)
    files, left_out = folder.collect(opened, job.collect, job.limits.disk)
    ending = Ending.OUTPUT if cut.is_set() else Ending.TIMEOUT if late else _ending(code)
    return Ended(
        ending=ending,
        code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        stdout=bytes(readers[0].data),
        stderr=bytes(readers[1].data),
        truncated=cut.is_set() or left_out,
        files=files,
        verdict=bytes(readers[2].data),
        wall=wall,
        cpu=0.0,
    )


class _Reader(threading.Thread):
    """Reads a stream to its end, and keeps so much of it."""

    def __init__(self, stream: IO[bytes], limit: int, flooded: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.data = bytearray()
        self._stream, self._limit, self._flooded = stream, limit, flooded
        self.start()

    def run(self) -> None:
        with self._stream:
            while got := os.read(self._stream.fileno(), _CHUNK):
                room = self._limit - len(self.data)
                self.data += got[:room]
                if len(got) > room:
                    self._flooded()
                    return


def _feed(stream: IO[bytes], data: bytes) -> None:
    with contextlib.suppress(OSError), stream:
        stream.write(data)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _ending(code: int) -> Ending:
    kinds = {-signal.SIGXCPU: Ending.CPU, -signal.SIGXFSZ: Ending.DISK}
    return kinds.get(code, Ending.EXITED if code >= 0 else Ending.SIGNAL)


def _limiter(limits: Limits) -> Callable[[], Any]:
    import math
    import resource

    seconds = math.ceil(limits.cpu)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.disk, limits.disk))

    return limit
