"""What a warden answers when the kernel asks about a system call of its job (seccomp_unotify(2)).

It never lets the kernel go on with the call: what may be done, the warden does itself, with its own copy of the
arguments, so that a job that rewrites its memory meanwhile gains nothing.
"""

# pathlib would make every fork larger
# ruff: noqa: PTH123

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import struct

from gate.sandbox.cell import calls, kernel, metadata, wire

_RECEIVE, _SEND, _STILL_VALID, _ADD_HANDLE = 0xC0502100, 0xC0182101, 0x40082102, 0x40182103  # SECCOMP_IOCTL_NOTIF_*
_QUESTION = struct.Struct("=QIIiIQ6Q")  # struct seccomp_notif: id, pid, flags, number, architecture, place, arguments
_ANSWER = struct.Struct("=QqiI")  # struct seccomp_notif_resp: id, value, error, flags
_ADDITION = struct.Struct("=QIIII")  # struct seccomp_notif_addfd: id, flags, ours, theirs, flags of theirs
_AT_THAT_NUMBER = 1
_LONGEST_ADDRESS = 128  # struct sockaddr_storage
_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_LOOPBACK = (bytes((127, 0, 0, 1)), bytes(15) + b"\x01", bytes(10) + b"\xff\xff" + bytes((127, 0, 0, 1)))


class Answers:
    """Answers for one job.

    Args:
        listener: where the kernel asks.
        port: the TCP port on 127.0.0.1 that the job may connect to.
        channel: to the client, which connects, since here there may be no network at all.
        own: the tree of the job's folders.

    Attributes:
        refused: names of the calls that were refused.
    """

    def __init__(self, listener: int, port: int | None, channel: socket.socket, own: str) -> None:
        self._listener = listener
        self._port = port
        self._channel = channel
        self._own = own
        self._machine = kernel.architecture()
        self.refused: set[str] = set()

    def answer_one(self) -> None:
        """Take one question and answer it."""
        question = bytearray(_QUESTION.size)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, question)
        except OSError:  # the process was killed or interrupted meanwhile
            return
        identity, process, _, number, _, _, *arguments = _QUESTION.unpack(question)
        name = calls.name_of(number, self._machine)
        try:
            error = self._decide(name, identity, process, arguments)
        except OSError as problem:
            error = problem.errno or errno.EACCES
        if error in (errno.EPERM, errno.EACCES):
            self.refused.add(name)
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._listener, _SEND, bytearray(_ANSWER.pack(identity, 0, -error, 0)))

    def _decide(self, name: str, identity: int, process: int, arguments: list[int]) -> int:
        if name in metadata.CALLS:
            metadata.change(name, process, arguments, self._own)
            return 0
        if name == "connect":
            return self._connect(identity, process, arguments)
        return errno.EACCES if name == "socket" else errno.EPERM

    def _connect(self, identity: int, process: int, arguments: list[int]) -> int:
        """Put a socket that is connected to the one port in the place of the job's."""
        handle, place, length = arguments[0] & 0xFFFFFFFF, arguments[1], arguments[2] & 0xFFFFFFFF
        address = metadata.read_memory(process, place, min(length, _LONGEST_ADDRESS))
        fcntl.ioctl(self._listener, _STILL_VALID, struct.pack("=Q", identity))
        if not self._is_allowed(address):
            return errno.EACCES
        flags = _flags(process, handle)
        wire.send(self._channel, {"connect": self._port})
        _, handles, _, _ = socket.recv_fds(self._channel, 1, 1)
        if not handles:
            return errno.ECONNREFUSED
        ours = handles[0]
        os.set_blocking(ours, not flags & os.O_NONBLOCK)
        addition = _ADDITION.pack(identity, _AT_THAT_NUMBER, ours, handle, flags & os.O_CLOEXEC)
        try:
            fcntl.ioctl(self._listener, _ADD_HANDLE, bytearray(addition))
        finally:
            os.close(ours)
        return 0

    def _is_allowed(self, address: bytes) -> bool:
        if self._port is None or len(address) < 8:
            return False
        family = int.from_bytes(address[:2], "little")
        host = address[4:8] if family == socket.AF_INET else address[8:24]
        return family in _FAMILIES and host in _LOOPBACK and int.from_bytes(address[2:4], "big") == self._port


def _flags(process: int, handle: int) -> int:
    """The flags of another process's open file, close-on-exec included (proc_pid_fdinfo(5))."""
    with open(f"/proc/{process}/fdinfo/{handle}", "rb") as stream:
        for line in stream:
            if line.startswith(b"flags:"):
                return int(line.split()[1], 8)
    return 0
