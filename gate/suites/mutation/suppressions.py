"""Mutants that are left out by decision: `[[suppressions]]` with the mutant's id, a reason and, if wanted, an end date.

An entry that no longer does anything is an error with its line, so that the list can't rot: an id that no mutant has, a
date that has passed, an id that stands twice.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import SettingsError
from gate.suites.mutation.operators.edit import Mutant
from gate.suites.mutation.prompt.model import Prompt

_ID = re.compile(r"[0-9a-f]{12}")
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?suppressions[\"']?[ \t]*\]\]", re.MULTILINE)
_KEY = re.compile(r"^[ \t]*[\"']?suppressions[\"']?[ \t]*=", re.MULTILINE)
_KEYS = ("mutant", "reason", "until")
_ALSO = {"mutant_id": "mutant", "mutant-id": "mutant"}
_OPERATORS = {
    "delete-constraint": "delete_constraint",
    "invert-negation": "invert_negation",
    "weaken-modal": "weaken_modal",
    "change-threshold": "change_threshold",
    "flip-comparator": "flip_comparator",
    "swap-scope": "scope_swap",
    "drop-exception": "drop_exception",
}


@dataclass(frozen=True, slots=True)
class Suppression:
    """One entry; `until` is the last day on which it holds, `where` the file and line of it."""

    mutant: str
    reason: str
    until: datetime.date | None
    where: str


def parse_suppressions(text: str, *, where: str, today: datetime.date) -> tuple[Suppression, ...]:
    """The entries of a file: of `.gate/suppressions.toml`, of `gate.toml`, or of `.clastogen/suppressions.toml`.

    Args:
        text: TOML; other tables than `suppressions` are left alone.
        where: the file's name, for errors.
        today: an entry whose `until` lies before it has expired.

    Raises:
        SettingsError: no TOML, an entry without id or reason, an unknown key, an expired or a repeated entry; with
            the line.
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"no TOML: {error}", where=where, remedy="mend the file at that place") from error
    entries = document.get("suppressions", [])
    lines = _lines(text, len(entries) if isinstance(entries, list) else 0)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        line = _line_of(text, _KEY)
        raise SettingsError(
            "`suppressions` is no list of tables",
            where=f"{where}:{line}",
            remedy="write each entry as [[suppressions]]",
        )
    found: list[Suppression] = []
    for entry, line in zip(entries, lines, strict=True):
        one = _entry(entry, f"{where}:{line}", today)
        first = next((earlier for earlier in found if earlier.mutant == one.mutant), None)
        if first:
            raise SettingsError(
                f"mutant {one.mutant} is suppressed twice, first at {first.where}",
                where=one.where,
                remedy="keep one entry",
            )
        found.append(one)
    return tuple(found)


def matched(
    suppressions: Sequence[Suppression], mutants: Iterable[Mutant], *, earlier_ids: Mapping[str, str] | None = None
) -> dict[str, Suppression]:
    """By mutant id the entry that suppresses it.

    Args:
        mutants: all that exist for the targets of the run, also those that a limit leaves out.
        earlier_ids: ids that another tool gave, with the mutant's id here, see `clastogen_ids`.

    Raises:
        SettingsError: an entry names a mutant that does not exist (any more), or the same one as another entry.
    """
    known = {mutant.id for mutant in mutants}
    other = earlier_ids or {}
    found: dict[str, Suppression] = {}
    for one in suppressions:
        mutant = one.mutant if one.mutant in known else other.get(one.mutant, "")
        if not mutant:
            raise SettingsError(
                f"no mutant has the id {one.mutant}: the rule was edited or left out, or the id is misspelt",
                where=one.where,
                remedy="remove the entry, or take the id that `gate mutants list` shows",
            )
        if mutant in found:
            raise SettingsError(
                f"mutant {mutant} is suppressed twice, first at {found[mutant].where}",
                where=one.where,
                remedy="keep one entry",
            )
        found[mutant] = one
    return found


def clastogen_ids(prompt: Prompt, mutants: Iterable[Mutant], target: str) -> dict[str, str]:
    """Ids that Clastogen 0.10 gives to the same changes, with the mutant's id here.

    Its id is made of operator, target and the rule's words before and after. Where both tools change a rule to the
    same words, the id is found; another one has to be suppressed anew.
    """
    import hashlib

    rules = {rule.id: rule for rule in prompt.rules}
    found: dict[str, str] = {}
    for mutant in mutants:
        operator = _OPERATORS.get(mutant.operator)
        rule = rules.get(mutant.rule)
        if operator is None or rule is None:
            continue
        whole = prompt.rule_text(rule)
        for before in dict.fromkeys((whole.rstrip(".!?。！？"), whole)):  # it keeps the point behind a number
            for after in _written_after(prompt, mutant, rule.span.start, len(before)):
                key = f"{operator}:{target}:{before}->{after}".encode("utf-8", "surrogatepass")
                found.setdefault(hashlib.sha256(key).hexdigest()[:12], mutant.id)
    return found


def _written_after(prompt: Prompt, mutant: Mutant, start: int, length: int) -> tuple[str, ...]:
    """The rule under the mutant, with what is new as it is, in capitals, and with its new words alone in capitals."""
    if mutant.operator == "delete-constraint":
        return ("[DELETED]",)
    if len(mutant.spans) != 1:
        return ()
    span, new = mutant.spans[0], mutant.replacements[0]
    head, tail = prompt.text[start : span.start], prompt.text[span.end : start + length]
    old = span.of(prompt.text).split(" ")
    words = " ".join(word if word in old else word.upper() for word in new.split(" "))
    return head + new + tail, head + new.upper() + tail, head + words + tail


def _entry(entry: Mapping[str, Any], where: str, today: datetime.date) -> Suppression:
    known = {_ALSO.get(key, key): value for key, value in entry.items()}
    unknown = sorted(set(known) - set(_KEYS))
    if unknown:
        raise SettingsError(
            f"a suppression has no `{unknown[0]}`", where=where, remedy=f"its keys are {', '.join(_KEYS)}"
        )
    if len(known) < len(entry):
        raise SettingsError("a suppression names its mutant twice", where=where, remedy="keep the key `mutant`")
    mutant, reason, until = known.get("mutant"), known.get("reason"), known.get("until")
    if not isinstance(mutant, str) or not _ID.fullmatch(mutant.strip()):
        shown = "nothing" if mutant is None else repr(mutant)
        raise SettingsError(
            f"`mutant` must be an id of 12 hexadecimal digits, found {shown}",
            where=where,
            remedy="take the id that `gate mutants list` or the report shows",
        )
    if not isinstance(reason, str) or not reason.strip():
        remedy = "say in `reason` why no test has to notice it"
        raise SettingsError(f"the suppression of {mutant} has no reason", where=where, remedy=remedy)
    last = _date(until, mutant, where)
    if last is not None and last < today:
        raise SettingsError(
            f"the suppression of {mutant} expired on {last.isoformat()}",
            where=where,
            remedy="remove the entry, or decide again and set a later `until`",
        )
    return Suppression(mutant.strip(), reason.strip(), last, where)


def _date(until: object, mutant: str, where: str) -> datetime.date | None:
    if until is None:
        return None
    if isinstance(until, datetime.date) and not isinstance(until, datetime.datetime):
        return until
    if isinstance(until, str):
        try:
            return datetime.date.fromisoformat(until)
        except ValueError:
            pass
    raise SettingsError(
        f"`until` of {mutant} is no date: {until!r}", where=where, remedy="write a day such as 2030-01-31"
    )


def _lines(text: str, count: int) -> list[int]:
    """The line of each entry; where they are written as one list, the line at which it begins."""
    headers = [text.count("\n", 0, found.start()) + 1 for found in _HEADER.finditer(text)]
    return headers if len(headers) == count else [_line_of(text, _KEY)] * count


def _line_of(text: str, pattern: re.Pattern[str]) -> int:
    found = pattern.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1
