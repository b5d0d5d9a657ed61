"""Flips and adversarial regressions of two versions of the example's model, computed without the gate.

`python tests/support/two_models.py BEFORE/model.py AFTER/model.py` prints JSON. The noise is that of the documentation:
for each (seed, ε, column name) one SFC64 generator, seeded by BLAKE2b of their JSON, scaled by the column's spread,
whose draws go to the rows in the order of their names.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict

EPSILONS = (0.05, 0.2)
PROTECTED = "mean fractal dimension"
SEED = 0


def load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their own module up
    spec.loader.exec_module(module)
    return module


def noisy(table: Any, epsilon: float) -> Any:
    changed = table.copy()
    order = sorted(range(len(table)), key=lambda place: f"patient-{table.index[place]}")
    for name in table.columns:
        if name != PROTECTED:
            key = hashlib.blake2b(json.dumps([SEED, epsilon, name]).encode(), digest_size=16).digest()
            draws = np.random.Generator(np.random.SFC64(int.from_bytes(key, "big"))).standard_normal(len(table))
            placed = np.empty(len(table))
            placed[order] = draws
            changed[name] = table[name] + placed * epsilon * table[name].std(ddof=0)
    return changed


def measure(module: ModuleType) -> dict[str, Any]:
    """Predictions of one version: all patients by cross-validation, unseen ones clean and under each noise."""
    data = load_breast_cancer(as_frame=True)
    split = module.load_split()
    model = module.train(split)
    return {
        "all": cross_val_predict(module.build_model(), data.data, data.target, cv=5) == data.target.to_numpy(),
        "all ids": list(data.data.index),
        "right": model.predict(split.x_test) == split.y_test.to_numpy(),
        "ids": list(split.x_test.index),
        "flipped": {e: model.predict(noisy(split.x_test, e)) != model.predict(split.x_test) for e in EPSILONS},
        "accuracy": float(model.score(split.x_test, split.y_test)),
    }


def named(ids: list[int], chosen: Any) -> list[str]:
    return [f"patient-{number}" for number, true in zip(ids, chosen, strict=True) if true]


def compare(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    right = before["right"] & after["right"]
    return {
        "all patients": {
            "negative": named(before["all ids"], before["all"] & ~after["all"]),
            "positive": named(before["all ids"], ~before["all"] & after["all"]),
        },
        "noisy": {
            "negative": named(before["ids"], before["right"] & ~after["right"]),
            "positive": named(before["ids"], ~before["right"] & after["right"]),
        },
        "adversarial": {
            f"gaussian ε={e:g}": named(before["ids"], right & ~before["flipped"][e] & after["flipped"][e])
            for e in EPSILONS
        },
        "robust": {
            f"gaussian ε={e:g}": [int(np.sum(side["right"] & ~side["flipped"][e])) for side in (before, after)]
            for e in EPSILONS
        },
        "accuracy": [before["accuracy"], after["accuracy"]],
    }


def main() -> None:
    before, after = (measure(load(Path(path), f"model_{place}")) for place, path in enumerate(sys.argv[1:3]))
    print(json.dumps(compare(before, after), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
