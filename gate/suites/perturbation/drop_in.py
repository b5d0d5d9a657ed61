"""`run_perturbation_sweep` and `PerturbationResult` under the names and defaults of GlassAlpha's stability testing.

What is the same: arguments, defaults, attributes, the rule of the status, the keys of the JSON. What differs, on
purpose: the noise of a column depends on (seed, ε, column) alone; columns keep their type and range; protected
attributes are followed through one-hot encoding; the score is the median over several draws of the largest change,
so that the seed says little; and what can't be measured is an error, never a status.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from gate.errors import GateError, UsageError
from gate.suites.perturbation.diagnosis import why_nothing_moved
from gate.suites.perturbation.measures.status import Status, checked_threshold, gate_status
from gate.suites.perturbation.models import Answers, Model, as_model, ask
from gate.suites.perturbation.noise_sweep import Noisy, checked_epsilons, draws_for, gaussian
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Schema, infer

EPSILONS = (0.01, 0.05, 0.1)
THRESHOLD = 0.15
SEED = 42
_WHERE = "run_perturbation_sweep"


class PerturbationError(UsageError, ValueError):
    """A sweep that measured nothing. It is a `ValueError` too, since callers of the reference catch that."""


@dataclass(frozen=True, slots=True)
class PerturbationResult:
    """What a sweep found.

    Attributes:
        robustness_score, max_delta: the largest of `per_epsilon_deltas`.
        epsilon_values: ascending.
        per_epsilon_deltas: by ε the largest change of an answer (L∞ over the classes' probabilities; 0 or 1 for
            classes; in standard deviations of the clean answers for a regression), as the median over `draws`.
        gate_status: PASS below the threshold t, WARNING from t on, FAIL from 1.5 t on.
        n_samples: rows.
        n_features_perturbed: columns that noise was added to; constant columns, texts and categories get none.
        n_features: all columns.
        n_protected: columns that tell of a protected attribute, one-hot columns counted each.
        seed: of the noise.
        draws: how often each ε was drawn.
        per_epsilon_flips: by ε the rows whose answer flipped in the first draw.
        diagnosis: why the score is 0.00, where it is; else empty.
    """

    robustness_score: float
    max_delta: float
    epsilon_values: list[float]
    per_epsilon_deltas: dict[float, float]
    gate_status: Status
    threshold: float
    n_samples: int
    n_features_perturbed: int
    n_features: int = 0
    n_protected: int = 0
    seed: int = SEED
    draws: int = 1
    per_epsilon_flips: Mapping[float, int] = field(default_factory=dict)
    diagnosis: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The first eight attributes by their names, as the reference's method gives them."""
        return {
            "robustness_score": self.robustness_score,
            "max_delta": self.max_delta,
            "epsilon_values": list(self.epsilon_values),
            "per_epsilon_deltas": dict(self.per_epsilon_deltas),
            "gate_status": self.gate_status,
            "threshold": self.threshold,
            "n_samples": self.n_samples,
            "n_features_perturbed": self.n_features_perturbed,
        }

    def to_json(self) -> dict[str, Any]:
        """The documented export: one key, `stability_analysis`, and ε as texts."""
        return {
            "stability_analysis": {
                "robustness_score": self.robustness_score,
                "gate_status": self.gate_status,
                "threshold": self.threshold,
                "per_epsilon_deltas": {epsilon_key(each): delta for each, delta in self.per_epsilon_deltas.items()},
                "n_samples": self.n_samples,
                "n_features": self.n_features,
                "n_protected": self.n_protected,
                "seed": self.seed,
            }
        }


def run_perturbation_sweep(
    model: Any,
    X_test: Any,  # noqa: N803  the reference's own name
    protected_features: Sequence[str],
    epsilon_values: Sequence[float] | None = None,
    threshold: float = THRESHOLD,
    seed: int = SEED,
) -> PerturbationResult:
    """Add Gaussian noise at every ε, and score the largest change of an answer.

    Args:
        model: an estimator with `predict_proba` or `predict`, or whatever `as_model` takes.
        X_test: (n, features) pandas, polars or Arrow table, or array; it is never changed.
        protected_features: attributes that are never perturbed, nor the one-hot columns that stand for them.
        epsilon_values: noise in units of each column's standard deviation; .01, .05 and .1 by default.
        threshold: largest change that passes.
        seed: of the noise.

    Raises:
        PerturbationError: an unknown protected attribute (the nearest name is given), nothing to perturb, an ε that
            is not positive or stands twice, a threshold that is not above 0, a seed that is no whole number, a row
            without an answer. It is a `ValueError`.
    """
    try:
        return _run(model, X_test, protected_features, EPSILONS if epsilon_values is None else epsilon_values,
                    threshold, seed)  # fmt: skip
    except PerturbationError:
        raise
    except GateError as error:
        raise PerturbationError(error.message, where=error.where, remedy=error.remedy) from error


def _run(
    model: Any, inputs: Any, protected: Sequence[str], epsilons: Sequence[float], threshold: float, seed: int
) -> PerturbationResult:
    _refuse_no_list(epsilons, "epsilon_values", "a list of numbers, such as [0.01, 0.05]")
    _refuse_no_list(protected, "protected_features", "a list of names, [] for none")
    steps, limit = checked_epsilons(epsilons, _WHERE), checked_threshold(threshold, _WHERE)
    seed = _whole(seed)
    frame = Frame.of(inputs, _WHERE)
    names = [protected] if isinstance(protected, str) else list(protected)
    schema = infer(frame, protected=names, neutral=False, where=_WHERE)
    found, clean = _asked(model, frame)
    draws, order = draws_for(frame.rows), frame.name_order
    swept = [gaussian(found, frame, schema, clean, step, seed=seed, draws=draws, tolerance=0.0, order=order,
                      shown=0, where=_WHERE) for step in steps]  # fmt: skip
    refuse_failed(clean.failed, swept, _WHERE)
    deltas = {each.epsilon: each.typical_maximum for each in swept}
    score = max(deltas.values())
    return PerturbationResult(
        robustness_score=score,
        max_delta=score,
        epsilon_values=steps,
        per_epsilon_deltas=deltas,
        gate_status=gate_status(score, limit, where=_WHERE),
        threshold=limit,
        n_samples=frame.rows,
        n_features_perturbed=len(schema.movable()),
        n_features=len(frame.names),
        n_protected=protected_count(schema),
        seed=seed,
        draws=draws,
        per_epsilon_flips={each.epsilon: int(each.flipped.sum()) for each in swept},
        diagnosis=why_nothing_moved(found, frame, schema, clean, swept, seed=seed, where=_WHERE),
    )


def _refuse_no_list(value: object, name: str, instead: str) -> None:
    if not isinstance(value, Iterable):
        raise UsageError(f"{name} is {value!r:.40}, which is no list", where=_WHERE, remedy=f"give {instead}")


def _whole(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise UsageError(f"the seed {seed!r:.40} is no whole number", where=_WHERE, remedy="give one, such as 42")
    return int(seed)


def _asked(model: Any, frame: Frame) -> tuple[Model, Answers]:
    """The model and its clean answers; like the reference, it takes whatever has one of the two methods.

    Numbers from a `predict` that nothing else is known of are values, as they are there.
    """
    if hasattr(model, "predict_proba") and not hasattr(model, "predict"):
        model = model.predict_proba
    found = as_model(model, where=_WHERE)
    try:
        return found, ask(found, frame.own(), frame.rows, _WHERE)
    except UsageError:
        if found.kind is not None or not hasattr(model, "predict"):
            raise
    found = as_model(model, kind="values", where=_WHERE)
    return found, ask(found, frame.own(), frame.rows, _WHERE)


def refuse_failed(clean: Mapping[int, str], swept: Sequence[Noisy], where: str) -> None:
    """Refuse a status where a row has no answer.

    Raises:
        UsageError: names the first row and its cause.
    """
    failed = {**{row: cause for each in swept for row, cause in each.failed.items()}, **clean}
    if failed:
        row = min(failed)
        raise UsageError(
            f"the model gave no answer for {len(failed):,} rows, so there is no status; row {row}: {failed[row]:.200}",
            where=where,
            remedy="mend the model, or leave out the rows that it can't take",
        )


def protected_count(schema: Schema) -> int:
    """Columns that tell of a protected attribute."""
    return sum(column.protected for column in schema.columns)


def epsilon_key(epsilon: float) -> str:
    """At least two decimals, as the reference prints them (`0.10`), and as many as tell it from its neighbours."""
    short = f"{epsilon:.2f}"
    return short if float(short) == epsilon else repr(float(epsilon))
