"""What one run of a pull request tells the next: the fresh trials of its suspects, and which tests stayed undecided.

These lines stand in one file with the trials themselves, and like them they follow the content and not the commit.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gate.errors import ReportError
from gate.render.words import plural, verb
from gate.trials.carry import Carried, Entry, Inputs, carried_by_case, carried_from_json, inputs_from_json

HISTORY = "trials of earlier runs"
Key = tuple[str, str, str]
"""Case, fingerprint of its content, and base commit."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier runs of this pull request left.

    Attributes:
        carried: trials by case.
        confirmed: fresh trials of base and head.
        void: why they could not be made, where that follows from the content.
        suite, suite_void: the same of trials that confirm a fall of the whole suite; void where outcomes made them so.
        undecided: by case, the contents with which it stayed undecided, since it was last decided.
        kept: the lines that can be used, for later runs.
        trouble: what could not be read, one sentence; else empty.
    """

    carried: Mapping[str, tuple[Carried, ...]] = field(default_factory=dict)
    confirmed: Mapping[Key, tuple[str, str]] = field(default_factory=dict)
    void: Mapping[Key, str] = field(default_factory=dict)
    undecided: Mapping[str, frozenset[str]] = field(default_factory=dict)
    kept: bytes = b""
    trouble: str = ""
    suite: Mapping[Key, tuple[str, str]] = field(default_factory=dict)
    suite_void: Mapping[Key, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file of trials that have a shape that a run writes.

    Attributes:
        entries: trials, in order.
        trials: the lines of these, and of the lists that they name.
        own: what the gate itself added, in order.
        kept: all usable lines.
        bad: how many others there are.
    """

    entries: tuple[Entry, ...] = ()
    trials: bytes = b""
    own: tuple[Mapping[str, Any], ...] = ()
    kept: bytes = b""
    bad: int = 0


@functools.lru_cache(maxsize=2)  # one run asks several times for its own trials
def read_lines(data: bytes) -> Lines:
    """Every line for itself: one that can't be used takes no other with it, but those that name its lists.

    Args:
        data: untrusted.
    """
    lists: dict[str, Inputs] = {}
    entries: list[Entry] = []
    own: list[Mapping[str, Any]] = []
    trials, kept, bad = [], [], 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        entry = _object(line)
        if _is_own(entry):
            own.append(entry)
        else:
            try:
                _take(entry, lists, entries, f"{HISTORY}:{number}")
            except ReportError:
                bad += 1
                continue
            trials.append(line + b"\n")
        kept.append(line + b"\n")
    return Lines(tuple(entries), b"".join(trials), tuple(own), b"".join(kept), bad)


def read_earlier(history: bytes) -> Earlier:
    """What earlier runs left; a line that can't be used is as if it were not there, and that is said."""
    found = read_lines(history)
    confirmed: dict[Key, tuple[str, str]] = {}
    void: dict[Key, str] = {}
    suite: dict[Key, tuple[str, str]] = {}
    suite_void: dict[Key, str] = {}
    undecided: dict[str, frozenset[str]] = {}
    for entry in found.own:
        if "ended" in entry:
            undecided = {name: undecided.get(name, frozenset()) | {content} for name, content in _undecided(entry)}
            continue
        key = entry["confirmed"], str(entry.get("fingerprint", "")), str(entry.get("base", ""))
        both = _both(entry.get("trials"))
        made, why = (suite, suite_void) if entry.get("suite") is True else (confirmed, void)
        if both is None:
            why[key] = str(entry["void"])
        elif _goes_on(made.get(key, ("", "")), both):
            made[key] = both
    carried, trouble = carried_by_case(found.entries), left_out(found.bad, "earlier runs")
    return Earlier(carried, confirmed, void, undecided, found.kept, trouble, suite, suite_void)


def left_out(bad: int, whose: str) -> str:
    """One sentence on lines that can't be used; empty without any."""
    return (
        f"{plural(bad, 'line')} of the trials of {whose} can't be used and {verb(bad, 'was', 'were')} left out"
        if bad
        else ""
    )


def confirmed_lines(keys: Mapping[str, Key], told: Mapping[str, Mapping[str, Any]]) -> bytes:
    """What later runs of the same content and base are told of each suspect in `told`."""
    return b"".join(
        _line({"confirmed": name, "fingerprint": fingerprint, "base": base, **told[name]})
        for name, fingerprint, base in sorted(keys.values())
        if fingerprint and name in told
    )


def content_of(fingerprint: str, head: str) -> str:
    """What tells one content of a case from another; without a fingerprint each commit is one."""
    return fingerprint or f"commit {head}"


def ended_line(head: str, undecided: Mapping[str, str]) -> bytes:
    """The end of a run: its commit, and the cases that stayed undecided, each with its content."""
    return _line({"ended": True, "head": head, "undecided": dict(sorted(undecided.items()))})


def _take(entry: Mapping[str, Any], lists: dict[str, Inputs], entries: list[Entry], where: str) -> None:
    """Raises: ReportError, when it is neither lists nor the trials of a case."""
    if isinstance(name := entry.get("inputs"), str):
        lists[name] = inputs_from_json(entry, where)
    elif isinstance(case := entry.get("case"), str):
        entries.append(Entry(case, carried_from_json(entry, lists, where)))
    else:
        raise ReportError("expected trials of a case, or lists of inputs", where=where)


def _is_own(entry: Mapping[str, Any]) -> bool:
    """Whether the gate itself writes such lines."""
    if isinstance(entry.get("confirmed"), str):
        return isinstance(entry.get("void"), str) or _both(entry.get("trials")) is not None
    undecided = entry.get("undecided")
    return (
        "ended" in entry and isinstance(undecided, dict) and all(isinstance(each, str) for each in undecided.values())
    )


def _undecided(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    return list(entry["undecided"].items())


def _goes_on(before: tuple[str, str], after: tuple[str, str]) -> bool:
    """Whether trials begin with earlier ones: a second sample of a content must not take the place of the first."""
    return all(new.startswith(old) for old, new in zip(before, after, strict=True))


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _both(value: object) -> tuple[str, str] | None:
    """Trials of base and head, one character each."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    base, head = value
    usable = all(isinstance(each, str) and not set(each) - {"0", "1"} for each in value)
    return (base, head) if usable else None
