"""Fixtures of a wider scope than a test: what they ask is theirs, whichever test comes first and whoever uses them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

from gate.record.recordings.exchange import Scope
from gate.record.recordings.repeating import Repeating
from gate.record.recordings.scope import entered

PLUGIN = "gate-wide"
_LONGEST = 100


class WideFixtures:
    """Stands in every process that runs tests.

    Args:
        calls: gives a fixture that is set up again what it was given before.
        stopped: told the name of a fixture whose set-up failed.
        ended: told the name of one that is torn down; None where other processes may still set it up.
    """

    def __init__(
        self, calls: Repeating, stopped: Callable[[str], object], ended: Callable[[str], object] | None
    ) -> None:
        self._calls = calls
        self._ended = ended
        self._stopped = stopped
        self._names: dict[Any, str] = {}
        self._known: set[str] = set()
        self._within: dict[str, set[str]] = {}
        self._open: dict[Any, contextlib.ExitStack] = {}

    @property
    def names(self) -> set[str]:
        """Of all that were set up in this process."""
        return self._known

    def used_by(self, item: Any) -> set[str]:
        """Names of the fixtures that a test uses, with those that these asked for while they were set up."""
        waiting = [self._names[each] for each in _definitions(getattr(item, "_request", None)) if each in self._names]
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._within.get(name, ())
        return found

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, object, object]:
        """Set-up and tear-down of a wide fixture happen in its name."""
        if fixturedef.scope == "function":
            return (yield)
        name = self._names[fixturedef] = fixture_name(fixturedef, request)
        self._known.add(name)
        fixturedef.addfinalizer(lambda: self._leave(fixturedef))  # called last
        before = set(_definitions(request))
        try:
            with self._in_its_name(name):
                return (yield)
        except BaseException:
            self._stopped(name)
            raise
        finally:
            inner = [each for each in _definitions(request) if each not in before and each in self._names]
            self._within.setdefault(name, set()).update(self._names[each] for each in inner)
            fixturedef.addfinalizer(lambda: self._enter(fixturedef, name))  # called before its own tear-down

    def pytest_fixture_post_finalizer(self, fixturedef: Any) -> None:
        name = self._names.get(fixturedef)
        if name is not None and self._ended is not None:
            self._ended(name)

    @contextlib.contextmanager
    def _in_its_name(self, name: str, *, goes_on: bool = False) -> Iterator[None]:
        with entered(Scope(name), shared=True), self._calls.instance(name, goes_on=goes_on):
            yield

    def _enter(self, fixturedef: Any, name: str) -> None:
        stack = self._open[fixturedef] = contextlib.ExitStack()
        stack.enter_context(self._in_its_name(name, goes_on=True))

    def _leave(self, fixturedef: Any) -> None:
        stack = self._open.pop(fixturedef, None)
        if stack is not None:
            stack.close()


def _definitions(request: Any) -> list[Any]:
    """The definitions of all fixtures that a test has asked for so far."""
    return list((getattr(request, "_fixture_defs", None) or {}).values())


def fixture_name(fixturedef: Any, request: Any) -> str:
    """A name that does not depend on which test asks first, and that no other instance of a fixture has.

    It says whose the instance is (of a package, a module, a class; nobody's for a session), the fixture and its
    parameter, and where it is defined if that is elsewhere.
    """
    base = str(fixturedef.baseid or "conftest")
    owner = "" if fixturedef.scope == "session" else str(getattr(request.node, "nodeid", ""))
    elsewhere = f" of {base}" if owner not in ("", base) else ""
    return f"{owner or base}::fixture {fixturedef.argname}{_parameter(request)}{elsewhere}"


def _parameter(request: Any) -> str:
    """A plain value stands for itself, since its number depends on who parametrizes; of others the number is known."""
    if not hasattr(request, "param"):
        return ""
    value = request.param
    if value is None or isinstance(value, str | int | float | bool):
        return f"[{value!r:.{_LONGEST}}]"
    return f"[{request.param_index}]"
