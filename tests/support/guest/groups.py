"""Control groups as managers hand them out, and whether jobs of a cell get groups of their own there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.sandbox.cell import kernel

_ROOT = Path("/sys/fs/cgroup")
_SLICE = _ROOT / "system.slice"
_GIVEN = ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control")
_CLONE_NEWCGROUP = 0x02000000
BOMB = """
import json, sys
from gate.sandbox.cell import Job, Limits, open_cell
code = b"import os, time\\nif os.fork() == 0:\\n held = []\\n while True: held.append(bytearray(2**20))\\n"
code += b"time.sleep(60)"
limits = Limits(wall=30, memory=64 * 2**20)
told = []
for _ in range(2):  # whoever went into a group below is there when the next cell opens
    with open_cell() as cell:
        job = Job((cell.python, "-I", "-S", "main.py"), files={"main.py": code}, limits=limits)
        told.append({"held": cell.attestation.held, "ending": cell.run(job).ending})
print(json.dumps(told))
"""
"""A child that holds too much, of a job that waits; in two cells, one after the other."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a gate is started.

    Attributes:
        name: what it is like, in words.
        user: who starts it.
        enter: what the starting process does first, with that user's rights.
        grouped: whether its jobs must get groups.
    """

    name: str
    user: int
    enter: Callable[[], None]
    grouped: bool


def places(user: int) -> Iterator[Place]:
    """Each place, made when it is asked for."""
    (_ROOT / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")
    _SLICE.mkdir(exist_ok=True)
    (_SLICE / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")
    yield Place("the root of all", 0, _entering(_ROOT), True)
    yield Place("a user's delegated group, alone", user, _entering(_made("alone", user)), True)
    yield Place("below a user's delegated group", user, _entering(_made("above", user, below="sub")), True)
    shared = _made("shared", user)
    waits = [sys.executable, "-c", "input()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, preexec_fn=_entering(shared)) as one:  # noqa: PLW1509 -- one thread
        yield Place("a user's delegated group, not alone", user, _entering(shared), False)
        one.kill()
    yield Place("a user's group that is not delegated", user, _entering(_made("plain", 0)), False)
    managed = _made("user@1", user, below="app.slice/run.scope")
    yield Place("a group of a user's service manager, not delegated", user, _entering(managed), False)
    os.setxattr(managed, "user.delegate", b"1")
    yield Place("a group of a user's service manager, delegated", user, _entering(managed), True)
    yield Place("root's group that is not delegated", 0, _entering(_made("service", 0)), False)
    marked = _made("marked", 0)
    os.setxattr(marked, "trusted.delegate", b"1")
    yield Place("root's delegated group, alone", 0, _entering(marked), True)
    yield Place("a container's own groups", 0, _contained(_made("container", 0), kernel.MS_NOSUID), True)
    read_only = kernel.MS_NOSUID | kernel.MS_READONLY
    yield Place("a container's own groups, read-only", 0, _contained(_made("default", 0), read_only), False)


def left() -> list[str]:
    """Groups of jobs, and of the gate itself, that are there still."""
    return sorted(str(path) for path in _ROOT.rglob("gate*"))


def _made(name: str, user: int, below: str = "") -> Path:
    group = _SLICE / f"{name}.service"
    folders = [group, *(group.joinpath(*Path(below).parts[:depth]) for depth in range(1, len(Path(below).parts) + 1))]
    for folder in folders:
        folder.mkdir()
        if "/" in below and folder != folders[-1]:
            (folder / "cgroup.subtree_control").write_text("+memory +pids", encoding="ascii")
        for path in (folder, *(folder / one for one in _GIVEN)):
            os.chown(path, user, user)
    return folders[-1]


def _entering(group: Path) -> Callable[[], None]:
    handle = os.open(group / "cgroup.procs", os.O_WRONLY)  # with root's rights, as a manager moves who it starts
    return lambda: os.write(handle, b"0") and None


def _contained(group: Path, flags: int) -> Callable[[], None]:
    enter = _entering(group)

    def entered() -> None:
        enter()
        kernel.unshare(_CLONE_NEWCGROUP | kernel.CLONE_NEWNS)
        kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
        kernel.mount("none", str(_ROOT), "tmpfs")  # one file system can't be mounted on itself
        kernel.mount("cgroup", str(_ROOT), "cgroup2", flags)

    return entered
