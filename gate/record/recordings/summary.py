"""What is stored, case by case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gate.record.recordings.budget import Amount, amount_of
from gate.record.recordings.forecast import Spent
from gate.record.recordings.payload import model_of_shown
from gate.record.recordings.prices import Prices
from gate.record.recordings.store import Store
from gate.record.recordings.usage import read_usage


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored of one case.

    Attributes:
        case: id; empty for calls outside of a test.
        trials: how many have an answer.
        answers: how many.
        failures: calls without an answer, of the server's or on the way.
        models: that answered, sorted; one that doesn't say its name is left out.
        first: day of the oldest answer; empty when none says.
        last: day of the newest.
        bytes: on the disk.
        saved: what the answers would cost live.
    """

    case: str
    trials: int
    answers: int
    failures: int
    models: tuple[str, ...]
    first: str
    last: str
    bytes: int
    saved: Amount


def spent(store: Store) -> Iterator[Spent]:
    """What every stored answer took, to forecast the next ones.

    Raises:
        RecordingError: a file is damaged.
    """
    for entry in store.entries():
        if not entry.failed:
            asked = model_of_shown(entry.request or {})
            yield Spent(entry.case, entry.trial, entry.key, replace(read_usage(entry.answer), asked=asked))


def summary(store: Store, prices: Prices) -> tuple[Stored, ...]:
    """All cases, sorted.

    Raises:
        RecordingError: a file is damaged.
    """
    sizes: Counter[str] = Counter()
    for head in store.heads():
        sizes[head.case] += head.place.length
    failures: Counter[str] = Counter()
    dates: dict[str, set[str]] = defaultdict(set)
    models: dict[str, set[str]] = defaultdict(set)
    for entry in store.entries():
        failures[entry.case] += bool(entry.failed)
        if not entry.failed:
            dates[entry.case].add(entry.meta.at)
            models[entry.case].add(entry.meta.model)
    trials: dict[str, set[int]] = defaultdict(set)
    saved: dict[str, Amount] = defaultdict(Amount)
    for each in spent(store):
        trials[each.case].add(each.trial)
        saved[each.case] = saved[each.case] + amount_of(each.usage, prices)
    return tuple(
        Stored(
            case,
            len(trials[case]),
            saved[case].calls,
            failures[case],
            tuple(sorted(models[case] - {""})),
            min(dates[case] - {""}, default=""),
            max(dates[case], default=""),
            sizes[case],
            saved[case],
        )
        for case in sorted(sizes)
    )
