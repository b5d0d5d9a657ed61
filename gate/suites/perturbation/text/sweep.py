"""A sweep of text operators: the clean predictions, what each operator flips, and whether the model reads at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gate.errors import UsageError
from gate.schema.report import Attack, Metric
from gate.schema.symbols import MAX_LABELS, UNKNOWN, symbol
from gate.suites.perturbation import probabilities
from gate.suites.perturbation.text.asking import Answer, Model
from gate.suites.perturbation.text.check import Check
from gate.suites.perturbation.text.checklist import DEFAULT, Clean, scores
from gate.suites.perturbation.text.design import Design
from gate.suites.perturbation.text.operator import Meaning, Operator
from gate.suites.perturbation.text.registry import chosen, preserving

CONSTANT = "the model gives every text the same answer, so it passes every invariance test"


@dataclass(frozen=True, slots=True)
class TextSwept:
    """What a sweep of texts found; strings have one character an example.

    Attributes:
        attacks: one an operator that may gate, in the order given.
        checks: all operators: invariance for those that keep the meaning or nearly do, sensitivity for those that
            change it, canaries for injections.
        row_names: numbers of the texts.
        raw_moves: by attack and row the edited text of a flipped example; never for a report.
        constant: whether every text got the same answer, though there are two or more of them.
    """

    labels: tuple[str, ...]
    expected: str
    predicted: str
    scores: str
    attacks: tuple[Attack, ...]
    checks: tuple[Check, ...]
    design: Mapping[str, str]
    row_names: tuple[object, ...]
    raw_moves: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    constant: bool = False

    @property
    def failure_rate(self) -> float | None:
        """The highest rate of flips of any operator that may gate; None where nothing was measured."""
        rates = [check.rate for check in self.checks if check.gates and check.rate is not None]
        return max(rates, default=None)

    @property
    def not_applicable(self) -> tuple[str, ...]:
        """Operators that measured no text; the checks say why."""
        return tuple(check.name for check in self.checks if not check.measured)

    def metrics(self, prefix: str, tolerance: float | None = None) -> tuple[Metric, ...]:
        """One a check; see `Check.metric`."""
        return tuple(check.metric(prefix, tolerance=tolerance) for check in self.checks)


def text_sweep(
    predict: Model,
    texts: Iterable[str],
    truth: Sequence[str | None],
    *,
    operators: Iterable[str | Operator] | None = None,
    design: Design = DEFAULT,
    labels: Sequence[str] | None = None,
    numeric: bool = False,
    where: str = "text_sweep",
) -> TextSwept:
    """Edit the texts by each operator, predict, and say which examples flip.

    Args:
        predict: n texts -> n classes, or probabilities; see `asking.Model`.
        texts: n texts, never changed.
        truth: n true classes as texts, None where unknown.
        operators: names, families, or operators of your own; None for all that preserve the meaning.
        design: seed, strength, budget, floor and similarity.
        labels: the classes in the order of the probabilities; by default the sorted classes of the truth.
        numeric: whether classes are whole numbers, which are then sorted by value.

    Raises:
        UsageError: lengths differ, no texts, no such operator, wrong answers, more than 20,000 classes.
    """
    clean = Clean.of(predict, texts, where)
    if len(truth) != len(clean.texts):
        remedy = "give one true class for each text, None where it is unknown"
        raise UsageError(
            f"lengths differ: {len(clean.texts):,} texts, {len(truth):,} true classes", where=where, remedy=remedy
        )
    taken = preserving() if operators is None else chosen(operators, where)
    classes, said = _classes(clean.answers, truth, labels, numeric=numeric, where=where)
    checks = tuple(_check(clean, operator, design, where) for operator in taken)
    flips = [check for check in checks if check.gates and check.kind == "invariance"]
    known = {name: symbol(place) for place, name in enumerate(classes)}
    return TextSwept(
        labels=classes,
        expected="".join(UNKNOWN if name is None else known[name] for name in truth),
        predicted="".join(UNKNOWN if name is None else known[name] for name in said),
        scores=scores(clean.answers),
        attacks=tuple(check.attack() for check in flips),
        checks=checks,
        design=design.written(taken),
        row_names=tuple(range(len(clean.texts))),
        raw_moves={check.name: check.texts for check in flips},
        constant=len(set(clean.texts)) > 1 and len({answer.label for answer in clean.answers}) == 1,
    )


def _check(clean: Clean, operator: Operator, design: Design, where: str) -> Check:
    if operator.meaning is not Meaning.CHANGING:
        return clean.invariance(operator, design, where)
    if operator.canary and not any(answer.probabilities for answer in clean.answers):
        return clean.canary(operator, design, where)
    return clean.sensitivity(operator, design, where)


def _classes(
    answers: Sequence[Answer], truth: Sequence[str | None], labels: Sequence[str] | None, *, numeric: bool, where: str
) -> tuple[tuple[str, ...], list[str | None]]:
    """The classes in order, and by text the predicted one."""
    columns = max((len(answer.probabilities) for answer in answers), default=0)
    if columns:
        classes = probabilities.classes_for(columns, labels, truth, numeric=numeric, where=where)
        said = [None if answer.label is None else classes[int(answer.label)] for answer in answers]
    else:
        said = [answer.label for answer in answers]
        known = {name for name in [*truth, *said, *(labels or ())] if name is not None}
        classes = tuple(sorted(known, key=int) if numeric else sorted(known))
    if len(classes) > MAX_LABELS:
        remedy = "sweep a model of fewer classes, or compare free texts with `invariance`"
        raise UsageError(f"{len(classes):,} classes are more than {MAX_LABELS:,}", where=where, remedy=remedy)
    return classes, said
