"""A whole sweep of one table: noise and the worst case at every ε, their measures, and one status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gate.errors import UsageError
from gate.schema.report import Attack
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.diagnosis import why_nothing_moved
from gate.suites.perturbation.drop_in import epsilon_key
from gate.suites.perturbation.frame_consistency import consistency_of
from gate.suites.perturbation.further import Moved, further
from gate.suites.perturbation.measures.consistency import Consistency
from gate.suites.perturbation.measures.per_epsilon import EpsilonMeasures, measure
from gate.suites.perturbation.measures.robust import Robust, robust
from gate.suites.perturbation.measures.smallest import SmallestEpsilon, smallest_epsilon
from gate.suites.perturbation.measures.status import Status, gate_status, worst
from gate.suites.perturbation.models import Answers, Model, NoiseFloor, ask, borderline, noise_floor, spread_of
from gate.suites.perturbation.models.reading import label_text
from gate.suites.perturbation.noise_sweep import Noisy, draws_for, gaussian
from gate.suites.perturbation.recorded import predictions_of
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Schema
from gate.suites.perturbation.worst_case import Progress, Search, Worst

NAMED = 5
"""Causes that are named of what could not be measured at one ε."""


@dataclass(frozen=True, slots=True)
class Step:
    """One ε.

    Attributes:
        noise: measures of the first draw; its `maximum` is the median over draws.
        worst: what the search flipped; None where it was left out or its failure is in `errors`.
        robust: right answers under the worst case where it was sought, else under the noise; None without a truth.
        status: by what the configuration judges; PASS for what the model does by itself.
    """

    epsilon: float
    noise: EpsilonMeasures
    worst: Worst | None
    robust: Robust | None
    status: Status


@dataclass(frozen=True, slots=True)
class Sweep:
    """Everything that one sweep measured.

    Attributes:
        score: the reference's robustness score.
        status: the worst of all ε; None where something failed, so that nothing passes.
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
    of_rows: int | None = None,
    search: Search | None = None,
    progress: Progress = lambda _: None,
    clean: Answers | None = None,
    draws: int | None = None,
    perturbations: Sequence[tuple[str, float]] = (),
    more: bool = True,
    where: str = "gate sweep",
) -> Sweep:
    """Measure a table.

    Args:
        frame: the rows that are swept, features only.
        truth: n true classes as texts or values, None where unknown.
        of_rows: how many rows there are, of which these are a sample.
        search: finds flips inside a ball; None leaves the worst case out.
        progress: told what begins, one line each.
        clean: the answers to the rows as they are, where the caller has asked already.
        draws: of noise at each ε; by default as `draws_for` says.
        perturbations: further ones, each with its strength.
        more: also what no report holds: the consistency, and a diagnosis where nothing moved.

    Raises:
        UsageError: nothing to perturb, or answers that can't be read.
    """
    if clean is None:
        progress(f"asking {model.name} about {frame.rows:,} rows")
        clean = ask(model, frame.native(), frame.rows, where)
    if clean.kind != "values":
        truth = [None if each is None else label_text(each) for each in truth]
    unit = _spread(clean, truth)
    asked = _Asked(config, frame, schema, model, clean, *_truth(clean, truth, config, where), unit,
                   noise_floor(model, frame.native(), frame.rows, where, spread=unit), where,
                   draws_for(frame.rows) if draws is None else draws)  # fmt: skip
    errors = [f"row {row}: {cause:.200}" for row, cause in list(clean.failed.items())[:NAMED]]
    measured = _every(asked, search, progress, errors)
    steps = tuple(step for step, _ in measured)
    swept = [noisy for _, noisy in measured]
    others, failures = _others(asked, perturbations, progress)
    errors += failures
    return Sweep(
        config=config,
        steps=steps,
        score=max(each.noise.maximum for each in steps),
        status=None if errors else worst([each.status for each in steps]),
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
        others=others,
        **predictions_of(
            clean, truth, asked.right, swept, [each.worst for each in steps if each.worst is not None], config, others
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """What every ε is measured against."""

    config: SweepConfig
    frame: Frame
    schema: Schema
    model: Model
    clean: Answers
    known: Any
    right: Any
    unit: float | None
    floor: NoiseFloor
    where: str
    draws: int


def _every(asked: _Asked, search: Search | None, progress: Progress, errors: list[str]) -> list[tuple[Step, Noisy]]:
    """What was measured at each ε; what was not is added to the errors, and the others go on.

    Raises:
        UsageError: nothing could be measured at any ε.
    """
    found: list[tuple[Step, Noisy]] = []
    refused: UsageError | None = None
    for epsilon in asked.config.epsilons:
        try:
            noisy = _noisy(asked, epsilon, progress)
        except UsageError as error:
            refused = error
            errors.append(f"noise at ε={epsilon:g}: {error.message}")
            continue
        worst_here = None
        if search is not None:
            progress(f"ε = {epsilon:g}: worst case")
            try:
                worst_here = search(
                    asked.model, asked.frame, asked.schema, asked.clean, epsilon, asked.config, asked.unit, progress
                )
            except UsageError as error:
                errors.append(f"worst case at ε={epsilon:g}: {error.message}")
        found.append((_step(asked, noisy, worst_here), noisy))
        errors += _failures(noisy, worst_here)
    if refused is not None and not found:
        raise refused
    return found


def _noisy(asked: _Asked, epsilon: float, progress: Progress) -> Noisy:
    """The noise of one ε, without flips that the model makes by itself."""
    config = asked.config
    progress(f"ε = {epsilon:g}: noise")
    noisy = gaussian(
        asked.model, asked.frame, asked.schema, asked.clean, epsilon, seed=config.seed,
        draws=asked.draws, tolerance=config.tolerance, spread=asked.unit, where=asked.where,
    )  # fmt: skip
    return replace(noisy, flipped=noisy.flipped & ~asked.floor.within(noisy.changes))


def _others(
    asked: _Asked, perturbations: Sequence[tuple[str, float]], progress: Progress
) -> tuple[tuple[Moved, ...], list[str]]:
    """What further perturbations did, and why one could not be made; the others go on."""
    found: list[Moved] = []
    errors: list[str] = []
    for name, strength in perturbations:
        progress(f"{name}, {strength:g}")
        try:
            moved = further(
                asked.model, asked.frame, asked.schema, asked.clean, name, strength, seed=asked.config.seed,
                tolerance=asked.config.tolerance, spread=asked.unit, where=asked.where,
            )  # fmt: skip
        except UsageError as error:
            errors.append(f"{name} {strength:g}: {error.message}")
            continue
        found.append(replace(moved, flipped=moved.flipped & ~asked.floor.within(moved.changes)))
        errors += [f"{moved.name}, row {row}: {cause:.200}" for row, cause in moved.answers.failed.items()][:NAMED]
    return tuple(found), errors


def _step(asked: _Asked, noisy: Noisy, found: Worst | None) -> Step:
    rows = asked.clean.answered & noisy.answers.answered
    noise = measure(noisy.epsilon, noisy.changes[rows], noisy.flipped[rows], where=asked.where)
    noise = replace(noise, maximum=noisy.typical_maximum)
    marks = noisy.flipped if found is None else found.flipped
    broken = robust(asked.right, marks, asked.known, where=asked.where) if asked.known.any() else None
    if asked.config.judge == "score":
        judged = noise.maximum
        own = asked.floor.inside(judged)
    else:
        success = None if broken is None else broken.attack_success_rate
        judged = float(marks[asked.clean.answered].mean()) if success is None else success
        own = not asked.floor.deterministic and judged <= asked.floor.other_class / asked.floor.rows
    status = gate_status(judged, asked.config.threshold, where=asked.where)
    return Step(noisy.epsilon, noise, found, broken, "PASS" if own else status)


def _failures(noisy: Noisy, found: Worst | None) -> list[str]:
    causes = [f"noise at ε={noisy.epsilon:g}, row {row}: {cause:.200}" for row, cause in noisy.failed.items()]
    if found is not None:
        causes += [f"worst case at ε={noisy.epsilon:g}, row {row}: {cause:.200}" for row, cause in found.errors.items()]
    return causes[:NAMED]


def _truth(clean: Answers, truth: Sequence[object], config: SweepConfig, where: str) -> tuple[Any, Any]:
    """(n,) whether the truth is known, and whether the clean answer is right."""
    import numpy as np

    if len(truth) != clean.rows:
        raise UsageError(f"{len(truth):,} true answers for {clean.rows:,} rows", where=where, remedy="give one a row")
    if clean.kind == "values":
        told = np.array([np.nan if each is None else float(each) for each in truth])  # type: ignore[arg-type]
        known = ~np.isnan(told)
        spread = float(np.std(told[known])) if known.any() else 0.0
        near = np.abs(np.nan_to_num(clean.content - told, nan=np.inf)) <= config.tolerance * (spread or 1.0)
        return known, near & known
    known = np.array([each is not None for each in truth], dtype=bool)
    unknown = sorted({str(each) for each in truth if each is not None} - set(clean.labels))
    if unknown and clean.kind == "probabilities":
        raise UsageError(
            f"the target holds {unknown[0]!r:.60}, none of the model's classes ({', '.join(clean.labels[:5])})",
            where=where,
            remedy="name the model's classes in `labels`, in the order of its probabilities, as the target writes them",
        )
    named = [clean.labels[place] if place >= 0 else None for place in clean.predicted().tolist()]
    right = np.array([said is not None and said == str(each) for said, each in zip(named, truth, strict=True)])
    return known, right & known


def _spread(clean: Answers, truth: Sequence[object]) -> float | None:
    """For values the target's standard deviation, and that of the answers where no target is known."""
    import numpy as np

    if clean.kind != "values":
        return None
    told = [float(each) for each in truth if each is not None]  # type: ignore[arg-type]
    found = float(np.std(told)) if told else 0.0
    return found if found > 0 else spread_of(clean)


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


def _diagnosis(asked: _Asked, swept: Sequence[Noisy]) -> str:
    config, where = asked.config, asked.where
    try:
        return why_nothing_moved(
            asked.model, asked.frame, asked.schema, asked.clean, swept, seed=config.seed, where=where
        )
    except UsageError:
        return ""  # it tries noise that is larger than what was asked for, which the model need not take
