"""Commands within a guard of the network, for tests of it."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gate.sandbox.network.guard import Guard, Kind, self_test

ROOT = str(Path(__file__).parents[2])


OUTSIDE = "192.0.2.1"


C_CONNECT = """
import ctypes, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
handle = libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0)
address = struct.pack("=H", socket.AF_INET) + struct.pack("!H", int(sys.argv[2])) + socket.inet_aton(sys.argv[1])
print(libc.connect(handle, address + bytes(8), 16), os.strerror(ctypes.get_errno()))
"""


UNREADABLE = """
import ctypes, socket
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
server = socket.create_server(("127.0.0.1", 0))
print(socket.socket().connect_ex(server.getsockname()) == 0)
"""


why_not = functools.cache(self_test)


def available(kind: Kind) -> Guard:
    """A guard of this kind; the test that asks is skipped where the machine does not have it."""
    reason = why_not(Guard(kind))
    if reason:
        pytest.skip(f"{kind}: {reason}")
    return Guard(kind)


def run(guard: Guard, command: Sequence[str], **more: Any) -> subprocess.CompletedProcess[str]:
    more.setdefault("text", True)
    return subprocess.run(guard.wrap(command), capture_output=True, timeout=30, check=False, **more)


def python(guard: Guard, code: str, *arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return run(guard, [sys.executable, "-S", "-c", code, *map(str, arguments)], **more)
