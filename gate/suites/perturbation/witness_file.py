"""Many sweeps' witnesses in one file: a line that names test and sweep, then one line a witness.

It is committed beside the baseline, so the same witnesses are the same bytes, and two branches merge line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from gate.errors import ReportError
from gate.suites.perturbation import witnesses
from gate.suites.perturbation.witnesses import VERSION, Witness

LARGEST = 50_000_000
"""Bytes of a file that is read."""
_LONGEST = 300
Group = tuple[str, str]
"""(case, name of the sweep)."""
Groups = Mapping[Group, Sequence[Witness]]


def dumps(groups: Groups, said: str = "") -> bytes:
    """The file; empty groups are left out. `loads` reads it back to the same value.

    Args:
        said: what became of the stored ones in the run that writes it, one sentence; a committed file has none.
    """
    lines = [json.dumps({"version": VERSION, "said": said} if said else {"version": VERSION}, ensure_ascii=False)]
    for (case, sweep), found in sorted(groups.items()):
        if found:
            lines.append(json.dumps({"case": case, "sweep": sweep}, ensure_ascii=False, separators=(",", ":")))
            lines += witnesses.dumps(found).split("\n")[1:-1]
    return ("\n".join(lines) + "\n").encode("utf-8")


def loads(data: bytes, where: str = "witnesses") -> dict[Group, tuple[Witness, ...]]:
    """The inverse of `dumps`; a group that stands twice, as a merge of branches leaves it, is one.

    Raises:
        ReportError: damage, or a newer version.
    """
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise _damaged(where, "is not UTF-8") from None
    head, found = lines[0], dict[Group, list[str]]()
    group: Group | None = None
    for number, line in enumerate(lines[1:], 2):
        if line.startswith("{"):
            group = _group(line, where, number)
            found.setdefault(group, [])
        elif line and group is None:
            raise _damaged(where, f"line {number} belongs to no sweep")
        elif line and group is not None:
            found[group].append(line)
    found = {group: list(dict.fromkeys(told)) for group, told in found.items()}
    read = {group: witnesses.loads("\n".join([head, *told]), where) for group, told in found.items()}
    if not read:
        witnesses.loads(head, where)  # its version is checked even where nothing follows
    return {group: read[group] for group in sorted(read)}


def said_in(data: bytes) -> str:
    """What a run said of the stored ones; empty where it said nothing."""
    try:
        head = json.loads(data.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return ""
    told = head.get("said") if isinstance(head, dict) else ""
    return told[:_LONGEST] if isinstance(told, str) else ""


def joined(stored: Groups, new: Groups, cases: Iterable[str]) -> dict[Group, tuple[Witness, ...]]:
    """What to commit: the new group where a sweep was made, else the stored one; groups of other cases are left out.

    A group of a run holds the stored witnesses already, see `witnesses.merged`.
    """
    kept = set(cases)
    return {
        group: tuple(new.get(group, stored.get(group, ()))) for group in sorted({*stored, *new}) if group[0] in kept
    }


def _group(line: str, where: str, number: int) -> Group:
    try:
        told = json.loads(line)
        case, sweep = told["case"], told["sweep"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise _damaged(where, f"line {number} names no sweep") from None
    if not isinstance(case, str) or not isinstance(sweep, str):
        raise _damaged(where, f"line {number} names no sweep")
    return case, sweep


def _damaged(where: str, what: str) -> ReportError:
    return ReportError(what, where=where, remedy="restore the file from git, or delete it: a search finds them anew")
