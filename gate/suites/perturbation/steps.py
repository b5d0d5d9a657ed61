"""One ε of a sweep: what is measured there, against what, and how it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gate.errors import UndecidedError, UsageError
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.further import Moved, further
from gate.suites.perturbation.measures.per_epsilon import EpsilonMeasures, measure
from gate.suites.perturbation.measures.robust import Robust, robust
from gate.suites.perturbation.measures.status import Status, gate_status
from gate.suites.perturbation.models import Answers, Model, NoiseFloor, borderline, spread_of
from gate.suites.perturbation.noise_sweep import Noisy, gaussian
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Schema
from gate.suites.perturbation.time_limit import FOREVER, TimeLimit, TimeUpError
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
class Asked:
    """What every ε is measured against; `order` is that in which rows draw, None for their own."""

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
    threads: int = 1
    limit: TimeLimit = FOREVER
    order: Any = None

    @property
    def sure(self) -> Any:
        """(n,) bool: rows that can flip, since they have an answer and it is not on the cut-off already."""
        return self.clean.answered & ~borderline(self.clean)


def every(asked: Asked, search: Search | None, progress: Progress, errors: list[str]) -> list[tuple[Step, Noisy]]:
    """What was measured at each ε; what was not is added to the errors, and the others go on.

    Raises:
        UsageError: nothing could be measured at any ε.
        UndecidedError: the time ended before.
    """
    found: list[tuple[Step, Noisy]] = []
    refused: UsageError | None = None
    ended = ""
    for epsilon in asked.config.epsilons:
        if asked.limit.over:
            break
        try:
            noisy = _noisy(asked, epsilon, progress)
        except TimeUpError as cut:
            ended = f"; the noise at ε={epsilon:g} came to {cut}"
            break
        except UsageError as error:
            refused = error
            errors.append(f"noise at ε={epsilon:g}: {error.message}")
            continue
        worst_here = None
        if search is not None:
            progress(f"ε = {epsilon:g}: worst case")
            try:
                worst_here = search(
                    asked.model, asked.frame, asked.schema, asked.clean, epsilon, asked.config, asked.unit, progress,
                    asked.floor,
                )  # fmt: skip
            except UsageError as error:
                errors.append(f"worst case at ε={epsilon:g}: {error.message}")
        found.append((_step(asked, noisy, worst_here), noisy))
        errors += _failures(noisy, worst_here)
    if asked.limit.over:
        errors += _out_of_time(asked, [step for step, _ in found], ended)
    if refused is not None and not found:
        raise refused
    return found


def _out_of_time(asked: Asked, steps: Sequence[Step], ended: str) -> list[str]:
    """What was covered, in one sentence; none where the time ended after everything was.

    Raises:
        UndecidedError: nothing was.
    """
    left = [epsilon for epsilon in asked.config.epsilons if epsilon not in {step.epsilon for step in steps}]
    part = [step.worst for step in steps if step.worst is not None and step.worst.covered is not None]
    if not left and not part:
        return []
    told = f"the time limit of {asked.limit.seconds:g} s ended the sweep"
    if not steps:
        raise UndecidedError(
            f"{told} before any ε was covered{ended}", where=asked.where, remedy="give it more time, or fewer rows"
        )
    covered = f"covered are ε = {', '.join(f'{step.epsilon:g}' for step in steps)} on {asked.frame.rows:,} rows"
    some = [f"the worst case at ε={each.epsilon:g} on the first {each.covered:,} only" for each in part]
    rest = [f"nothing at ε = {', '.join(f'{each:g}' for each in left)}"] if left else []
    return [f"{told}: {'; '.join([covered, *some, *rest])}{ended}"]


def _noisy(asked: Asked, epsilon: float, progress: Progress) -> Noisy:
    """The noise of one ε, without flips that the model makes by itself."""
    config = asked.config
    progress(f"ε = {epsilon:g}: noise")
    noisy = gaussian(
        asked.model, asked.frame, asked.schema, asked.clean, epsilon, seed=config.seed,
        draws=asked.draws, tolerance=config.tolerance, spread=asked.unit, where=asked.where,
        threads=asked.threads, limit=asked.limit, order=asked.order,
    )  # fmt: skip
    return replace(noisy, flipped=noisy.flipped & ~asked.floor.within(noisy.changes))


def others(
    asked: Asked, perturbations: Sequence[tuple[str, float]], progress: Progress
) -> tuple[tuple[Moved, ...], list[str]]:
    """What further perturbations did, and why one could not be made; the others go on."""
    found: list[Moved] = []
    errors: list[str] = []
    for name, strength in perturbations:
        if asked.limit.over:
            errors.append(f"{name} {strength:g}: not measured before the time limit of {asked.limit.seconds:g} s")
            continue
        progress(f"{name}, {strength:g}")
        try:
            moved = further(
                asked.model, asked.frame, asked.schema, asked.clean, name, strength, seed=asked.config.seed,
                tolerance=asked.config.tolerance, spread=asked.unit, threads=asked.threads, limit=asked.limit,
                order=asked.order, where=asked.where,
            )  # fmt: skip
        except TimeUpError as cut:
            errors.append(f"{name} {strength:g}: the time limit of {asked.limit.seconds:g} s ended it at {cut}")
            continue
        except UsageError as error:
            errors.append(f"{name} {strength:g}: {error.message}")
            continue
        found.append(replace(moved, flipped=moved.flipped & ~asked.floor.within(moved.changes)))
        errors += [f"{moved.name}, row {row}: {cause:.200}" for row, cause in moved.answers.failed.items()][:NAMED]
    return tuple(found), errors


def _step(asked: Asked, noisy: Noisy, found: Worst | None) -> Step:
    rows = asked.clean.answered & noisy.answers.answered
    noise = measure(noisy.epsilon, noisy.changes[rows], noisy.flipped[rows], where=asked.where)
    noise = replace(noise, maximum=noisy.typical_maximum)
    broken, judged = _broken(asked, noisy.flipped, asked.sure & rows)
    if found is not None:
        reached = asked.sure.copy()
        reached[found.covered :] &= found.covered is None
        broken, success = _broken(asked, found.flipped, reached)
        judged = max(judged, success)  # noise may have found what the search did not
    if asked.config.judge == "score":
        judged = noise.maximum
        own = asked.floor.inside(judged)
    else:
        own = not asked.floor.deterministic and judged <= asked.floor.other_class / asked.floor.rows
    status = gate_status(judged, asked.config.threshold, where=asked.where)
    return Step(noisy.epsilon, noise, found, broken, "PASS" if own else status)


def _broken(asked: Asked, flipped: Any, rows: Any) -> tuple[Robust | None, float]:
    """What was broken of the rows with a known truth, and the rate that is judged: of the right ones, else of all."""
    known = asked.known & rows
    broken = robust(asked.right, flipped, known, where=asked.where) if known.any() else None
    success = None if broken is None else broken.attack_success_rate
    if success is None:
        success = float(flipped[rows].mean()) if rows.any() else 0.0
    return broken, success


def _failures(noisy: Noisy, found: Worst | None) -> list[str]:
    causes = [f"noise at ε={noisy.epsilon:g}, row {row}: {cause:.200}" for row, cause in noisy.failed.items()]
    if found is not None:
        causes += [f"worst case at ε={noisy.epsilon:g}, row {row}: {cause:.200}" for row, cause in found.errors.items()]
    return causes[:NAMED]


def truth_of(clean: Answers, truth: Sequence[object], config: SweepConfig, where: str) -> tuple[Any, Any]:
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


def spread_for(clean: Answers, truth: Sequence[object]) -> float | None:
    """For values the target's standard deviation, and that of the answers where no target is known."""
    import numpy as np

    if clean.kind != "values":
        return None
    told = [float(each) for each in truth if each is not None]  # type: ignore[arg-type]
    found = float(np.std(told)) if told else 0.0
    return found if found > 0 else spread_of(clean)
