"""Errors of the fixture without the values that it was given, where a report is written.

A report shows a failed test's traceback with the arguments of every call, and the text of the error. Both may hold ids,
answers or cells of the examples, none of which may leave the machine.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from gate.errors import GateError, UndecidedError, UsageError
from gate.record.plugin.values import ValueRefusedError

BY_HAND = "run the test without --gate-report to read the cause"
_OF_THE_LIBRARY = (
    (re.compile(r"(the model answered) .*(, which is)", re.S), r"\1 a class\2"),
    (re.compile(r"(lacks) the class .*( of y)", re.S), r"\1 a class\2"),
)


class _Reporting(Protocol):
    _reports: bool
    _nodeid: str


Self = TypeVar("Self", bound=_Reporting)
Given = ParamSpec("Given")
Result = TypeVar("Result")


def discreet(
    call: Callable[Concatenate[Self, Given], Result],
) -> Callable[Concatenate[Self, Given], Result]:
    """A method of the fixture whose errors tell no value where a report is written, and end at the test's own line."""

    @functools.wraps(call)
    def told(self: Self, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        __tracebackhide__ = True
        try:
            return call(self, *args, **kwargs)
        except Exception as error:  # what the user's own functions raise may tell of a row too
            if not self._reports:
                raise
            raise _without_values(error, self._nodeid).with_traceback(None) from None

    return told


def _without_values(error: Exception, where: str) -> GateError:
    if isinstance(error, ValueRefusedError):
        return UsageError(error.untold, where=error.where, remedy=error.remedy)
    if isinstance(error, UsageError):
        message = error.message
        for pattern, instead in _OF_THE_LIBRARY:
            message = pattern.sub(instead, message)
        return error if message == error.message else UsageError(message, where=error.where, remedy=error.remedy)
    if isinstance(error, GateError):
        return error
    return UndecidedError(f"not measured: {type(error).__name__} was raised", where=where, remedy=BY_HAND)
