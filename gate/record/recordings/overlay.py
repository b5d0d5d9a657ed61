"""A second folder that precedes the first: answers that a pull request lacked, kept until they are merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gate.record.recordings.entry import Head, Slot
from gate.record.recordings.exchange import Answer
from gate.record.recordings.store import Store


class Layers:
    """Looks answers up in an overlay, then in the store.

    Args:
        store: what is committed.
        overlay: what precedes it; None for nothing.
    """

    def __init__(self, store: Store, overlay: Store | None = None) -> None:
        self._stores = (store,) if overlay is None else (overlay, store)

    def answer(self, slot: Slot, n: int) -> tuple[Store, Head] | None:
        """Where the n-th answer of a slot is stored."""
        for store in self._stores:
            held = store.held(slot)
            if held is not None and n in held.answers:
                return store, held.answers[n]
        return None

    def failure(self, slot: Slot, n: int, number: int) -> tuple[Store, Head] | None:
        """Where a failure is stored that came before the n-th answer; `number` from 0. All are of one layer."""
        for store in self._stores:
            held = store.held(slot)
            if held is not None and n in held.failures:
                return (store, held.failures[n][number]) if number < len(held.failures[n]) else None
        return None

    def holds(self, slot: Slot) -> bool:
        """Whether anything is stored in a slot."""
        return any(store.held(slot) is not None for store in self._stores)

    def answers(self, slot: Slot) -> int:
        """One more than the highest number of an answer in a slot; 0 for none."""
        held = [found for store in self._stores if (found := store.held(slot)) is not None]
        return max((n + 1 for each in held for n in each.answers), default=0)

    def first_free(self, slot: Slot) -> int:
        """The first number that no overlay precedes."""
        n = 0
        for overlay in self._stores[:-1]:
            held = overlay.held(slot)
            while held is not None and n in held.answers:
                n += 1
        return n

    def trials(self, case: str) -> set[int]:
        """Trials of a case of which at least one answer is stored."""
        return set[int]().union(*(store.trials(case) for store in self._stores))

    def heads(self, cases: Iterable[str] | None = None) -> Iterator[Head]:
        """Answers and failures that hold, of some cases or of all, each once, in no order."""
        wanted = None if cases is None else frozenset(cases)
        seen: set[object] = set()
        for store in self._stores:
            for head in store.heads(wanted):
                if head.order not in seen:
                    seen.add(head.order)
                    yield head

    def notices(self) -> tuple[str, ...]:
        """What was recovered in either."""
        return tuple(notice for store in self._stores for notice in store.notices)


def merge(overlay: Store, store: Store) -> int:
    """Put every answer of an overlay into the store, in the place of one of the same call; says how many.

    The overlay stays as it is, so that a merge that fails can be repeated.

    Raises:
        RecordingError: one of the two is damaged, or the disk refuses.
    """
    return store.put(overlay.entries())


def read(found: tuple[Store, Head]) -> Answer:
    """The answer that was found."""
    store, head = found
    return store.answer(head)
