"""The last steps of a process before it is the job: every right that it does not need is given up here, in this order.

The order matters: files are opened before Landlock, the user changes before capabilities are gone, and the filter of
system calls comes last.
"""

# pathlib would make every fork larger
# ruff: noqa: PTH123

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
import socket
import sys
from typing import Any, NoReturn

from gate.sandbox.cell import kernel, landlock, syscalls, view

RESULT = 3
"""The file descriptor to which a job writes its verdict."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CANNOT_START, _NOT_FOUND = 126, 127
_FIRST_FREE = 20
_DATA_SLACK = 256 * 1024 * 1024
_OPEN_FILES = 512
_ISOLATED = ("-I", "-S")
_RIGHT_AWAY = "-"


class Become(BaseException):
    """Raised all the way up in a process that is to be a Python program; not one frame of the cell's stays below it."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__()
        self.arguments = arguments


def enter(order: dict[str, Any], streams: list[int], hand: socket.socket) -> NoReturn:
    """Become the job.

    Args:
        order: what the warden decided, see `warden.Warden`.
        streams: standard input, output, error, and where the verdict goes.
        hand: where the warden waits for the word that all holds, with what the kernel asks on.

    Raises:
        Become: in a job that is Python and can go on in this interpreter.
    """
    try:
        hand = _arrange(streams, hand)
        os.setsid()
        _limit(order)
        offer_to_killer()
        os.chdir(order["work"])
        listener = _give_up(order)
        socket.send_fds(hand, [b"+"], [listener] if listener >= 0 else [])
        if listener >= 0:
            os.close(listener)
        hand.close()
    except OSError as error:
        with contextlib.suppress(OSError):
            hand.sendall(f"-{error.strerror or error}".encode())
        os._exit(_CANNOT_START)
    _become(order["argv"], order["environment"], order["python"])


def _arrange(streams: list[int], hand: socket.socket) -> socket.socket:
    """Put the streams in their places and close all else."""
    import fcntl

    high = [fcntl.fcntl(handle, fcntl.F_DUPFD, _FIRST_FREE) for handle in (*streams, hand.fileno())]
    for place, handle in enumerate(high[:4]):
        os.dup2(handle, place, inheritable=True)
    os.dup2(high[4], RESULT + 1, inheritable=False)
    hand.detach()
    kernel.close_from(RESULT + 2)
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=RESULT + 1)


def _limit(order: dict[str, Any]) -> None:
    limits = order["limits"]
    seconds = math.ceil(limits["cpu"])
    for kind, soft, hard in (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_DATA, 2 * limits["memory"] + _DATA_SLACK, 2 * limits["memory"] + _DATA_SLACK),
        (resource.RLIMIT_FSIZE, limits["disk"], limits["disk"]),
        (resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES),
        (resource.RLIMIT_NPROC, order["processes"], order["processes"]),
    ):
        most = resource.getrlimit(kind)[1]
        bounded = most != resource.RLIM_INFINITY
        resource.setrlimit(kind, (min(soft, most), min(hard, most)) if bounded else (soft, hard))


def _give_up(order: dict[str, Any]) -> int:
    """Give up rights; returns the file descriptor on which the kernel asks, -1 for none."""
    uid, gid = order["uid"], order["gid"]
    if order["drop"]:
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # the warden reads what it uses
    if order["landlock"]:
        landlock.restrict(order["landlock"], readable=order["readable"], devices=view.DEVICES, own=order["own"])
    own = os.getpid() if order["own_signals_only"] else 0
    for ask in (True, False):
        program = syscalls.program(
            kernel.architecture(),
            network=order["network"] and ask,
            ask=ask,
            shared_user=order["shared_user"],
            truncation=order["truncation"],
            own=own,
        )
        try:
            return syscalls.load(program, ask=ask)
        except OSError:  # the kernel is too old to ask, or somebody above is asked already
            if not ask or order["network"]:  # which needs somebody to be asked
                raise
    return -1


def _become(argv: list[str], environment: dict[str, str], python: str) -> NoReturn:
    os.environ.clear()
    os.environ.update(environment)
    if argv[0] == python and tuple(argv[1:3]) == _ISOLATED and len(argv) > 3 and not argv[3].startswith(_RIGHT_AWAY):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # as a start has it, also where the gate ignores it
        raise Become(argv[3:])
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)  # what Python ignores or handles, its child should not
    try:
        os.execvpe(argv[0], argv, environment)  # noqa: S606
    except OSError as error:
        code = _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_START
        sys.stderr.write(f"cell: `{argv[0]}` can't be started: {error.strerror or error}\n")
        sys.stderr.flush()
        os._exit(code)


def offer_to_killer() -> None:
    """When the machine runs out of memory, this process and its children go first."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as stream:
        stream.write("1000")
