"""What the worst-case search finds of the flips that any way finds, an exact oracle on small trees among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from benchmarks.sweep_attack import Subject, breast_cancer, closed_form, draws, oracle, plain_square
from gate.suites.perturbation.attack.worst_case import worst_case

ROWS, DRAWS = 60, 20
EPSILONS = (0.1, 0.4)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Several threads of several workers would wait for one another."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def subjects() -> list[Subject]:
    """Without the large forest and xgboost, which the benchmark has: they would take most of the time."""
    return list(breast_cancer(rows=ROWS, without=("forest", "xgboost")))


def shares(subject: Subject, epsilon: float) -> tuple[Any, Any]:
    """(n,) bool what the search flips, and every flip that is known."""
    ours = worst_case(subject.space, subject.objective(), epsilon).flipped
    known = ours | draws(subject, epsilon, DRAWS) | plain_square(subject, epsilon)[0]
    return ours, known | oracle(subject, epsilon) if subject.trees is not None else known


def test_nearly_all_known_flips_are_found(subjects: list[Subject]) -> None:
    pairs = [shares(subject, epsilon) for subject in subjects for epsilon in EPSILONS]
    found = sum(int(ours.sum()) for ours, _ in pairs)
    known = sum(int(both.sum()) for _, both in pairs)
    assert known >= 80
    assert found >= 0.97 * known


def test_one_draw_finds_few_of_them(subjects: list[Subject]) -> None:
    """Why a search is needed at all: a single draw of noise misses most flips that exist."""
    subject = subjects[0]
    _, known = shares(subject, 0.4)
    assert draws(subject, 0.4, 1).sum() < 0.3 * known.sum()


def test_the_oracle_finds_all_that_is_found_on_small_trees(subjects: list[Subject]) -> None:
    for subject in subjects:
        if subject.trees is not None:
            ours, _ = shares(subject, 0.4)
            assert not (ours & ~oracle(subject, 0.4)).any()


def test_the_smallest_epsilon_of_a_linear_model_is_found() -> None:
    found = closed_form(rows=100)
    assert found["rows"] >= 80
    assert found["within 25 %"] >= 0.9
    assert found["below it"] == 0
    assert found["not found"] <= 1
    assert np.isfinite(found["least ratio"])
