"""The floor's decision: honest retrains pass, and models of mislabelled training rows don't.

The full question is 50 and 50, at most 3 and at least 45; here 12 and 12, at the same rates or better.
"""

from __future__ import annotations

from typing import Any

import pytest

from gate.suites.perturbation.flips.floor import floor
from gate.suites.perturbation.flips.marks import class_flips
from gate.suites.perturbation.flips.rates import FlipRates

NOISE = 0.2
"""Stated share of training rows with a wrong label."""
COUNT = 12


@pytest.fixture(scope="module")
def trained() -> Any:
    """Rates of a tree against the first one by (seed, share of wrong labels)."""
    np = pytest.importorskip("numpy")
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    x, y = load_breast_cancer(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.5, random_state=0, stratify=y)

    def answers(seed: int, noise: float) -> list[int]:
        labels = y_train.copy()
        wrong = np.random.default_rng(seed).permutation(len(labels))[: int(noise * len(labels))]
        labels[wrong] = 1 - labels[wrong]
        model = DecisionTreeClassifier(max_features=0.5, random_state=seed)
        found: list[int] = model.fit(x_train, labels).predict(x_test).tolist()
        return found

    first = answers(0, 0.0)

    def rates(seed: int, noise: float = 0.0) -> FlipRates:
        return class_flips(first, answers(seed, noise), y_test.tolist()).rates()

    return rates


def test_honest_retrains_pass_and_mislabelled_ones_fail(trained: Any) -> None:
    found = floor([trained(1000 + place) for place in range(20)])
    honest = [found.exceeded(trained(2000 + place)) for place in range(COUNT)]
    noisy = [found.exceeded(trained(3000 + place, NOISE)) for place in range(COUNT)]
    assert sum(honest) == 0
    assert sum(noisy) >= COUNT - 1


def test_the_floor_is_no_licence(trained: Any) -> None:
    """It lies well below what a fifth of wrong labels does, and above nothing at all."""
    found = floor([trained(1000 + place) for place in range(20)])
    assert 0 < found.bound < min(trained(3000 + place, NOISE).negative for place in range(3))


def test_honest_retrains_of_ten_classes_pass_though_many_answers_change() -> None:
    """Most flips of such a tree go from one wrong class to another, which is churn and no negative flip."""
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    x, y = load_digits(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.5, random_state=0, stratify=y)

    def answers(seed: int, rows: Any) -> Any:
        tree = DecisionTreeClassifier(max_features=0.3, random_state=seed)
        return tree.fit(x_train[rows], y_train[rows]).predict(x_test).tolist()

    everything = slice(None)
    first = answers(0, everything)

    def against(seed: int, rows: Any = everything) -> Any:
        return class_flips(first, answers(seed, rows), y_test.tolist()).rates()

    retrains = [against(1000 + place) for place in range(20)]
    found = floor(retrains)
    assert min(each.churn for each in retrains) > 0.15
    assert sum(found.exceeded(against(2000 + place)) for place in range(COUNT)) <= 1
    few = [found.exceeded(against(3000 + place, slice(0, 300))) for place in range(COUNT)]
    assert sum(few) >= COUNT - 1, "trained on a third of the rows"
