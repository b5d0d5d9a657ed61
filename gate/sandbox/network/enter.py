"""A process that enters a guard and then becomes a command; needs the standard library alone.

`guard.Guard.wrap` starts it in an isolated interpreter of the gate, with the environment and rights of the suite.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from gate.sandbox.network import CANNOT_ENTER, namespace, seccomp
from gate.sandbox.network.loopback import Loopback, foreign_listeners
from gate.sandbox.network.supervisor import supervise

_CANNOT_START = 126
_NOT_FOUND = 127
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36

_ENTRANCES: dict[str, Callable[[], None]] = {
    "network-namespace": namespace.enter_network,
    "user-namespace": namespace.enter_user_and_network,
    "no-sockets": seccomp.load_socketless,
}
SUPERVISED = "seccomp"


def main(arguments: list[str]) -> NoReturn:
    """Enter a guard and become a command.

    Args:
        arguments: the guard's kind, which loopback addresses may be reached, and the command.

    Ends with 125 where the guard can't be entered: a command that asked for it must not run without.
    """
    kind, loopback, *command = arguments
    environment = _given_environment()
    try:
        if kind == SUPERVISED:
            _supervised("host" if loopback == "host" else "own", command, environment)
        _ENTRANCES[kind]()
    except OSError as error:
        _stop(CANNOT_ENTER, f"the network guard `{kind}` can't be entered: {error.strerror or error}")
    _become(command, environment)


def _supervised(loopback: Loopback, command: list[str], environment: dict[bytes, bytes]) -> NoReturn:
    """Stay beside the command to answer what the kernel asks, and end as it ends."""
    foreign = foreign_listeners()
    handle = seccomp.load_supervised()  # also filters this process, which never connects
    ended, wakes = os.pipe()
    os.set_blocking(ended, False)
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # only a descendant's memory may be read where Yama guards it
    told = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, told)  # until this process knows what to do with them
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.close(handle)
        _become(command, environment)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # what it watches must not write into its memory
    for number in told:
        signal.signal(number, signal.SIG_IGN)  # the whole group is told; the command decides how it ends
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    status: list[int] = []

    def reap() -> bool:
        while True:
            try:
                process, how = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if process == 0:
                return bool(status)
            if process == child:
                status.append(how)

    supervise(handle, ended, reap, loopback=loopback, foreign=foreign)
    _end_as(os.waitstatus_to_exitcode(status[0]) if status else CANNOT_ENTER)


def _end_as(code: int) -> NoReturn:
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


def _become(command: list[str], environment: dict[bytes, bytes]) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and so would the command
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606
    except OSError as error:
        code = _NOT_FOUND if isinstance(error, FileNotFoundError) else _CANNOT_START
        _stop(code, f"`{command[0]}` can't be started: {error.strerror or error}")


def _stop(code: int, message: str) -> NoReturn:
    sys.stderr.write(f"gate: {message}\n")
    sys.stderr.flush()
    os._exit(code)


def _given_environment() -> dict[bytes, bytes]:
    """The environment as it was given: an interpreter adds to its own (PEP 538)."""
    try:
        block = Path("/proc/self/environ").read_bytes()
    except OSError:
        return dict(os.environb)
    pairs = (entry.partition(b"=") for entry in block.split(b"\0") if b"=" in entry)
    return {name: value for name, _, value in pairs if name}
