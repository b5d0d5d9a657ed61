"""The trial loop: when it stops, what it counts, and that an interrupted one goes on as if it had not been."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from gate.stats.design import Question, design_for
from gate.trials.designs import Fixed
from gate.trials.loop import (
    PASSED,
    Answer,
    Ending,
    Result,
    TrialLoop,
    TrialResult,
    TrialsRun,
    most_errors,
    run_trials,
    run_trials_async,
)

FAILED = TrialResult(Result.FAILED, "no")
LATE = TrialResult(Result.TIMED_OUT, "late")
ERROR = TrialResult(Result.INFRASTRUCTURE, "gone")
GONE = TrialResult(Result.ABANDONED, "broken")
DESIGN = design_for(Question(n0=50, cap=60, share=0.05 / 12, delta=0.3, power=0.9), {})


class Never:
    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        return "more"


def scripted(*trials: TrialResult) -> Callable[[int], TrialResult]:
    waiting = iter(trials)
    return lambda _: next(waiting)


def coin(rate: float, seed: int) -> Callable[[int], TrialResult]:
    draw = random.Random(seed).random
    return lambda _: PASSED if draw() < rate else FAILED


def test_every_kind_of_trial_is_counted_once() -> None:
    run = run_trials(scripted(PASSED, FAILED, ERROR, LATE, PASSED), Fixed(4), cap=10)
    assert run == TrialsRun("1001", "undecided", Ending.ANSWERED, errors=1, timed_out=1, carried=0, excerpt="no")
    assert (run.passes, run.made) == (2, 4)


def test_run_once_is_told_the_number_of_the_trial() -> None:
    numbers: list[int] = []

    def run_once(number: int) -> TrialResult:
        numbers.append(number)
        return ERROR if len(numbers) == 2 else PASSED

    run_trials(run_once, Fixed(3), cap=5, carried="1")
    assert numbers == [1, 2, 2]


def test_the_cap_ends_a_design_that_wants_more() -> None:
    run = run_trials(coin(0.5, 1), Never(), cap=7)
    assert (len(run.outcomes), run.answer, run.ending) == (7, "undecided", Ending.ANSWERED)


def test_the_design_is_asked_after_each_trial() -> None:
    run = run_trials(coin(1, 1), DESIGN, cap=60, s0=50)
    assert (run.outcomes, run.answer) == ("1" * 7, "holds")
    run = run_trials(coin(0, 1), DESIGN, cap=60, s0=50)
    assert (run.outcomes, run.answer) == ("00", "regression")


@pytest.mark.parametrize(("cap", "limit"), [(1, 3), (10, 3), (19, 3), (20, 4), (60, 12), (200, 40)])
def test_infrastructure_errors_have_a_limit(cap: int, limit: int) -> None:
    assert most_errors(cap) == limit
    run = run_trials(scripted(*[ERROR] * (limit + 1)), Never(), cap=cap)
    assert (run.ending, run.answer, run.errors, run.outcomes) == (Ending.UNMEASURED, "more", limit + 1, "")
    assert run.excerpt == "gone"
    run = run_trials(scripted(*[ERROR] * limit, *[PASSED] * cap), Never(), cap=cap)
    assert (run.ending, len(run.outcomes)) == (Ending.ANSWERED, cap)


def test_a_limit_of_ones_own() -> None:
    assert run_trials(scripted(ERROR), Fixed(2), cap=2, max_errors=0).ending is Ending.UNMEASURED


def test_an_abandoned_case_keeps_what_it_has() -> None:
    run = run_trials(scripted(PASSED, FAILED, GONE), Never(), cap=9)
    assert (run.outcomes, run.ending, run.answer, run.excerpt) == ("10", Ending.ABANDONED, "more", "no")
    assert run_trials(scripted(GONE), Never(), cap=9).excerpt == "broken"


def test_excerpts_are_short_and_of_the_first_failure() -> None:
    long = TrialResult(Result.FAILED, "x" * 400)
    assert run_trials(scripted(PASSED, long, FAILED), Fixed(3), cap=3).excerpt == "x" * 300


@pytest.mark.parametrize("rate", [0.0, 0.4, 0.7, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_run_that_was_cut_short_ends_as_the_whole_one(rate: float, seed: int) -> None:
    whole = run_trials(coin(rate, seed), DESIGN, cap=60, s0=45)
    for cut in range(len(whole.outcomes) + 1):
        rest = scripted(*(PASSED if outcome == "1" else FAILED for outcome in whole.outcomes[cut:]))
        run = run_trials(rest, DESIGN, cap=60, s0=45, carried=whole.outcomes[:cut])
        assert (run.outcomes, run.answer, run.ending) == (whole.outcomes, whole.answer, Ending.ANSWERED)
        assert (run.carried, run.made) == (cut, len(whole.outcomes) - cut)


def test_carried_trials_beyond_the_answer_are_reported_and_change_nothing() -> None:
    run = run_trials(scripted(), DESIGN, cap=60, s0=50, carried="1" * 7 + "0" * 20)
    assert (run.outcomes, run.answer, run.made) == ("1" * 7 + "0" * 20, "holds", 0)


def test_carried_trials_beyond_the_cap_are_not_shown_to_the_design() -> None:
    run = run_trials(scripted(), Never(), cap=3, carried="10101")
    assert (run.outcomes, run.answer) == ("10101", "undecided")


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(ValueError, match="allows no trial"):
        TrialLoop(Fixed(1), cap=0)
    with pytest.raises(ValueError, match="0 and 1"):
        TrialLoop(Fixed(1), cap=1, carried="1x")


def test_an_exception_of_the_trial_is_its_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        run_trials(lambda _: 1 // 0, Fixed(1), cap=1)  # type: ignore[arg-type,return-value]


def test_a_loop_that_is_left_alone_is_open() -> None:
    loop = TrialLoop(Fixed(3), cap=3, carried="0", excerpt="earlier")
    loop.tell(PASSED)
    assert loop.result() == TrialsRun("01", "more", Ending.OPEN, carried=1, excerpt="earlier")


def test_coroutines_are_run_in_the_same_way() -> None:
    async def run_once(number: int) -> TrialResult:
        await asyncio.sleep(0)
        return FAILED if number == 1 else PASSED

    assert asyncio.run(run_trials_async(run_once, Fixed(3), cap=3)).outcomes == "101"
