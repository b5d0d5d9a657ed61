"""What the calls of one run reserved and took, shared by all threads and processes of that run."""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from gate.errors import RecordingError
from gate.record.recordings import forks
from gate.record.recordings.budget import Amount
from gate.record.recordings.locking import locked_file, unwritable


class Book:
    """Every read and write happens within a `turn`.

    A process that is killed leaves its reservations open, so that what it may have spent counts on.

    Args:
        path: file that all processes of the run append to; None keeps the book in memory, for this process alone.
    """

    rank = 2

    def __init__(self, path: Path | None = None) -> None:
        self.lock = threading.RLock()
        self.settled = Amount()
        self.open: dict[str, Amount] = {}
        self.refusal = ""
        self._path = path
        self._handle: int | None = None
        self._read = 0
        self._numbers = itertools.count()
        forks.protect(self)

    def before_fork(self) -> None:
        """Nothing to share: the child reads the same file."""

    @property
    def begun(self) -> bool:
        """Whether a call was reserved, or refused."""
        return bool(self.open or self.settled.calls or self.refusal)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep other threads and processes out, having read what they did.

        Raises:
            RecordingError: the file can't be written, or another process holds it for too long.
        """
        with self.lock:
            if self._path is None or self._handle is not None:
                yield
                return
            with locked_file(self._path) as handle:
                self._handle = handle
                try:
                    self._catch_up(self._path, handle)
                    yield
                finally:
                    self._handle = None

    def reserve(self, amount: Amount) -> str:
        """Take down what a call is expected to take; gives its name."""
        name = f"{os.getpid()}.{next(self._numbers)}"
        self._happened(["open", name, *astuple(amount)])
        return name

    def settle(self, name: str, amount: Amount) -> None:
        """Take down what a call took."""
        self._happened(["done", name, *astuple(amount)])

    def refuse(self, why: str) -> None:
        """Let no further call leave."""
        if not self.refusal:
            self._happened(["refused", why])

    def _happened(self, event: list[Any]) -> None:
        self._apply(event)
        if self._handle is None or self._path is None:
            return
        line = json.dumps(event).encode() + b"\n"
        try:
            os.lseek(self._handle, self._read, os.SEEK_SET)
            self._read += os.write(self._handle, line)
        except OSError as error:
            raise unwritable(self._path, error) from None

    def _apply(self, event: list[Any]) -> None:
        what, name, *fields = event
        amount = Amount() + Amount(*fields)  # what can't be added up is no amount
        if what == "refused":
            self.refusal = self.refusal or str(name)
        elif what == "open":
            self.open[name] = amount
        else:
            self.open.pop(name, None)
            self.settled += amount

    def _catch_up(self, path: Path, handle: int) -> None:
        """Read what others wrote; half a line is of a process that was killed, and is written over."""
        os.lseek(handle, self._read, os.SEEK_SET)
        data = bytearray()
        while piece := os.read(handle, 65_536):
            data += piece
        whole = data.rfind(b"\n") + 1
        try:
            for line in bytes(data[:whole]).splitlines():
                self._apply(json.loads(line))
        except (ValueError, TypeError) as error:
            raise RecordingError(
                f"holds what no run wrote: {error}", where=str(path), remedy="remove it, and run again"
            ) from None
        self._read += whole
        if whole < len(data):
            os.ftruncate(handle, self._read)
