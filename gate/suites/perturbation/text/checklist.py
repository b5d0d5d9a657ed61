"""Tests of behaviour in the words of CheckList (Ribeiro, Wu, Guestrin and Singh 2020, section 2).

Invariance: an edit that keeps the meaning keeps the answer. Directional expectation: an edit moves the answer in a
known direction. Minimum functionality: simple texts whose answer is known. A model that always answers the same passes
every invariance test, so each of them needs one of the other two, or a sensitivity test, beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gate.errors import GateError, UsageError
from gate.schema.symbols import UNKNOWN, score_symbol
from gate.suites.perturbation.text.asking import Answer, Model, ask, checked_texts
from gate.suites.perturbation.text.budget import distance, word_distance
from gate.suites.perturbation.text.check import Check, Kind
from gate.suites.perturbation.text.design import Design
from gate.suites.perturbation.text.gating import may_gate, refuse_changing
from gate.suites.perturbation.text.operator import Operator
from gate.suites.perturbation.text.registry import chosen

MOVES_SHOWN = 200
UNANSWERED = "the model gave no answer"
UNSTEADY = "the model answers the same text in two ways"
QUOTED = "the answer holds the canary without any injection"

Operators = Iterable[str | Operator]
Expectation = Callable[[Answer, Answer], bool]
"""(before, after) -> whether the answer moved as it should."""
DEFAULT = Design()


def invariance(model: Model, texts: Iterable[str], operators: Operators, design: Design = DEFAULT) -> tuple[Check, ...]:
    """Under each operator, the examples whose answer changes though the meaning does not.

    Args:
        model: see `asking.Model`; it is asked twice about the texts as they are, and an example that it answers in
            two ways is not measured.
        texts: n texts, never changed.
        operators: names, families, or operators of your own, that preserve the meaning or nearly do.

    Raises:
        UsageError: an operator that changes the meaning or does not exist, no texts, a model with wrong answers.
    """
    where = "invariance"
    clean = Clean.of(model, texts, where)
    return tuple(clean.invariance(operator, design, where) for operator in chosen(operators, where))


def sensitivity(
    model: Model, texts: Iterable[str], operators: Operators, design: Design = DEFAULT
) -> tuple[Check, ...]:
    """Under each operator, the examples whose answer moves. A share of 0 shows a model that does not read."""
    where = "sensitivity"
    clean = Clean.of(model, texts, where)
    return tuple(clean.sensitivity(operator, design, where) for operator in chosen(operators, where))


def directional(
    model: Model, texts: Iterable[str], operators: Operators, expectation: Expectation, design: Design = DEFAULT
) -> tuple[Check, ...]:
    """Under each operator, the examples whose answer does not move as expected.

    Args:
        expectation: (before, after) -> bool, for example `does_not_rise(1)` or `changes`.
    """
    where = "directional"
    clean = Clean.of(model, texts, where)
    return tuple(
        clean.measure("directional", operator, design, lambda before, after: not expectation(before, after), where)
        for operator in chosen(operators, where)
    )


def canary(
    model: Model, texts: Iterable[str], operators: Operators = ("injection",), design: Design = DEFAULT
) -> tuple[Check, ...]:
    """Under each injection, the examples whose answer holds its canary, in whatever case.

    Raises:
        UsageError: an operator without a canary.
    """
    where = "canary"
    clean = Clean.of(model, texts, where)
    found = []
    for operator in chosen(operators, where):
        if not operator.canary:
            remedy = "give operators of the family `injection`"
            raise UsageError(f"`{operator.name:.60}` has no canary", where=where, remedy=remedy)
        found.append(clean.canary(operator, design, where))
    return tuple(found)


def minimum_functionality(
    model: Model, texts: Iterable[str], expected: Iterable[object], name: str = "minimum functionality"
) -> Check:
    """The simple examples that a model gets wrong.

    Args:
        expected: n classes, as the model gives them; for a model of probabilities the places of the classes.

    Raises:
        UsageError: lengths differ, no texts, a model with wrong answers.
    """
    where = f"minimum functionality {name!r:.60}"
    given, wanted = checked_texts(texts, where), [str(label) for label in expected]
    if len(given) != len(wanted):
        remedy = "give one expected class for each text"
        raise UsageError(f"lengths differ: {len(given):,} texts, {len(wanted):,} expected", where=where, remedy=remedy)
    answers = ask(model, given, where)
    marks = [
        UNKNOWN if answer.label is None else "01"[answer.label != label]
        for answer, label in zip(answers, wanted, strict=True)
    ]
    texts_shown = {place: given[place] for place in _failed(marks)}
    unanswered = {UNANSWERED: marks.count(UNKNOWN)} if UNKNOWN in marks else {}
    return Check("minimum functionality", name, "".join(marks), unanswered, texts=texts_shown, scores=scores(answers))


def changes(before: Answer, after: Answer) -> bool:
    """The answer is another one."""
    return before.label != after.label


def does_not_rise(place: int, tolerance: float = 0.1) -> Expectation:
    """The probability of the class at `place` rises by `tolerance` at most."""
    return lambda before, after: _risen(before, after, place) <= tolerance


def does_not_fall(place: int, tolerance: float = 0.1) -> Expectation:
    """The probability of the class at `place` falls by `tolerance` at most."""
    return lambda before, after: -_risen(before, after, place) <= tolerance


def _risen(before: Answer, after: Answer, place: int) -> float:
    if not 0 <= place < min(len(before.probabilities), len(after.probabilities)):
        remedy = "give a model of probabilities and the place of one of its classes"
        raise UsageError(f"there is no probability of a class {place}", where="directional", remedy=remedy)
    return after.probabilities[place] - before.probabilities[place]


@dataclass(frozen=True, slots=True)
class Clean:
    """What a model answers to the texts as they are, asked twice."""

    model: Model
    texts: tuple[str, ...]
    answers: tuple[Answer, ...]
    unsteady: frozenset[int]

    @staticmethod
    def of(model: Model, texts: Iterable[str], where: str) -> Clean:
        given = checked_texts(texts, where)
        first, second = ask(model, given, where), ask(model, given, where)
        pairs = enumerate(zip(first, second, strict=True))
        return Clean(model, given, first, frozenset(place for place, (one, two) in pairs if one.label != two.label))

    def invariance(self, operator: Operator, design: Design, where: str) -> Check:
        refuse_changing(operator, where)
        return self.measure("invariance", operator, design, changes, where, gates=may_gate(operator, design.floor))

    def sensitivity(self, operator: Operator, design: Design, where: str) -> Check:
        return self.measure("sensitivity", operator, design, changes, where, gates=False)

    def canary(self, operator: Operator, design: Design, where: str) -> Check:
        word = operator.canary.lower()
        quoted = {place for place, answer in enumerate(self.answers) if word in (answer.label or "").lower()}
        return self.measure(
            "canary", operator, design, lambda _, after: word in (after.label or "").lower(), where, quoted=quoted
        )

    def measure(
        self,
        kind: Kind,
        operator: Operator,
        design: Design,
        fails: Expectation,
        where: str,
        *,
        gates: bool = True,
        quoted: Iterable[int] = (),
    ) -> Check:
        """Edit, ask about what changed, and mark what fails. What the model raises becomes the check's `error`."""
        edited = [design.edits(operator, text) for text in self.texts]
        why = {place: reason for place, (edits, reason) in enumerate(edited) if not edits}
        why |= dict.fromkeys(quoted, QUOTED)
        if kind != "canary":
            why |= dict.fromkeys(sorted(self.unsteady), UNSTEADY)
        why |= {place: UNANSWERED for place, answer in enumerate(self.answers) if answer.label is None}
        asked = [(place, edit) for place, (edits, _) in enumerate(edited) if place not in why for edit in edits]
        name = design.name(operator)
        try:
            told = ask(self.model, [edit for _, edit in asked], f"{where}, {name}")
        except GateError:
            raise
        except Exception as error:  # the other operators go on
            cause, count = f"the model raised {type(error).__name__}", len(edited)
            return Check(kind, name, UNKNOWN * count, {cause: count}, gates, error=f"{cause}: {error}"[:300])
        worst = _worst(self.answers, asked, told, fails)
        why |= {place: UNANSWERED for place, edit in worst.items() if edit.answer.label is None}
        shown = [place for place, edit in sorted(worst.items()) if edit.failed][:MOVES_SHOWN]
        return Check(
            kind,
            name,
            "".join(UNKNOWN if place in why else "01"[worst[place].failed] for place in range(len(edited))),
            dict(sorted(Counter(why.values()).items())),
            gates,
            {place: _moved(self.texts[place], worst[place].text) for place in shown},
            {place: worst[place].text for place in shown},
            scores([worst[place].answer if place in worst else Answer(None) for place in range(len(edited))]),
            len(asked),
        )


@dataclass(frozen=True, slots=True)
class _Edit:
    """One edit of a text, and what the model says of it."""

    text: str
    answer: Answer
    failed: bool


def _worst(
    clean: Sequence[Answer], asked: Sequence[tuple[int, str]], told: Sequence[Answer], fails: Expectation
) -> dict[int, _Edit]:
    """By text the edit that failed first, else the first one with an answer, else the last."""
    worst: dict[int, _Edit] = {}
    for (place, edit), answer in zip(asked, told, strict=True):
        failed = answer.label is not None and bool(fails(clean[place], answer))
        if place not in worst or failed > worst[place].failed or worst[place].answer.label is None:
            worst[place] = _Edit(edit, answer, failed)
    return worst


def scores(answers: Sequence[Answer]) -> str:
    """One character an example for the probability of its answer; empty for a model of classes."""
    if not any(answer.probabilities for answer in answers):
        return ""
    return "".join(
        UNKNOWN if answer.label is None else score_symbol(max(answer.probabilities, default=None)) for answer in answers
    )


def _failed(marks: Sequence[str]) -> list[int]:
    return [place for place, mark in enumerate(marks) if mark == "1"][:MOVES_SHOWN]


def _moved(before: str, after: str) -> str:
    return f"{distance(before, after):,} characters, {word_distance(before, after):,} words"
