"""A small mixed table and a model of it, swept as `gate sweep` does, down to the bytes that are compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from gate.cli.sweep_text import sweep_json
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.measured import Sweep, sweep_table
from gate.suites.perturbation.models import Model, as_model
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import infer
from gate.suites.perturbation.time_limit import FOREVER, TimeLimit
from gate.suites.perturbation.worst_case import keeping

ROWS = 120
FURTHER = (
    ("uniform", 0.1),
    ("rounding", 0.05),
    ("unit-error", 10.0),
    ("integer-step", 2.0),
    ("category-swap", 1.0),
    ("missing", 0.1),
    ("drop-out", 0.1),
)
COLUMNS = ("age", "income", "debts", "house", "sex")


def people(rows: int = ROWS) -> Any:
    """A pandas frame of fractions with gaps, whole numbers, categories and a protected column."""
    import pandas as pd

    draws = np.random.default_rng(5)
    income = draws.normal(3000, 800, rows)
    income[::17] = np.nan
    return pd.DataFrame(
        {
            "age": draws.integers(18, 80, rows),
            "income": income,
            "debts": draws.normal(0, 1, rows),
            "house": draws.choice(["own", "rent", "free"], rows),
            "sex": draws.choice(["f", "m"], rows),
        }
    )


def probabilities(rows: Any) -> Any:
    """Of two classes, smooth in the numbers, with a step at each house; whatever the order of the columns."""
    income = np.nan_to_num(np.asarray(rows["income"], dtype=float), nan=3000)
    reach = (np.asarray(rows["age"], dtype=float) - 45) / 15 + (income - 3000) / 700
    reach -= np.nan_to_num(np.asarray(rows["debts"], dtype=float))
    reach += 0.5 * (np.asarray(rows["house"].astype(str)) == "own")
    good = 1 / (1 + np.exp(-2 * reach))
    return np.column_stack([1 - good, good])


def model(*, thread_safe: bool = True) -> Model:
    return Model("people", probabilities, "probabilities", ("bad", "good"), thread_safe=thread_safe)


def swept(
    inputs: Any,
    *,
    epsilons: Sequence[float] = (0.01, 0.05, 0.1),
    threads: int = 1,
    limit: TimeLimit = FOREVER,
    asked: Model | None = None,
    worst_case: bool = True,
    perturbations: Sequence[tuple[str, float]] = (),
) -> Sweep:
    frame = inputs if isinstance(inputs, Frame) else Frame.of(inputs, "people")
    config = SweepConfig(path="", name="people", protected=("sex",), epsilons=tuple(sorted(epsilons)), budget=30)
    schema = infer(frame, protected=["sex"], where="people")
    truth = [["bad", "good"][row % 5 > 1] for row in range(frame.rows)]
    search = keeping(None, limit) if worst_case else None
    asked = as_model(asked or model(), where="people")
    return sweep_table(
        config, frame, schema, asked, truth,
        search=search, threads=threads, limit=limit, where="people", perturbations=perturbations,
    )  # fmt: skip


def told(found: Sweep) -> bytes:
    """Everything that is reported of a sweep but the order of its columns."""
    whole = sweep_json(found)
    for key in ("features_perturbed", "features_protected"):
        whole["sweep"][key] = sorted(whole["sweep"][key])
    kept = [found.labels, found.expected, found.predicted, found.scores, dict(found.design)]
    attacks = [[each.name, each.flipped, each.scores, dict(each.moves)] for each in found.attacks]
    return json.dumps([whole, kept, attacks], sort_keys=True, ensure_ascii=False).encode()


def of_epsilon(found: Sweep, epsilon: float) -> bytes:
    """What is reported of one ε."""
    (step,) = [each for each in sweep_json(found)["sweep"]["epsilons"] if each["epsilon"] == epsilon]
    attacks = [
        [each.name, each.flipped, each.scores, dict(each.moves)]
        for each in found.attacks
        if each.name.endswith(f"ε={epsilon:g}")
    ]
    return json.dumps([step, attacks], sort_keys=True, ensure_ascii=False).encode()
