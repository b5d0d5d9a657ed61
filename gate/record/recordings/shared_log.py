"""Lines that a process and all that fork from it append and read: a file without a name, made with the first fork."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ALONE, _CUT_OFF = -1, -2
"""Instead of a file that forked processes share: none was needed so far; none could be made."""


class SharedLog:
    """Used within a `turn`; who uses it keeps other threads out."""

    def __init__(self) -> None:
        self._handle = _ALONE
        self._read = 0

    @property
    def alone(self) -> bool:
        """Whether no process has forked so far."""
        return self._handle == _ALONE

    def before_fork(self) -> None:
        """From here on lines go to a file that parent and child have open."""
        if self._handle != _ALONE:
            return
        try:
            self._handle, name = tempfile.mkstemp()
            Path(name).unlink()
        except OSError:
            self._handle = _CUT_OFF

    def __del__(self) -> None:
        if self._handle >= 0:
            with contextlib.suppress(OSError):
                os.close(self._handle)

    @contextmanager
    def turn(self) -> Iterator[list[bytes]]:
        """Keep forked processes out; gives the lines that they wrote since the last turn.

        Raises:
            OSError: the file was closed, or could not be made.
        """
        if self.alone:
            yield []
            return
        os.lockf(self._handle, os.F_LOCK, 0)
        try:
            yield self._catch_up()
        finally:
            os.lockf(self._handle, os.F_ULOCK, 0)

    def append(self, line: bytes) -> None:
        """Write one line, its end included; nothing where nobody shares it."""
        if self._handle >= 0:
            self._read += os.pwrite(self._handle, line, self._read)

    def _catch_up(self) -> list[bytes]:
        rest = os.fstat(self._handle).st_size - self._read
        if rest <= 0:
            return []
        data = os.pread(self._handle, rest, self._read)
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):  # a process was killed while it wrote
            os.ftruncate(self._handle, self._read + len(whole))
        self._read += len(whole)
        return whole.splitlines()
