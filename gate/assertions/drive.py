"""Runs trials one after the other, for plain functions and async ones alike.

What to call next is a generator's business, `Steps`: it yields a function, is sent what the function returned, or is
thrown what it raised, and returns a result. So the rule is written once, and only who awaits differs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial
from typing import Any, TypeVar

from gate.assertions.arguments import Call, TrialTimeoutError, truth

Result = TypeVar("Result")
Steps = Generator[Call, object, Result]
Judge = Callable[[Result, int], Result]
"""What is done with a result at the end: returns it, warns or raises. The number is the stack level of the caller."""

_PLAIN_LEVEL, _ASYNC_LEVEL = 5, 3


def drive(
    steps: Steps[Result], judge: Judge[Result], timeout: float | None, *, is_async: bool
) -> Result | Coroutine[Any, Any, Result]:
    """Call until there is a result. Async functions, and any that returns an awaitable, are left to whoever awaits."""
    __tracebackhide__ = True
    call = next(steps)
    if is_async:
        return pending_assertion(steps, call, judge, timeout)
    while True:
        try:
            outcome = call()
        except Exception as error:
            steps.throw(error)
            raise
        if outcome is not True and outcome is not False and isinstance(outcome, Awaitable):
            return pending_assertion(steps, partial(_returned, outcome), judge, timeout)
        try:
            call = steps.send(outcome)
        except StopIteration as end:
            result: Result = end.value
            break
    return judge(result, _PLAIN_LEVEL)


async def pending_assertion(steps: Steps[Result], call: Call, judge: Judge[Result], timeout: float | None) -> Result:
    """The same for async trials. Its name is what Python warns with when nobody awaits it."""
    __tracebackhide__ = True
    while True:
        try:
            outcome = call()
            if isinstance(outcome, Awaitable):
                outcome = await _within(outcome, timeout)
        except Exception as error:
            steps.throw(error)
            raise
        try:
            call = steps.send(outcome)
        except StopIteration as end:
            result: Result = end.value
            break
    return judge(result, _ASYNC_LEVEL)


def _returned(outcome: object) -> object:
    """What has been called already, as the call that returns it."""
    return outcome


async def _within(outcome: Awaitable[object], seconds: float | None) -> object:
    if seconds is None:
        return await outcome
    import asyncio

    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await outcome
    except TimeoutError:
        if not limit.expired():
            raise
        raise TrialTimeoutError(
            f"a trial took longer than {seconds:g} seconds, so nothing was measured",
            remedy="raise timeout, or find out why the trial hangs",
        ) from None


def ask(call: Call, who: str, before: int) -> Generator[Call, object, bool]:
    """One trial of `who`, who has been called `before` times: its outcome, or its own error with a note."""
    try:
        outcome = yield call
    except Exception as error:
        error.add_note(f"{who} raised this in call {before + 1}; an error is no failed trial, so nothing was decided")
        raise
    if outcome is True or outcome is False:
        return outcome
    return truth(outcome, who, before + 1)
