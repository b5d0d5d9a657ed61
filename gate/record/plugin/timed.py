"""The trial that is being made: its time limit, and what its phases raise, from pytest's own hooks."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from gate.record.plugin.alarm import Alarm

if TYPE_CHECKING:
    from gate.record.plugin.attempt import Attempts


@dataclass(slots=True)
class _Running:
    """The test whose trials are being made."""

    item: pytest.Item
    attempts: Attempts
    limit: float | None
    deadline: float = 0.0


class TimedTrials:
    """A plugin that makes trials: set-up and call of each have one limit together, its tear-down as much again."""

    def __init__(self) -> None:
        self._alarm = Alarm()
        self._running: _Running | None = None

    @contextlib.contextmanager
    def running(self, item: pytest.Item, attempts: Attempts, limit: float | None) -> Iterator[None]:
        """Trials of an item until the end of the block.

        Args:
            limit: seconds of one trial; None for none.
        """
        self._running = _Running(item, attempts, limit)
        reseeds = _reseeding(item.config.option, False)
        try:
            yield
        finally:
            self._running = None
            _reseeding(item.config.option, reseeds)

    def fired(self) -> bool:
        """Whether the limit struck since the trial began."""
        return self._alarm.fired

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        self._alarm.reset()
        with self._limited(self._begin(item)):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        with self._limited(self._of(item)):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        with self._limited(self._begin(item)):  # as much time again, since it must be given a chance
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        running = self._of(item)
        if running is not None:
            running.attempts.note(call, report)
        return report

    def _begin(self, item: pytest.Item) -> _Running | None:
        running = self._of(item)
        if running is not None and running.limit is not None:
            running.deadline = time.monotonic() + running.limit
        return running

    def _of(self, item: pytest.Item) -> _Running | None:
        return self._running if self._running is not None and self._running.item is item else None

    @contextlib.contextmanager
    def _limited(self, running: _Running | None) -> Iterator[None]:
        seconds = None if running is None or running.limit is None else running.deadline - time.monotonic()
        with self._alarm.limit(seconds, running.limit if running is not None else None):
            yield


def pytest_timeout_of(item: Any) -> float | None:
    """Take the limit of pytest-timeout for one trial, and its timer, which runs over all of them, away."""
    settings_of = getattr(sys.modules.get("pytest_timeout"), "_get_item_settings", None)
    if settings_of is None or not hasattr(item.config.hook, "pytest_timeout_cancel_timer"):
        return None
    seconds = settings_of(item).timeout
    if not seconds or seconds <= 0:
        return None
    item.config.hook.pytest_timeout_cancel_timer(item=item)
    return float(seconds)


def _reseeding(option: Any, wanted: bool | None) -> bool | None:
    """Whether pytest-randomly sets the seed anew before each test: then every trial would draw what the first drew."""
    before: bool | None = getattr(option, "randomly_reset_seed", None)
    if before is not None:
        option.randomly_reset_seed = wanted
    return before
