"""Locks between processes, and claims that end with the process that made them."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from gate.errors import RecordingError

STATE = ".state"
"""Folder within the recordings for what lives no longer than a run. Git ignores it."""

_RUN = "run-"
_PATIENCE = 60.0  # seconds; a body of 50 MB is written in well under one
_PAUSES = (0.0005, 0.001, 0.002, 0.005, 0.01)


def state_folder(folder: Path) -> Path:
    """The folder for locks and half-made files, made where it lacks.

    Raises:
        RecordingError: it can't be made.
    """
    state = folder / STATE
    ignore = state / ".gitignore"
    try:
        if state.is_symlink():
            raise RecordingError("is a symbolic link", where=str(state), remedy="remove it")
        if not ignore.exists():
            state.mkdir(parents=True, exist_ok=True)
            ignore.write_text("*\n", encoding="ascii")
    except OSError as error:
        raise unwritable(folder, error) from None
    return state


def unwritable(path: Path, error: OSError) -> RecordingError:
    """What a user is told when the disk refuses."""
    return RecordingError(
        f"can't be written: {error.strerror or error}; what was stored before is whole",
        where=str(path),
        remedy="check the folder's permissions and the room on the disk, or run with the mode `replay`",
    )


@contextlib.contextmanager
def locked(folder: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """Keep every other process out of a folder of recordings for the length of the block.

    Args:
        patience: seconds to wait for another process.

    Raises:
        RecordingError: the lock can't be made, or another process holds it for longer.
    """
    with locked_file(state_folder(folder) / "lock", patience):
        yield


@contextlib.contextmanager
def locked_file(path: Path, patience: float = _PATIENCE) -> Iterator[int]:
    """Keep every other process out that locks this file, made where it lacks; gives it open for reading and writing.

    Raises:
        RecordingError: as `locked`.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    except OSError as error:
        raise unwritable(path, error) from None
    try:
        _wait(handle, path, patience)
        try:
            yield handle
        finally:
            _release(handle)  # said, not left to the closing: a child that was forked meanwhile would keep it
    finally:
        os.close(handle)


def _wait(handle: int, path: Path, patience: float) -> None:
    end = time.monotonic() + patience
    for pause in _pauses():
        if _take(handle):
            return
        if time.monotonic() >= end:
            raise RecordingError(
                f"another process has held this lock for {patience:g} s",
                where=str(path),
                remedy="end the other run, then run again",
            )
        time.sleep(pause)


def _pauses() -> Iterator[float]:
    yield from _PAUSES
    while True:
        yield _PAUSES[-1]


class Claim:
    """Says for as long as this process lives that a run goes on; the system takes it back even after `kill -9`."""

    def __init__(self, folder: Path, run: str) -> None:
        self._path = _claim_path(folder, run)
        try:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        except OSError as error:
            raise unwritable(self._path, error) from None
        self.holds = _take(self._handle)
        """Whether no other process claims it."""

    def release(self) -> None:
        """Say that the run is over."""
        with contextlib.suppress(OSError):
            self.leave()
            self._path.unlink()

    def leave(self) -> None:
        """Give the claim back as a killed process would: the run is not over, and nobody makes it."""
        _release(self._handle)
        os.close(self._handle)


def claims(folder: Path) -> dict[str, float]:
    """Runs that are or were claimed in a folder and were never said to be over, with the time of each claim.

    Times are in seconds since the epoch.
    """
    found = {}
    for path in (folder / STATE).glob(f"{_RUN}*"):
        with contextlib.suppress(OSError):
            found[path.name.removeprefix(_RUN)] = path.lstat().st_mtime
    return found


def is_claimed(folder: Path, run: str, *, forget: bool = True) -> bool:
    """Whether a process that makes this run is alive, on this machine.

    Args:
        forget: whether the claim of a dead process is taken away.
    """
    path = _claim_path(folder, run)
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        if not _take(handle):
            return True
        _release(handle)
    finally:
        os.close(handle)
    if forget:
        with contextlib.suppress(OSError):
            path.unlink()
    return False


def _claim_path(folder: Path, run: str) -> Path:
    return state_folder(folder) / f"{_RUN}{run}"


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> bool:
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
