"""Trials without ceremony: of a plain test in whose phases no other plugin takes part.

Around one call of a test function pytest calls some thirty hooks and makes three reports. Where all that is of pytest
and of the gate alone, none of it changes what a trial comes to, and a trial is the set-up of its fixtures, its call and
its tear-down. What is printed meanwhile is thrown away, warnings are filtered as ever.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.fixtures import pytest_fixture_setup

from gate.record.plugin.alarm import TrialTimeout
from gate.record.plugin.timed import pytest_timeout_of

if TYPE_CHECKING:
    from types import FrameType

_HOOKS = (
    "pytest_runtest_protocol",
    "pytest_runtest_setup",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_runtest_makereport",
    "pytest_pyfunc_call",
)
_KNOWN = frozenset({"_pytest", "gate", "xdist", "anyio", "pytest_asyncio", "_hypothesis_pytestplugin", "pytest_cov"})
"""Packages whose part in these hooks changes nothing for a plain function that has none of their marks."""
_KNOWN_MODULES = frozenset({"pytest_timeout", "pytest_randomly", "pytest_rerunfailures"})
"""Those of which the gate looks after the part that matters (see `timed`), or whose part is no trial's."""
_MARKS = frozenset({"skip", "skipif", "xfail", "anyio", "asyncio", "timeout", "flaky"})
_FIXTURES = frozenset(
    {"caplog", "capsys", "capfd", "capsysbinary", "capfdbinary", "capteesys", "subtests", "pytester", "robustness"}
)
"""Fixtures that work through the phases of a test."""
_OPTIONS = ("usepdb", "trace", "setuponly", "setupplan", "setupshow")
_CLOSE = 0.001
"""Seconds before its end at which the time of a trial is up: clocks differ by less."""
_TIDIED = 50
"""Mutants after which what their trials printed is thrown away."""


def is_quick(item: Any) -> bool:
    """Whether the trials of a test can be made without the hooks of its phases."""
    if type(item) is not pytest.Function or getattr(item.obj, "is_hypothesis_test", False):
        return False
    function = inspect.unwrap(item.obj)
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return False
    if any(item.get_closest_marker(name) is not None for name in _MARKS) or _has_own_phases(item):
        return False
    if any(getattr(item.config.option, name, False) for name in _OPTIONS):
        return False
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    return timed and not any(signal.getitimer(signal.ITIMER_REAL)) and pytest_timeout_of(item) is None


def _has_own_phases(item: Any) -> bool:
    if not _FIXTURES.isdisjoint(item._fixtureinfo.names_closure):
        return True
    for name in _HOOKS:
        for each in getattr(item.ihook, name).get_hookimpls():
            module = getattr(each.function, "__module__", "")
            if module.partition(".")[0] not in _KNOWN and module not in _KNOWN_MODULES:
                return True
    return False


def is_bare(item: Any) -> bool:
    """Whether nothing of a test is made anew for a trial: no fixture of its own, no instance, no parameter."""
    if isinstance(item.parent, pytest.Class) or getattr(item, "callspec", None) is not None:
        return False
    definitions = item._fixtureinfo.name2fixturedefs
    return all(each[-1].scope != "function" for each in definitions.values() if each) and all(
        name in definitions for name in item._fixtureinfo.argnames
    )


class Timer:
    """Interrupts a trial after so many seconds by the signal that `Alarm` uses.

    It is set once for many trials, as that takes longer than all else around one: when it strikes, it is set again to
    what is left to the trial that runs by then.

    Args:
        seconds: of one trial; 0 for no limit.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.fired = False
        self._now = time.monotonic  # held here, so that a test that freezes time does not freeze its limit
        self._since: float | None = None
        self._previous: Any = None

    def __enter__(self) -> None:
        self._previous = signal.signal(signal.SIGALRM, self._interrupt)
        self.renew()

    def __exit__(self, *error: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._previous if self._previous is not None else signal.SIG_DFL)

    def renew(self) -> None:
        """Set it anew, which a test that uses the same timer may have put off."""
        signal.setitimer(signal.ITIMER_REAL, self.seconds, self.seconds)

    def begin(self) -> None:
        self._since = self._now()

    def end(self) -> None:
        """From here on nothing is interrupted."""
        self._since = None

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        if self._since is None:
            return
        left = self._since + self.seconds - self._now()
        if left > _CLOSE:
            signal.setitimer(signal.ITIMER_REAL, left, self.seconds)
            return
        self.fired = True
        raise TrialTimeout(f"the trial ran out of time after {self.seconds:g} s")


class Stay:
    """Stands around all trials of one test in a row: its filters of warnings, its output, its time limit.

    Args:
        limit: seconds of one trial; None for none.
    """

    def __init__(self, item: Any, limit: float | None) -> None:
        self.item = item
        self.bare = is_bare(item)
        self.timer = Timer(limit if limit is not None else 0.0)
        self._mutants = 0
        self._stack = contextlib.ExitStack()

    def open(self) -> None:
        from _pytest import assertion
        from _pytest.warnings import catch_warnings_for_item

        item, stack = self.item, self._stack
        stack.enter_context(_around(assertion.pytest_runtest_protocol(item)))
        stack.enter_context(catch_warnings_for_item(item.config, item.ihook, "runtest", item))
        capture = item.config.pluginmanager.get_plugin("capturemanager")
        if capture is not None:
            stack.enter_context(capture.item_capture("call", item))
        root, quiet = logging.getLogger(), logging.NullHandler()
        root.addHandler(quiet)  # so that `logging.basicConfig` of the suite finds one, as it does within a phase
        stack.callback(root.removeHandler, quiet)
        session = item.session
        session.gethookproxy = _proxies(item)
        stack.callback(delattr, session, "gethookproxy")
        stack.enter_context(self.timer)

    def close(self) -> None:
        """End what stands around; fixtures that were set up are the caller's to end."""
        self._stack.close()
        self.item._report_sections = []

    def tidy(self) -> None:
        """Asked before the trials of each mutant: now and then what they printed is thrown away, so that it does not
        pile up, and the timer is set anew, which a test may have put off."""
        self._mutants += 1
        if self._mutants % _TIDIED == 0:
            self.timer.renew()
            capture = self.item.config.pluginmanager.get_plugin("capturemanager")
            if capture is not None and capture.is_globally_capturing():
                capture.read_global_capture()


def _proxies(item: Any) -> Callable[[Any], Any]:
    """Which hooks a folder has, which pytest looks up anew for each hook of each fixture."""
    others = functools.cache(item.session.gethookproxy)
    own, hooks = item.path, FixtureHooks(item.ihook)

    def proxy(path: Any) -> Any:
        return hooks if path is own else others(path)

    return proxy


class FixtureHooks:
    """The hooks of a test, without those around its own fixtures where nobody but pytest and the gate takes part.

    Pytest's tell of a set-up where an option asks for that, which `is_quick` excludes; the gate's looks after fixtures
    of wider scopes.
    """

    def __init__(self, hooks: Any) -> None:
        self._hooks = hooks
        if _is_own(hooks.pytest_fixture_setup):
            self.pytest_fixture_setup = self._set_up
        if _is_own(hooks.pytest_fixture_post_finalizer):
            self.pytest_fixture_post_finalizer = self._ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hooks, name)

    def _set_up(self, fixturedef: Any, request: Any) -> Any:
        if fixturedef.scope == "function":
            return pytest_fixture_setup(fixturedef, request)
        return self._hooks.pytest_fixture_setup(fixturedef=fixturedef, request=request)

    def _ended(self, fixturedef: Any, request: Any) -> None:
        if fixturedef.scope != "function":
            self._hooks.pytest_fixture_post_finalizer(fixturedef=fixturedef, request=request)


def _is_own(hook: Any) -> bool:
    """Whether nobody but pytest and the gate takes part in a hook."""
    modules = (getattr(each.function, "__module__", "") for each in hook.get_hookimpls())
    return all(module.partition(".")[0] in ("_pytest", "gate") for module in modules)


@contextlib.contextmanager
def _around(wrapper: Generator[None, Any, Any]) -> Iterator[None]:
    """A wrapper of a hook, around the block."""
    next(wrapper)
    try:
        yield
    finally:
        with contextlib.suppress(StopIteration):
            wrapper.send(None)


def told_of(error: BaseException) -> str:
    """What pytest's report says of an exception in one line."""
    return pytest.ExceptionInfo.from_exception(error).exconly(tryshort=True)


def is_skip(error: BaseException) -> bool:
    """Whether a test was left by one of the ways to skip it."""
    unittest = sys.modules.get("unittest")
    return isinstance(error, pytest.skip.Exception) or (unittest is not None and isinstance(error, unittest.SkipTest))


def calling(item: Any) -> Callable[[], object]:
    """The call of a test that is set up."""
    function = item.obj
    names = item._fixtureinfo.argnames
    if not names:
        return function  # type: ignore[no-any-return]
    arguments = {name: item.funcargs[name] for name in names}
    return lambda: function(**arguments)
