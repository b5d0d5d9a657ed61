"""What the processes of one run share: a journal of what was found, claims on what is being done, and two locks.

The journal is also what makes an interrupted run resumable: it stays until a run comes to its end.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gate.errors import RecordingError
from gate.record.recordings.locking import Claim, is_claimed, locked_file

JOURNAL = "journal.jsonl"
EARLIER = "earlier.jsonl"
_LOCK = "lock"
_FILES = "files"
_PAUSE = 0.05
_LATER = 0.5
"""Seconds after which what was found is written, where nobody waits for it: what a run that is killed may lose."""
_LONG = 86_400.0
"""Seconds to wait for a prompt's file: another process may be making trials with it."""
Json = dict[str, Any]


class Shared:
    """One run's folder, as one process sees it.

    Args:
        folder: made by `begin` in the process that starts the others.
        worker: name of this process.
        alone: no other process takes part, so that nothing has to be locked, claimed or read again, and entries may be
            written a little later, together; `flush` writes them at once.

    Raises:
        RecordingError: the folder can't be written.
    """

    def __init__(self, folder: Path, worker: str, *, alone: bool = False) -> None:
        self.folder = folder
        self._worker = worker
        self._alone = alone
        self._entries: list[Json] = []
        self._by_kind: dict[str, list[Json]] = {}
        self._waiting: list[Json] = []
        self._written = 0.0
        self._claimed: set[str] = set()
        self._read = 0
        self._alive = Claim(folder, worker)

    def add(self, kind: str, **entry: Any) -> None:
        """Write one entry; every process sees it from now on."""
        self.put(kind, entry)

    def put(self, kind: str, entry: Json) -> None:
        """The same, of an entry that is there already."""
        told = {"kind": kind, "by": self._worker, **entry}
        if not self._alone:
            with self._locked():
                self._append([told])
            return
        self._take(told)
        self._waiting.append(told)
        if time.monotonic() - self._written >= _LATER:
            self.flush()

    def flush(self) -> None:
        """Write what has not been written yet."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._append(waiting)
        self._written = time.monotonic()

    def entries(self, kind: str, **fields: Any) -> list[Json]:
        """Entries of a kind with these fields, in their order."""
        self._catch_up()
        return [
            entry
            for entry in self._by_kind.get(kind, ())
            if all(entry.get(name) == value for name, value in fields.items())
        ]

    def everything(self) -> list[Json]:
        """All entries, in their order."""
        self._catch_up()
        return list(self._entries)

    def first(self, kind: str, **fields: Any) -> Json | None:
        """The first such entry; None without one."""
        self._catch_up()
        for entry in self._by_kind.get(kind, ()):
            if all(entry.get(name) == value for name, value in fields.items()):
                return entry
        return None

    def since(self, kind: str, seen: int) -> list[Json]:
        """Entries of a kind behind the first `seen` ones, for those who look again and again."""
        self._catch_up()
        return self._by_kind.get(kind, [])[seen:]

    def claim(self, job: str) -> bool:
        """Whether this process is to do a job: nobody has begun it, or whoever had is gone and left nothing."""
        if self._alone:
            if job in self._claimed:
                return False
            self._claimed.add(job)
            return True
        with self._locked():
            self._catch_up()
            claims = self.entries("claim", job=job)
            if claims and (claims[-1]["by"] == self._worker or self._lives(claims[-1]["by"])):
                return False
            self._append([{"kind": "claim", "by": self._worker, "job": job}])
        return True

    def wait(self, done: Callable[[], bool], job: str) -> bool:
        """Wait until another process has done a job that it claimed; False where it went away before."""
        while not done():
            claims = self.entries("claim", job=job)
            if claims and not self._lives(claims[-1]["by"]):
                return done()
            time.sleep(_PAUSE)
        return True

    def gather(self, workers: int) -> None:
        """Wait until every process of the run has run its tests, so that no mutant is seen by one of them."""
        self.add("ready")
        while True:
            ready = {entry["by"] for entry in self.entries("ready")}
            waiting = {name for name in self._running() if name not in ready}
            if not waiting and len(ready | self._gone()) >= workers:
                return
            time.sleep(_PAUSE)

    @contextlib.contextmanager
    def trial(self, *, alone: bool) -> Iterator[None]:
        """One trial.

        Args:
            alone: a file holds the mutant, which other processes would see: none of them makes a trial meanwhile.
        """
        with contextlib.nullcontext() if self._alone else _flock(self.folder / _FILES, exclusive=alone):
            yield

    def earlier(self) -> list[Json]:
        """What an interrupted run left."""
        return _lines(self.folder / EARLIER)

    def close(self) -> None:
        """This process makes no more trials."""
        self.flush()
        self._alive.release()

    def _running(self) -> set[str]:
        names = {path.name.removeprefix("run-") for path in (self.folder / ".state").glob("run-*")}
        return {name for name in names if name == self._worker or is_claimed(self.folder, name)}

    def _gone(self) -> set[str]:
        return {entry["by"] for entry in self.entries("begun") if not self._lives(entry["by"])}

    def _lives(self, worker: str) -> bool:
        return worker == self._worker or is_claimed(self.folder, worker)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with locked_file(self.folder / _LOCK):
            yield

    def _append(self, entries: list[Json]) -> None:
        lines = [json.dumps(each, ensure_ascii=True, allow_nan=False) + "\n" for each in entries]
        with (self.folder / JOURNAL).open("a", encoding="ascii", newline="\n") as stream:
            stream.write("".join(lines))

    def _take(self, entry: Json) -> None:
        self._entries.append(entry)
        self._by_kind.setdefault(entry["kind"], []).append(entry)

    def _catch_up(self) -> None:
        """Read what other processes wrote; who is alone knows it all."""
        if self._alone:
            return
        try:
            with (self.folder / JOURNAL).open("rb") as stream:
                stream.seek(self._read)
                data = stream.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            self._take(json.loads(line))


def begin(folder: Path) -> None:
    """Make the folder of a run; what an interrupted one left there is kept for it.

    Raises:
        RecordingError: it can't be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / ".state", ignore_errors=True)
        journal, earlier = folder / JOURNAL, folder / EARLIER
        if journal.exists():
            kept = [line for line in _lines(journal) if line["kind"] in _KEPT]
            with earlier.open("a", encoding="ascii", newline="\n") as stream:
                stream.writelines(json.dumps(line, ensure_ascii=True) + "\n" for line in kept)
            journal.unlink()
    except OSError as error:
        raise RecordingError(
            f"can't be written: {error.strerror or error}",
            where=str(folder),
            remedy="check the permissions of the folder of the report",
        ) from None


def end(folder: Path) -> None:
    """Remove the folder of a run that came to its end."""
    shutil.rmtree(folder, ignore_errors=True)


_KEPT = frozenset({"pair", "own", "canary", "fixed"})


def _lines(path: Path) -> list[Json]:
    """Entries of a journal; a last line that was cut off is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    found = []
    for line in data[: data.rfind(b"\n") + 1].splitlines():
        with contextlib.suppress(ValueError):
            entry = json.loads(line)
            if isinstance(entry, dict) and isinstance(entry.get("kind"), str):
                found.append(entry)
    return found


@contextlib.contextmanager
def _flock(path: Path, *, exclusive: bool) -> Iterator[None]:
    """A lock that many may hold together, or one alone; where the system has none such, one alone."""
    try:
        import fcntl
    except ImportError:
        with locked_file(path, _LONG):
            yield
        return
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        os.close(handle)
