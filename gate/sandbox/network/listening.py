"""At which ports this process and its children wait for clients, where the machine does not say (not Linux).

Seen are sockets that Python's module `socket` makes listen, in this process, in those that it forks, and in those that
watch into the same file. A server in another language, or in a Python that watches nothing, is not seen.
"""

from __future__ import annotations

import contextlib
import functools
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

_INTERNET = (socket.AF_INET, socket.AF_INET6)
_watched: list[Callable[..., Any]] = []


def watch(path: Path) -> None:
    """Note in a file, from now on, every port at which a socket of this process waits for clients.

    Args:
        path: made where it lacks; several processes may share it.
    """
    unwatch()
    original = socket.socket.listen

    @functools.wraps(original)
    def listen(self: socket.socket, *arguments: Any) -> Any:
        done = original(self, *arguments)
        with contextlib.suppress(OSError):  # a socket that listens must not end for want of a note
            if self.family in _INTERNET:
                _note(path, int(self.getsockname()[1]))
        return done

    setattr(socket.socket, "listen", listen)  # noqa: B010  a plain assignment is none of the type that C gives it
    _watched.append(listen)


def unwatch() -> None:
    """Note nothing any more."""
    while _watched:
        if socket.socket.__dict__.get("listen") is _watched.pop():
            delattr(socket.socket, "listen")


def ports(path: Path) -> frozenset[int]:
    """Every port that was noted, also of servers that are down by now."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError:
        return frozenset()
    return frozenset(int(line) for line in lines if line.isdigit())


def _note(path: Path, port: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, b"%d\n" % port)  # one call, so that processes don't write into each other's lines
    finally:
        os.close(handle)
