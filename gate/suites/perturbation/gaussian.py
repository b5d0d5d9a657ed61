"""Gaussian noise on numeric columns, the same noise for a column whatever else is swept.

The noise of a column is N(0, (ε·s)²) with s the column's standard deviation (population, NaN left out). Its generator
is keyed by (seed, ε, column name), so that neither the list of ε nor the order or number of columns changes it.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError
from gate.schema.report import Attack
from gate.schema.symbols import UNKNOWN, score_symbol, symbol

MOVES_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found; strings have one character an example.

    Attributes:
        max_delta: largest change of the probability of any class, over all examples and ε; None without any example.
        row_names: names of the rows, from the frame's index or their numbers.
    """

    labels: tuple[str, ...]
    expected: str
    predicted: str
    scores: str
    attacks: tuple[Attack, ...]
    design: Mapping[str, str]
    max_delta: float | None
    row_names: tuple[object, ...]


def sweep(
    predict_proba: Any,
    inputs: Any,
    truth: Sequence[str | None],
    *,
    epsilons: Sequence[float],
    protected: Sequence[str] = (),
    seed: int = 0,
    labels: Sequence[str] | None = None,
    where: str = "sweep",
) -> Swept:
    """Perturb, predict, and say which examples flip.

    Args:
        predict_proba: (n, features) -> (n, classes) or (n,) probabilities.
        inputs: (n, features) array or data frame; booleans, texts, categories and dates are left as they are.
        truth: n true classes as texts, None where unknown.
        epsilons: positive, unique shares of the columns' standard deviations.
        protected: names of columns that are never perturbed (`0`, `1`, … for an array).

    Raises:
        UsageError: an unknown protected column, an ε that is not positive, probabilities of a wrong shape or no number.
    """
    _check_epsilons(epsilons, where)
    table = _Table(inputs, where)
    table.refuse_unknown(protected, where)
    classes = tuple(labels) if labels is not None else tuple(sorted({name for name in truth if name is not None}))
    if len(truth) != table.rows:
        raise UsageError(f"lengths differ: {table.rows:,} rows, {len(truth):,} in y", where=where)
    clean = _probabilities(predict_proba, inputs, table.rows, classes, where)
    predicted = _predicted(clean)
    attacks = []
    deltas = []
    for epsilon in epsilons:
        noisy, moves = table.perturbed(epsilon, seed, frozenset(protected))
        under = _probabilities(predict_proba, noisy, table.rows, classes, where)
        attacks.append(_attack(epsilon, clean, under, moves, table))
        deltas.append(_largest(abs(under - clean)))
    known = {name: symbol(place) for place, name in enumerate(classes)}
    unknown = sorted({name for name in truth if name is not None} - set(known))
    if unknown:
        raise UsageError(f"`labels` lacks the class {unknown[0]!r:.60} of y", where=where, remedy="list every class")
    return Swept(
        labels=classes,
        expected="".join(UNKNOWN if name is None else known[name] for name in truth),
        predicted="".join(UNKNOWN if place < 0 else symbol(place) for place in predicted),
        scores=_scores(clean),
        attacks=tuple(attacks),
        design={
            "epsilons": json.dumps([float(epsilon) for epsilon in epsilons]),
            "protected": json.dumps(sorted(protected)),
            "seed": json.dumps(seed),
        },
        max_delta=max((delta for delta in deltas if delta is not None), default=None),
        row_names=table.row_names,
    )


def column_noise(seed: int, epsilon: float, column: str, count: int) -> Any:
    """(count,) standard normal draws of the generator that belongs to (seed, ε, column name)."""
    import numpy as np

    key = hashlib.blake2b(json.dumps([seed, float(epsilon), column]).encode("utf-8"), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key, "big"))).standard_normal(count)


class _Table:
    """An array or a data frame, by named columns."""

    def __init__(self, inputs: Any, where: str) -> None:
        import numpy as np

        self._inputs = inputs
        self.frame = hasattr(inputs, "columns") and hasattr(inputs, "iloc")
        if self.frame:
            self.names = [str(name) for name in inputs.columns]
            self.rows = len(inputs)
            self.row_names: tuple[object, ...] = tuple(inputs.index)
        else:
            array = np.asarray(inputs)
            if array.ndim != 2:
                raise UsageError(
                    f"X has {array.ndim} dimensions", where=where, remedy="give rows and columns (n, features)"
                )
            self._inputs = array
            self.names = [str(place) for place in range(array.shape[1])]
            self.rows = array.shape[0]
            self.row_names = tuple(range(self.rows))
        if len(set(self.names)) != len(self.names):
            raise UsageError("two columns of X have one name", where=where, remedy="name each column differently")

    def refuse_unknown(self, protected: Sequence[str], where: str) -> None:
        for name in protected:
            if name not in self.names:
                close = difflib.get_close_matches(name, self.names, n=1)
                advice = f"did you mean {close[0]!r}?" if close else f"columns are: {', '.join(self.names[:20])}"
                raise UsageError(f"X has no column {name!r:.60} to protect", where=where, remedy=advice)

    def perturbed(self, epsilon: float, seed: int, protected: frozenset[str]) -> tuple[Any, dict[str, Any]]:
        """A copy with noise, and by column how far each row moved in standard deviations."""
        import numpy as np

        noisy = self._inputs.copy() if self.frame else np.array(self._inputs, dtype=_wider(self._inputs.dtype))
        moves: dict[str, Any] = {}
        for place, name in enumerate(self.names):
            column = self._inputs.iloc[:, place] if self.frame else self._inputs[:, place]
            if name in protected or not _is_numeric(column):
                continue
            numbers = np.asarray(column, dtype=float)
            spread = float(np.nanstd(numbers)) if np.isfinite(numbers).any() else 0.0
            if not np.isfinite(spread) or spread == 0:
                continue
            shift = epsilon * column_noise(seed, epsilon, name, self.rows)
            moves[name] = shift
            if self.frame:
                noisy[noisy.columns[place]] = numbers + shift * spread
            else:
                noisy[:, place] = numbers + shift * spread
        return noisy, moves


def _is_numeric(column: Any) -> bool:
    kind = getattr(getattr(column, "dtype", None), "kind", "O")
    return kind in "iuf"


def _wider(dtype: Any) -> Any:
    import numpy as np

    return dtype if dtype.kind == "f" else np.dtype(float)


def _probabilities(predict_proba: Any, inputs: Any, rows: int, classes: Sequence[str], where: str) -> Any:
    import numpy as np

    try:
        found = np.asarray(predict_proba(inputs), dtype=float)
    except (TypeError, ValueError) as error:
        raise UsageError(f"predict_proba: {error}", where=where, remedy="it takes X and returns numbers") from error
    if found.ndim == 1 and found.shape[0] == rows:
        found = np.column_stack([1 - found, found])
    if found.shape != (rows, len(classes)):
        raise UsageError(
            f"predict_proba gave the shape {found.shape}, expected ({rows}, {len(classes)})",
            where=where,
            remedy="give `labels`, one for each column of the probabilities",
        )
    inside = np.isnan(found) | ((found >= -1e-9) & (found <= 1 + 1e-9))
    if not inside.all():
        raise UsageError(
            "predict_proba gave a number outside 0 to 1", where=where, remedy="give probabilities, not raw scores"
        )
    return np.clip(found, 0, 1)


def _predicted(probabilities: Any) -> list[int]:
    """Index of the most likely class (the first of equals), -1 where the model gave no number."""
    import numpy as np

    unscored = np.isnan(probabilities).any(axis=1)
    best = np.argmax(np.nan_to_num(probabilities, nan=-1.0), axis=1)
    return [-1 if missing else int(place) for place, missing in zip(best, unscored, strict=True)]


def _scores(probabilities: Any) -> str:
    import numpy as np

    best = np.max(probabilities, axis=1, initial=0.0)
    return "".join(UNKNOWN if np.isnan(score) else score_symbol(float(score)) for score in best)


def _attack(epsilon: float, clean: Any, under: Any, moves: dict[str, Any], table: _Table) -> Attack:
    before, after = _predicted(clean), _predicted(under)
    flipped = "".join(
        UNKNOWN if now < 0 or was < 0 else "01"[now != was] for was, now in zip(before, after, strict=True)
    )
    told: dict[int, str] = {}
    for row in [place for place, mark in enumerate(flipped) if mark == "1"][:MOVES_SHOWN]:
        name, shift = max(
            ((name, float(moves[name][row])) for name in table.names if name in moves),
            key=lambda move: abs(move[1]),
            default=("", 0.0),
        )
        sign = "+" if shift >= 0 else "−"
        told[row] = f"{name} {sign}{abs(shift):.2g} sd"
    return Attack(name=f"gaussian ε={epsilon:g}", flipped=flipped, moves=told, scores=_scores(under))


def _largest(deltas: Any) -> float | None:
    import numpy as np

    return float(np.nanmax(deltas)) if deltas.size and not np.isnan(deltas).all() else None


def _check_epsilons(epsilons: Sequence[float], where: str) -> None:
    if not epsilons:
        raise UsageError("no epsilon is given", where=where, remedy="give at least one, for example 0.05")
    for epsilon in epsilons:
        if not 0 < epsilon < float("inf"):
            raise UsageError(f"epsilon {epsilon!r} is not positive", where=where, remedy="give shares such as 0.05")
    if len(set(epsilons)) != len(epsilons):
        raise UsageError("an epsilon stands twice", where=where, remedy="give each once")
