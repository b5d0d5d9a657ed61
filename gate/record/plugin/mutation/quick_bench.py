"""The bench of a test whose trials need no ceremony, see `quick`."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.tmpdir import tmppath_result_key

from gate.errors import GateError
from gate.record.plugin.attempt import shared_fixtures
from gate.record.plugin.mutation import quick
from gate.record.plugin.mutation.attempts import PASSED, Change, Seen, Trial, changed
from gate.record.plugin.pauses import asked_for
from gate.record.recordings.exchange import Scope
from gate.record.recordings.scope import entered
from gate.trials.infrastructure import is_infrastructure
from gate.trials.loop import EXCERPT_LENGTH

if TYPE_CHECKING:
    from gate.record.plugin.attempt import Attempts
    from gate.record.plugin.calls import Calls
    from gate.record.plugin.marker import Errors
    from gate.record.plugin.mutation.prepare import Prompted
    from gate.record.plugin.mutation.shared import Shared
    from gate.suites.mutation.targets.swap import Swap

_OUTCOMES = (Exception, pytest.fail.Exception, pytest.skip.Exception)
_THROUGH = (KeyboardInterrupt, pytest.exit.Exception)


class QuickBench:
    """One test, trial after trial; what it tells is what `Bench` would.

    Args:
        stay: stands around them.
        attempts: makes anew what pytest keeps on the item.
        declared: errors that are no trials, as the test's own mark names them.
    """

    def __init__(
        self, stay: quick.Stay, attempts: Attempts, declared: Errors, calls: Calls | None, shared: Shared
    ) -> None:
        self.item = stay.item
        self.case = ""
        self.attempts = attempts
        self._stay = stay
        self._timer = stay.timer
        self._declared = declared
        self._calls = calls
        self._shared = shared
        self._following = copy.copy(stay.item)
        self._call: Callable[[], object] | None = None
        self._names = stay.item._fixtureinfo.argnames
        self._renews = isinstance(stay.item.parent, pytest.Class) or getattr(stay.item, "callspec", None) is not None
        self._known = False
        self._properties = list(stay.item.user_properties)
        self._swaps: dict[str, Swap] = {}
        self._standing: tuple[Any, Any, Swap | None] = None, None, None

    def begin(self, case: str) -> None:
        """From here on trials belong to a case."""
        self.case = case
        self._standing = None, None, None
        self._stay.tidy()

    def trial(self, number: int, prompted: Prompted | None = None, change: Change = "") -> Trial:
        """One trial, as `Bench.trial`."""
        known, how, swap = self._standing
        if known is not prompted or how is not change or (swap is not None and not swap.holds):
            try:
                swap = None if prompted is None else self._swap(prompted, change)
            except GateError as error:
                return Trial(Seen.SPOILT, str(error)[:EXCERPT_LENGTH])
        if prompted is not None and swap is None:
            return self._around(number, prompted, change)
        disturbed = False
        with entered(Scope(self.case, number)):
            if swap is None:
                first, last = self._made()
            else:
                swap.put()
                try:
                    first, last = self._made()
                finally:
                    disturbed = swap.restore()
        quiet = first is None and last is None and not (disturbed or self._timer.fired)
        if quiet and (self._calls is None or self._calls.untroubled):
            return PASSED
        return self._judged(number, first, last, disturbed=disturbed)

    def _around(self, number: int, prompted: Prompted, change: Change) -> Trial:
        """A trial with a target that takes more than setting attributes."""
        failed: list[str] = []
        with self._shared.trial(alone=prompted.in_file):
            try:
                with changed(prompted, change, failed) as placed, entered(Scope(self.case, number)):
                    first, last = self._made()
            except GateError as error:
                return Trial(Seen.SPOILT, str(error)[:EXCERPT_LENGTH])
        if failed:
            return Trial(Seen.SPOILT, failed[0][:EXCERPT_LENGTH])
        return self._judged(number, first, last, disturbed=placed is not None and placed.disturbed)

    def _swap(self, prompted: Prompted, change: Change) -> Swap | None:
        """How the change is put in its place; found once for all trials in a row, unless a module was loaded."""
        last = self._swaps.get(prompted.spec)
        if last is not None and last.holds:
            found: Swap | None = last.again(change if isinstance(change, str) else change(last.was))
        else:
            make = getattr(prompted.target, "swap", None)
            found = make(change) if make is not None else None
        if found is not None:
            self._swaps[prompted.spec] = found
        self._standing = prompted, change, found
        return found

    def _made(self) -> tuple[BaseException | None, BaseException | None]:
        """What the test raised in set-up or call, and in its tear-down."""
        if self._call is not None:
            return self._within(self._call), None
        if self._stay.bare:
            return self._first_bare()
        first = self._within(self._set_up_and_call)
        return first, self._within(self._end_fixtures)

    def _first_bare(self) -> tuple[BaseException | None, BaseException | None]:
        """The first trial of a test of which nothing is made anew: what it shares with others is set up for it."""
        error = self._within(self._set_up)
        if error is not None:
            self._within(self._tear_down)
            return error, None
        self._call = quick.calling(self.item)
        return self._within(self._call), None

    def _within(self, step: Callable[[], object]) -> BaseException | None:
        """What a step raised within the limit of time."""
        timer = self._timer
        try:
            timer.begin()
            try:
                step()
            finally:
                timer.end()
        except _THROUGH:
            raise
        except BaseException as error:  # as pytest does: whatever ends a test is its failure
            timer.end()  # it may have struck right before it was put off
            return error
        return None

    def _set_up(self) -> None:
        """Set the test up, or again what is its own, where the last trial ended that alone."""
        item = self.item
        if not self._stay.bare and (self._renews or not self._known):
            self.attempts.renew()
        if self._known and item in item.session._setupstate.stack:
            item.user_properties[:] = self._properties
            item.funcargs.clear()
            item._request._fixture_defs.clear()
            item._request._fillfixtures()
        else:
            if not item._request:
                item._initrequest()
            item.stash.setdefault(tmppath_result_key, {})
            item.session._setupstate.setup(item)
            self._known = True
            self.attempts.shared = shared_fixtures(item) or self.attempts.shared

    def _set_up_and_call(self) -> None:
        self._set_up()
        item = self.item
        item.obj(**{name: item.funcargs[name] for name in self._names})

    def _end_fixtures(self) -> None:
        """End what a trial set up for itself; the item and what it shares with others stay as they are.

        Raises:
            BaseException: of the fixture that fails first.
        """
        item = self.item
        known = item.session._setupstate.stack.get(item)
        if known is None or known[1] is not None:  # its set-up failed, and pytest would only say so again
            self._tear_down()
            return
        finalizers, failed = known[0], None
        while len(finalizers) > 1:  # the first one is the item's own
            try:
                finalizers.pop()()
            except _OUTCOMES as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def _tear_down(self) -> None:
        item = self.item
        try:
            item.session._setupstate.teardown_exact(self._following)
        finally:
            item._request = False
            item.funcargs = None

    def end(self) -> None:
        """The last trial was made: what stays set up for all of them is ended."""
        self._call = None
        if self.item in self.item.session._setupstate.stack:
            with contextlib.suppress(Exception):
                self._tear_down()

    def _judged(
        self, number: int, first: BaseException | None, last: BaseException | None, *, disturbed: bool
    ) -> Trial:
        if disturbed:
            return Trial(Seen.SPOILT, "the test itself puts another prompt into the target while it runs")
        if self._calls is not None and not self._calls.untroubled:
            lacked = self._calls.trouble(self.case, number)
            if lacked:
                return Trial(Seen.LACKED, lacked)
        if self._timer.fired:
            self._timer.fired = False
            return Trial(Seen.NOTICED, "the trial ran out of time" if first is None else _said(first), timed_out=True)
        error = first if first is not None else last
        if error is None:
            return PASSED
        if quick.is_skip(error):
            return Trial(Seen.SKIPPED, _said(error))
        if is_infrastructure(error, self._declared):
            said = f"{type(error).__name__}: {error}"[:EXCERPT_LENGTH]
            return Trial(Seen.UNREACHABLE, said, wait=asked_for(error))
        return Trial(Seen.NOTICED, _said(error))


def _said(error: BaseException) -> str:
    return quick.told_of(error)[:EXCERPT_LENGTH]
