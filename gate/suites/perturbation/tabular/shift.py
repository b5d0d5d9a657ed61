"""Demographic shift: the rows are reweighted to another mix of groups, and the model is measured anew.

Weights are those of post-stratification (Holt and Smith 1979, section 2): a row of group g weighs P'(g) / P(g), with P
the observed and P' the shifted share of its group, so that groups keep their own rows and only their mix changes.
Metrics and gates are those of GlassAlpha's shift testing; unlike there, a group has any number of values, a rate
without any row to measure is None rather than 0, and a shift that no row can carry is an error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gate.errors import UsageError
from gate.suites.perturbation.tabular import weighted
from gate.suites.perturbation.tabular.names import unknown

Status = Literal["PASS", "WARNING", "FAIL"]
LEAST, MOST = 0.01, 0.99
_LOWER_IS_WORSE = frozenset(weighted.PERFORMANCE)


@dataclass(frozen=True, slots=True)
class Shift:
    """What is shifted.

    Attributes:
        attribute: the column.
        level: the group whose share changes.
        points: by how much, as a share: 0.1 for ten percentage points more.
    """

    attribute: str
    level: object
    points: float


@dataclass(frozen=True, slots=True)
class ShiftResult:
    """The model under a shift.

    Attributes:
        before, after: the group's share of the rows.
        baseline, shifted: by metric its value; None where no row measures it.
        degradation: by metric how much worse it became, in its own unit; None where either is.
        status: FAIL above the threshold, WARNING above half of it, otherwise PASS; PASS without a threshold.
        violations: the metrics above the threshold, in their order.
        effective: effective sample size under the weights (Kish 1965, section 11.7), in rows.
    """

    shift: Shift
    before: float
    after: float
    baseline: Mapping[str, float | None]
    shifted: Mapping[str, float | None]
    degradation: Mapping[str, float | None]
    threshold: float | None
    status: Status
    violations: tuple[str, ...]
    effective: float


def parse(text: str, where: str) -> tuple[str, str | None, float]:
    """Read `sex:+0.1` or, with the group, `sex=female:-0.05`, as (attribute, level or None, points).

    Raises:
        UsageError: of no such form.
    """
    named, colon, points = text.rpartition(":")
    attribute, equals, level = named.partition("=")
    try:
        value = float(points)
    except ValueError:
        value = math.nan
    if not colon or not attribute.strip() or not math.isfinite(value) or (equals and not level.strip()):
        remedy = "write ATTRIBUTE:POINTS or ATTRIBUTE=GROUP:POINTS, such as `sex=female:+0.1`"
        raise UsageError(f"the shift {text!r:.60} can't be read", where=where, remedy=remedy)
    return attribute.strip(), level.strip() if equals else None, value


def weights(groups: Sequence[object], level: object, points: float, where: str) -> Any:
    """(n,) float64 weights of the rows, of the mean 1.

    Args:
        groups: (n,) the group of each row; a missing one is a group of its own.
        level: the group whose share changes; the shares of the others keep their proportions.

    Raises:
        UsageError: no row or every row is of that group, or its new share would be outside 1 % to 99 %.
    """
    import numpy as np

    inside = np.array([group == level for group in groups], dtype=bool)
    if not inside.any():
        raise unknown("group", level, sorted({str(group) for group in groups}), where)
    before = float(inside.mean())
    after = before + points
    if inside.all():
        remedy = "shift an attribute that varies"
        raise UsageError(f"every row is of the group {level!r:.60}", where=where, remedy=remedy)
    if not LEAST - 1e-12 <= after <= MOST + 1e-12:
        raise UsageError(
            f"a shift of {points:+g} makes the share of {level!r:.60} {after:.3f}",
            where=where,
            remedy=f"shift it to a share from {LEAST:g} to {MOST:g}",
        )
    return np.where(inside, after / before, (1 - after) / (1 - before))


def run(
    shift: Shift,
    groups: Sequence[object],
    truth: Any,
    predicted: Any,
    *,
    probabilities: Any = None,
    threshold: float | None = None,
    where: str,
) -> ShiftResult:
    """Measure a binary classifier before and after the shift.

    Args:
        groups: (n,) the attribute of each row.
        truth, predicted: (n,) 0 or 1.
        probabilities: (n,) of class 1, for the metrics of calibration; None without any.
        threshold: the degradation that fails, above 0; None to report only.

    Raises:
        UsageError: other lengths or labels, a threshold that is not positive, a shift that can't be.
    """
    import numpy as np

    if threshold is not None and not 0 < threshold < math.inf:
        raise UsageError(f"the threshold {threshold!r} is not positive", where=where, remedy="give one such as 0.05")
    told, said = _binary("truth", truth, groups, where), _binary("predicted", predicted, groups, where)
    chance = None if probabilities is None else np.asarray(probabilities, dtype=float)
    if chance is not None and not (chance.shape == told.shape and ((chance >= 0) & (chance <= 1)).all()):
        raise UsageError("probabilities are no n numbers from 0 to 1", where=where, remedy="give those of class 1")
    scaled = weights(groups, shift.level, shift.points, where)
    even = np.ones(len(told))
    baseline = weighted.metrics(told, said, chance, groups, even)
    shifted = weighted.metrics(told, said, chance, groups, scaled)
    worse = {name: _worse(name, baseline[name], shifted[name]) for name in baseline}
    status, violations = _gate(worse, threshold)
    before = float(np.mean([group == shift.level for group in groups]))
    effective = float(scaled.sum() ** 2 / (scaled**2).sum())
    return ShiftResult(
        shift, before, before + shift.points, baseline, shifted, worse, threshold, status, violations, effective
    )


def _binary(what: str, values: Any, groups: Sequence[object], where: str) -> Any:
    import numpy as np

    found = np.asarray(values, dtype=float)
    if found.shape != (len(groups),):
        remedy = "give one for each row"
        raise UsageError(f"{what} has the shape {found.shape} for {len(groups):,} rows", where=where, remedy=remedy)
    if not ((found == 0) | (found == 1)).all():
        raise UsageError(f"{what} holds other classes than 0 and 1", where=where, remedy="code the classes as 0 and 1")
    return found


def _worse(name: str, before: float | None, after: float | None) -> float | None:
    if before is None or after is None:
        return None
    return before - after if name in _LOWER_IS_WORSE else after - before


def _gate(worse: Mapping[str, float | None], threshold: float | None) -> tuple[Status, tuple[str, ...]]:
    if threshold is None:
        return "PASS", ()
    violations = tuple(name for name, value in worse.items() if value is not None and value > threshold)
    if violations:
        return "FAIL", violations
    near = any(value is not None and value > threshold / 2 for value in worse.values())
    return ("WARNING" if near else "PASS"), ()
