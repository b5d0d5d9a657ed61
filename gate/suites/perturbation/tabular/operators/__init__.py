"""Typed perturbations of columns, one module a family, all of them in one table."""

from __future__ import annotations

from types import MappingProxyType

from gate.suites.perturbation.tabular.operators.absence import DROP_OUT, MISSING
from gate.suites.perturbation.tabular.operators.categories import CATEGORY_SWAP
from gate.suites.perturbation.tabular.operators.noise import GAUSSIAN_NOISE, UNIFORM_NOISE
from gate.suites.perturbation.tabular.operators.numbers import OFF_BY, ROUNDING, UNIT_ERROR
from gate.suites.perturbation.tabular.operators.operator import Operator

OPERATORS = MappingProxyType(
    {
        operator.name: operator
        for operator in (
            GAUSSIAN_NOISE,
            UNIFORM_NOISE,
            ROUNDING,
            UNIT_ERROR,
            OFF_BY,
            CATEGORY_SWAP,
            MISSING,
            DROP_OUT,
        )
    }
)

__all__ = ["OPERATORS", "Operator"]
