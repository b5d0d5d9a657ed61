"""The guard of a whole process tree: whichever means of the kernel passes its self-test here.

Landlock is none of them: its rules about the network know ports and no addresses, so that they can't tell a server of
the suite from the same port elsewhere, and they know TCP alone.

What a guard leaves open: Unix sockets, and so whatever a daemon behind one would do for the suite (a container
engine's, a resolver's).
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from gate.sandbox.network.loopback import Loopback

Kind = Literal["network-namespace", "user-namespace", "seccomp", "no-sockets", "none"]

_ROOT = Path(__file__).resolve().parents[3]
_BOOT = (
    "import sys; sys.path.append(sys.argv.pop(1)); from gate.sandbox.network.{module} import main; main(sys.argv[1:])"
)
_SECONDS = 15.0
_TOLD = {
    "network-namespace": "kernel (network namespace)",
    "user-namespace": "kernel (user and network namespace)",
    "seccomp": "kernel (seccomp)",
    "no-sockets": "kernel (seccomp, no sockets)",
    "none": "Python only",
}


class Ids(Protocol):
    """Whose rights a process has."""

    @property
    def uid(self) -> int: ...

    @property
    def gid(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Guard:
    """How a process tree is kept from the network.

    Attributes:
        kind: the kernel's means; `none` where there is none.
        loopback: which loopback addresses it leaves.
        failed: of the means that come before it, why each can't be had here.
    """

    kind: Kind
    loopback: Loopback = "own"
    failed: tuple[str, ...] = ()

    def wrap(self, command: Sequence[str]) -> list[str]:
        """The command that runs a command within the guard; the same one where there is none.

        It takes the environment, folder, rights and streams of its own start, and ends as the command ends: with 127
        or 126 where the command can't be started, and with 125, before it is, where the guard can't be entered.
        """
        if self.kind == "none":
            return list(command)
        return [*_program("enter"), self.kind, self.loopback, *command]

    def describe(self) -> str:
        """One line for report and comment."""
        return f"network guard: {_TOLD[self.kind]}"


UNGUARDED = Guard("none")
"""Commands as they are."""


def strongest(*, loopback: Loopback = "own", user: Ids | None = None, among: Sequence[Kind] | None = None) -> Guard:
    """The first means that passes its self-test in a child process; never raises for want of one.

    Args:
        loopback: what the suite must reach: `own` servers that it starts itself, any server of the `host`, or `none`.
        user: whose rights the suite has; by default this process's.
        among: only these means, in this order; by default all that suit.
    """
    failed: list[str] = []
    for kind in among if among is not None else _candidates(loopback, user):
        reason = self_test(Guard(kind, loopback), user)
        if not reason:
            return Guard(kind, loopback, tuple(failed))
        failed.append(f"{kind}: {reason}")
    return Guard("none", loopback, tuple(failed))


def self_test(guard: Guard, user: Ids | None = None) -> str:
    """Why a guard does not do here what it should, one sentence; empty where it does."""
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    tested = Guard(guard.kind, "own") if guard.loopback == "host" else guard  # the same means, and it can be seen
    try:
        with _outside() as (tcp, udp):
            command = tested.wrap([*_program("probe"), str(tcp.getsockname()[1]), str(udp.getsockname()[1])])
            ended = _run(command, user)
            escaped = _was_reached(tcp) or _was_reached(udp)
        if ended.returncode != 0:
            return _last_line(ended.stderr) or f"its self-test ended with {ended.returncode}"
        found = json.loads(ended.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return _last_line(str(error).encode("utf-8", "replace")) or type(error).__name__
    if escaped or found["foreign"] or found["foreign_in_child"] or found["outside"]:
        return "what it should refuse was reached"
    wanted = guard.kind != "no-sockets"
    if (found["own"], found["own_in_child"]) != (wanted, wanted):
        return "a server of its own was not reached" if wanted else "a server was reached"
    return ""


def _candidates(loopback: Loopback, user: Ids | None) -> tuple[Kind, ...]:
    """A namespace leaves nothing that could be reached, so it is first; without the host's servers, therefore.

    Root gets a network of its own without a user namespace, in which it could not change the owners of files.
    """
    if loopback == "host":
        return ("seccomp",)
    root: tuple[Kind, ...] = ("network-namespace",) if user is None and _is_root() else ()
    last: tuple[Kind, ...] = ("no-sockets",) if loopback == "none" else ()
    return (*root, "user-namespace", "seccomp", *last)


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _program(module: str) -> list[str]:
    """A module of this package as a program of the gate's own interpreter, which nothing of the suite can change."""
    return [sys.executable, "-I", "-S", "-c", _BOOT.format(module=module), str(_ROOT)]


@contextlib.contextmanager
def _outside() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Servers that a guarded process must not reach."""
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        udp.bind(("127.0.0.1", 0))
        tcp.setblocking(False)
        udp.setblocking(False)
        yield tcp, udp


def _was_reached(server: socket.socket) -> bool:
    try:
        if server.type == socket.SOCK_DGRAM:
            server.recv(1)
        else:
            server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _run(command: Sequence[str], user: Ids | None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command,
        cwd="/",
        env={"PATH": os.defpath},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
        user=user.uid if user else None,
        group=user.gid if user else None,
        extra_groups=[] if user else None,
    )


def _last_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else ""
