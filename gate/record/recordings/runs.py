"""Runs that record: which are alive, which were killed, and what these paid for, so that the next one goes on from it.

A run that is killed leaves its claim beside the recordings, which git ignores. Its entries are a draft: what was stored
before holds, and the next run that records gives the answers of the draft, instead of asking for them again.
"""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gate.record.recordings.locking import STATE, Claim, claims, is_claimed, locked

if TYPE_CHECKING:
    from gate.record.recordings.entry import Entry, Slot
    from gate.record.recordings.store import Store

_LASTS = 86_400.0
"""Seconds after its start in which a killed run is gone on from; then answers are better asked for anew."""
_BETWEEN = ","


def is_alive(folder: Path, run: str) -> bool:
    """Whether a process that makes this run is alive, on this machine."""
    return is_claimed(folder, run, forget=False)


def is_kept(folder: Path, run: str) -> bool:
    """Whether the entries of a run that did not end may still be of use: it is alive, or can be gone on from."""
    return is_alive(folder, run) or run in _recent(folder)


class RecordingRun:
    """One run of the mode `record`, for as long as its process lives.

    Args:
        store: which it replaces.
        told: what `told` of the process says that started this one; empty where none did.

    Attributes:
        name: marks its entries until the case that they belong to has ended.
        earlier: killed runs that it goes on from.
        leads: whether no other process has started this one to make a part of its run.

    Raises:
        RecordingError: the folder can't be written.
    """

    def __init__(self, store: Store, told: str = "") -> None:
        self._store = store
        self._claims: list[Claim] = []
        self.leads = not told
        if told:
            self.name, *earlier = told.split(_BETWEEN)
        else:
            self.name = secrets.token_hex(8)
            with locked(store.folder):  # a claim that is just made is none of a killed run
                self._claims = [store.claim(self.name)]
                earlier = self._take_over()
        self.earlier: tuple[str, ...] = tuple(earlier)

    def _take_over(self) -> list[str]:
        """Killed runs that nobody else goes on from; those of long ago are forgotten."""
        recent, found = _recent(self._store.folder), []
        for run in sorted(claims(self._store.folder)):
            if run not in recent:
                is_claimed(self._store.folder, run)
            elif run != self.name:
                claim = self._store.claim(run)
                if claim.holds:
                    self._claims.append(claim)
                    found.append(run)
                else:
                    claim.leave()
        return found

    @property
    def told(self) -> str:
        """For processes that this one starts, so that they make the same run."""
        return _BETWEEN.join((self.name, *self.earlier))

    @property
    def notices(self) -> tuple[str, ...]:
        """That it goes on from killed runs, one sentence; nothing where it begins by itself."""
        if not (self.leads and self.earlier):
            return ()
        state = self._store.folder / STATE
        return (
            "goes on from a recording that was stopped: what that had paid for is used, and the rest is asked; "
            f"without {state} everything would be asked anew",
        )

    def draft(self, slot: Slot, n: int) -> Entry | None:
        """The answer that a killed run has paid for and that no call of this one was given; None for none.

        Raises:
            RecordingError: the file is damaged.
        """
        head = self._store.drafts(slot, self.earlier).get(n) if self.earlier else None
        return self._store.entry(head) if head is not None else None

    def least(self, slot: Slot) -> int:
        """The number of the first answer in a slot that no killed run has."""
        return max(self._store.drafts(slot, self.earlier), default=-1) + 1 if self.earlier else 0

    def close(self, *, whole: bool = True) -> None:
        """The run is over.

        Args:
            whole: whether it came to its end; else the next one goes on from it.
        """
        for claim in self._claims:
            if whole:
                claim.release()
            else:
                claim.leave()
        self._claims = []


def _recent(folder: Path) -> set[str]:
    now = time.time()
    return {run for run, at in claims(folder).items() if now - at < _LASTS}
