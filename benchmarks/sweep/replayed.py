"""A regression that is fixed and broken again is found with at most one query a stored witness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.sweep.line import Line
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.keeping import Keeper
from gate.suites.perturbation.models import as_model, ask
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import infer
from gate.suites.perturbation.witnesses import LIMIT
from gate.suites.perturbation.worst_case import Worst, keeping

EPSILON = 0.1


def lines() -> Iterator[Line]:
    """A brittle forest, a smooth model that replaces it, and the forest again, on breast cancer."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = load_breast_cancer(return_X_y=True)
    broken = RandomForestClassifier(20, random_state=0).fit(x[::2], y[::2])
    mended = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(x[::2], y[::2])
    frame = Frame.of(x[1::2], "witnesses")
    schema = infer(frame, where="witnesses")
    ids = [f"{row:012x}" for row in range(frame.rows)]

    def swept(estimator: object, stored: Keeper | None) -> tuple[Worst, Keeper]:
        keeper = Keeper(() if stored is None else stored.close(), ids, b"key", LIMIT)
        model = as_model(estimator, where="witnesses")
        clean = ask(model, frame.native(), frame.rows, "witnesses")
        config = replace(SweepConfig(path=""), epsilons=(EPSILON,))
        return keeping(keeper)(model, frame, schema, clean, EPSILON, config, None, lambda _: None), keeper

    found, first = swept(broken, None)
    other, second = swept(mended, first)
    again, third = swept(broken, second)
    stored = len(second.close())
    fixed = [row for row in range(frame.rows) if found.flipped[row] and not other.flipped[row]]
    told = {
        "rows that the first flips": int(found.flipped.sum()),
        "of them mended": len(fixed),
        "of them found again by their witnesses": sum(row in third.points for row in fixed),
        "witnesses": stored,
        "queries of the replay": third.queries,
        "queries of the first search": found.queries,
        "queries of the next sweep": again.queries,
    }
    holds = bool(fixed) and all(row in third.points for row in fixed) and third.queries <= stored
    yield Line(6, "what was mended and breaks again is found with at most one query a witness", told, stored,
               holds=holds)  # fmt: skip
