"""What live calls took, one file a month beside the recordings, so that a limit a month holds over all runs.

A line is written when a call ends, so a run that is killed loses the calls in flight. It holds a day, a run, a model
and sums: no request, no answer, no address, no key.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.errors import RecordingError
from gate.record.recordings.budget import Amount
from gate.record.recordings.locking import locked, unwritable

FOLDER = "ledger"
_MONTH = re.compile(r"\d{4}-\d\d")
_LONGEST = 200  # characters of a name
_MOST = 10**15


@dataclass(frozen=True, slots=True)
class Line:
    """What calls of one day, run and model took.

    Attributes:
        day: in UTC, as YYYY-MM-DD.
        run: who paid, such as the number of a workflow run; may be empty.
        model: as answered, else as asked for; may be empty.
        amount: what they took.
    """

    day: str
    run: str
    model: str
    amount: Amount


class Ledger:
    """The ledger of a folder of recordings.

    Args:
        recordings: that folder; the files are `ledger/2026-11.ndjson` in it.
    """

    def __init__(self, recordings: Path) -> None:
        self.folder = recordings / FOLDER
        self._read: dict[str, tuple[int, int, Amount]] = {}  # by month: which file, how far, and the sum up to there

    def append(self, line: Line) -> None:
        """Write what a call took, at once and whole, also while other processes write.

        Raises:
            RecordingError: it can't be written, so a limit a month could not hold.
        """
        path = self._path(line.day[:7])
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with locked(self.folder), path.open("ab+") as stream:
                if stream.seek(0, os.SEEK_END):
                    stream.seek(-1, os.SEEK_END)
                    half = stream.read(1) != b"\n"  # a writer was killed within its line
                    stream.write(b"\n" if half else b"")
                stream.write(_encoded(line))
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise unwritable(path, error) from None

    def spent(self, day: dt.date) -> Amount:
        """What the month of a day has taken so far; a line that is damaged counts as a call of which nothing is known.

        Reads only what was added since it was last asked.

        Raises:
            RecordingError: the file can't be read.
        """
        path = self._path(f"{day:%Y-%m}")
        try:
            with path.open("rb") as stream:
                found = os.fstat(stream.fileno())
                known, end, whole = self._read.get(path.stem, (0, 0, Amount()))
                if known != found.st_ino or end > found.st_size:
                    end, whole = 0, Amount()
                stream.seek(end)
                data = stream.read()
        except FileNotFoundError:
            return Amount()
        except OSError as error:
            raise _unreadable(path, error) from None
        complete = data.rfind(b"\n") + 1
        whole += _total(data[:complete])
        self._read[path.stem] = (found.st_ino, end + complete, whole)
        return whole + _total(data[complete:])

    def lines(self, month: str) -> tuple[tuple[Line, ...], int]:
        """Lines of a month, given as YYYY-MM, and how many are damaged."""
        try:
            data = self._path(month).read_bytes()
        except FileNotFoundError:
            return (), 0
        except OSError as error:
            raise _unreadable(self._path(month), error) from None
        read = [_decoded(each) for each in data.splitlines() if each.strip()]
        return tuple(line for line in read if line is not None), read.count(None)

    def take_over(self, other: Ledger) -> None:
        """Move all lines of another ledger into this one.

        Raises:
            RecordingError: a file can't be read or written.
        """
        for path in sorted(other.folder.glob("*.ndjson")):
            if not _MONTH.fullmatch(path.stem):
                continue
            for line in other.lines(path.stem)[0]:
                self.append(line)
            path.unlink()
            self.compact(path.stem)

    def compact(self, month: str) -> None:
        """Sum up the lines of a month by day, run and model, sorted, so that the file stays short and merges well.

        A file with a damaged line is left as it is: what can't be read is not thrown away.

        Raises:
            RecordingError: the file can't be read or written.
        """
        path = self._path(month)
        if not path.exists():
            return
        fresh = path.with_suffix(".new")
        try:
            with locked(self.folder):
                lines, damaged = self.lines(month)
                if not damaged:
                    fresh.write_bytes(b"".join(_encoded(line) for line in summed(lines)))
                    fresh.replace(path)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise unwritable(path, error) from None

    def _path(self, month: str) -> Path:
        if not _MONTH.fullmatch(month):
            raise ValueError(f"no month: {month!r}")
        return self.folder / f"{month}.ndjson"


def summed(lines: Iterable[Line]) -> tuple[Line, ...]:
    """One line a day, run and model, in that order."""
    sums: dict[tuple[str, str, str], Amount] = {}
    for line in lines:
        place = (line.day, line.run, line.model)
        sums[place] = sums.get(place, Amount()) + line.amount
    return tuple(Line(*place, amount) for place, amount in sorted(sums.items()))


def _total(data: bytes) -> Amount:
    """Sum of lines."""
    read = [_decoded(each) for each in data.splitlines() if each.strip()]
    unknown = Amount(1, uncounted=1, unpriced=1)
    return sum((unknown if line is None else line.amount for line in read), Amount())


def _encoded(line: Line) -> bytes:
    """One JSON line in a fixed order of its fields; what is 0 is left out."""
    amount = line.amount
    fields = {
        "day": line.day,
        "run": line.run[:_LONGEST],
        "model": line.model[:_LONGEST],
        "calls": amount.calls,
        "tokens": amount.tokens,
        "money": amount.money,
        "uncounted": amount.uncounted,
        "unpriced": amount.unpriced,
    }
    return json.dumps({name: value for name, value in fields.items() if value}, separators=(",", ":")).encode() + b"\n"


def _decoded(data: bytes) -> Line | None:
    """A line; None where it is damaged."""
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    names = (fields.get("day", ""), fields.get("run", ""), fields.get("model", ""))
    counts = [fields.get(name, 0) for name in ("calls", "tokens", "uncounted", "unpriced")]
    money = fields.get("money", 0.0)
    if not all(isinstance(name, str) for name in names) or not all(map(_is_count, counts)):
        return None
    if isinstance(money, bool) or not isinstance(money, int | float) or not 0 <= money < _MOST:
        return None
    calls, tokens, uncounted, unpriced = counts
    return Line(*names, Amount(calls, tokens, float(money), uncounted, unpriced))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST


def _unreadable(path: Path, error: OSError) -> RecordingError:
    return RecordingError(
        f"the ledger can't be read: {error.strerror or error}", where=str(path), remedy="check its permissions"
    )
