"""What is asked of a cell, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any

from gate.errors import UndecidedError, UsageError

MIB = 1024 * 1024
HOME = "~/"
"""What a path of `Job.files` or `Job.collect` begins with when it lies in the home folder, not the working folder."""


class SandboxError(UndecidedError):
    """Nothing here holds untrusted code, or the cell itself failed, so nothing was measured."""


class Ending(StrEnum):
    """How a job ended.

    `exited` and `signal` are its own doing; `blocked` is an end in failure after the cell refused a system call that it
    tried (`Ended.refused` names them); the others are the limit that it ran into, at which it was killed.
    """

    EXITED = "exited"
    SIGNAL = "signal"
    TIMEOUT = "timeout"
    CPU = "cpu"
    MEMORY = "memory"
    DISK = "disk"
    OUTPUT = "output"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job, with all processes that it starts, may use.

    Attributes:
        wall: seconds from its start to its end.
        cpu: seconds of processor time of all its processes together.
        memory: bytes that all its processes hold together.
        disk: bytes that its folders (work, home, temporary) hold together, and that one file may have.
        output: bytes of standard output, and as many of standard error and of the result.
        processes: processes and threads at a time.
    """

    wall: float = 10.0
    cpu: float = 10.0
    memory: int = 512 * MIB
    disk: int = 64 * MIB
    output: int = 1 * MIB
    processes: int = 64

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise UsageError(
                    f"the limit `{name}` is {value!r}", where="limits", remedy="give a finite number above 0"
                )


@dataclass(frozen=True, slots=True)
class Job:
    """A command to run in a cell.

    Attributes:
        argv: the program, looked up in the job's PATH, and its arguments.
        files: what stands in its folders at first, by relative path; `~/` means its home, else its working folder.
        stdin: what it reads; None is the empty device.
        environment: variables beside the few that every job has (docs/sandbox.md lists them).
        limits: what it may use.
        collect: relative paths or globs (`*`, `?`, `**`) of what is read back after its end.
        network: the one TCP port on 127.0.0.1 that it may connect to; None is no network at all.
        readable: files and trees beside the system's own that it may read and execute.
    """

    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    stdin: bytes | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    collect: tuple[str, ...] = ()
    network: int | None = None
    readable: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if not self.argv or any("\0" in part for part in self.argv):
            raise UsageError("a job needs a program, and no argument holds a NUL", where="argv")
        for name, value in self.environment.items():
            if not name or "=" in name or "\0" in name + value:
                raise UsageError(f"{name!r} can't be a variable", where="environment")
        for name in (*self.files, *self.collect):
            _check_relative(name)
        if self.network is not None and not 0 < self.network < 65536:
            raise UsageError(f"{self.network} is no TCP port", where="network")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended, and what it left.

    Attributes:
        ending: see `Ending`.
        code: its exit code; None where a signal ended it.
        signal: the number of that signal; None where it exited.
        stdout, stderr: what it wrote, each cut at `Limits.output`.
        truncated: whether something (output, result, collected files) was cut.
        files: what `Job.collect` matched, by the path as it would be given; links and devices are left out.
        verdict: what it wrote to the file descriptor that GATE_RESULT_FD names, which is none of the standard streams.
        wall, cpu: seconds that it took.
        refused: names of the system calls that the cell refused it, sorted.
    """

    ending: Ending
    code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    truncated: bool
    files: Mapping[str, bytes]
    verdict: bytes
    wall: float
    cpu: float
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attestation:
    """What held when the cell was opened, for the report; the same on every machine that holds in the same way.

    Attributes:
        held: the means in force ("landlock 7", "seccomp", "own uid", "pid namespace", ...).
        missing: means that this machine refuses, each with the reason.
        unsafe: nothing holds, since `--unsafe-no-sandbox` was given.
    """

    held: tuple[str, ...]
    missing: tuple[str, ...] = ()
    unsafe: bool = False

    def as_json(self) -> dict[str, Any]:
        """Plain values, for the candidate report."""
        return {"held": list(self.held), "missing": list(self.missing), "unsafe": self.unsafe}

    def describe(self) -> str:
        """One line."""
        if self.unsafe:
            return "UNSANDBOXED: code under test ran with the rights of the gate"
        return f"sandbox: {', '.join(self.held)}"


def _check_relative(name: str) -> None:
    path = PurePosixPath(name.removeprefix(HOME))
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise UsageError(
            f"{name!r} is no path inside of the job's folders",
            where="files",
            remedy="give a relative path without `..`",
        )
