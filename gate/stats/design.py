"""Sequential designs: one stochastic case, decided in the fewest calls at an exact chance of a false alarm.

The baseline passed s0 of n0 trials. The candidate's trials come one at a time, at most `cap`. After each the design
says `regression` (the rate fell), `holds` (a fall of delta is excluded, wrongly at most 1 - power of the time),
`undecided` (the cap is reached, or a regression can't be reached before it) or `more`. The boundaries are those of
`calibration`; a case whose rate did not change is called a regression with a chance of at most `share`, at every true
rate and over the noise of the baseline too.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gate.stats.calibration import calibrate
from gate.stats.lattice import MOST_TRIALS, Ints, Paths, chances, count_paths

Answer = Literal["regression", "holds", "undecided", "more"]


@dataclass(frozen=True, slots=True)
class Question:
    """What a design answers.

    Attributes:
        n0: trials of the baseline.
        cap: most trials of the candidate, at least 1.
        share: the case's share of the false-alarm budget, alpha / M for M cases.
        delta: the drop of the pass rate that matters, as a fraction.
        power: chance with which a drop of delta is to be found; 1 - power bounds the chance to call it `holds`.
        patient: whether a case that can't become a regression any more goes on as long as it can hold. Few more calls,
            fewer undecided; for a first stage whose undecided cases cost a second one.

    Raises:
        ValueError: a share, delta or power outside (0, 1), n0 below 0, a cap below 1, or more than 1000 trials in all.
    """

    n0: int
    cap: int
    share: float
    delta: float = 0.30
    power: float = 0.90
    patient: bool = False

    def __post_init__(self) -> None:
        for name in ("share", "delta", "power"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise ValueError(f"{name} lies strictly between 0 and 1, not at {value}")
        if self.n0 < 0:
            raise ValueError(f"a baseline has at least 0 trials, not {self.n0}")
        if self.cap < 1:
            raise ValueError(f"a design needs a cap of at least 1 trial, not {self.cap}")
        if self.n0 + self.cap > MOST_TRIALS:
            raise ValueError(f"baseline and cap together are at most {MOST_TRIALS} trials, not {self.n0 + self.cap}")


@dataclass(frozen=True, slots=True)
class Walk:
    """Where a sequence of outcomes left the design: `used` trials, `passes` and `fails` of the candidate at that point.

    With the answer `more` the outcomes ended first, and the counts are those of all of them.
    """

    answer: Answer
    used: int
    passes: int
    fails: int


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Calibrated boundaries, and the answers that they give.

    Attributes:
        question: what it answers.
        line, guard: the constants of LINE and GUARD; the line's is infinite where only the guard decides.
        regression: for each s0 and n, the least failures that say regression; n + 1 where none do.
        holds: for each s0 and n, the greatest number of failures that says holds; -1 where none does.
    """

    question: Question
    line: float
    guard: float
    regression: tuple[tuple[int, ...], ...] = field(repr=False)
    holds: tuple[tuple[int, ...], ...] = field(repr=False)

    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        """The answer after `passes` and `fails` of the candidate, in any order that no earlier answer ended.

        Raises:
            ValueError: more passes than n0 in the baseline, more trials than the cap, or negative counts.
        """
        question, n = self.question, passes + fails
        if not 0 <= s0 <= question.n0 or passes < 0 or fails < 0 or n > question.cap:
            raise ValueError(
                f"{s0} of {question.n0} and {passes} of {n} are no counts of a design with cap {question.cap}"
            )
        regression, holds = self.regression[s0], self.holds[s0]
        if fails >= regression[n]:
            return "regression"
        if fails <= holds[n]:
            return "holds"
        if fails + question.cap - n >= regression[-1] or (question.patient and fails <= holds[-1]):
            return "more"
        return "undecided"

    def walk(self, s0: int, outcomes: str) -> Walk:
        """Follow outcomes, "1" for a pass and "0" for a failure, to the first answer; later ones are ignored.

        Raises:
            ValueError: another character before the answer, or more passes than n0 in the baseline.
        """
        passes = fails = 0
        answer = self.answer(s0, 0, 0)
        for outcome in outcomes:
            if answer != "more":
                break
            if outcome == "1":
                passes += 1
            elif outcome == "0":
                fails += 1
            else:
                raise ValueError(f"an outcome is 1 or 0, not {outcome!r}")
            answer = self.answer(s0, passes, fails)
        return Walk(answer, passes + fails, passes, fails)


@dataclass(frozen=True, slots=True, eq=False)
class Design(Rule):
    """A rule that starts with the candidate's first trial; made by `design_for`.

    Attributes:
        paths: every path to an end, counted: what `operating` computes with.
        attainable: whether a drop of delta is found with the power asked in the best case, a baseline without failures.
    """

    paths: Paths = field(repr=False)
    attainable: bool


def design_for(question: Question, cache: MutableMapping[Question, Design]) -> Design:
    """The design of a question: from the cache, else calibrated and put there.

    Too little data makes a design that says so, not an error: with no baseline, or one that can't show anything, the
    answer is `undecided` at once; `attainable` is False where the power asked can't be had.
    """
    found = cache.get(question)
    if found is None:
        found = cache[question] = _build(question)
    return found


def _build(question: Question) -> Design:
    rule = calibrate(question.n0, question.cap, question.share, question.delta, question.power)
    paths = count_paths(rule.regression, rule.holds, question.patient)
    best = np.zeros(question.n0 + 1)
    best[-1] = 1.0
    power = float(chances(paths.regression, best, 1 - question.delta).sum()) if question.n0 else 0.0
    tables = tuples(rule.regression), tuples(rule.holds)
    return Design(question, rule.line, rule.guard, *tables, paths, power >= question.power)


def tuples(table: Ints) -> tuple[tuple[int, ...], ...]:
    """The rows of a table as tuples: quicker to look up one at a time than an array, and frozen."""
    return tuple(map(tuple, table.tolist()))
