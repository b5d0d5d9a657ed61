"""Ask and tell: one trial at a time, and after each the question whether another one is needed.

pytest tests, mutants and probe samples are adapters over this loop. Whoever runs trials gives a function, or drives a
`TrialLoop` by hand where the trial is a coroutine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

EXCERPT_LENGTH = 300
FEWEST_ERRORS = 3

Answer = Literal["regression", "holds", "undecided", "more"]


class Result(StrEnum):
    """How one trial ended."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    """A failed trial: whoever waits for an answer for ever has none."""
    INFRASTRUCTURE = "infrastructure error"
    """No trial: what was to be measured was not reached."""
    ABANDONED = "abandoned"
    """No trial, and no other one can be made: a broken fixture, a skipped test."""


class Ending(StrEnum):
    """Why a loop stopped."""

    ANSWERED = "answered"
    UNMEASURED = "could not be measured"
    """More infrastructure errors than are allowed."""
    ABANDONED = "abandoned"
    OPEN = "open"
    """It did not stop by itself: whoever drove it went away."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One trial.

    Attributes:
        result: how it ended.
        excerpt: of its failure or error; untrusted text, of which at most 300 characters are kept.
    """

    result: Result
    excerpt: str = ""


PASSED = TrialResult(Result.PASSED)


class DesignLike(Protocol):
    """A stopping rule, such as `gate.stats.design.Design`."""

    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        """What the trials so far say.

        Args:
            s0: passes on main; a rule that looks at the candidate alone ignores it.
            passes, fails: trials of the candidate so far.
        """


@dataclass(frozen=True, slots=True)
class TrialsRun:
    """What a loop measured.

    Attributes:
        outcomes: one character a trial in order, `1` passed and `0` failed; those carried over come first.
        answer: of the design; `more` unless the ending is `answered`.
        ending: why it stopped.
        errors: infrastructure errors, which are no trials.
        timed_out: how many of the failed trials ran out of time.
        carried: how many of the outcomes were made by an earlier run of the same content.
        excerpt: of the first failed trial, at most 300 characters; without one, of the last error.
    """

    outcomes: str
    answer: Answer
    ending: Ending
    errors: int = 0
    timed_out: int = 0
    carried: int = 0
    excerpt: str = ""

    @property
    def passes(self) -> int:
        return self.outcomes.count("1")

    @property
    def made(self) -> int:
        """Trials that this run made itself."""
        return len(self.outcomes) - self.carried


def most_errors(cap: int) -> int:
    """How many infrastructure errors a case of at most `cap` trials may have: a fifth, and never fewer than three."""
    return max(FEWEST_ERRORS, cap // 5)


class TrialLoop:
    """The loop's state: ask `wants_more`, run a trial, `tell` how it ended.

    Args:
        design: asked after each trial; the loop stops at the first answer other than `more`.
        cap: most trials; `undecided` when the design wants more after them.
        s0: passes on main, for the design.
        carried: outcomes of an earlier run of the same content, in order; the design sees them one by one, as then.
        excerpt: of the first failed one of these.
        max_errors: most infrastructure errors; one more ends the loop as not measured. `most_errors(cap)` by default.

    Raises:
        ValueError: a cap below 1, or carried outcomes other than 0 and 1.
    """

    def __init__(
        self,
        design: DesignLike,
        *,
        cap: int,
        s0: int = 0,
        carried: str = "",
        excerpt: str = "",
        max_errors: int | None = None,
    ) -> None:
        if cap < 1:
            raise ValueError(f"a cap of {cap} allows no trial")
        if set(carried) - {"0", "1"}:
            raise ValueError("carried outcomes are 0 and 1")
        self._design = design
        self._cap = cap
        self._s0 = s0
        self._max_errors = most_errors(cap) if max_errors is None else max_errors
        self._passes = self._fails = 0
        self._answer: Answer = "more"
        self._ending = Ending.OPEN
        self._errors = self._timed_out = 0
        self._failure, self._error = excerpt[:EXCERPT_LENGTH], ""
        for outcome in carried:
            if self.wants_more:
                self._count(outcome == "1")
        self._outcomes = [*carried]  # trials that were made are reported, also where fewer would have been enough
        self._carried = len(carried)

    @property
    def wants_more(self) -> bool:
        """Whether another trial is to be made."""
        return self._ending is Ending.OPEN

    @property
    def number(self) -> int:
        """Number of the next trial, from 0."""
        return len(self._outcomes)

    def limit(self, cap: int) -> None:
        """Make at most so many trials after all; what was made stays."""
        self._cap = min(self._cap, max(cap, 1))
        if self.wants_more and self._passes + self._fails >= self._cap:
            self._answer, self._ending = "undecided", Ending.ANSWERED

    def tell(self, trial: TrialResult) -> None:
        """Take the next trial."""
        excerpt = trial.excerpt[:EXCERPT_LENGTH]
        if trial.result is Result.ABANDONED:
            self._ending, self._error = Ending.ABANDONED, excerpt
        elif trial.result is Result.INFRASTRUCTURE:
            self._errors += 1
            self._error = excerpt or self._error
            if self._errors > self._max_errors:
                self._ending = Ending.UNMEASURED
        else:
            passed = trial.result is Result.PASSED
            self._timed_out += trial.result is Result.TIMED_OUT
            if not passed:
                self._failure = self._failure or excerpt
            self._outcomes.append("1" if passed else "0")
            self._count(passed)

    def _count(self, passed: bool) -> None:
        self._passes += passed
        self._fails += not passed
        self._answer = self._design.answer(self._s0, self._passes, self._fails)
        if self._answer == "more" and self._passes + self._fails >= self._cap:
            self._answer = "undecided"
        if self._answer != "more":
            self._ending = Ending.ANSWERED

    def result(self) -> TrialsRun:
        """What was measured so far."""
        return TrialsRun(
            outcomes="".join(self._outcomes),
            answer=self._answer,
            ending=self._ending,
            errors=self._errors,
            timed_out=self._timed_out,
            carried=self._carried,
            excerpt=self._failure or self._error,
        )


def run_trials(
    run_once: Callable[[int], TrialResult],
    design: DesignLike,
    *,
    cap: int,
    s0: int = 0,
    carried: str = "",
    max_errors: int | None = None,
) -> TrialsRun:
    """Run trials until the design answers.

    Args:
        run_once: makes the trial of a number, from 0; an exception of it is the caller's own and ends the loop.
        design, cap, s0, carried, max_errors: as `TrialLoop` takes them.
    """
    loop = TrialLoop(design, cap=cap, s0=s0, carried=carried, max_errors=max_errors)
    while loop.wants_more:
        loop.tell(run_once(loop.number))
    return loop.result()


async def run_trials_async(
    run_once: Callable[[int], Awaitable[TrialResult]],
    design: DesignLike,
    *,
    cap: int,
    s0: int = 0,
    carried: str = "",
    max_errors: int | None = None,
) -> TrialsRun:
    """As `run_trials`, one trial after the other, for a coroutine function."""
    loop = TrialLoop(design, cap=cap, s0=s0, carried=carried, max_errors=max_errors)
    while loop.wants_more:
        loop.tell(await run_once(loop.number))
    return loop.result()
