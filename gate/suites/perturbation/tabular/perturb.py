"""One perturbation of a whole frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular import strengths
from gate.suites.perturbation.tabular.draws import Streams
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.names import unknown
from gate.suites.perturbation.tabular.operators import OPERATORS, Operator
from gate.suites.perturbation.tabular.operators.noise import LAWS, NoiseDraws
from gate.suites.perturbation.tabular.schema import Column, Schema
from gate.suites.perturbation.tabular.settle import settled


def parts(
    frame: Frame, schema: Schema, perturbation: str, strength: float, *, seed: int, size: int, where: str
) -> Iterator[tuple[Any, int]]:
    """The user's own kind of frame under a perturbation, at most `size` rows at a time, and how many rows they are.

    The size of the parts changes no cell.

    Args:
        schema: of the frame, or of a larger one that it is a part of.
        perturbation: a name in `OPERATORS`.
        strength: in the operator's own unit, such as a share of the scale.

    Raises:
        UsageError: an unknown perturbation, a strength that is none, or no column that it may move.
    """
    operator, columns, strength = _checked(schema, perturbation, strength, where)
    streams, law = Streams(seed), LAWS.get(perturbation)
    noise = None if law is None else NoiseDraws(law, frame, schema, columns, strength, streams)
    for start in range(0, frame.rows, size):
        part = frame.span(start, min(start + size, frame.rows))
        made = operator.moved(part, schema, columns, strength, streams) if noise is None else noise.next(part)
        yield part.replaced(settled(part, schema, made)), part.rows


def _checked(
    schema: Schema, perturbation: str, strength: float, where: str
) -> tuple[Operator, tuple[Column, ...], float]:
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
    return operator, columns, strength
