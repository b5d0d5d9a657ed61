"""Watching a job until it ends or must be ended: its streams, what it uses, what the kernel asks about it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from typing import Any

from gate.sandbox.cell import folder, usage
from gate.sandbox.cell.answers import Answers

STREAMS = ("stdout", "stderr", "verdict")
_CHUNK = 65536
_FIRST_LOOK, _LOOK_EVERY = 0.01, 0.02
_FULL = 0.98
_LOOK_SHARE = 10  # a look that takes long is followed by a pause of that many times its length


class ClientGoneError(Exception):
    """Nobody waits for the answer any more."""


class Watch:
    """One job.

    Args:
        limits: as `values.Limits`, by name.
        pipes: our ends of the streams named by `STREAMS`.
        channel: to the client; when it is gone, so is the reason to go on.
        process: which one to wait for.
        above: below which process all of the job's are.
        opened: the open folder of the job's folders.
        answers, listener: who answers the kernel's questions, and where they come in; -1 for nowhere.
        count_processes, count_disk: whether nothing else limits them.

    Attributes:
        reason: why the job must be ended, a value of `values.Ending`; empty as long as it needn't.
        status: how `process` ended; None before.
        cpu: seconds of those that were waited for.
        peak: bytes that the largest of those held at a time.
    """

    def __init__(  # noqa: PLR0913 -- once, by the warden
        self,
        limits: dict[str, Any],
        pipes: list[int],
        channel: socket.socket,
        process: int,
        above: int,
        opened: int,
        answers: Answers,
        listener: int,
        *,
        count_processes: bool,
        count_disk: bool,
    ) -> None:
        self.limits = limits
        self.process = process
        self.above = above
        self.opened = opened
        self.answers = answers
        self.count_processes = count_processes
        self.count_disk = count_disk
        self.reason = ""
        self.status: int | None = None
        self.cpu = 0.0
        self.peak = 0
        self.truncated = False
        self.disk_full = False
        self.over_disk = False
        self.begun = time.monotonic()
        self.ended = self.begun
        self.data = {name: bytearray() for name in STREAMS}
        self._pipes = dict(zip(pipes, STREAMS, strict=True))
        self._channel = channel
        self._listener = listener
        self._wakes, wake = os.pipe()
        for handle in (*pipes, self._wakes, wake):
            os.set_blocking(handle, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def run(self) -> None:
        """Return when the job ended by itself or `reason` says why it must be ended.

        Raises:
            ClientGoneError: the client closed its channel.
        """
        waiting = select.poll()
        for handle in (*self._pipes, self._wakes):
            waiting.register(handle, select.POLLIN)
        if self._listener >= 0:
            waiting.register(self._listener, select.POLLIN)
        waiting.register(self._channel, select.POLLRDHUP)
        last = self.begun + self.limits["wall"]
        look = self.begun + _FIRST_LOOK
        self.reap()
        while self.status is None and not self.reason:
            pause = max(0.0, min(last, look) - time.monotonic())
            for handle, event in waiting.poll(pause * 1000 + 1):
                self._serve(waiting, handle, event)
            now = time.monotonic()
            if now >= last and self.status is None:
                self.reason = self.reason or "timeout"
            elif now >= look and not self.reason:
                self._look()
                look = time.monotonic() + max(_LOOK_EVERY, _LOOK_SHARE * (time.monotonic() - now))
        self.ended = time.monotonic()

    def drain(self) -> None:
        """Take what is left in the streams once no process writes to them."""
        for handle in list(self._pipes):
            while self._read(handle):
                pass

    def reap(self) -> bool:
        """Take ended children away; True when there is none left."""
        while True:
            try:
                process, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if process == 0:
                return False
            self.cpu += used.ru_utime + used.ru_stime
            self.peak = max(self.peak, used.ru_maxrss * 1024)
            if process == self.process:
                self.status = status

    def _serve(self, waiting: select.poll, handle: int, event: int) -> None:
        if handle == self._wakes:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wakes, 4096)
            self.reap()
        elif handle == self._channel.fileno():
            raise ClientGoneError
        elif handle == self._listener:
            if event & select.POLLIN:
                self.answers.answer_one()
            else:
                waiting.unregister(handle)  # no process is left that could ask
        elif not self._read(handle) and handle not in self._pipes:
            waiting.unregister(handle)

    def _read(self, handle: int) -> bool:
        """Take what a stream has now; False when there is nothing, or it is at its end and gone."""
        try:
            got = os.read(handle, _CHUNK)
        except BlockingIOError:
            return False
        if not got:
            del self._pipes[handle]
            return False
        kept = self.data[self._pipes[handle]]
        room = self.limits["output"] - len(kept)
        kept += got[:room]
        if len(got) > room:
            self.truncated = True
            self.reason = self.reason or "output"
            return False
        return True

    def _look(self) -> None:
        """See what the job uses now."""
        processes = usage.descendants(self.above)
        sockets, unlinked = usage.held_open(processes, os.fstat(self.opened).st_dev)
        limits = self.limits
        waited_for = [self.above] if self.above != os.getpid() else []
        if usage.memory(processes, limits["memory"], sockets) > limits["memory"]:
            self.reason = "memory"
        elif self.cpu + usage.processor_seconds(processes + waited_for) > limits["cpu"]:
            self.reason = "cpu"
        elif self.count_processes and usage.threads(processes) > limits["processes"]:
            self.answers.refused.add("fork")
            self.reason = "blocked"
        elif not self.count_disk:
            self.see_disk()
        elif folder.used(self.opened, limits["disk"]) + unlinked > limits["disk"]:
            self.reason = "disk"

    def see_disk(self) -> None:
        """Remember when the job's folders are full, or hold more than they may."""
        if self.count_disk:
            used = folder.used(self.opened, self.limits["disk"])
            self.disk_full = self.disk_full or used >= _FULL * self.limits["disk"]
            self.over_disk = used > self.limits["disk"]
        else:
            found = os.fstatvfs(self.opened)
            self.disk_full = self.disk_full or 0 in (found.f_bavail, found.f_favail)
