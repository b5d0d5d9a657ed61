"""What the calls of one run reserved and took: one truth for all its threads and processes, also after a crash."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from gate.errors import BudgetExhaustedError, RecordingError
from gate.record.recordings.book import Book
from gate.record.recordings.budget import Amount, Limits
from gate.record.recordings.limits import Budget

ONE = Amount(1, 10, 0.1)


def budget(path: Path, calls: int = 5) -> Budget:
    return Budget(run=Limits(calls=calls), book=Book(path))


def _spend(path: str, results: multiprocessing.SimpleQueue[int]) -> None:
    mine, made = budget(Path(path), 30), 0
    try:
        while True:
            mine.settle(mine.reserve(ONE), ONE)
            made += 1
    except BudgetExhaustedError:
        results.put(made)


def test_processes_hold_one_limit(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    workers = [context.Process(target=_spend, args=(str(tmp_path / "book"), results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results.get() + results.get() == 30


def test_what_is_open_elsewhere_counts_and_its_end_gives_room(tmp_path: Path) -> None:
    one, other = budget(tmp_path / "book", 2), budget(tmp_path / "book", 2)
    names = [one.reserve(ONE), one.reserve(ONE)]
    one.settle(names[0], Amount())
    other.reserve(ONE)
    with pytest.raises(BudgetExhaustedError, match="2 calls a run"):
        other.reserve(ONE)
    assert one.refusal == other.refusal != ""
    with pytest.raises(BudgetExhaustedError):
        one.reserve(Amount())


def test_a_run_that_has_begun_is_not_forecast_again(tmp_path: Path) -> None:
    one, late = budget(tmp_path / "book"), budget(tmp_path / "book")
    one.require(Amount(5))
    one.settle(one.reserve(ONE), ONE)
    late.require(Amount(5))  # the worker that took the place of one that crashed
    assert late.refusal == ""


def test_a_forked_child_sees_what_its_parent_took(tmp_path: Path) -> None:
    mine = budget(tmp_path / "book", 2)
    mine.settle(mine.reserve(ONE), ONE)
    child = os.fork()
    if not child:
        mine.settle(mine.reserve(ONE), ONE)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with pytest.raises(BudgetExhaustedError):
        mine.reserve(ONE)


def test_half_a_line_of_a_killed_process_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "book"
    budget(path, 2).reserve(ONE)
    whole = path.read_bytes()
    path.write_bytes(whole + b'["open", "9.9", 1, 10, 0.1, 0, 0, "a long name that no later line is as long as"')
    after = budget(path, 2)
    after.settle(after.reserve(ONE), Amount())
    assert path.read_bytes().startswith(whole)
    assert all(line.endswith(b"]") for line in path.read_bytes().splitlines())
    assert budget(path, 2).reserve(ONE)


@pytest.mark.parametrize("content", [b"no\n", b"[1]\n", b'["open"]\n', b'{"a": 1}\n', b'["open", "1", "x", 2]\n'])
def test_what_no_run_wrote_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "book"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match="holds what no run wrote"):
        budget(path).reserve(ONE)


def test_a_book_that_can_not_be_written_lets_no_call_leave(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="can't be written"):
        budget(tmp_path / "absent" / "book").reserve(ONE)
