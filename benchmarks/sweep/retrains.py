"""Of 50 honest retrains at most 3 fail; of 50 models with label noise at least 45 do."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.sweep.line import Line
from gate.suites.perturbation.flips.floor import floor
from gate.suites.perturbation.flips.marks import class_flips
from gate.suites.perturbation.flips.rates import FlipRates

NOISE = 0.2
RETRAINS, MOST_HONEST, LEAST_NOISY = 50, 3, 45
OF_THE_FLOOR = 20


def lines() -> Iterator[Line]:
    """A tree on breast cancer, half of whose rows train it; another seed, and wrong labels in a fifth of them."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    x, y = load_breast_cancer(return_X_y=True)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.5, random_state=0, stratify=y)

    def answers(seed: int, noise: float) -> list[int]:
        labels = y_train.copy()
        wrong = np.random.default_rng(seed).permutation(len(labels))[: int(noise * len(labels))]
        labels[wrong] = 1 - labels[wrong]
        tree = DecisionTreeClassifier(max_features=0.5, random_state=seed).fit(x_train, labels)
        found: list[int] = tree.predict(x_test).tolist()
        return found

    first = answers(0, 0.0)

    def rates(seed: int, noise: float = 0.0) -> FlipRates:
        return class_flips(first, answers(seed, noise), y_test.tolist()).rates()

    bound = floor([rates(1_000 + place) for place in range(OF_THE_FLOOR)])
    told = {"floor of retrains": OF_THE_FLOOR, "examples": bound.total, "negative flips allowed": bound.bound}
    honest = sum(bound.exceeded(rates(2_000 + place)) for place in range(RETRAINS))
    yield Line(5, f"of {RETRAINS} honest retrains fail at most", told | {"failed": honest}, MOST_HONEST,
               holds=honest <= MOST_HONEST)  # fmt: skip
    noisy = sum(bound.exceeded(rates(3_000 + place, NOISE)) for place in range(RETRAINS))
    yield Line(5, f"of {RETRAINS} models with {NOISE:.0%} wrong labels in training fail at least",
               told | {"failed": noisy}, LEAST_NOISY, holds=noisy >= LEAST_NOISY)  # fmt: skip
