"""What the live calls of one command took, over all its runs of the suite: they share the limits of a run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gate.errors import GateError

_MOST_BYTES = 64 * 2**20


@dataclass(slots=True)
class Purse:
    """One for a command.

    Attributes:
        book: what `gate.record.recordings.book.Book` has of the runs so far; empty before the first call.
    """

    book: bytes = b""

    def take(self, folder: Path, read: Callable[[Path, int], bytes]) -> None:
        """A run has ended.

        Args:
            folder: that of its report.
            read: bytes of a file that foreign code left, at most so many.
        """
        from gate.record.locally import BOOK

        path = folder / BOOK
        if path.exists():
            with contextlib.suppress(GateError):  # a suite that spoils it could as well spend without saying so
                self.book = read(path, _MOST_BYTES)
