"""What a command line left, as an answer: what it said, what it wrote, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gate.record.probes.agents.launch import NOT_STARTED, OUTPUT
from gate.sandbox.cell.values import Ended as CellEnded
from gate.sandbox.cell.values import Ending
from gate.suites.probes.answer import Answer, Ended
from gate.trials.infrastructure import RETRIABLE

_LONGEST = 300
_MOST_FILES = 200
_WORDS = {
    Ending.TIMEOUT: (Ended.TIMED_OUT, "did not end in time"),
    Ending.OUTPUT: (Ended.FLOODED, "wrote more than it may"),
    Ending.CPU: (Ended.CRASHED, "used more processor time than it may"),
    Ending.MEMORY: (Ended.CRASHED, "used more memory than it may"),
    Ending.DISK: (Ended.FLOODED, "wrote more files than it may"),
    Ending.BLOCKED: (Ended.CRASHED, "tried what the cell refuses"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """What a command line says of itself in its own format.

    Attributes:
        text: the answer; None where what it printed is not in that format.
        cost: USD; tokens: in and out; None where it doesn't tell.
        failed: why it says that it failed; empty where it doesn't.
        status: HTTP status of the provider that it names; 0 for none.
    """

    text: str | None = None
    cost: float | None = None
    tokens: int | None = None
    failed: str = ""
    status: int = 0


Reader = Callable[[str], Told]
"""Reads standard output. Never raises."""


def plain(text: str) -> Told:
    """What is printed is the answer."""
    return Told(text)


def answer_of(ended: CellEnded, before: Mapping[str, bytes], read: Reader, *, by_file: bool) -> Answer:
    """The answer of one run in the cell.

    Args:
        before: what lay in the working folder, by relative path below it.
        read: reads standard output.
        by_file: whether the command was to write its answer to a file.
    """
    told = read(_text(ended.stdout))
    if not told.failed and not told.text and (ended.code or 0):
        beside = read(_text(ended.stderr))
        told = replace(told, failed=beside.failed, status=told.status or beside.status)
    said = told.text if told.text is not None else _text(ended.stdout)
    if by_file:
        said = _text(ended.files.get(OUTPUT, b"")) or said
    files = _written(ended.files, before)
    how, message = _how(ended, told, bool(said.strip() or files))
    return Answer(
        text=said,
        files=files,
        ended=how,
        exit_code=ended.code,
        message=message[:_LONGEST],
        seconds=round(ended.wall, 3),
        cost=told.cost,
        tokens=told.tokens,
    )


def _how(ended: CellEnded, told: Told, something: bool) -> tuple[Ended, str]:
    if ended.verdict.startswith(NOT_STARTED):
        return Ended.NOT_STARTED, _text(ended.verdict.removeprefix(NOT_STARTED))
    if ended.ending in _WORDS:
        how, words = _WORDS[ended.ending]
        return how, (told.failed if ended.ending is Ending.BLOCKED else "") or words
    if ended.ending is Ending.SIGNAL or ended.code is None:
        return Ended.CRASHED, f"was ended by signal {ended.signal}"
    if told.status in RETRIABLE:
        return Ended.INFRASTRUCTURE, told.failed
    if ended.code or told.failed:
        return Ended.CRASHED, told.failed or _last_line(ended.stderr) or f"ended with exit code {ended.code}"
    return (Ended.ANSWERED, "") if something else (Ended.EMPTY, "ended well and said nothing")


def _written(found: Mapping[str, bytes], before: Mapping[str, bytes]) -> dict[str, str]:
    """Text files below the working folder that are new or differ; hidden ones are a tool's own."""
    written: dict[str, str] = {}
    for path, data in sorted(found.items()):
        hidden = any(part.startswith((".", "~")) or part == "__pycache__" for part in path.split("/"))
        if not hidden and before.get(path) != data and b"\0" not in data:
            written[path] = _text(data)
        if len(written) == _MOST_FILES:
            break
    return written


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _last_line(data: bytes) -> str:
    lines = [line.strip() for line in _text(data).splitlines() if line.strip()]
    return lines[-1] if lines else ""
