"""Which trials of a test the stored answers are of, and which ones a missing request is wanted for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace

from gate.record.recordings.entry import Head, Slot
from gate.record.recordings.missing import Asked, MissingEntry, joined


def answering(heads: Iterable[Head], given: Mapping[int, Set[str]]) -> int:
    """Of how many trials of a case, counted from 0, answers to its present requests are stored.

    The first trial that was made shows which those are: answers of its own that it did not ask for are of another
    prompt, and so are those of other trials that share no request with it. Where it asked for all that it has, every
    trial counts: its requests may differ from trial to trial.

    Args:
        heads: of the case.
        given: keys of the requests that were answered, by trial; without any, all trials count.
    """
    keys: dict[int, set[str]] = {}
    for head in heads:
        if not head.failed:
            keys.setdefault(head.trial, set()).add(head.key)
    if not given:
        return len(keys)
    first = min(given)
    if keys.get(first, set()) <= given[first]:
        return len(keys)
    count = first
    while keys.get(count, set()) & given[first]:
        count += 1
    return max(count, first + 1)


def spread(
    entries: Iterable[MissingEntry], wanted: Mapping[str, int], is_stored: Callable[[Slot, int], bool]
) -> tuple[MissingEntry, ...]:
    """Missing requests, asked for also by the trials that come after the one that lacked them, joined and sorted.

    A test's trials end at the first that lacks an answer; all of them ask the same, so that one round can answer all.

    Args:
        wanted: how many trials a test would make, by case.
        is_stored: whether a slot has the answer of a number.
    """
    out = []
    for entry in entries:
        asked = set(entry.asked)
        for case, trial, n in ((each.case, each.trial, each.n) for each in entry.asked):
            later = (Asked(case, other, m) for other in range(trial + 1, wanted.get(case, 0)) for m in range(n + 1))
            asked |= {each for each in later if not is_stored((case, each.trial, entry.key), each.n)}
        out.append(replace(entry, asked=tuple(asked)))
    return joined(out)
