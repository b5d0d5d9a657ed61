"""What a process reads and whether others take part, from the interpreter's own audit events (PEP 578).

A hook can't be taken away again, so it is installed once, and only where trials may carry over.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_CHILDREN = frozenset({"os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.startfile"})
_SPAWNING = (
    "multiprocessing.popen_spawn_posix",
    "multiprocessing.popen_spawn_win32",
    "multiprocessing.popen_forkserver",
)
"""Modules that start processes without an event; they are loaded only to do so."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OF_SYSTEM = frozenset({"uname", "ldconfig", "lsb_release", "sw_vers", "lscpu", "nproc", "nvidia-smi", "ver"})
_LOCAL_NAMES = ("localhost", ".local", ".internal", ".localdomain", ".test", ".lan")


class Watch:
    """What was seen since the start of the process, or nearly."""

    def __init__(self) -> None:
        self._read: dict[str, bool] = {}
        self._written: set[str] = set()
        self._children = False
        self._paused = 0

    @property
    def read(self) -> dict[str, bool]:
        """Absolute paths that were opened for reading before this process wrote them, and whether they existed then."""
        return dict(self._read)

    @property
    def children(self) -> bool:
        """Whether a process was started, or one on this machine or its network was spoken to."""
        return self._children or any(name in sys.modules for name in _SPAWNING)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """What the block does is not the suite's."""
        self._paused += 1
        try:
            yield
        finally:
            self._paused -= 1

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take one audit event."""
        if self._paused:
            return
        if event == "open":
            self._see_open(*arguments[:3])
        elif event == "subprocess.Popen":
            self._children = self._children or not is_of_system(arguments[0])
        elif event in _CHILDREN or (event == "socket.connect" and is_near(arguments[1])):
            self._children = True
        elif event == "sqlite3.connect" and isinstance(arguments[0], str | bytes | os.PathLike):
            self._see_open(arguments[0], "r" if Path(os.fsdecode(arguments[0])).exists() else "w", 0)

    def _see_open(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        try:
            name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  a link stays one
        except (TypeError, ValueError, OSError):
            return
        if "\0" in name:
            return
        writes = (isinstance(flags, int) and flags & _WRITES) or (isinstance(mode, str) and set(mode) & set("wax+"))
        if writes:
            self._written.add(name)
        elif name not in self._written and name not in self._read:
            self._read[name] = Path(name).exists()


def is_of_system(program: Any) -> bool:
    """Whether a program only tells about the machine, as `platform` asks it; it runs nothing of the project."""
    try:
        folder, _, name = os.fsdecode(program).rpartition("/")
    except TypeError:
        return False
    return name in _OF_SYSTEM and folder in ("", "/bin", "/sbin", "/usr/bin", "/usr/sbin")


def is_near(address: Any) -> bool:
    """Whether an address of a socket is on this machine or a private network, where the project's own code may run."""
    if isinstance(address, str | bytes):
        return True  # a socket of the file system
    if not isinstance(address, tuple) or not address or not isinstance(address[0], str):
        return True
    host = address[0]
    try:
        return not ipaddress.ip_address(host.partition("%")[0]).is_global
    except ValueError:
        return "." not in host or host.lower().endswith(_LOCAL_NAMES)


_watching: list[Watch] = []
_installed = False


def start() -> Watch:
    """Begin to watch this process; a watch that was begun before it sees nothing more."""
    global _installed  # noqa: PLW0603  a process has one audit hook of ours
    watch = Watch()
    _watching[:] = [watch]
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    return watch


def stop() -> None:
    """Look away; the hook itself stays, and does nothing."""
    _watching.clear()


def current() -> Watch | None:
    return _watching[0] if _watching else None


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching:
        _watching[0].see(event, arguments)
