"""A whole sweep of one table: noise and the worst case at every ε, their measures, and one status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gate.errors import UsageError
from gate.schema.report import Attack
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.diagnosis import why_nothing_moved
from gate.suites.perturbation.drop_in import epsilon_key
from gate.suites.perturbation.frame_consistency import consistency_of
from gate.suites.perturbation.further import Moved
from gate.suites.perturbation.idle import idle
from gate.suites.perturbation.measures.consistency import Consistency
from gate.suites.perturbation.measures.smallest import SmallestEpsilon, smallest_epsilon
from gate.suites.perturbation.measures.status import Status, worst
from gate.suites.perturbation.models import Answers, Model, NoiseFloor, borderline, noise_floor
from gate.suites.perturbation.models.floor import FLOOR_ROWS
from gate.suites.perturbation.models.reading import label_text
from gate.suites.perturbation.noise_sweep import Noisy, clean_answers, draws_for
from gate.suites.perturbation.recorded import predictions_of
from gate.suites.perturbation.steps import NAMED, Asked, Step, every, others, spread_for, truth_of
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.row_order import by_name
from gate.suites.perturbation.tabular.schema import Schema
from gate.suites.perturbation.time_limit import FOREVER, TimeLimit
from gate.suites.perturbation.worst_case import Progress, Search


@dataclass(frozen=True, slots=True)
class Sweep:
    """Everything that one sweep measured.

    Attributes:
        score: the reference's robustness score.
        status: the worst of all ε; None where something was not measured, unless what was measured fails.
        errors: what could not be measured, each one sentence with its cause.
        smallest: of the search, over the examples that it could attack; None without a search.
        consistency: None where fewer than two rows have all their cells.
        floor: what the model does by itself, one sentence; empty for a deterministic one; `own` has its numbers.
        noise: the noise of every ε, with its moves.
        others: what further perturbations did.
        of_rows: rows of the table; more than `rows` where a sample was taken.
        labels, expected, predicted, scores, attacks: as in `gate.schema.report.Predictions`; no labels for values.
    """

    config: SweepConfig
    steps: tuple[Step, ...]
    score: float
    status: Status | None
    errors: tuple[str, ...]
    rows: int
    of_rows: int
    perturbed: tuple[str, ...]
    protected: tuple[str, ...]
    features: int
    draws: int
    accuracy: float | None
    smallest: SmallestEpsilon | None
    consistency: Consistency | None
    borderline: int
    floor: str
    diagnosis: str
    own: NoiseFloor | None = None
    noise: tuple[Noisy, ...] = ()
    others: tuple[Moved, ...] = ()
    labels: tuple[str, ...] = ()
    expected: str = ""
    predicted: str = ""
    scores: str = ""
    attacks: tuple[Attack, ...] = ()
    design: Mapping[str, str] = field(default_factory=dict)


def sweep_table(  # noqa: PLR0913  each is measured elsewhere
    config: SweepConfig,
    frame: Frame,
    schema: Schema,
    model: Model,
    truth: Sequence[object],
    *,
    names: Sequence[object] | None = None,
    of_rows: int | None = None,
    search: Search | None = None,
    progress: Progress = lambda _: None,
    clean: Answers | None = None,
    draws: int | None = None,
    perturbations: Sequence[tuple[str, float]] = (),
    more: bool = True,
    threads: int = 1,
    limit: TimeLimit = FOREVER,
    where: str = "gate sweep",
) -> Sweep:
    """Measure a table.

    Args:
        frame: the rows that are swept, features only.
        truth: n true classes as texts or values, None where unknown.
        names: of the n rows; by default the frame's own. Rows draw their noise in the order of their names, so that
            the order in which they are given changes nothing.
        of_rows: how many rows there are, of which these are a sample.
        search: finds flips inside a ball; None leaves the worst case out.
        progress: told what begins, one line each.
        clean: the answers to the rows as they are, where the caller has asked already.
        draws: of noise at each ε; by default as `draws_for` says.
        perturbations: further ones, each with its strength.
        more: also what no report holds: the consistency, and a diagnosis where nothing moved.
        threads: how many batches are asked at once of a model that is thread-safe; they change no result.
        limit: of time. The smallest ε come first, and a sweep that it ends says what was covered and never passes;
            give it to the search too (`keeping`).

    Raises:
        UsageError: nothing to perturb, or answers that can't be read.
        UndecidedError: the time ended before the first ε was covered.
    """
    if clean is None:
        progress(f"asking {model.name} about {frame.rows:,} rows")
        clean = clean_answers(model, frame, where, threads=threads)
    if clean.kind != "values":
        truth = [None if each is None else label_text(each) for each in truth]
    unit = spread_for(clean, truth)
    first = frame.span(0, min(frame.rows, FLOOR_ROWS))
    floor = noise_floor(model, first.own(), first.rows, where, spread=unit)
    asked = Asked(
        config, frame, schema, model, clean, *truth_of(clean, truth, config, where), unit, floor, where,
        draws_for(frame.rows) if draws is None else draws, threads, limit,
        frame.name_order if names is None or frame.parted else by_name(names),
    )  # fmt: skip
    errors = [f"row {row}: {cause:.200}" for row, cause in list(clean.failed.items())[:NAMED]]
    measured = every(asked, search, progress, errors)
    steps = tuple(step for step, _ in measured)
    swept = [noisy for _, noisy in measured]
    moved, failures = others(asked, perturbations, progress)
    errors += failures + idle(asked, steps)
    return Sweep(
        config=config,
        steps=steps,
        score=max(each.noise.maximum for each in steps),
        status=_status(steps, errors),
        errors=tuple(dict.fromkeys(errors)),
        rows=frame.rows,
        of_rows=frame.rows if of_rows is None else of_rows,
        perturbed=tuple(column.name for column in schema.movable()),
        protected=schema.protected(),
        features=len(frame.names),
        draws=asked.draws,
        accuracy=float(asked.right[asked.known].mean()) if asked.known.any() else None,
        smallest=_smallest(steps),
        consistency=consistency_of(frame, schema, clean, unit, config.seed, where) if more else None,
        borderline=int(borderline(clean).sum()),
        floor=asked.floor.told(),
        diagnosis=_diagnosis(asked, swept) if more else "",
        own=asked.floor,
        noise=tuple(swept),
        others=moved,
        **predictions_of(
            clean,
            truth,
            asked.right,
            swept,
            [each.worst for each in steps if each.worst is not None],
            config,
            schema,
            floor,
            moved,
        ),
    )


def stability_analysis(sweep: Sweep) -> dict[str, Any]:
    """The reference's export, with its keys, of a sweep of ours."""
    return {
        "robustness_score": sweep.score,
        "gate_status": sweep.status,
        "threshold": sweep.config.threshold,
        "per_epsilon_deltas": {epsilon_key(step.epsilon): step.noise.maximum for step in sweep.steps},
        "n_samples": sweep.rows,
        "n_features": sweep.features,
        "n_protected": len(sweep.protected),
        "seed": sweep.config.seed,
    }


def _status(steps: Sequence[Step], errors: Sequence[str]) -> Status | None:
    """The worst of all ε; None where something was not measured, unless what was measured fails already."""
    found = worst([each.status for each in steps])
    return found if not errors or found == "FAIL" else None


def _smallest(steps: Sequence[Step]) -> SmallestEpsilon | None:
    import numpy as np

    last = steps[-1].worst
    if last is None or not last.attackable.any():
        return None
    smallest = np.full(len(last.flipped), np.inf)
    for step in steps:
        if step.worst is not None:
            smallest = np.minimum(smallest, step.worst.smallest)
    found = np.where(np.isfinite(smallest), np.minimum(smallest, last.epsilon), np.nan)[last.attackable]
    return smallest_epsilon(found, last.epsilon)


def _diagnosis(asked: Asked, swept: Sequence[Noisy]) -> str:
    config, where = asked.config, asked.where
    try:
        return why_nothing_moved(
            asked.model, asked.frame, asked.schema, asked.clean, swept, seed=config.seed, where=where
        )
    except UsageError:
        return ""  # it tries noise that is larger than what was asked for, which the model need not take
