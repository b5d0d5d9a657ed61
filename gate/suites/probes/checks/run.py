"""Carries calls into the cell, and what they came to out of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gate.sandbox.cell.values import MIB, Ended, Ending, Job, Limits
from gate.suites.probes.checks.calls import OF_ENDING, Call, Outcome, Raised, Ran, Status
from gate.suites.probes.checks.compile import Built, NoToolchainError, build
from gate.suites.probes.checks.values import encodable
from gate.suites.probes.extract import Code
from gate.suites.probes.probe import LimitsPart

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell

_MOST_STARTS = 6
"""How often the rest of the calls is started again after one that took the whole job with it."""
_VERDICT = 16 * MIB
_OF_LOADING = frozenset({"timeout", "memory", "died", "sanitizer", "error"})
"""What loading can come to. Code that is loaded may write what it likes, also a value that no call gave."""
_DEEPEST = 250  # the harness writes 60 levels of values, each of which has three of JSON at most
_LONGEST_JOB = 600.0
_REFUSED_ERRNOS = frozenset({1, 13, 97, 101})  # EPERM, EACCES, EAFNOSUPPORT, ENETUNREACH
_FULL_ERRNOS = frozenset({27, 28, 122})  # EFBIG, ENOSPC, EDQUOT
_REFUSED_CODES = frozenset({"EPERM", "EACCES", "EAFNOSUPPORT", "ENETUNREACH", "EAI_AGAIN", "ENOTFOUND"})


@dataclass(frozen=True, slots=True)
class Setting:
    """What the code of an answer runs in.

    Attributes:
        entry: function, class or dotted name that the calls are made to; empty where it is a program.
        packages: distributions that the environment has.
        limits: of one call.
    """

    entry: str = ""
    packages: tuple[str, ...] = ()
    limits: LimitsPart = field(default_factory=LimitsPart)


def run_calls(code: Code, calls: Sequence[Call], cell: Cell, setting: Setting) -> Ran:
    """Do the calls, each with the limits of one call, and tell what came of each.

    One job does them all, and one more those that are `alone`. Where a call takes the job with it, the rest is started
    again, up to five times; what is left then has the status of the call that ended the last one.
    """
    together = _run(code, [one for one in calls if not one.alone], cell, setting)
    if not any(one.alone for one in calls):
        return together
    alone = _run(code, [one for one in calls if one.alone], cell, setting)
    marked = [replace(one, watched={**one.watched, "refused": list(alone.refused)}) for one in alone.outcomes]
    rest, aside = iter(together.outcomes), iter(marked)
    return replace(together, outcomes=tuple(next(aside if one.alone else rest) for one in calls))


def _run(code: Code, calls: Sequence[Call], cell: Cell, setting: Setting) -> Ran:
    found: dict[int, Outcome] = {}
    refused: set[str] = set()
    stderr = ""
    try:
        built = build(code, calls, cell, setting.entry, setting.packages, setting.limits.memory)
    except NoToolchainError as error:
        told = Outcome(Status.NO_TOOLCHAIN, raised=Raised((), str(error)))
        return Ran(tuple(told for _ in calls))
    if built.failed is not None:
        return Ran(tuple(built.failed for _ in calls))
    for _ in range(_MOST_STARTS):
        left = [index for index in range(len(calls)) if index not in found]
        if not left:
            break
        ended = cell.run(_job(built, [(index, calls[index]) for index in left], setting))
        refused.update(ended.refused)
        stderr = ended.stderr.decode("utf-8", "replace")
        if not _read(ended, left, found):
            break
    last = found[max(found)] if found else Outcome(Status.HARNESS, raised=Raised((), stderr[-500:]))
    if last.status in (Status.RETURNED, Status.RAISED) and not last.loading:
        last = Outcome(Status.CRASHED)
    return Ran(tuple(found.get(index, last) for index in range(len(calls))), tuple(sorted(refused)))


def _job(built: Built, calls: Sequence[tuple[int, Call]], setting: Setting) -> Job:
    limits = setting.limits
    several = len(calls) + 1
    plan = {
        "load": any(call.kind != "program" for _, call in calls),
        **built.plan,
        "entry": setting.entry,
        "wall": limits.wall,
        "cpu": limits.cpu,
    }
    lines = "".join(f"{json.dumps(call.as_json(index))}\n" for index, call in calls)
    return Job(
        argv=built.argv,
        files={**built.files, "plan.json": json.dumps(plan).encode(), "calls.ndjson": lines.encode()},
        limits=Limits(
            wall=min(limits.wall * several + 2, _LONGEST_JOB),
            cpu=min(limits.cpu * several + 2, _LONGEST_JOB),
            memory=limits.memory * MIB + built.overhead,
            disk=limits.disk * MIB,
            output=max(limits.output * MIB, _VERDICT),
        ),
        readable=built.readable,
    )


def _read(ended: Ended, left: Sequence[int], found: dict[int, Outcome]) -> bool:
    """Take the outcomes out of a job's lines; whether starting the rest makes sense.

    The first line is written before any code of the answer runs, so that no answer can make its own end look like a
    fault of the harness, which would leave it unscored.
    """
    begun: int | None = None
    started = loaded = False
    for record in records(ended.verdict):
        load, index = record.get("load"), record.get("index")
        started = started or "started" in record
        if isinstance(load, dict) and not loaded:
            if load:
                told = not_loaded(load)
                found.update((one, told) for one in left)
                return False
            loaded = True
        elif isinstance(index, int) and index in left and index not in found:
            if "begun" in record:
                begun = index
            else:
                watched = record.get("watched")
                found[index] = replace(outcome_of(record), watched=watched if isinstance(watched, dict) else {})
                begun = None
    if all(index in found for index in left):
        return False
    status = OF_ENDING.get(ended.ending, Status.CRASHED)
    if begun is not None:
        found[begun] = Outcome(status)
        return True
    if loaded:
        return False
    if not started and ended.ending in (Ending.EXITED, Ending.SIGNAL):
        status = Status.HARNESS
    told = Outcome(status, raised=Raised((), ended.stderr.decode("utf-8", "replace")[-300:]), loading=True)
    found.update((one, told) for one in left)
    return False


def records(verdict: bytes) -> list[dict[str, Any]]:
    """The lines that are objects; the code under test may have written others, and some that are too deep to handle."""
    found = []
    for line in verdict.split(b"\n"):
        try:
            record = json.loads(line) if line else None
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and not _is_deep(record):
            found.append(record)
    return found


def _is_deep(value: Any) -> bool:
    """Whether lists and objects lie in each other more than `_DEEPEST` times."""
    level = [value]
    for _ in range(_DEEPEST):
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list))]
        level = [one for several in inner for one in several]
        if not level:
            return False
    return True


def not_loaded(why: Mapping[str, Any]) -> Outcome:
    if "syntax" in why:
        return Outcome(
            Status.SYNTAX,
            raised=Raised(("SyntaxError",), _text(why["syntax"], 500).removeprefix("SyntaxError: ")),
            loading=True,
        )
    if "missing" in why:
        return Outcome(Status.MISSING, raised=Raised((), f"there is no `{_text(why['missing'], 100)}` in the code"))
    return replace(outcome_of({key: one for key, one in why.items() if key in _OF_LOADING}), loading=True)


def outcome_of(record: Mapping[str, Any]) -> Outcome:
    if "skipped" in record:
        return Outcome(Status.SKIPPED)
    if "timeout" in record:
        return Outcome(Status.TIMED_OUT)
    if "memory" in record:
        return Outcome(Status.MEMORY)
    if "trap" in record:
        return Outcome(Status.HARNESS, raised=Raised((), _text(record["trap"], 300)))
    if "died" in record:
        signal = record["died"] if isinstance(record["died"], int) else 0
        broken = _text(record.get("sanitizer"), 80)
        status = {24: Status.TIMED_OUT, 31: Status.BLOCKED}.get(signal, Status.CRASHED)
        return Outcome(status, raised=Raised((broken,)) if broken else None)
    error = record.get("error")
    if isinstance(error, dict):
        return _raised(error)
    if "value" in record:
        return Outcome(Status.RETURNED, value=record["value"])
    return Outcome(Status.CRASHED)


def _raised(error: Mapping[str, Any]) -> Outcome:
    mro = error.get("mro")
    names = tuple(_text(name, 200) for name in mro[:20]) if isinstance(mro, list) else ()
    raised = Raised(names, _text(error.get("message"), 1000), dict(error))
    status = Status.RAISED
    errno = error.get("errno") if isinstance(error.get("errno"), int) else None
    code = _text(error.get("code"), 100)
    if "MemoryError" in names or code == "ERR_WORKER_OUT_OF_MEMORY":
        status = Status.MEMORY
    elif errno in _FULL_ERRNOS and "OSError" in names:
        status = Status.DISK
    elif (errno in _REFUSED_ERRNOS and "OSError" in names) or code in _REFUSED_CODES or "gaierror" in names:
        status = Status.BLOCKED
    return Outcome(status, raised=raised)


def _text(value: object, limit: int) -> str:
    return encodable(value[:limit]) if isinstance(value, str) else ""
