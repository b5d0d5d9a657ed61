"""A time limit for a stretch of a test: a signal in the main thread, else an exception sent to the thread."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

_SHORTEST = 0.001


class TrialTimeout(pytest.fail.Exception):  # type: ignore[name-defined, misc]
    """A trial ran out of time. Like every outcome of pytest it is no `Exception`, so that few handlers catch it."""

    __module__ = "builtins"  # told without its module, as pytest's own

    def __init__(self, msg: str | None = None, pytrace: bool = True) -> None:
        super().__init__(msg or "the trial ran out of time", pytrace)


class Alarm:
    """Interrupts what runs inside `limit` once its time is up, and again after as much time where that was caught.

    Where there is no signal (Windows, or pytest outside the main thread) the exception reaches the thread only between
    two steps of Python: a call that blocks in C goes on until it returns.
    """

    def __init__(self) -> None:
        self.fired = False
        """Whether a limit was passed since `reset`."""

    def reset(self) -> None:
        self.fired = False

    @contextlib.contextmanager
    def limit(self, seconds: float | None, told: float | None = None) -> Iterator[None]:
        """Interrupt the block after so many seconds; never for None.

        Args:
            told: the whole limit, for the message, where a part of it was used before.
        """
        if seconds is None:
            yield
        elif hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            with self._by_signal(max(seconds, _SHORTEST), seconds if told is None else told):
                yield
        else:
            with self._by_thread(max(seconds, _SHORTEST)):
                yield

    @contextlib.contextmanager
    def _by_signal(self, seconds: float, told: float) -> Iterator[None]:
        def interrupt(number: int, frame: FrameType | None) -> None:
            __tracebackhide__ = True
            self.fired = True
            raise TrialTimeout(f"the trial ran out of time after {told:g} s")

        others, interval = signal.getitimer(signal.ITIMER_REAL)
        if 0 < others < seconds:  # somebody else's limit comes first
            yield
            return
        started = time.monotonic()
        previous = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)

        def put_back() -> None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous if previous is not None else signal.SIG_DFL)
            if others:  # somebody else's timer goes on from where it was
                left = others - (time.monotonic() - started)
                signal.setitimer(signal.ITIMER_REAL, max(left, _SHORTEST), interval)

        try:
            yield
        finally:
            _surely(put_back)

    @contextlib.contextmanager
    def _by_thread(self, seconds: float) -> Iterator[None]:
        target = threading.get_ident()
        over = threading.Event()

        def watch() -> None:
            while not over.wait(seconds):
                self.fired = True
                _send(target, ctypes.py_object(TrialTimeout))

        watcher = threading.Thread(target=watch, name="gate trial limit", daemon=True)
        watcher.start()

        def call_off() -> None:
            over.set()
            watcher.join()
            _send(target, None)  # what was sent and has not arrived

        try:
            yield
        finally:
            _surely(call_off)


def _surely(clean_up: Callable[[], None]) -> None:
    """Clean up also when the limit strikes while that is done."""
    while True:
        try:
            clean_up()
        except TrialTimeout:
            continue
        return


def _send(thread: int, error: ctypes.py_object[type[BaseException]] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
