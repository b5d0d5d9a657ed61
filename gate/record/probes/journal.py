"""The record of answers: one append-only file, whole after every crash, and one run at a time.

A line is on the disk before its answer is graded. A run that was killed goes on where it stopped: what it has is not
asked again, and a half-written last line is left out and asked again.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Container, Iterator
from dataclasses import asdict
from pathlib import Path

from gate.baselines.write import write_atomically
from gate.errors import RecordingError, UsageError
from gate.record.probes import stored
from gate.record.probes.agents.agent import Identity
from gate.record.probes.stored import DamagedError, Kept, Key
from gate.record.recordings.locking import locked_file, state_folder, unwritable
from gate.suites.probes.answer import Ended

_PATIENCE = 5.0
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Journal:
    """The answers in a file, as they were when it was opened, with those that are added since.

    Args:
        path: need not exist; it is made with the first answer.

    Raises:
        RecordingError: a line other than the last is damaged, the file is of a newer version, or it can't be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notice = ""
        self._last: dict[Key, Kept] = {}
        self._unfinished: dict[Key, Kept] = {}
        self._agents: dict[str, dict[str, str]] = {}
        self._size = 0
        self._handle = -1
        self._turn = threading.Lock()
        self._read()

    def get(self, key: Key, *, any_run: bool) -> Kept | None:
        """The answer that is kept; None for none.

        Args:
            any_run: whether one of a run that came to its end counts, as in a replay; else only those of the run that
                was broken off, of which infrastructure failures don't count.
        """
        kept = (self._last if any_run else self._unfinished).get(key)
        if kept is None or any_run or kept.answer.ended is not Ended.INFRASTRUCTURE:
            return kept
        return None

    def agents(self) -> dict[str, Identity]:
        """Who answered, by digest, in the order in which they came."""
        return {digest: Identity(**fields) for digest, fields in self._agents.items()}

    def answers(self) -> tuple[Kept, ...]:
        """The last answer of each key, sorted."""
        return tuple(self._last[key] for key in sorted(self._last))

    @contextlib.contextmanager
    def writing(self, identity: Identity) -> Iterator[None]:
        """Keep every other run out, and let `add` write, until the end of the block.

        Raises:
            RecordingError: another run writes here, or the disk refuses.
        """
        with locked_file(state_folder(self.path.parent) / f"{self.path.name[:80]}.lock", _PATIENCE):
            self._again()
            try:
                self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_LINK, 0o644)
            except OSError as error:
                raise unwritable(self.path, error) from None
            try:
                os.ftruncate(self._handle, self._size)  # a half-written line
                if self._size == 0:
                    self._append(stored.header())
                if identity.digest not in self._agents:
                    fields = asdict(identity)
                    self._append(stored.encode_agent(identity.digest, identity.name, fields))
                    self._agents[identity.digest] = fields
                yield
            finally:
                with self._turn:  # an answer that comes after the end is not written anywhere
                    os.close(self._handle)
                    self._handle = -1

    def add(self, kept: Kept) -> None:
        """Append an answer, from any thread; it has left this process when the call returns.

        Raises:
            RecordingError: the disk refuses; what was there before is whole.
        """
        with self._turn:
            if self._handle < 0:
                raise RecordingError("is closed", where=str(self.path), remedy="run the command again")
            self._append(stored.encode(kept))
            self._last[kept.key] = self._unfinished[kept.key] = kept

    def ended(self, identity: Identity, *, others: Container[str] | None = None) -> None:
        """Say that a run came to its end, and leave out what newer answers replaced; see `get`.

        Args:
            others: digests of further agents whose answers stay; None keeps those of all.

        Raises:
            RecordingError: the disk refuses.
        """
        self._append(stored.encode_whole(identity.digest))
        self._unfinished = {key: kept for key, kept in self._unfinished.items() if key.agent != identity.digest}
        if others is not None:
            gone = {digest for digest in self._agents if digest != identity.digest and digest not in others}
            self._agents = {digest: fields for digest, fields in self._agents.items() if digest not in gone}
            self._last = {key: kept for key, kept in self._last.items() if key.agent not in gone}
            self._unfinished = {key: kept for key, kept in self._unfinished.items() if key.agent not in gone}
        try:
            write_atomically(self.path, self._compacted())
        except UsageError as error:
            raise RecordingError(error.message, where=error.where, remedy=error.remedy) from None

    def _compacted(self) -> bytes:
        """All that counts, sorted, so that a committed file has a small difference."""
        lines = [stored.header()]
        lines += [
            stored.encode_agent(digest, Identity(**fields).name, fields)
            for digest, fields in sorted(self._agents.items())
        ]
        finished = [kept for kept in self.answers() if kept.key not in self._unfinished]
        lines += map(stored.encode, finished)
        lines += [stored.encode_whole(digest) for digest in sorted({kept.key.agent for kept in finished})]
        lines += [stored.encode(kept) for _, kept in sorted(self._unfinished.items())]
        return b"".join(lines)

    def _append(self, line: bytes) -> None:
        try:
            view = memoryview(line)
            while view:
                view = view[os.write(self._handle, view) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise unwritable(self.path, error) from None
        self._size += len(line)

    def _again(self) -> None:
        """Take in what another run added since the file was opened."""
        try:
            changed = self.path.stat().st_size != self._size
        except OSError:
            changed = self._size > 0
        if changed:
            for known in (self._last, self._unfinished, self._agents):
                known.clear()
            self._size = 0
            self._read()

    def _read(self) -> None:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise RecordingError(
                f"can't be read: {error.strerror or error}", where=str(self.path), remedy="put a plain file there"
            ) from None
        *lines, rest = data.split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                self._take(stored.decode(line), first=number == 1)
            except DamagedError as error:
                raise RecordingError(
                    str(error),
                    where=f"{self.path}:{number}",
                    remedy="remove that line, or restore the file from git; its probe is then asked again",
                ) from None
        self._size = len(data) - len(rest)
        self.notice = ""
        if rest:
            self.notice = (
                f"{self.path}:{len(lines) + 1}: the last line was half-written ({len(rest):,} bytes) and is left out; "
                "its probe is asked again"
            )

    def _take(self, fields: dict[str, object], *, first: bool) -> None:
        if first:
            version = fields.get("gate-probe-answers")
            if not isinstance(version, int) or version > stored.VERSION:
                raise DamagedError("is no record of answers that this version reads")
        elif "identity" in fields:
            names = Identity.__slots__
            self._agents[str(fields["identity"])] = {name: str(fields.get(name, "")) for name in names}
        elif "whole" in fields:
            self._unfinished = {key: kept for key, kept in self._unfinished.items() if key.agent != fields["whole"]}
        else:
            kept = stored.kept_of(fields)
            self._last[kept.key] = self._unfinished[kept.key] = kept
