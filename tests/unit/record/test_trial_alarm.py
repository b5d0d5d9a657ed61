"""The time limit of a trial, by signal and by thread."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable

import pytest

from gate.record.plugin.alarm import Alarm, TrialTimeout

SHORT = 0.05


def busy(seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def in_thread(run: Callable[[], None]) -> BaseException | None:
    """What a function raises in a thread, where there are no signals."""
    raised: list[BaseException] = []

    def body() -> None:
        try:
            run()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    return raised[0] if raised else None


def passes_the_limit() -> None:
    alarm = Alarm()
    started = time.monotonic()
    with pytest.raises(TrialTimeout), alarm.limit(SHORT):
        busy()
    assert alarm.fired
    assert time.monotonic() - started < 4
    alarm.reset()
    assert not alarm.fired


def stays_inside() -> None:
    alarm = Alarm()
    with alarm.limit(5):
        busy(0.01)
    with alarm.limit(None):
        pass
    assert not alarm.fired


def catches_it() -> None:
    alarm = Alarm()
    caught = 0
    with alarm.limit(SHORT):
        for _ in range(2):
            try:
                busy()
            except TrialTimeout:
                caught += 1
    assert (caught, alarm.fired) == (2, True)


@pytest.mark.parametrize("run", [passes_the_limit, stays_inside, catches_it])
def test_a_limit(run: Callable[[], None]) -> None:
    run()
    assert in_thread(run) is None


def test_a_blocking_call_is_interrupted() -> None:
    with pytest.raises(TrialTimeout, match=r"out of time after 7 s"), Alarm().limit(SHORT, 7):
        time.sleep(5)


def test_nothing_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TrialTimeout), Alarm().limit(SHORT):
        busy()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


@pytest.mark.parametrize(("others", "ours"), [(3.0, 1.0), (0.2, 5.0)])
def test_a_timer_of_somebody_else_goes_on(others: float, ours: float) -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, others)
    try:
        with Alarm().limit(ours):
            busy(0.3)
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert interval == 0
        assert (left, rung) == (0, [signal.SIGALRM]) if others < ours else 2 < left < 2.9
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_it_is_told_as_outcomes_of_pytest_are() -> None:
    assert (TrialTimeout.__module__, str(TrialTimeout())) == ("builtins", "the trial ran out of time")
    assert not issubclass(TrialTimeout, Exception)
