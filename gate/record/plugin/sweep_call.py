"""What a call of `robustness.sweep` is given, read and measured."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from gate.errors import UsageError
from gate.record.plugin import examples, values
from gate.record.plugin.sweep_data import of_frame
from gate.record.plugin.sweep_shift import shifted
from gate.record.plugin.values import ValueRefusedError

if TYPE_CHECKING:
    from gate.suites.perturbation.audit_config import SweepConfig
    from gate.suites.perturbation.keeping import Keeper
    from gate.suites.perturbation.measured import Sweep
    from gate.suites.perturbation.models import Answers, Model
    from gate.suites.perturbation.tabular.frame import Frame
    from gate.suites.perturbation.tabular.shift import ShiftResult

MOST_CLASSES = 50
"""A target of more different answers is no class to sample by."""

_OUTSIDE = 1e-5


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of one call; those that decide what is measured are in `config`."""

    config: SweepConfig
    candidate: Any
    inputs: Any
    y: Any
    labels: Any
    ids: Any
    feature_names: Sequence[str] | None
    rows: int | None
    draws: int | None
    perturbations: Any
    shifts: tuple[str, ...]
    shift_threshold: float | None
    where: str


@dataclass(frozen=True, slots=True)
class Given:
    """The truth, as texts or as numbers, and the classes in the order of the probabilities where they are known."""

    truth: Sequence[str | float | None]
    labels: list[str] | None
    numeric: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """What one call measured: the names of the rows, witnesses where the worst case was searched for, and a digest of
    the rows, empty where they were not read for it."""

    sweep: Sweep
    names: list[str]
    keeper: Keeper | None
    shifts: Mapping[str, ShiftResult]
    inputs: str = ""


def measured(call: Call, keeper_of: Callable[[list[str]], Keeper]) -> Measured:
    """Measure what a call asks for, within its limit of time, which begins here.

    Args:
        keeper_of: names of rows -> what is known of them.

    Raises:
        UsageError: anything in the call that can't be.
    """
    from gate.suites.perturbation.further import planned
    from gate.suites.perturbation.measured import sweep_table
    from gate.suites.perturbation.tabular.cores import cpus
    from gate.suites.perturbation.tabular.frame import Frame
    from gate.suites.perturbation.tabular.sampling import sample
    from gate.suites.perturbation.tabular.schema import infer
    from gate.suites.perturbation.time_limit import TimeLimit
    from gate.suites.perturbation.worst_case import keeping

    limit = TimeLimit(call.config.time_limit or math.inf, time.monotonic)
    config, where = call.config, call.where
    scale: Any = config.scale
    frame = Frame.of(call.inputs, where, call.feature_names)
    schema = infer(
        frame, overrides=config.columns, protected=config.protected, scale=scale,
        relations=config.relations, aliases=config.aliases, target=_target(call.y, frame), where=where,
    )  # fmt: skip
    names = examples.identifiers(call.ids if call.ids is not None else frame.row_names, where)
    examples.same_length(where, ids=len(names), rows=frame.rows)
    model, given = _model(call, frame.rows)
    if call.rows is not None and call.rows < frame.rows:
        chosen = sample(call.rows, names, _strata(given.truth), seed=config.seed, where=where)
        frame, names = frame.take(chosen), [names[row] for row in chosen.tolist()]
        given = replace(given, truth=[given.truth[row] for row in chosen.tolist()])
    model, clean = _clean(model, given, frame, where)
    shifts = shifted(call.shifts, frame, clean, given.truth, call.shift_threshold, where)
    keeper = keeper_of(names) if config.worst_case else None
    found = sweep_table(
        config, frame, schema, model, given.truth,
        names=names,
        search=None if keeper is None else keeping(keeper, limit, names=names),
        clean=clean,
        draws=call.draws,
        perturbations=planned(call.perturbations, config.epsilons, where),
        more=False,
        threads=config.threads or cpus(),
        limit=limit,
        where=where,
    )  # fmt: skip
    return Measured(found, names, keeper, shifts, of_frame(frame, names))


def checked(config: SweepConfig, where: str) -> SweepConfig:
    """The configuration with its ε in order.

    Raises:
        UsageError: a number that can't be.
    """
    from gate.suites.perturbation.noise_sweep import checked_epsilons

    for key, least in (("budget", 1), ("swaps", 0), ("tolerance", 0), ("time_limit", 0), ("threads", 0)):
        if getattr(config, key) < least:
            told = f"{key.replace('_', ' ')} is {getattr(config, key):g}"
            raise UsageError(told, where=where, remedy=f"give at least {least}")
    if config.kind not in ("", "probabilities", "labels", "values"):
        remedy = "choose probabilities, labels or values"
        raise UsageError(f"kind is {config.kind!r:.40}", where=where, remedy=remedy)
    return replace(config, epsilons=tuple(checked_epsilons(config.epsilons, where)))


def texts(given: object, where: str) -> tuple[str, ...]:
    """Names or relations; a single text is one.

    Raises:
        UsageError: no list.
    """
    if isinstance(given, str):
        return (given,)
    return tuple(
        str(each) for each in values.series(cast("Iterable[object]", given), where)
    )  # which refuses what is no list


def mapping(given: object, where: str) -> Mapping[str, Any]:
    """A mapping, empty for None.

    Raises:
        UsageError: anything else.
    """
    if given is not None and not isinstance(given, Mapping):
        told = f"expected a mapping by column, found {type(given).__name__}"
        raise UsageError(told, where=where, remedy='give {"column": …}')
    return given or {}


def aliases(given: object, where: str) -> dict[str, tuple[str, ...]]:
    """By attribute its other names.

    Raises:
        UsageError: no mapping to names.
    """
    return {str(name): texts(others, f"{where} of {name!r:.60}") for name, others in mapping(given, where).items()}


def at_least_one(given: object, where: str) -> int:
    """A whole number of at least 1.

    Raises:
        UsageError: anything else.
    """
    found = values.whole(given, where)
    if found < 1:
        raise UsageError(f"{found:,} is less than 1", where=where, remedy="give at least 1")
    return found


def inputs_of(candidate: Any, y: Any, labels: Any, where: str) -> Given:
    """Read `y` and `labels` together, so that 1 in one and "1" in the other is an error.

    Raises:
        UsageError: classes of several types, or a class of `labels` that stands twice.
    """
    truth = values.series(y, where)
    own: Any = getattr(getattr(candidate, "__self__", candidate), "classes_", None)
    if labels is None and getattr(own, "ndim", 0) == 1:
        try:
            values.classes(where, truth, values.series(own, where))
            labels = own
        except UsageError:
            labels = None  # the model was fitted on coded classes: the order of y's own must do
    if labels is None:
        (told,), _, numeric = values.classes(where, truth)
        return Given(told, None, numeric)
    (told, named), _, numeric = values.classes(where, truth, values.series(labels, where))
    given = [name for name in named if name is not None]
    repeated = values.twice(given)
    if repeated is not None or len(given) < len(named):
        what, untold = "a missing value", "a missing value"
        if repeated is not None:
            what, untold = f"the class {repeated!r:.60} twice", "a class twice"
        remedy = "list every class once"
        raise ValueRefusedError(f"`labels` holds {what}", f"`labels` holds {untold}", where=where, remedy=remedy)
    return Given(told, given, numeric)


def _target(y: Any, frame: Frame) -> str | None:
    """The column of X that `y` is, by its name and every cell; such a column tells the model the answer."""
    name = getattr(y, "name", None)
    if not isinstance(name, str) or name not in frame.names:
        return None
    return name if frame.values(name).tolist() == values.series(y, "y") else None


def _model(call: Call, rows: int) -> tuple[Model, Given]:
    """The model, and the truth in its kind of answer."""
    from gate.suites.perturbation.models import as_model

    where = call.where
    y = [None] * rows if call.y is None else values.series(call.y, where)
    if len(y) != rows:
        remedy = "give one true class for each row, None where it is unknown"
        raise UsageError(f"lengths differ: {rows:,} rows, {len(y):,} in y", where=where, remedy=remedy)
    kind: Any = call.config.kind or None
    model = as_model(call.candidate, kind=kind, where=where)
    if model.kind is None and call.labels is None and _fractions(y):
        model = replace(model, kind="values")
    if model.kind == "values":
        numbers = [None if values.is_absent(each) else float(values.number(each, where)) for each in y]
        return model, Given(numbers, None, numeric=True)
    given = inputs_of(call.candidate, y, call.labels, where)
    if model.kind is None:
        model = replace(model, call=_of_second(model.call, where))
    return (model if given.labels is None else as_model(model, labels=given.labels, where=where)), given


def _clean(model: Model, given: Given, frame: Any, where: str) -> tuple[Model, Answers]:
    """The answers to the rows as they are, and the model with all its classes."""
    from gate.suites.perturbation.models import ask
    from gate.suites.perturbation.probabilities import classes_for

    if given.labels is None and model.labels and {each for each in given.truth if each is not None} - {*model.labels}:
        model = replace(model, labels=()) if model.kind == "probabilities" else model
    clean = ask(model, frame.native(), frame.rows, where)
    known = {str(each) for each in given.truth if each is not None}
    if clean.kind == "probabilities" and not known <= set(clean.labels):
        texts = [None if each is None else str(each) for each in given.truth]
        labels = classes_for(clean.content.shape[1], given.labels, texts, numeric=given.numeric, where=where)
        return replace(model, labels=labels), replace(clean, labels=labels)
    if clean.kind == "labels" and known and not known & set(clean.labels):
        told = f"the model answers {clean.labels[0]!r:.60}, and y holds {min(known)!r:.60}"
        untold = "no class of y is one that the model answers"
        raise ValueRefusedError(told, untold, where=where, remedy="give y the classes that the model answers")
    return model, clean


def _of_second(call: Callable[[Any], Any], where: str) -> Callable[[Any], Any]:
    """One fraction a row is the probability of the second of two classes; every other answer stays."""

    def asked(rows: Any) -> Any:
        import numpy as np

        raw = call(rows)
        try:
            found = raw.to_numpy() if hasattr(raw, "to_numpy") else np.asarray(raw)
        except (TypeError, ValueError, RuntimeError):
            return raw
        if found.dtype.kind != "f" or found.ndim not in (1, 2) or (found.ndim == 2 and found.shape[1] != 1):
            return raw
        second = found.ravel()
        if ((second < -_OUTSIDE) | (second > 1 + _OUTSIDE)).any():
            told = "the model gave one number a row, outside 0 to 1, which is no probability of the second class"
            raise UsageError(told, where=where, remedy='say `kind="values"` where it predicts values')
        return np.column_stack([1 - second, second])

    return asked


def _fractions(y: Sequence[object]) -> bool:
    """Whether y holds numbers that are no classes."""
    return any(isinstance(each, float) and each == each and not each.is_integer() for each in y)  # noqa: PLR0124  NaN


def _strata(truth: Sequence[object]) -> list[str] | None:
    found = [str(told) for told in truth]
    return found if len(set(found)) <= MOST_CLASSES else None
