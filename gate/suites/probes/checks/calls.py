"""What is done with the answer's code in the cell, and what came of it.

Every check that runs the code is a list of `Call`s: test cases, attacks, a line that exercises a library. They go into
the cell together, in one job where the language allows it; what they are compared with stays outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from pydantic import JsonValue

from gate.sandbox.cell.values import Ending


@dataclass(frozen=True, slots=True)
class Call:
    """One thing that is done with the answer's code.

    Attributes:
        kind: `call` the entry point with `args` and `kwargs`; `code`: evaluate statements whose last expression is the
            result, with `entry`, `module` and `names` bound; `program`: run the file with `args` and `stdin`.
        args, kwargs, names: tagged JSON, see `harness/encoding.py`.
        folder: working folder of a `code` call, below the job's; made when it is not there.
        cpu: seconds of processor time, where it has less than the probe's limit; a busy machine does not use them up.
        unless: name of a series of calls, which ends with the first of them that takes too long.
        trap: Python of ours that lays out what an attack needs, in `folder`, before any code of the answer is loaded.
            Its names are bound for a `code` call.
        look: Python of ours whose value tells what is in `folder`, evaluated where no code of the answer is, before the
            code is loaded and after its last process is gone.
        watch: folders below `folder` in which the kernel notes what happens to files.
        tap: whether the trap finds in `tap` a descriptor to write to, what goes into which stays.
        serve: Python of ours that leaves a function `serve`, which answers what the code under test asks for in lines
            of JSON, in a process of its own; the code finds `ask` and `hear`, descriptors to write to and to read from.
            What `serve` gives to `note` is tapped.
        streams: how many connected sockets `serve` and the trap find the two ends of, as descriptors, in `streams`.
        ahead: JavaScript of ours that is run before the code is loaded, in its process.
        alone: it goes into a job of its own, with others of its kind, whose refused system calls are told.
    """

    kind: Literal["call", "code", "program"] = "call"
    args: tuple[JsonValue, ...] = ()
    kwargs: Mapping[str, JsonValue] = field(default_factory=dict)
    code: str = ""
    names: Mapping[str, JsonValue] = field(default_factory=dict)
    stdin: str | None = None
    folder: str = ""
    cpu: float | None = None
    unless: str = ""
    trap: str = ""
    look: str = ""
    watch: tuple[str, ...] = ()
    tap: bool = False
    serve: str = ""
    streams: int = 0
    ahead: str = ""
    alone: bool = False

    def as_json(self, index: int) -> dict[str, Any]:
        """What the program in the cell reads."""
        return {
            "index": index,
            "kind": self.kind,
            "args": list(self.args),
            "kwargs": dict(self.kwargs),
            "code": self.code,
            "names": dict(self.names),
            "stdin": self.stdin,
            "folder": self.folder,
            "cpu": self.cpu,
            "unless": self.unless,
            "trap": self.trap,
            "look": self.look,
            "watch": list(self.watch),
            "tap": self.tap,
            "serve": self.serve,
            "streams": self.streams,
            "ahead": self.ahead,
        }


class Status(StrEnum):
    """How one call ended."""

    RETURNED = "returned"
    RAISED = "raised"
    TIMED_OUT = "time-out"
    MEMORY = "memory"
    DISK = "disk"
    BLOCKED = "blocked"
    CRASHED = "crashed"
    SYNTAX = "syntax error"
    MISSING = "missing entry"
    SKIPPED = "not run, since one before it took too long"
    NO_TOOLCHAIN = "no toolchain"
    HARNESS = "harness error"


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception, or what another language throws. All of it was written by the code under test.

    Attributes:
        mro: class names, the most derived first.
        message: its text, capped.
        facts: where it was raised and what lacked what, see `harness/failure.py`.
    """

    mro: tuple[str, ...]
    message: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """One line for people."""
        return ": ".join(one for one in (*self.mro[:1], self.message) if one) or "an error without a name"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one call.

    Attributes:
        value: tagged JSON of what was returned.
        raised: what was thrown, or why the module could not be loaded.
        loading: it happened while the module was loaded, before any call.
        watched: what was seen of the call from outside of its processes: `before` and `after` of `Call.look`, `events`
            (pairs of `read`, `written`, `changed`, `created`, `folder`, `deleted` or `lost`, and a path), `tapped`, and
            of a call that was alone `refused`, the system calls that the cell refused it and its like.
    """

    status: Status
    value: JsonValue = None
    raised: Raised | None = None
    loading: bool = False
    watched: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """One line for people: what happened instead of a result."""
        what = self.raised.shown if self.raised else str(self.status)
        return f"{what} (while loading)" if self.loading and self.status is Status.RAISED else what


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcomes of some calls, in their order, and what the jobs that did them were refused."""

    outcomes: tuple[Outcome, ...]
    refused: tuple[str, ...] = ()


CAUSES: Mapping[Status, str] = {
    Status.RETURNED: "wrong result",
    Status.RAISED: "wrong result",
    Status.TIMED_OUT: "time-out",
    Status.MEMORY: "resource limit",
    Status.DISK: "resource limit",
    Status.BLOCKED: "blocked by the sandbox",
    Status.CRASHED: "crashed",
    Status.SYNTAX: "syntax error",
    Status.MISSING: "missing entry",
    Status.SKIPPED: "time-out",
    Status.NO_TOOLCHAIN: "no toolchain",
    Status.HARNESS: "harness error",
}
"""The cause, of `gate.suites.probes.graded.CAUSES`, that each status gives."""

UNMEASURED = frozenset({Status.NO_TOOLCHAIN, Status.HARNESS})
"""They say nothing about the answer."""

OF_ENDING: Mapping[Ending, Status] = {
    Ending.TIMEOUT: Status.TIMED_OUT,
    Ending.CPU: Status.TIMED_OUT,
    Ending.MEMORY: Status.MEMORY,
    Ending.DISK: Status.DISK,
    Ending.OUTPUT: Status.DISK,
    Ending.BLOCKED: Status.BLOCKED,
}
"""What an end of the whole job says of the call that was going on; any other end is a crash."""
