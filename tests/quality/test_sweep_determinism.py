"""The same bytes over two runs, orders of columns, lists of ε, threads and batches (issue of sweeps, must show 1)."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pandas")

from gate.suites.perturbation import worst_case
from gate.suites.perturbation.models import asking
from gate.suites.perturbation.tabular import cores
from gate.suites.perturbation.time_limit import TimeLimit
from tests.support.swept import COLUMNS, FURTHER, model, of_epsilon, people, swept, told


@pytest.fixture(scope="module")
def usual() -> bytes:
    found = swept(people())
    assert found.status is not None
    last = found.steps[-1]
    assert last.noise.flips
    assert last.worst is not None
    assert last.worst.flipped.sum() > last.noise.flips
    return told(found)


def test_two_runs(usual: bytes) -> None:
    assert told(swept(people())) == usual


@pytest.mark.parametrize("order", [(4, 3, 2, 1, 0), (2, 0, 4, 1, 3)])
def test_shuffled_columns(order: tuple[int, ...], usual: bytes) -> None:
    assert told(swept(people()[[COLUMNS[place] for place in order]])) == usual


def test_lists_of_epsilons(usual: bytes) -> None:
    whole, alone = swept(people()), swept(people(), epsilons=[0.1])
    assert of_epsilon(alone, 0.1) == of_epsilon(whole, 0.1)
    assert told(swept(people(), epsilons=[0.1, 0.05, 0.01])) == usual
    assert of_epsilon(whole, 0.05) != of_epsilon(whole, 0.1).replace(b"0.1", b"0.05")


@pytest.mark.parametrize(("threads", "batch"), [(1, 50), (2, 23), (5, 23), (2, 1_000)])
def test_threads_and_batches(threads: int, batch: int, usual: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LARGEST_BATCH", batch)
    monkeypatch.setattr(cores, "WORTH_THREADS", 1)
    monkeypatch.setattr(worst_case, "ROWS_AT_ONCE", batch)
    assert told(swept(people(), threads=threads)) == usual


def test_a_model_that_is_not_thread_safe_is_asked_by_one_thread(usual: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LARGEST_BATCH", 50)
    monkeypatch.setattr(asking, "ThreadPoolExecutor", None)
    assert told(swept(people(), threads=4, asked=model(thread_safe=False))) == usual


def test_further_perturbations(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = swept(people(), perturbations=FURTHER, worst_case=False)
    assert len(whole.others) == len(FURTHER)
    assert not whole.errors
    assert sum(each.flipped.any() for each in whole.others) >= 4
    shuffled = people()[list(COLUMNS[::-1])]
    assert told(swept(shuffled, perturbations=FURTHER[::-1], worst_case=False)) != told(whole)
    assert told(swept(shuffled, perturbations=FURTHER, worst_case=False)) == told(whole)
    monkeypatch.setattr(asking, "LARGEST_BATCH", 23)
    assert told(swept(people(), perturbations=FURTHER, worst_case=False, threads=2)) == told(whole)


def test_further_perturbations_end_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside one, and before the next; what the noise covered stands."""
    monkeypatch.setattr(asking, "LARGEST_BATCH", 60)
    ticks = iter(range(10_000))
    limit = TimeLimit(54, lambda: float(next(ticks)))
    found = swept(people(), epsilons=[0.1], perturbations=FURTHER[:3], worst_case=False, limit=limit)
    assert found.status is None
    assert [each.name for each in found.others] == []
    assert found.errors == (
        "uniform 0.1: the time limit of 54 s ended it at 60 of 120 rows",
        "rounding 0.05: not measured before the time limit of 54 s",
        "unit-error 10: not measured before the time limit of 54 s",
    )
