"""Gaussian noise on numeric columns, the same noise for a column whatever else is swept.

The noise of a column is N(0, (ε·s)²) with s the column's standard deviation (population, over its finite cells). Its
generator is keyed by (seed, ε, column name), so that neither the list of ε nor the order or number of columns changes
it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gate.errors import UsageError
from gate.schema.report import Attack
from gate.schema.symbols import MAX_LABELS, UNKNOWN, symbol
from gate.suites.perturbation import probabilities
from gate.suites.perturbation.table import Column, Table
from gate.suites.perturbation.tabular import strengths
from gate.suites.perturbation.tabular.draws import column_noise

MOVES_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found; strings have one character an example.

    Attributes:
        attacks: one an ε, smallest first.
        deltas: by ε the largest change of any class's probability over all examples; None without any.
        row_names: names of the rows, from the frame's index or their numbers.
        raw_moves: by attack and row what `Attack.moves` says, in the user's own units; never for a report.
    """

    labels: tuple[str, ...]
    expected: str
    predicted: str
    scores: str
    attacks: tuple[Attack, ...]
    design: Mapping[str, str]
    deltas: Mapping[float, float | None]
    row_names: tuple[object, ...]
    raw_moves: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @property
    def max_delta(self) -> float | None:
        """The largest change over all ε; None without any."""
        return max((delta for delta in self.deltas.values() if delta is not None), default=None)


def sweep(  # noqa: PLR0913  the field's own parameters, named in every call
    predict_proba: Any,
    inputs: Any,
    truth: Sequence[str | None],
    *,
    epsilons: Sequence[float],
    protected: Sequence[str] = (),
    seed: int = 0,
    labels: Sequence[str] | None = None,
    numeric: bool = False,
    feature_names: Sequence[str] | None = None,
    where: str = "sweep",
) -> Swept:
    """Perturb, predict, and say which examples flip.

    Args:
        predict_proba: (n, features) -> (n, classes), or (n,) or (n, 1) probabilities of the second class.
        inputs: (n, features) array or data frame, never changed; booleans, texts, categories and dates stay as is.
        truth: n true classes as texts, None where unknown.
        epsilons: positive, unique shares of the columns' standard deviations.
        protected: names of columns that are never perturbed (`0`, `1`, … for an array without `feature_names`).
        labels: the classes in the order of the probabilities; by default the sorted classes of the truth.
        numeric: whether classes are whole numbers, which are then sorted by value.

    Raises:
        UsageError: an unknown protected column, an ε that is not positive, nothing to perturb, probabilities of a
            wrong shape or no number.
    """
    steps = strengths.checked(epsilons, where)
    table = Table(inputs, where, feature_names)
    table.refuse_unknown(protected)
    columns = table.numeric(frozenset(protected))
    if len(truth) != table.rows:
        remedy = "give one true class for each row, None where it is unknown"
        raise UsageError(f"lengths differ: {table.rows:,} rows, {len(truth):,} in y", where=where, remedy=remedy)
    clean = probabilities.ask(predict_proba, table.copy(), table.rows, where)
    classes = probabilities.classes_for(clean.shape[1], labels, truth, numeric=numeric, where=where)
    if len(classes) > MAX_LABELS:
        remedy = "sweep a model of fewer classes"
        raise UsageError(f"{len(classes):,} classes are more than {MAX_LABELS:,}", where=where, remedy=remedy)
    results = [_one(predict_proba, table, columns, clean, seed, epsilon, where) for epsilon in steps]
    known = {name: symbol(place) for place, name in enumerate(classes)}
    return Swept(
        labels=classes,
        expected="".join(UNKNOWN if name is None else known[name] for name in truth),
        predicted="".join(UNKNOWN if place < 0 else symbol(place) for place in probabilities.best(clean)),
        scores=probabilities.scores(clean),
        attacks=tuple(attack for attack, _, _ in results),
        design={
            "epsilons": json.dumps(steps),
            "protected": json.dumps(sorted(set(protected))),
            "seed": json.dumps(seed),
        },
        deltas={epsilon: delta for epsilon, (_, delta, _) in zip(steps, results, strict=True)},
        row_names=table.row_names,
        raw_moves={attack.name: raw for attack, _, raw in results},
    )


def _one(
    predict_proba: Any, table: Table, columns: Sequence[Column], clean: Any, seed: int, epsilon: float, where: str
) -> tuple[Attack, float | None, dict[int, str]]:
    """The attack of one ε, its largest change, and its moves in raw values."""
    shifts = {column.place: epsilon * column_noise(seed, epsilon, column.name, table.rows) for column in columns}
    noisy = {column.place: column.numbers + shifts[column.place] * column.spread for column in columns}
    under = probabilities.ask(predict_proba, table.replaced(noisy), table.rows, f"{where}, ε={epsilon!r}")
    if under.shape != clean.shape:
        remedy = "return the same classes for each call"
        raise UsageError(f"predict_proba gave {under.shape} after {clean.shape}", where=where, remedy=remedy)
    flipped = _flipped(probabilities.best(clean), probabilities.best(under))
    farthest = _farthest(flipped, columns, shifts)
    raw = {row: table.shown(column, row, float(noisy[column.place][row])) for row, column in farthest.items()}
    attack = Attack(f"gaussian ε={_short(epsilon)}", flipped, _moves(farthest, shifts), probabilities.scores(under))
    return attack, probabilities.largest_change(clean, under), raw


def _flipped(before: Sequence[int], after: Sequence[int]) -> str:
    return "".join(UNKNOWN if now < 0 or was < 0 else "01"[now != was] for was, now in zip(before, after, strict=True))


def _farthest(flipped: str, columns: Sequence[Column], shifts: Mapping[int, Any]) -> dict[int, Column]:
    """For the first flipped rows, the column that moved most; an empty cell does not move."""
    found: dict[int, Column] = {}
    for row in [place for place, mark in enumerate(flipped) if mark == "1"][:MOVES_SHOWN]:
        moved = [column for column in columns if math.isfinite(column.numbers[row])]
        if moved:
            found[row] = max(moved, key=lambda column: (abs(float(shifts[column.place][row])), column.name))
    return found


def _moves(farthest: Mapping[int, Column], shifts: Mapping[int, Any]) -> dict[int, str]:
    told = {}
    for row, column in farthest.items():
        shift = float(shifts[column.place][row])
        told[row] = f"{column.name} {'+' if shift >= 0 else '−'}{abs(shift):.2g} sd"
    return told


def _short(epsilon: float) -> str:
    """Six digits, or as many as tell it from its neighbours."""
    short = f"{epsilon:g}"
    return short if float(short) == epsilon else repr(epsilon)
