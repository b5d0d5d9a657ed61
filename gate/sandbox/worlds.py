"""The suite's own world inside the container: another user, folders of its own, and nothing left of it afterwards.

The gate is root there and hides from that user. What the user leaves is read only once none of its processes is left.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.errors import ReportError, SuiteError

_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_KILL_SECONDS = 10.0
_INIT = 1
_WITHOUT_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class SuiteUser:
    """Whose rights the suite has."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders of the suite's user below one of root, so that the user can't put a link in their place.

    Attributes:
        home: for `HOME`, empty at first.
        temporary: for `TMPDIR`.
        report: where the plugin writes.
    """

    home: Path
    temporary: Path
    report: Path


def harden() -> None:
    """Make this process unreadable for other users; no child may gain rights by a set-uid file or leave a core.

    Raises:
        SuiteError: the kernel refuses, so that the suite could not be kept apart.
    """
    import resource  # not on Windows, where only `read_left` is used

    refuse_readers()
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def refuse_readers() -> None:
    """Make this process unreadable for others of its user but root; its children, once they run a program, are not.

    Raises:
        SuiteError: the kernel refuses.
    """
    _prctl(_PR_SET_DUMPABLE, 0)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise SuiteError(
            f"the kernel refuses prctl({option}): {os.strerror(ctypes.get_errno())}",
            remedy="run the container as GitHub does, or use `gate ci` in a step of its own",
        )


@contextlib.contextmanager
def suite_folders(user: SuiteUser) -> Iterator[Folders]:
    """Make the folders of the suite's user; removed at the end, once its report was read."""
    root = Path(tempfile.mkdtemp(prefix="gate-suite-"))
    root.chmod(0o711)
    folders = Folders(root / "home", root / "tmp", root / "report")
    for folder in (folders.home, folders.temporary, folders.report):
        folder.mkdir(mode=0o700)
        os.chown(folder, user.uid, user.gid)
    try:
        yield folders
    finally:
        shutil.rmtree(root, ignore_errors=True)


def end_processes(uid: int) -> None:
    """End every process of a user, daemons included.

    Raises:
        SuiteError: one of them can't be ended, so what it may still write can't be trusted.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    while found := processes_of(uid):
        if time.monotonic() > deadline:
            raise SuiteError(
                f"{len(found)} processes of the suite can't be ended",
                remedy="look for a suite that waits in the kernel (a hung network mount)",
            )
        _kill(found)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.02)


def _kill(processes: list[int]) -> None:
    if os.getpid() == _INIT:
        # alone in its namespace with the suite: one call reaches all, and none can fork past it
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        return
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def processes_of(uid: int) -> list[int]:
    """Ids of the processes with any of a user's ids, zombies left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            lines = (entry / "status").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue  # gone since it was listed
        fields = dict(line.split(":", 1) for line in lines if ":" in line)
        owners = {int(number) for number in fields.get("Uid", "").split()}
        if uid in owners and not fields.get("State", "").strip().startswith("Z"):
            found.append(int(entry.name))
    return found


def read_left(path: Path, limit: int) -> bytes:
    """A file that foreign code left, read without following a link and without trusting its size.

    Raises:
        ReportError: absent, no plain file, several names for one file, or larger than `limit` bytes.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _WITHOUT_LINKS)
    except OSError as error:
        raise ReportError(
            f"can't be read: {error.strerror or error}", where=path.name, remedy="look at what the suite printed"
        ) from None
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        os.close(handle)
        raise ReportError("is no plain file", where=path.name, remedy="let only the plugin write it")
    with os.fdopen(handle, "rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ReportError(
            f"is larger than the limit of {limit:,} bytes", where=path.name, remedy="raise `max-report-bytes`"
        )
    return data
