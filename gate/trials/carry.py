"""What an earlier run of the same content leaves to a later one: trials follow the content, not the commit.

A run writes one line a stochastic case, with its trials and a digest of everything that they may depend on. A later run
whose digest is the same takes the trials over and makes none, so that a second attempt or an empty commit can't reroll
them. The digest is made where the suite runs, from lists that stand beside it (`Inputs`), since what a case loads is
known only once it has run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import ReportError
from gate.trials.loop import EXCERPT_LENGTH

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was seen to matter to a case, beside the files that matter to every case.

    Attributes:
        modules: Python files of the project that had been loaded, relative to its root, sorted.
        opened: other files that had been read or looked for, relative to its root, sorted.
        children: whether other processes may have taken part, so that every file matters.
    """

    modules: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    children: bool = False


@dataclass(frozen=True, slots=True)
class Carried:
    """Trials that an earlier run made.

    Attributes:
        fingerprint: digest of what they depend on.
        outcomes: one character a trial in order, `1` passed and `0` failed.
        answer: what the design said to them then; `more` when that run was cut short.
        inputs: lists over which the fingerprint was made.
        excerpt: of the first failed one, at most 300 characters; untrusted text.
    """

    fingerprint: str
    outcomes: str
    answer: str = "more"
    inputs: Inputs = Inputs()
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a file of trials: what one run did with one case.

    Attributes:
        case: its id.
        session: the run, such as a commit and an attempt.
        errors: infrastructure errors of that run.
    """

    case: str
    carried: Carried
    session: str = ""
    errors: int = 0


def inputs_name(inputs: Inputs) -> str:
    """Short name of lists, by which several cases share them."""
    text = json.dumps([inputs.modules, inputs.opened, inputs.children], separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def inputs_line(name: str, inputs: Inputs) -> str:
    """The line that names the lists of one or more cases; it comes before theirs."""
    return _line({"inputs": name, **inputs_to_json(inputs)})


def entry_line(entry: Entry, name: str) -> str:
    """The line of a case whose lists stand in the line of `name`."""
    line: Json = {"case": entry.case, "uses": name, **carried_to_json(entry.carried)}
    if entry.session:
        line["session"] = entry.session
    if entry.errors:
        line["errors"] = entry.errors
    return _line(line)


def read_entries(text: str, name: str) -> tuple[Entry, ...]:
    """Entries of a file of trials, in its order. A last line that a killed run left unfinished is not one.

    Args:
        text: untrusted.
        name: of the file, for errors.

    Raises:
        ReportError: a line has a shape that no run writes.
    """
    lists: dict[str, Inputs] = {}
    found: list[Entry] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            if number == len(lines):
                break
            raise _refused(where, "one JSON object a line") from None
        if isinstance(data, dict) and "inputs" in data:
            lists[_text(data, "inputs", where)] = inputs_from_json(data, where)
        else:
            found.append(_entry(data, lists, where))
    return tuple(found)


def carried_by_case(entries: Iterable[Entry]) -> dict[str, tuple[Carried, ...]]:
    """What later runs may take over, by case.

    Args:
        entries: of all earlier runs, oldest first.

    Returns:
        For each case one entry a fingerprint, the newest fingerprint first. The oldest run of a content counts, so that
        no second sample of it can be chosen; a later one that went on from there replaces it.
    """
    found: dict[str, dict[str, Carried]] = {}
    for entry in entries:
        known = found.setdefault(entry.case, {})
        carried = entry.carried
        before = known.pop(carried.fingerprint, carried)
        known[carried.fingerprint] = carried if carried.outcomes.startswith(before.outcomes) else before
    return {case: tuple(reversed(known.values())) for case, known in found.items()}


def inputs_to_json(inputs: Inputs) -> Json:
    entry: Json = {"modules": list(inputs.modules)}
    if inputs.opened:
        entry["opened"] = list(inputs.opened)
    if inputs.children:
        entry["children"] = True
    return entry


def inputs_from_json(data: object, where: str) -> Inputs:
    """Raises: ReportError, when the lists are none."""
    entry = _mapping(data, where)
    children = entry.get("children", False)
    if not isinstance(children, bool):
        raise _refused(f"{where}/children", "true or false")
    return Inputs(_texts(entry, "modules", where), _texts(entry, "opened", where), children)


def carried_to_json(carried: Carried) -> Json:
    """Everything but the lists, which several entries share."""
    entry: Json = {"fingerprint": carried.fingerprint, "outcomes": carried.outcomes, "answer": carried.answer}
    if carried.excerpt:
        entry["excerpt"] = carried.excerpt
    return entry


def carried_from_json(data: object, lists: Mapping[str, Inputs], where: str) -> Carried:
    """Raises: ReportError, when a part is missing or its lists are nowhere."""
    entry = _mapping(data, where)
    outcomes, uses = _text(entry, "outcomes", where), _text(entry, "uses", where)
    if set(outcomes) - {"0", "1"}:
        raise _refused(f"{where}/outcomes", "a string of 0 and 1")
    if uses not in lists:
        raise _refused(f"{where}/uses", "the name of lists that stand before it")
    return Carried(
        fingerprint=_text(entry, "fingerprint", where),
        outcomes=outcomes,
        answer=_text(entry, "answer", where),
        inputs=lists[uses],
        excerpt=_text(entry, "excerpt", where, "")[:EXCERPT_LENGTH],
    )


def _entry(data: object, lists: Mapping[str, Inputs], where: str) -> Entry:
    entry = _mapping(data, where)
    errors = entry.get("errors", 0)
    if type(errors) is not int or errors < 0:
        raise _refused(f"{where}/errors", "a count")
    carried = carried_from_json(entry, lists, where)
    return Entry(_text(entry, "case", where), carried, _text(entry, "session", where, ""), errors)


def _mapping(data: object, where: str) -> Json:
    if not isinstance(data, dict):
        raise _refused(where, "an object")
    return data


def _text(entry: Mapping[str, Any], key: str, where: str, default: str | None = None) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str):
        raise _refused(f"{where}/{key}", "a text")
    return value


def _texts(entry: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    values: Sequence[Any] = entry.get(key, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise _refused(f"{where}/{key}", "a list of texts")
    return tuple(values)


def _line(entry: Json) -> str:
    return json.dumps(entry, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n"


def _refused(where: str, expected: str) -> ReportError:
    return ReportError(f"expected {expected}", where=where, remedy="leave out this file of trials; they are made again")
