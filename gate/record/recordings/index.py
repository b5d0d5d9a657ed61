"""Where the entries of one file stand, and which of them hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from gate.errors import RecordingError
from gate.record.recordings.decode import decode, scan
from gate.record.recordings.entry import Ended, Head, Place, Slot


@dataclass(slots=True)
class Held:
    """What is stored in one slot: answers by their number, and failures by the number of the answer they delayed."""

    answers: dict[int, Head] = field(default_factory=dict)
    failures: dict[int, list[Head]] = field(default_factory=dict)


@dataclass(slots=True)
class _Run:
    """What one run stored for a case: heads by trial and key, then by number and failure; and its last line."""

    slots: dict[tuple[int, str], dict[tuple[int, int], Head]] = field(default_factory=dict)
    last: int = 0


class Index:
    """The lines of a file as far as they were read.

    A run that replaces a case marks its entries as its own, and ends with a line that says so. Until then the older
    entries hold; unfinished runs hold only where nothing older is stored, so that neither is lost when one is killed.
    Of two unfinished runs both hold, the later one where they store the same call.

    Args:
        name: of the file, for errors.
        read: gives the bytes of a line.

    Attributes:
        requests: the first line that holds the request of a key.
        size: bytes of whole lines that were read.
        lines: how many.
        torn: bytes of a last line without an end, which is left out.
    """

    def __init__(self, name: str, read: Callable[[Place], bytes]) -> None:
        self._name = name
        self._read = read
        self._runs: dict[str, dict[str, _Run]] = {}
        self._ended: dict[str, tuple[str, int]] = {}
        self.requests: dict[str, Place] = {}
        self.size = 0
        self.lines = 0
        self.torn = 0

    def take(self, lines: Iterable[bytes]) -> Iterator[Head | Ended]:
        """Read on from where the last line ended, and say what was found.

        Raises:
            RecordingError: a line is damaged, or two lines say different things.
        """
        self.torn = 0
        for line in lines:
            if not line.endswith(b"\n"):
                self.torn = len(line)
                return
            place = Place(self.size, len(line), self.lines + 1)
            found = None if line.isspace() else scan(line, place, f"{self._name}:{place.line}")
            self.size += len(line)
            self.lines += 1
            if found is not None:
                self._add(found, place)
                yield found

    def _add(self, found: Head | Ended, place: Place) -> None:
        if isinstance(found, Ended):
            self._ended[found.case] = found.run, place.line
            return
        run = self._runs.setdefault(found.case, {}).setdefault(found.run, _Run())
        heads = run.slots.setdefault((found.trial, found.key), {})
        before = heads.get((found.n, found.failed))
        if before is not None and not self._superseded(before):
            self._refuse_unequal(before, found)
        heads[found.n, found.failed] = found
        run.last = place.line
        if found.carries:
            self.requests.setdefault(found.key, place)

    def _superseded(self, head: Head) -> bool:
        ended = self._ended.get(head.case)
        return ended is not None and not head.run and head.place.line < ended[1]

    def _refuse_unequal(self, first: Head, second: Head) -> None:
        where = f"{self._name}:{second.place.line}"
        if decode(self._read(first.place), where).answer != decode(self._read(second.place), where).answer:
            raise RecordingError(
                f"stores another answer than line {first.place.line} for the same call",
                where=where,
                remedy="delete one of the two lines",
            )

    @property
    def names_runs(self) -> bool:
        """Whether a line belongs to a run, ended or not: a file that is rewritten has none of an ended one."""
        return bool(self._ended) or any(run for runs in self._runs.values() for run in runs)

    def cases(self) -> list[str]:
        """All cases of which something is stored, sorted."""
        return sorted(self._runs)

    def holding(self, case: str) -> Iterator[Head]:
        """The entries of a case that hold, in no order."""
        runs = self._runs.get(case, {})
        for slot in {slot for run in self._holding_runs(case) for slot in runs[run].slots}:
            yield from self._heads((case, *slot))

    def unfinished(self, case: str) -> list[str]:
        """Runs whose entries hold although they did not end, since nothing else is stored; the last one last."""
        runs = self._runs.get(case, {})
        if case in self._ended or "" in runs:
            return []
        return sorted(runs, key=lambda run: runs[run].last)

    def drafted(self, slot: Slot, runs: Iterable[str]) -> dict[int, Head]:
        """Answers that some runs stored in a slot, whether or not they hold, by number; of two the later run's."""
        case, trial, key = slot
        mine = self._runs.get(case, {})
        known = sorted((mine[run] for run in runs if run in mine), key=lambda run: run.last)
        heads = (head for run in known for head in run.slots.get((trial, key), {}).values())
        return {head.n: head for head in heads if not head.failed}

    def pending(self, case: str) -> dict[str, list[Head]]:
        """Entries of runs that did not end, by run."""
        ended = self._ended.get(case, ("", 0))[0]
        return {
            name: [head for heads in run.slots.values() for head in heads.values()]
            for name, run in self._runs.get(case, {}).items()
            if name and name != ended
        }

    def _holding_runs(self, case: str) -> list[str]:
        runs = self._runs.get(case, {})
        ended = self._ended.get(case)
        wanted = (ended[0], "") if ended is not None else ("", *self.unfinished(case))
        return [run for run in wanted if run in runs]

    def _heads(self, slot: Slot) -> Iterator[Head]:
        """The entries of a slot that hold."""
        case, trial, key = slot
        found: dict[tuple[int, int], Head] = {}
        for run in self._holding_runs(case):
            heads = self._runs[case][run].slots.get((trial, key), {})
            found |= {place: head for place, head in heads.items() if not self._superseded(head)}
        yield from found.values()

    def held(self, slot: Slot) -> Held | None:
        """What holds in a slot; None for nothing."""
        held = Held()
        for head in sorted(self._heads(slot), key=lambda head: (head.n, head.failed)):
            if head.failed:
                held.failures.setdefault(head.n, []).append(head)
            else:
                held.answers[head.n] = head
        return held if held.answers or held.failures else None

    def trials(self, case: str) -> set[int]:
        """Trials of which at least one answer is stored."""
        return {head.trial for head in self.holding(case) if not head.failed}

    def next_of(self, slot: Slot, run: str) -> tuple[int, int]:
        """Number of the next answer in a slot, and how many failures were stored since the last one.

        Args:
            run: whose entries count; empty for those that hold.
        """
        case, trial, key = slot
        if run:
            mine = self._runs.get(case, {}).get(run, _Run())
            heads = list(mine.slots.get((trial, key), {}).values())
        else:
            heads = list(self._heads(slot))
        n = max((head.n + 1 for head in heads if not head.failed), default=0)
        return n, sum(1 for head in heads if head.failed and head.n == n)
