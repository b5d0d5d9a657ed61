"""One perturbation of a whole frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular import strengths
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.names import unknown
from gate.suites.perturbation.tabular.operators import OPERATORS
from gate.suites.perturbation.tabular.schema import Schema
from gate.suites.perturbation.tabular.settle import settled


def moved(
    frame: Frame, schema: Schema, perturbation: str, strength: float, *, seed: int, where: str
) -> Mapping[str, Any]:
    """The columns that a perturbation replaces, for one call of `Frame.replaced`.

    Some are written while they are drawn (`Source`), so that a mapping serves once; the same call gives the same cells.

    Args:
        schema: of the frame, or of a larger one that it is a part of.
        perturbation: a name in `OPERATORS`.
        strength: in the operator's own unit, such as a share of the scale.

    Raises:
        UsageError: an unknown perturbation, a strength that is none, or no column that it may move.
    """
    operator = OPERATORS.get(perturbation)
    if operator is None:
        raise unknown("perturbation", perturbation, OPERATORS, where)
    (strength,) = strengths.checked([strength], where, operator.unit)
    columns = operator.columns(schema)
    if not columns:
        raise UsageError(
            f"X has no column that {perturbation} may move",
            where=where,
            remedy="look at the schema: protected, immutable and constant columns, strings and dates are left alone",
        )
    return settled(frame, schema, operator.moved(frame, schema, columns, strength, seed))


def perturbed(frame: Frame, schema: Schema, perturbation: str, strength: float, *, seed: int, where: str) -> Any:
    """The user's own kind of frame under a perturbation; see `moved`."""
    return frame.replaced(moved(frame, schema, perturbation, strength, seed=seed, where=where))
