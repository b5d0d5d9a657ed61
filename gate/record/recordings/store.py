"""The folder of recordings: one file of JSON lines a test module, safe for threads, processes and crashes."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import urllib.parse
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from gate.errors import RecordingError
from gate.record.recordings import forks
from gate.record.recordings.compact import rewrite
from gate.record.recordings.entry import Entry, Head, Slot
from gate.record.recordings.exchange import Answer
from gate.record.recordings.index import Held
from gate.record.recordings.journal import Reader, Writer
from gate.record.recordings.locking import Claim, locked
from gate.schema.mutation import MUTANT, PARTED, SUMMARY

OUTSIDE = "_outside.jsonl"
"""File for calls outside of a test, and for cases whose id names no file."""

_STRANGE = re.compile(r"[^A-Za-z0-9._+=@,()-]+")
_LONGEST = 120  # characters of a folder or file; file systems allow 255 bytes


def file_of(case: str) -> str:
    """The file of a case within the folder: what stands before `::` in its id, with `/` between folders.

    No id leads out of the folder, and none to a name that a file system refuses. What was asked under a mutant has a
    folder of its own, `mutants/TARGET/MUTANT`; two targets that share one are still told apart by the ids within.
    """
    module, separator, _ = case.partition("::")
    folders: list[str] = []
    if module.startswith((MUTANT, SUMMARY)):
        owner, _, module = module.rpartition(" ")
        target, _, mutant = owner.partition(":")[2].rpartition(PARTED)
        folders = [SUMMARY.rstrip(":"), *(_plain(each) for each in (target, mutant) if each)]
    parts = [_part(part) for part in [*folders, *module.replace("\\", "/").split("/")] if part not in ("", ".")]
    return "/".join(parts) + ".jsonl" if separator and parts else OUTSIDE


def _plain(name: str) -> str:
    """A name of letters, digits and signs that every file system takes as they are."""
    return _STRANGE.sub("-", name.replace(":", ".")).strip("-.") or "-"


def _part(part: str) -> str:
    name = urllib.parse.quote(part, safe="+@=, ()[]", errors="surrogatepass")
    if name.startswith("."):  # neither out of the folder nor hidden
        name = f"%2E{name[1:]}"
    if len(name) > _LONGEST:
        name = f"{name[:_LONGEST]}-{blake2b(part.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"
    return name


class Store:
    """Answers on disk.

    What is looked up is the state when a file was first asked for; what is appended later, here or by another process,
    is numbered behind it and never handed out by the same store.

    Args:
        folder: need not exist; it is made with the first answer.
    """

    rank = 1

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = threading.RLock()
        self._files: dict[str, str] = {}
        self._readers: dict[str, Reader] = {}
        self._writers: dict[str, Writer] = {}
        self._prepared: set[str] = set()
        self._notices: list[str] = []
        forks.protect(self)

    def before_fork(self) -> None:
        """Nothing to share: each process finds out by itself what others appended."""

    def held(self, slot: Slot) -> Held | None:
        """What is stored in a slot; None for nothing.

        Raises:
            RecordingError: the file is damaged.
        """
        return self._reader(self._file(slot[0])).index.held(slot)

    def answer(self, head: Head) -> Answer:
        """The answer of an entry that `held` gave."""
        return self._reader(self._file(head.case)).answer(head)

    def drafts(self, slot: Slot, runs: Collection[str]) -> dict[int, Head]:
        """Answers in a slot by some runs that did not come to their end, by number, whether or not they hold."""
        return self._reader(self._file(slot[0])).index.drafted(slot, runs)

    def entry(self, head: Head) -> Entry:
        """The whole entry of what `held` or `drafts` gave."""
        return self._reader(self._file(head.case)).entry(head)

    def trials(self, case: str) -> set[int]:
        """Trials of a case of which at least one answer is stored."""
        return self._reader(self._file(case)).index.trials(case)

    def entries(self, case: str | None = None) -> Iterator[Entry]:
        """Entries that hold, of one case or of all, sorted as in the files, each with its request.

        Raises:
            RecordingError: a file is damaged.
        """
        for file in self.files() if case is None else [self._file(case)]:
            reader = self._reader(file)
            for each in reader.index.cases() if case is None else [case]:
                heads = sorted(reader.index.holding(each), key=lambda head: head.order)
                yield from (replace(reader.entry(head), run="") for head in heads)

    def heads(self, cases: Iterable[str] | None = None) -> Iterator[Head]:
        """What is known of the entries that hold without reading their bodies, of some cases or of all, in no order."""
        if cases is None:
            for file in self.files():
                index = self._reader(file).index
                for case in index.cases():
                    yield from index.holding(case)
        else:
            for case in cases:
                yield from self._reader(self._file(case)).index.holding(case)

    def files(self) -> list[str]:
        """Names of the files within the folder, sorted; links are passed over."""
        found = []
        for folder, folders, files in os.walk(self.folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            here = Path(folder).relative_to(self.folder)
            found += [(here / name).as_posix() for name in files if name.endswith(".jsonl")]
        return sorted(name for name in found if not (self.folder / name).is_symlink())

    def path_of(self, case: str) -> Path:
        """Where the answers of a case are stored."""
        return self.folder / self._file(case)

    def problems(self) -> list[RecordingError]:
        """Everything that can't be read, every line of every file looked at."""
        found = []
        for file in self.files():
            try:
                reader = self._reader(file)
            except RecordingError as error:
                found.append(error)
                continue
            for case in reader.index.cases():
                for head in reader.index.holding(case):
                    try:
                        reader.entry(head)
                    except RecordingError as error:
                        found.append(error)
        return found

    @property
    def notices(self) -> tuple[str, ...]:
        """What was recovered, one sentence each."""
        with self.lock:
            told = [*self._notices]
            told += [reader.notice for reader in self._readers.values() if reader.notice]
            told += [notice for writer in self._writers.values() for notice in writer.notices]
            return tuple(dict.fromkeys(told))

    def claim(self, run: str) -> Claim:
        """Say that a run which marks its entries with this name goes on until it is released or its process ends."""
        return Claim(self.folder, run)

    def prepare(self, case: str) -> None:
        """Find out whether answers of a case can be stored, before one is paid for.

        Raises:
            RecordingError: the disk refuses, or the file is damaged.
        """
        file = self._file(case)
        if file not in self._prepared:
            with self._writing(case) as writer:
                writer.prepare()
            self._prepared.add(file)

    def append(self, entry: Entry, tail: bytes, *, least: int = 0, at: int | None = None) -> Entry:
        """Store one answer; it has left this process when the call returns. For arguments see `Writer.append`."""
        with self._writing(entry.case) as writer:
            return writer.append(entry, tail, least=least, at=at)

    def end(self, case: str, run: str) -> None:
        """Let what a run stored for a case replace what was stored before."""
        with self._writing(case) as writer:
            writer.end(case, run)

    def sync(self) -> None:
        """Put everything that was appended on the disk itself."""
        for file in list(self._writers):
            if (self.folder / file).exists():
                with self.lock, locked(self.folder):
                    self._writers[file].sync()

    def compact(self, *, every: bool = False) -> None:
        """Sort the files that were appended to, and leave out what no longer holds.

        Args:
            every: whether that goes for all files in which a run has left its name, whoever appended to them.

        Raises:
            RecordingError: a file is damaged, or the disk refuses; every answer is then still in the old file.
        """
        for file in list(self._writers):
            self._rewrite(file)
        for file in self.files() if every else ():
            with contextlib.suppress(RecordingError):  # whoever asks for it is told
                path = self._path(file)
                if file not in self._writers and Reader(path, str(path)).index.names_runs:
                    self._rewrite(file)

    def put(self, entries: Iterable[Entry]) -> int:
        """Store entries as they are, each in the place of one of the same call; says how many."""
        by_file: dict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            by_file[self._file(entry.case)].append(entry)
        for file, added in sorted(by_file.items()):
            self._rewrite(file, add=added)
        return sum(map(len, by_file.values()))

    def remove(self, unwanted: Callable[[Entry], bool]) -> int:
        """Take entries away; says how many."""
        return sum(self._rewrite(file, keep=lambda entry: not unwanted(entry)) for file in self.files())

    def _rewrite(
        self, file: str, *, add: Iterable[Entry] = (), keep: Callable[[Entry], bool] = lambda entry: True
    ) -> int:
        with self.lock, locked(self.folder):
            left_out = rewrite(self._path(file), str(self._path(file)), self.folder, add=add, keep=keep)
            reader = self._readers.pop(file, None)
            if reader is not None and reader.notice:
                self._notices.append(reader.notice)
            return left_out

    def _file(self, case: str) -> str:
        file = self._files.get(case)
        if file is None:
            file = self._files[case] = file_of(case)
        return file

    def _path(self, file: str) -> Path:
        path = self.folder / file
        for folder in path.parents:
            if folder == self.folder:
                return path
            if folder.is_symlink():
                raise RecordingError("is a symbolic link", where=str(folder), remedy="put a plain folder there")
        return path

    def _reader(self, file: str) -> Reader:
        reader = self._readers.get(file)
        if reader is None:
            with self.lock:
                reader = self._readers.get(file)
                if reader is None:
                    path = self._path(file)
                    reader = self._readers[file] = Reader(path, str(path))
        return reader

    @contextlib.contextmanager
    def _writing(self, case: str) -> Iterator[Writer]:
        file = self._file(case)
        with self.lock, locked(self.folder):
            writer = self._writers.get(file)
            if writer is None:
                path = self._path(file)
                writer = self._writers[file] = Writer(path, str(path), self.folder)
            yield writer
