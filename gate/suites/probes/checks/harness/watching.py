"""Processes of one call: ends all of them, and looks at what they left; a part of `runner.py`, runs in the cell.

No code of the answer runs in here, and none can reach the process that does.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

import gate_encoding as encoding  # type: ignore[import-not-found]
import gate_python as python_call  # type: ignore[import-not-found]

_LOOK_SECONDS = 10.0
_MOST_TAPPED = 200_000


def children() -> Any:
    """The processes whose parent is this one; orphans from below are among them, see `apart.adopt`."""
    found: list[int] = []
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/children", "rb") as file:
            found += [int(one) for one in file.read().split()]
    return found


def end_all(child: Any, patience: Any = 0.0) -> Any:
    """End every process below this one; the status of `child`, processor seconds of all of them, and whether one had to
    be ended.

    Args:
        patience: seconds in which they may come to an end by themselves: what code starts and does not wait for is a
            part of what it does.
    """
    status, used, forced = 0, 0.0, False
    until = time.monotonic() + patience
    while True:
        try:
            process, found, spent = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return status, used, forced
        if process == 0:
            if time.monotonic() >= until:
                forced = True
                for one in children():
                    with contextlib.suppress(OSError):
                        os.kill(one, signal.SIGKILL)
            time.sleep(0.0005)
            continue
        used += spent.ru_utime + spent.ru_stime
        if process == child:
            status = found


class Tap:
    """A pipe whose end here nobody below can reach: what went in stays in; `lost` where it was more than is kept."""

    def __init__(self) -> None:
        self.source, self.into = os.pipe()
        os.set_blocking(self.source, False)
        self.parts: list[bytes] = []
        self.lost = False

    def take(self) -> Any:
        """Read what there is; whether more may come."""
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self.source, 65_536):
                self.lost = self.lost or sum(map(len, self.parts)) >= _MOST_TAPPED
                if not self.lost:
                    self.parts.append(part)
            return False
        return True

    def close(self) -> Any:
        """All that went in, as text."""
        self.take()
        os.close(self.source)
        return b"".join(self.parts).decode("utf-8", "replace")


class Server:
    """A process of ours that answers the code under test, and writes what it saw to the tap that it alone has."""

    def __init__(self, call: Any, tap: Any) -> None:
        asked, self.ask = os.pipe()
        self.hear, answer = os.pipe()
        self.streams, others = _pairs(call["streams"])
        self.process = os.fork()
        if self.process == 0:
            self.leave()
            with contextlib.suppress(BaseException):
                self._be(call, tap, asked, answer, others)
            os._exit(0)
        for one in (asked, answer, tap.into, *others):
            os.close(one)

    def _be(self, call: Any, tap: Any, asked: Any, answer: Any, streams: Any) -> None:
        names = {"__name__": "gate_serve", **encoding.decode(call["names"]), "streams": streams}
        names["note"] = lambda record: os.write(tap.into, encoding.as_line(record))
        python_call.evaluated(call["serve"], names)
        with os.fdopen(asked, "rb") as lines:
            for line in lines:
                reply = encoding.as_line(names["serve"](encoding.line_of(line)))
                while reply:
                    reply = reply[os.write(answer, reply) :]

    def leave(self) -> None:
        """Close what only the code under test needs."""
        for one in (self.ask, self.hear, *self.streams):
            os.close(one)


def _pairs(count: Any) -> Any:
    """Descriptors of connected sockets: those for the code under test, and those of the other side."""
    if not count:
        return [], []
    import socket

    pairs = [socket.socketpair() for _ in range(count)]
    return [one.detach() for one, _ in pairs], [other.detach() for _, other in pairs]


def follow(child: Any, source: Any, until: Any, events: Any, tap: Any) -> Any:
    """What a child wrote before its end or before its time was over; (bytes, whether it came to an end).

    A line alone is no end: another process could write one for a child that is still at it.
    """
    watch = os.pidfd_open(child)
    aside: Any = {one.handle if one is events else one.source: one for one in (events, tap) if one is not None}
    said, open_ends, ended = bytearray(), {source, watch, *aside}, False
    while not ended and (left := until - time.monotonic()) > 0:
        for handle in select.select(open_ends, [], [], left)[0]:
            if handle in aside:
                if not aside[handle].take():
                    open_ends.discard(handle)
            elif handle == watch:
                ended = True
            elif part := os.read(source, 65_536):
                _keep(said, part)
            else:
                open_ends.discard(source)
    os.close(watch)
    os.set_blocking(source, False)
    with contextlib.suppress(BlockingIOError):
        while part := os.read(source, 65_536):
            _keep(said, part)
    return bytes(said), ended


def _keep(said: Any, part: Any) -> None:
    """Add what a child wrote, as far as a line of ours is ever long: who floods a pipe must not fill this process."""
    said += part[: max(0, encoding.LONGEST_LINE - len(said))]


def looked(call: Any, folder: Any) -> Any:
    """What `look` of a call gives, evaluated in a process of its own, since what was left may be of any kind."""
    if not call["look"]:
        return None
    source, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        try:
            os.chdir(folder)
            names = {"__name__": "gate_look", **encoding.decode(call["names"])}
            line = encoding.as_line({"value": encoding.encode(python_call.evaluated(call["look"], names))})
        except BaseException as error:
            line = encoding.as_line({"value": None, "why": f"{type(error).__name__}: {error}"})
        os.write(into, line)
        os._exit(0)
    os.close(into)
    text, _ = follow(child, source, time.monotonic() + _LOOK_SECONDS, None, None)
    os.close(source)
    with contextlib.suppress(OSError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return encoding.line_of(text).get("value")
