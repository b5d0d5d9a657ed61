"""The same bytes over two runs, orders of columns, lists of ε, threads and batches (issue of sweeps, must show 1)."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pandas")

from gate.suites.perturbation import worst_case
from gate.suites.perturbation.models import asking
from gate.suites.perturbation.tabular import cores
from tests.support.swept import COLUMNS, model, of_epsilon, people, swept, told


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
