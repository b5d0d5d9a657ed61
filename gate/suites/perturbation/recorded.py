"""A sweep as a report holds it: one character an example, moves in units of scale, and metrics."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gate.schema.report import Attack, Metric
from gate.schema.symbols import MAX_LABELS, UNKNOWN, score_symbol, symbol
from gate.stats.intervals import wilson
from gate.stats.refusal import TooLittle
from gate.suites.perturbation.attack import keyed
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.further import Moved
from gate.suites.perturbation.models import Answers, NoiseFloor, borderline
from gate.suites.perturbation.noise_sweep import Noisy
from gate.suites.perturbation.tabular import draws
from gate.suites.perturbation.tabular.schema import Schema
from gate.suites.perturbation.worst_case import Worst

if TYPE_CHECKING:
    from gate.suites.perturbation.measured import Sweep

WITHIN, BEYOND = "within the tolerance", "beyond the tolerance"
"""Classes of a value: how far it is from the true one."""
DELTA_TOLERANCE = 0.05
"""A retrained model moves the largest change a little."""
RATE_TOLERANCE = 0.02
NAMES_SHOWN = 200
"""Characters of columns' names that a design spells out."""


def metrics_of(found: Sweep, *, threshold: float | None, rate_threshold: float | None) -> list[Metric]:
    """The largest change, and for each ε the robust accuracy and the attack success rate with Wilson's interval.

    A change inside what the model does by itself is no finding, so no tolerance is smaller than that.

    Args:
        threshold: that the largest change must not exceed; None for none.
        rate_threshold: that no attack success rate must exceed; None for none.
    """
    name, own = found.config.name, found.own
    delta, rate = DELTA_TOLERANCE, RATE_TOLERANCE
    if own is not None and not own.deterministic:
        delta = max(delta, own.largest, own.in_company)
        rate = max(rate, own.other_class / own.rows)
    metrics = [Metric(f"{name}/max_delta", found.score, "lower", threshold, tolerance=delta, count=found.rows)]
    for step in found.steps:
        measured = step.robust
        if measured is None or measured.attack_success_rate is None or measured.interval is None:
            continue
        bounds, kept = measured.interval, wilson(measured.right - measured.broken, measured.known)
        success = Metric(
            f"{name}/attack_success ε={short(step.epsilon)}",
            measured.attack_success_rate,
            "lower",
            rate_threshold,
            tolerance=rate,
            interval=(bounds.low, bounds.high),
            count=measured.right,
        )
        robust = Metric(
            f"{name}/robust_accuracy ε={short(step.epsilon)}",
            measured.robust_accuracy,
            "higher",
            tolerance=rate,
            interval=None if isinstance(kept, TooLittle) else (kept.low, kept.high),
            count=measured.known,
        )
        metrics += [success, robust]
    return metrics


def predictions_of(  # noqa: PLR0913, PLR0917  each is measured elsewhere
    clean: Answers,
    truth: Sequence[object],
    right: Any,
    swept: Sequence[Noisy],
    worst: Sequence[Worst],
    config: SweepConfig,
    schema: Schema,
    own: NoiseFloor,
    others: Sequence[Moved] = (),
) -> dict[str, Any]:
    """What a report holds of it, one character an example; nothing where there are too many classes.

    Of values it holds whether each is within the tolerance of the true one; a value without a true one has no class.

    Args:
        right: (n,) whether the clean answer is the truth.
    """
    labels = _labels(clean, truth)
    if len(labels) > MAX_LABELS:
        return {}
    attacks = [
        Attack(f"gaussian ε={short(each.epsilon)}", _marks(each.flipped, clean, each.answers), each.moves,
               _scores(each.answers))
        for each in swept
    ]  # fmt: skip
    attacks += [
        Attack(f"worst case ε={short(each.epsilon)}", _covered(_marks(each.flipped, clean, None), each), each.moves)
        for each in worst
    ]
    attacks += [
        Attack(each.name, _marks(each.flipped, clean, each.answers), each.moves, _scores(each.answers))
        for each in others
    ]
    expected, predicted = _classes(clean, truth, right, labels)
    return {
        "labels": tuple(labels),
        "expected": expected,
        "predicted": predicted,
        "scores": _scores(clean),
        "attacks": tuple(attacks),
        "design": _design(config, clean, schema, own),
    }


def _covered(marks: str, found: Worst) -> str:
    return marks if found.covered is None else marks[: found.covered] + UNKNOWN * (len(marks) - found.covered)


def _labels(clean: Answers, truth: Sequence[object]) -> list[str]:
    if clean.kind == "values":
        return [WITHIN, BEYOND]
    return [*clean.labels, *sorted({str(each) for each in truth if each is not None} - set(clean.labels))]


def _classes(clean: Answers, truth: Sequence[object], right: Any, labels: Sequence[str]) -> tuple[str, str]:
    """The true and the predicted class of every example."""
    if clean.kind == "values":
        told = [each is not None for each in truth]
        known = [there and answered for there, answered in zip(told, clean.answered.tolist(), strict=True)]
        said = [symbol(0 if fits else 1) for fits in right.tolist()]
        return (
            "".join(symbol(0) if there else UNKNOWN for there in told),
            "".join(mark if there else UNKNOWN for mark, there in zip(said, known, strict=True)),
        )
    named = {name: symbol(place) for place, name in enumerate(labels)}
    return (
        "".join(UNKNOWN if each is None else named[str(each)] for each in truth),
        "".join(UNKNOWN if place < 0 else symbol(place) for place in clean.predicted().tolist()),
    )


def _design(config: SweepConfig, clean: Answers, schema: Schema, own: NoiseFloor) -> dict[str, str]:
    """What decides the measurement; a setting that is left at its default is not named, so that old baselines compare.

    Which columns move belongs to it: a column of numbers that turns into texts is attacked no longer, and a model that
    leans on it would look the more robust for that. What is declared of columns stands there as a digest: it may hold
    bounds and levels.
    """
    design: dict[str, Any] = {
        "columns moved": _named(schema),
        "columns typed": _digest(sorted((each.name, each.kind, each.group) for each in schema.perturbable())),
        "epsilons": list(config.epsilons),
        "generator": draws.GENERATOR,
        "protected": sorted(config.protected),
        "seed": config.seed,
    }
    if config.scale != "sd":
        design["scale"] = config.scale
    if config.worst_case:
        design |= {"budget": config.budget, "search generator": keyed.GENERATOR}
    if config.worst_case and config.attack != SweepConfig.__dataclass_fields__["attack"].default:
        design["attack"] = config.attack
    if config.worst_case and config.swaps:
        design["swaps"] = config.swaps
    if clean.kind == "values":
        design["tolerance"] = config.tolerance
    if not own.deterministic and clean.kind == "probabilities":
        design["own noise"] = float(f"{own.size:.3g}")
    for name in ("columns", "relations", "aliases"):
        if getattr(config, name):
            design[name] = _digest(getattr(config, name))
    return {name: json.dumps(value) for name, value in design.items()}


def _named(schema: Schema) -> list[str] | int:
    """The columns that noise and search move, or how many they are where a reader would not read them all."""
    names = sorted(column.name for column in schema.movable())
    return names if sum(map(len, names)) <= NAMES_SHOWN else len(names)


def _digest(declared: Any) -> str:
    text = json.dumps(declared, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _marks(flipped: Any, clean: Answers, under: Answers | None) -> str:
    """A row whose clean answer lies on the cut-off can't flip, so nothing was measured of it."""
    sure = clean.answered & ~borderline(clean)
    answered = sure if under is None else sure & under.answered
    return "".join(
        UNKNOWN if not known else "01"[int(mark)]
        for mark, known in zip(flipped.tolist(), answered.tolist(), strict=True)
    )


def _scores(answers: Answers) -> str:
    if answers.kind != "probabilities":
        return ""
    known = answers.answered.tolist()
    best = answers.content.max(axis=1).clip(0, 1).tolist()
    return "".join(score_symbol(score) if there else UNKNOWN for score, there in zip(best, known, strict=True))


def short(epsilon: float) -> str:
    """Six digits, or as many as tell it from its neighbours."""
    told = f"{epsilon:g}"
    return told if float(told) == epsilon else repr(epsilon)
