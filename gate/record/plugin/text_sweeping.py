"""What a call of `robustness.text_sweep` is given, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import UndecidedError, UsageError
from gate.record.plugin.sweep_call import inputs_of
from gate.schema.report import Predictions

if TYPE_CHECKING:
    from gate.suites.perturbation.text.sweep import TextSwept


LONGEST_CLASS = 100
MOST_NEW = 20
"""Answers that neither `y` nor `labels` names: classes up to so many, and up to half as many as texts."""


@dataclass(frozen=True, slots=True)
class TextCall:
    """The arguments of one call; `limits` are characters, words and share of an edit."""

    predict: Any
    texts: Sequence[str]
    y: Any
    operators: Any
    labels: Any
    seed: int
    strength: float | None
    draws: int
    limits: tuple[int | None, int | None, float | None]
    floor: float | None
    similarity: Callable[[str, str], float] | None
    where: str


@dataclass(frozen=True, slots=True)
class TextSweepResult:
    """What a sweep of texts recorded, for the test's own assertions.

    Attributes:
        predictions: what stands in the report.
        rates: by operator the share of measured texts that flipped, for a sensitivity test that moved the answer;
            None where no text was measured.
        failure_rate: the highest rate of any operator that may gate; None where nothing was measured.
        constant: whether every text got the same answer, so that no flip says anything.
    """

    predictions: Predictions
    rates: Mapping[str, float | None]
    failure_rate: float | None
    constant: bool


def measured(call: TextCall) -> TextSwept:
    """Edit and ask.

    Raises:
        UsageError: anything in the call that can't be.
    """
    from gate.suites.perturbation.text.asking import checked_texts
    from gate.suites.perturbation.text.budget import Budget
    from gate.suites.perturbation.text.design import Design
    from gate.suites.perturbation.text.gating import character_similarity
    from gate.suites.perturbation.text.sweep import text_sweep

    texts = checked_texts(call.texts, call.where)
    given = inputs_of(call.predict, [None] * len(texts) if call.y is None else call.y, call.labels, call.where)
    design = Design(
        seed=call.seed,
        strength=call.strength,
        draws=call.draws,
        budget=Budget(*call.limits),
        floor=call.floor,
        similarity=call.similarity or character_similarity,
    )
    truth = [None if each is None else str(each) for each in given.truth]
    swept = text_sweep(
        call.predict, texts, truth, operators=call.operators, design=design, labels=given.labels,
        numeric=given.numeric, where=call.where,
    )  # fmt: skip
    _refuse_free_text(swept.labels, {*(given.labels or ()), *truth}, len(texts), call.where)
    return swept


def _refuse_free_text(labels: Sequence[str], known: set[str | None], count: int, where: str) -> None:
    """Refuse answers that are no classes: each would be a label of its own, and stand in the report.

    Raises:
        UsageError: a long one, or more than 20 and half as many as texts.
    """
    new = [label for label in labels if label not in known]
    if any(len(label) > LONGEST_CLASS for label in new) or len(new) > max(MOST_NEW, count // 2):
        raise UsageError(
            "the model answers in free text, which would stand in the report",
            where=where,
            remedy="let `predict` return the class that its answer means, or use `checklist.invariance` on the answers",
        )


def predictions(swept: TextSwept, name: str, ids: tuple[str, ...]) -> Predictions:
    """What stands in the report."""
    return Predictions(
        name=name,
        ids=ids,
        labels=swept.labels,
        expected=swept.expected,
        predicted=swept.predicted,
        scores=swept.scores,
        attacks=swept.attacks,
        design=swept.design,
    )


def refuse_unmeasured(swept: TextSwept, where: str, *, private: bool) -> None:
    """Fail the test where the model raised on edited texts; the rest stands in the report by then.

    Args:
        private: whether operators are named without what the model raised, which may hold a text.

    Raises:
        UndecidedError: it did.
    """
    failed = {check.name: check.error for check in swept.checks if check.error}
    if failed:
        told = ", ".join(failed if private else [f"{name} ({error:.200})" for name, error in failed.items()])
        raise UndecidedError(
            f"not measured, since the model raised on edits by: {told}",
            where=where,
            remedy="run the test without --gate-report to read the causes; what was measured is recorded",
        )


def result_of(swept: TextSwept, recorded: Predictions) -> TextSweepResult:
    """For the test's own assertions."""
    rates = {check.name: check.rate for check in swept.checks}
    return TextSweepResult(recorded, rates, swept.failure_rate, swept.constant)
