"""Which trials of a test the stored answers are of, and which ones a missing request is wanted for."""

from __future__ import annotations

import pytest

from gate.record.recordings.entry import Head, Place
from gate.record.recordings.exchange import Request
from gate.record.recordings.missing import Asked, MissingEntry
from gate.record.recordings.trials_asked import answering, spread


def heads(*stored: tuple[int, str]) -> list[Head]:
    return [Head(key, "t", trial, 0, 0, "", True, Place(0, 1, 1)) for trial, key in stored]


OLD = [(trial, "old") for trial in range(5)]


@pytest.mark.parametrize(
    ("stored", "given", "count"),
    [
        (OLD, {}, 5),
        (OLD, {0: {"old"}}, 5),
        ([*OLD, (0, "new"), (1, "new")], {0: {"new"}}, 2),
        ([*OLD, (0, "new"), (1, "new"), (3, "new")], {0: {"new"}}, 2),  # a gap ends it
        ([(0, "a"), (1, "b"), (2, "c")], {0: {"a"}}, 3),  # each trial asks something else
        ([*OLD, (2, "new"), (3, "new")], {2: {"new"}}, 4),  # two carried over
        (OLD, {0: {"elsewhere"}}, 1),
        ([], {0: {"a"}}, 0),
    ],
)
def test_answering(stored: list[tuple[int, str]], given: dict[int, set[str]], count: int) -> None:
    assert answering(heads(*stored), given) == count


def test_a_missing_request_is_wanted_by_the_trials_that_come_after() -> None:
    request = Request("POST", "https://a.example/")
    lacked = [MissingEntry("k", request, (Asked("t", 1, 1),)), MissingEntry("k", request, (Asked("other", 0, 0),))]
    (entry,) = spread(lacked, {"t": 4}, lambda slot, n: slot == ("t", 2, "k") and n == 0)
    assert entry.asked == (
        Asked("other", 0, 0),
        Asked("t", 1, 1),
        Asked("t", 2, 1),
        Asked("t", 3, 0),
        Asked("t", 3, 1),
    )
