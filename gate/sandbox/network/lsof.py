"""Who listens on a machine without /proc, such as macOS: the programs `lsof` and `ps` say it.

`lsof` shows a user the sockets of their own processes, and root those of all. So a server of somebody else is not seen
here; it is none of the suite's either.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence

_OPTIONS = {"tcp": ("-iTCP", "-sTCP:LISTEN"), "udp": ("-iUDP",)}
_PLACES = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")
_SECONDS = 10.0


@functools.cache
def program() -> str:
    """Where `lsof` is; empty for nowhere. Looked for once, since tests may change the path of the search."""
    return shutil.which("lsof", path=os.pathsep.join((os.environ.get("PATH", os.defpath), *_PLACES))) or ""


def listening(protocol: str) -> set[tuple[str, int, int]]:
    """Protocol, port and a number of each socket that waits for clients, as far as this user may see; empty where that
    can't be told."""
    return {(protocol, port, number) for _, port, number in _sockets(protocol)}


def held_by_tree(root: int) -> frozenset[int]:
    """The numbers of the sockets that wait for clients and that a process or a descendant of it holds."""
    tree = _descendants(root)
    return frozenset(number for kind in _OPTIONS for pid, _, number in _sockets(kind) if pid in tree)


def _sockets(protocol: str) -> Iterator[tuple[int, int, int]]:
    """Process, port and number: the kernel's address of the socket on macOS, its inode on Linux.

    Each line of the answer is one field, named by its first letter; `n` is the last of a socket's.
    """
    pid, number = 0, 0
    for line in _lines([program(), "-nP", *_OPTIONS[protocol], "-Fpfdn"]):
        name, value = line[:1], line[1:]
        if name == "p" and value.isdecimal():
            pid = number = int(value)
        elif name == "f":
            number = pid  # stands for one whose number is not told
        elif name == "d":
            number = _number(value, pid)
        elif name == "n" and "->" not in value:
            port = value.rpartition(":")[2].partition(" ")[0]
            if port.isdecimal():
                yield pid, int(port), number


def _number(text: str, otherwise: int) -> int:
    try:
        return int(text, 0)
    except ValueError:
        return otherwise


def _descendants(root: int) -> set[int]:
    children: dict[int, list[int]] = defaultdict(list)
    for line in _lines(["ps", "-A", "-o", "pid=,ppid="]):
        fields = line.split()
        if len(fields) == 2 and all(field.isdecimal() for field in fields):
            children[int(fields[1])].append(int(fields[0]))
    found, waiting = set(), [root]
    while waiting:
        process = waiting.pop()
        if process not in found:
            found.add(process)
            waiting += children[process]
    return found


def _lines(command: Sequence[str]) -> list[str]:
    """What a program says; nothing where it can't be run. It ends with 1 where it found nothing."""
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False, cwd="/"
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return ended.stdout.decode("ascii", "replace").splitlines()
