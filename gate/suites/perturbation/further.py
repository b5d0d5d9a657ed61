"""Perturbations beside the noise that every sweep makes, each by its name in the table of operators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.models import Answers, Model, changes, flipped, spread_of
from gate.suites.perturbation.models.asking import ask_each, batch_size, joined
from gate.suites.perturbation.noise_sweep import MOVES_SHOWN
from gate.suites.perturbation.tabular.draws import GAUSSIAN
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.names import unknown
from gate.suites.perturbation.tabular.operators import OPERATORS
from gate.suites.perturbation.tabular.perturb import parts
from gate.suites.perturbation.tabular.row_order import inverse, placed
from gate.suites.perturbation.tabular.schema import Schema
from gate.suites.perturbation.tabular.strengths import Unit, checked
from gate.suites.perturbation.time_limit import FOREVER, TimeLimit, TimeUpError

DEFAULTS: Mapping[Unit, tuple[float, ...]] = {"count": (1.0,), "factor": (10.0,), "share": (0.1,)}
"""Strengths where none is given; one whose unit is the scale takes the sweep's own ε."""
_LETTERS: Mapping[Unit, str] = {"scale": "ε=", "count": "k=", "factor": "×", "share": "p="}


@dataclass(frozen=True, slots=True)
class Moved:
    """One perturbation at one strength.

    Attributes:
        name: such as `uniform ε=0.05`, `category-swap k=1`, `unit-error ×10`, `missing p=0.1`.
        answers, changes, flipped: n examples each.
        moves: for the first flipped rows what moved farthest, in units of scale; never a level or a value.
        raw: the same rows in the user's own units; never for a report.
    """

    name: str
    answers: Answers
    changes: Any
    flipped: Any
    moves: Mapping[int, str] = field(default_factory=dict)
    raw: Mapping[int, str] = field(default_factory=dict)


def planned(wanted: object, epsilons: Iterable[float], where: str) -> list[tuple[str, float]]:
    """Each further perturbation with each of its strengths; Gaussian noise is made anyway and left out.

    Args:
        wanted: names, or a mapping from names to strengths in the operator's own unit (none for its defaults).
        epsilons: of the sweep.

    Raises:
        UsageError: an unknown name, with the nearest one, or a strength that its unit can't have.
    """
    if not isinstance(wanted, Iterable):
        told = f"perturbations are names or a mapping from names to strengths, not {type(wanted).__name__}"
        raise UsageError(told, where=where, remedy='give names, such as ["missing"]')
    given: Mapping[str, object] = (
        wanted if isinstance(wanted, Mapping) else dict.fromkeys([wanted] if isinstance(wanted, str) else wanted, ())
    )
    found = []
    for name, strengths in given.items():
        if name not in OPERATORS:
            raise unknown("perturbation", name, OPERATORS, where)
        if name == GAUSSIAN:
            continue
        unit = OPERATORS[name].unit
        chosen = _numbers(name, strengths, where) or list(DEFAULTS.get(unit, epsilons))
        found += [(name, strength) for strength in checked(chosen, f"{where}, {name}", unit)]
    return found


def _numbers(name: str, strengths: object, where: str) -> list[float]:
    """The strengths of one perturbation.

    Raises:
        UsageError: no list of numbers.
    """
    given = list(strengths) if isinstance(strengths, Iterable) else [None]
    found = [float(each) for each in given if not isinstance(each, bool) and isinstance(each, Real)]
    if len(found) < len(given):
        told = f"the strengths of {name!r:.60} are no list of numbers"
        raise UsageError(told, where=where, remedy=f'give a list, such as {{"{name:.60}": [0.1]}}')
    return found


def further(  # noqa: PLR0913  what every perturbation needs
    model: Model,
    frame: Frame,
    schema: Schema,
    clean: Answers,
    name: str,
    strength: float,
    *,
    seed: int,
    tolerance: float | None = None,
    spread: float | None = None,
    threads: int = 1,
    limit: TimeLimit = FOREVER,
    order: Any = None,
    where: str = "sweep",
) -> Moved:
    """Ask the model about rows under one perturbation, in batches that are made while it is asked.

    Args:
        threads: how many batches are asked at once of a model that is thread-safe; they change nothing else.
        limit: looked at between batches.
        order: (n,) places of the rows in the order in which they draw; None for their own.

    Raises:
        TimeUpError: the time ended before the last batch.
        UsageError: no column that it may move, a model that raises on every row, or what `ask` raises.
    """
    if order is not None:
        frame, clean = frame.take(order), clean.take(order)
    unit = spread_of(clean) if spread is None and clean.kind == "values" else spread
    shown = f"{name} {_LETTERS[OPERATORS[name].unit]}{strength:g}"
    size = batch_size(model, len(frame.names), workers=max(1, threads))
    made = parts(frame, schema, name, strength, seed=seed, size=size, where=where)
    pieces: list[Moved] = []
    seen = 0
    for start, native, answers in ask_each(
        model, made, clean, f"{where}, {shown}", threads=threads, copies=clean.mutated
    ):
        stop = start + answers.rows
        if limit.over and stop < frame.rows:
            raise TimeUpError(f"{stop:,} of {frame.rows:,} rows")
        before = clean.span(start, stop)
        marks = flipped(before, answers, tolerance, spread=unit, where=where)
        moves, raw = moves_of(frame.span(start, stop), native, schema, marks, max(0, MOVES_SHOWN - seen))
        seen += int(marks.sum())
        pieces.append(Moved(shown, answers, changes(before, answers, unit, where), marks, *_from(start, moves, raw)))
    found = _together(pieces, f"{where}, {shown}")
    return found if order is None else _restored(found, order)


def _from(start: int, moves: dict[int, str], raw: dict[int, str]) -> tuple[dict[int, str], dict[int, str]]:
    """What is told of the rows of a batch, by their places among all."""
    return {start + row: told for row, told in moves.items()}, {start + row: told for row, told in raw.items()}


def _together(pieces: Sequence[Moved], where: str) -> Moved:
    """What was measured of batches, as of all their rows.

    Raises:
        UsageError: the model raised on every row.
    """
    import numpy as np

    answers = joined([each.answers for each in pieces], where)
    if not answers.answered.any():
        told = f"the model raised on every row: {next(iter(answers.failed.values())):.300}"
        raise UsageError(told, where=where, remedy="try the model on one row by hand")
    return Moved(
        pieces[0].name,
        answers,
        np.concatenate([each.changes for each in pieces]),
        np.concatenate([each.flipped for each in pieces]),
        {row: told for each in pieces for row, told in each.moves.items()},
        {row: told for each in pieces for row, told in each.raw.items()},
    )


def _restored(found: Moved, order: Any) -> Moved:
    """What was measured of the rows in that order, as of the rows in their own."""
    back = inverse(order)
    return replace(
        found,
        answers=found.answers.take(back),
        changes=found.changes[back],
        flipped=found.flipped[back],
        moves=placed(found.moves, order),
        raw=placed(found.raw, order),
    )


def moves_of(
    frame: Frame, native: Any, schema: Schema, marks: Any, most: int = MOVES_SHOWN
) -> tuple[dict[int, str], dict[int, str]]:
    """For the first flipped rows, at most so many, what moved farthest: in units of scale, and in the user's own."""
    import numpy as np

    rows = np.flatnonzero(marks)[:most]
    if not len(rows):
        return {}, {}
    old, new = frame.take(rows), Frame.of(native, "moves", frame.names).take(rows)
    told: dict[int, tuple[float, str, str, int]] = {}
    for column in sorted(schema.perturbable(), key=lambda column: column.name):  # of equals the first by name
        before, after = old.values(column.name), new.values(column.name)
        for place, row in enumerate(rows.tolist()):
            was, now = before[place], after[place]
            if was == now or (was != was and now != now):  # noqa: PLR0124  two missing cells
                continue
            size, text = _move(column.name, was, now, column.scale)
            least = told.get(row, (-1.0, "", "", 0))
            best = (size, text, f"{column.name} {_cell(was)} → {_cell(now)}") if size > least[0] else least[:3]
            told[row] = (*best, least[3] + 1)
    return (
        {row: text + (f" and {count - 1} more" if count > 1 else "") for row, (_, text, _, count) in told.items()},
        {row: raw for row, (_, _, raw, _) in told.items()},
    )


def _move(name: str, was: Any, now: Any, scale: float) -> tuple[float, str]:
    """How far, for the order of columns, and in words."""
    if now is None or now != now:  # noqa: PLR0124  NaN
        return 0.0, f"{name} missing"
    if not scale or isinstance(now, str) or was is None or was != was:  # noqa: PLR0124  NaN
        return 0.0, f"{name} changed"
    shift = (float(now) - float(was)) / scale
    return abs(shift), f"{name} {'+' if shift > 0 else '−'}{abs(shift):.2g} sd"


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
