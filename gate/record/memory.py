"""What one run of a pull request tells the next: the fresh trials of its suspects, and which tests stayed undecided.

These lines stand in one file with the trials themselves, and like them they follow the content and not the commit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gate.errors import ReportError
from gate.trials.carry import Carried, carried_by_case, read_entries

HISTORY = "trials of earlier runs"
_OWN = "confirmed", "ended"
Key = tuple[str, str, str]
"""Case, fingerprint of its content, and base commit."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier runs of this pull request left.

    Attributes:
        carried: trials by case.
        confirmed: fresh trials of base and head.
        void: why they could not be made.
        undecided: by case, over how many runs in a row it stayed undecided.
        trouble: why it could not be read, one sentence; else empty.
    """

    carried: Mapping[str, tuple[Carried, ...]] = field(default_factory=dict)
    confirmed: Mapping[Key, tuple[str, str]] = field(default_factory=dict)
    void: Mapping[Key, str] = field(default_factory=dict)
    undecided: Mapping[str, int] = field(default_factory=dict)
    trouble: str = ""


def read_earlier(history: bytes) -> Earlier:
    """What earlier runs left; what can't be read is as if it were not there, and is said."""
    trials: list[str] = []
    own: list[str] = []
    for line in history.decode("utf-8", "replace").splitlines():
        ours = line.startswith(tuple(f'{{"{name}":' for name in _OWN))
        (own if ours else trials).append(line)
    try:
        carried = carried_by_case(read_entries("\n".join(trials), HISTORY))
    except ReportError as error:
        return Earlier(trouble=f"the trials of earlier runs can't be used: {error.message} ({error.where})")
    confirmed: dict[Key, tuple[str, str]] = {}
    void: dict[Key, str] = {}
    undecided: dict[str, int] = {}
    for line in own:
        entry = _object(line)
        both, why = _both(entry.get("trials")), entry.get("void")
        if "confirmed" in entry:
            key = str(entry["confirmed"]), str(entry.get("fingerprint", "")), str(entry.get("base", ""))
            if isinstance(why, str):
                void[key] = why
            elif both is not None and _goes_on(confirmed.get(key, ("", "")), both):
                confirmed[key] = both
        elif "ended" in entry and isinstance(entry.get("undecided"), list):
            undecided = {str(name): undecided.get(str(name), 0) + 1 for name in entry["undecided"]}
    return Earlier(carried, confirmed, void, undecided)


def _goes_on(before: tuple[str, str], after: tuple[str, str]) -> bool:
    """Whether trials begin with earlier ones: a second sample of a content must not take the place of the first."""
    return all(new.startswith(old) for old, new in zip(before, after, strict=True))


def confirmed_lines(keys: Mapping[str, Key], told: Mapping[str, Mapping[str, Any]]) -> bytes:
    """What later runs of the same content and base are told of each suspect."""
    return b"".join(
        _line({"confirmed": name, "fingerprint": fingerprint, "base": base, **told[name]})
        for name, fingerprint, base in sorted(keys.values())
        if fingerprint
    )


def ended_line(head: str, undecided: Sequence[str]) -> bytes:
    """The end of a run: its commit, and the cases that stayed undecided."""
    return _line({"ended": True, "head": head, "undecided": list(undecided)})


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
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
