"""What stands around trials without ceremony: their limit of time, and the hooks of their fixtures."""

from __future__ import annotations

import signal
from types import SimpleNamespace
from typing import Any

import pytest

from gate.record.plugin.alarm import TrialTimeout
from gate.record.plugin.mutation.quick import FixtureHooks, Timer


@pytest.fixture
def armed(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What a timer was set to, without a signal that comes."""
    found: list[float] = []
    monkeypatch.setattr(signal, "setitimer", lambda which, seconds, again=0.0: found.append(seconds))
    return found


def timer(*clock: float) -> Timer:
    made = Timer(10.0)
    made._now = iter(clock).__next__
    return made


def test_a_timer_that_strikes_in_a_trial_is_set_to_what_that_has_left(armed: list[float]) -> None:
    one = timer(100.0, 104.0, 110.0)
    one.begin()
    one._interrupt(0, None)
    assert armed == [6.0]
    assert not one.fired
    with pytest.raises(TrialTimeout):
        one._interrupt(0, None)
    assert one.fired


def test_a_timer_that_strikes_between_trials_does_nothing(armed: list[float]) -> None:
    one = timer(100.0)
    one._interrupt(0, None)
    one.begin()
    one.end()
    one._interrupt(0, None)
    assert not one.fired
    assert armed == []


def test_a_timer_puts_back_what_handled_the_signal(armed: list[float]) -> None:
    before = signal.getsignal(signal.SIGALRM)
    with timer() as nothing:
        assert nothing is None
        assert signal.getsignal(signal.SIGALRM) != before
    assert signal.getsignal(signal.SIGALRM) == before
    assert armed == [10.0, 0]


class Hook:
    """A hook with parts of some modules."""

    def __init__(self, *modules: str) -> None:
        self.called: list[Any] = []
        self._parts = [SimpleNamespace(function=SimpleNamespace(__module__=module)) for module in modules]

    def get_hookimpls(self) -> list[SimpleNamespace]:
        return self._parts

    def __call__(self, fixturedef: Any, request: Any) -> str:
        self.called.append(fixturedef)
        return "by the hook"


def hooks(*modules: str) -> SimpleNamespace:
    return SimpleNamespace(
        pytest_fixture_setup=Hook(*modules), pytest_fixture_post_finalizer=Hook(*modules), other="another"
    )


@pytest.mark.parametrize(
    ("modules", "scope", "asked"),
    [
        (("_pytest.fixtures", "gate.record.plugin.wide"), "function", False),
        (("_pytest.fixtures",), "module", True),
        (("_pytest.fixtures", "conftest"), "function", True),
        (("_pytest.fixtures", "pytest_asyncio.plugin"), "function", True),
    ],
)
def test_hooks_of_fixtures_are_left_out_where_nobody_else_takes_part(
    monkeypatch: pytest.MonkeyPatch, modules: tuple[str, ...], scope: str, asked: bool
) -> None:
    monkeypatch.setattr("gate.record.plugin.mutation.quick.pytest_fixture_setup", lambda one, request: "made")
    known = hooks(*modules)
    own, one = FixtureHooks(known), SimpleNamespace(scope=scope)
    assert own.pytest_fixture_setup(fixturedef=one, request=None) == ("by the hook" if asked else "made")
    own.pytest_fixture_post_finalizer(fixturedef=one, request=None)
    assert known.pytest_fixture_setup.called == [one] * asked
    assert known.pytest_fixture_post_finalizer.called == [one] * asked
    assert own.other == "another"
