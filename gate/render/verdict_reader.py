"""Reads a verdict back from JSON, refusing what no version of this schema wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NoReturn, TypeVar

from gate.errors import ReportError, UsageError
from gate.render.decisions_json import budget_from_json, decision_from_json, score_from_json
from gate.render.marker import SUITE
from gate.render.permissions_json import permission_from_json
from gate.schema.acceptance import Permission
from gate.schema.agent_scores import ScoreChange
from gate.schema.codec import calls_from_json
from gate.schema.evidence import Block, BlockKind
from gate.schema.rejudged import Part
from gate.schema.report import Calls, Location
from gate.schema.untrusted import finite
from gate.schema.verdict import (
    CaseDecision,
    ExampleChange,
    ExitCode,
    Finding,
    Level,
    Problem,
    Provenance,
    RuleName,
    Tally,
    Verdict,
)

Json = dict[str, Any]
T = TypeVar("T")
WHERE = "verdict"
_REMEDY = "make it again with `gate ci`, or `gate compare … --format json`"
_WORDS = "mode", "suite", "base", "head", "baseline_age", "anchor", "baseline_from", "settings_from"
_NUMBER = re.compile(r"F[1-9][0-9]{0,8}")
"""What the judge calls a finding; good news has no number."""
_COUNTS = tuple(each.name for each in fields(Tally) if each.name != "transitions")


def read_verdict(text: str, schema: int) -> Verdict:
    """The verdict in a text.

    Raises:
        UsageError: not JSON, not a verdict, of a newer schema, or with a field of the wrong shape (it says which).
    """
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"is not JSON: {str(error) or 'nested too deeply'}", where=WHERE, remedy=_REMEDY) from None
    entry = _mapping(data, WHERE)
    found = entry.get("schema")
    if type(found) is int and found > schema:
        raise UsageError(
            f"has schema {found}, and this version reads up to {schema}",
            where=WHERE,
            remedy="update robustness-gate",
        )
    if type(found) is not int or found != schema:
        _refuse("schema", str(schema), found)
    return _verdict(entry)


def _verdict(entry: Json) -> Verdict:
    return Verdict(
        findings=_each(entry.get("findings", []), "findings", _numbered),
        good_news=_each(entry.get("good_news", []), "good_news", _finding),
        exit_code=_exit(entry, "exit_code"),
        would_exit=_exit(entry, "would_exit_code"),
        observe=_boolean(entry, "observe", WHERE),
        welcome=_boolean(entry, "welcome", WHERE),
        first_baseline=_boolean(entry, "first_baseline", WHERE),
        tally=_tally(_mapping(entry.get("tally", {}), "tally")),
        provenance=_provenance(_mapping(entry.get("provenance", {}), "provenance")),
        fingerprints_changed={
            name: _pair(pair, f"fingerprints_changed/{name}")
            for name, pair in _mapping(entry.get("fingerprints_changed", {}), "fingerprints_changed").items()
        },
        notices=_each(entry.get("notices", []), "notices", _string),
        alpha=_number(entry.get("alpha", 0.05), "alpha"),
        calls=_calls(entry.get("calls", {})),
        budget=budget_from_json(_mapping(entry.get("budget", {}), "budget"), _refuse),
        decisions=_each(entry.get("decisions", []), "decisions", _decision),
        scores=_each(entry.get("scores", []), "scores", _score),
        varying=_each(entry.get("varying", []), "varying", _string),
        measured={
            name: _string(value, f"measured/{name}")
            for name, value in _mapping(entry.get("measured", {}), "measured").items()
        },
        problem=_problem(entry.get("problem")),
    )


def _problem(data: object) -> Problem | None:
    if data is None:
        return None
    entry = _mapping(data, "problem")
    return Problem(*(_string(entry.get(key, ""), f"problem/{key}") for key in ("message", "where", "remedy")))


def _calls(data: object) -> Calls:
    try:
        return calls_from_json(data, "calls")
    except ReportError as error:
        raise UsageError(error.message, where=f"{WHERE}/{error.where}", remedy=_REMEDY) from None


def _decision(data: object, where: str) -> CaseDecision:
    return decision_from_json(_mapping(data, where), where, _refuse)


def _score(data: object, where: str) -> ScoreChange:
    return score_from_json(_mapping(data, where), where, _refuse)


def _numbered(data: object, where: str) -> Finding:
    """A finding with its number, which is shown as it stands."""
    finding = _finding(data, where)
    return finding if finding.id else _refuse(f"{where}/id", "F and a number", finding.id)


def _finding(data: object, where: str) -> Finding:
    entry = _mapping(data, where)
    words = {
        key: _string(entry.get(key, ""), f"{where}/{key}")
        for key in ("id", "case_id", "subject", "what", "before", "after", "why", "command")
    }
    if words["id"] and not _NUMBER.fullmatch(words["id"]):
        _refuse(f"{where}/id", "F and a number", words["id"])
    location = entry.get("location")
    return Finding(
        rule=_named(RuleName, entry.get("rule"), f"{where}/rule"),
        level=_named(Level, entry.get("level"), f"{where}/level"),
        amount=_number(entry.get("amount", 1), f"{where}/amount"),
        total=_count(entry.get("total", 0), f"{where}/total"),
        location=None if location is None else _location(location, f"{where}/location"),
        known_on_base=_boolean(entry, "known_on_base", where),
        accepted=_permission(entry.get("accepted"), f"{where}/accepted"),
        judged=None if entry.get("judged") is None else _named(Part, entry["judged"], f"{where}/judged"),
        examples=_each(entry.get("examples", []), f"{where}/examples", _example),
        evidence=_each(entry.get("evidence", []), f"{where}/evidence", _block),
        **words,
    )


def _permission(data: object, where: str) -> Permission | None:
    return None if data is None else permission_from_json(_mapping(data, where), where, _refuse)


def _location(data: object, where: str) -> Location:
    entry = _mapping(data, where)
    line = entry.get("line")
    return Location(
        _string(entry.get("path"), f"{where}/path"), None if line is None else _count(line, f"{where}/line")
    )


def _example(data: object, where: str) -> ExampleChange:
    entry = _mapping(data, where)
    words = {key: _string(entry.get(key), f"{where}/{key}") for key in ("id", "before", "after", "moved")}
    before, after = entry.get("score_before"), entry.get("score_after")
    return ExampleChange(
        score_before=None if before is None else _number(before, f"{where}/score_before"),
        score_after=None if after is None else _number(after, f"{where}/score_after"),
        **words,
    )


def _block(data: object, where: str) -> Block:
    entry = _mapping(data, where)
    return Block(
        kind=_named(BlockKind, entry.get("kind"), f"{where}/kind"),
        title=_string(entry.get("title", ""), f"{where}/title"),
        body=_string(entry.get("body", ""), f"{where}/body"),
        header=_each(entry.get("header", []), f"{where}/header", _string),
        rows=_each(entry.get("rows", []), f"{where}/rows", lambda row, place: _each(row, place, _string)),
    )


def _tally(entry: Json) -> Tally:
    counts = {key: _count(entry.get(key, 0), f"tally/{key}") for key in _COUNTS}
    transitions: dict[tuple[str, str], int] = {}
    for place, data in enumerate(_list(entry.get("transitions", []), "tally/transitions")):
        where = f"tally/transitions/{place}"
        each = _mapping(data, where)
        before, after = (_string(each.get(key), f"{where}/{key}") for key in ("before", "after"))
        transitions[before, after] = _count(each.get("count"), f"{where}/count")
    return Tally(transitions=transitions, **counts)


def _provenance(entry: Json) -> Provenance:
    defaults = Provenance()
    keys = (*_WORDS, "report_url", "tool_version")
    words = {key: _string(entry.get(key, getattr(defaults, key)), f"provenance/{key}") for key in keys}
    if not SUITE.fullmatch(words["suite"]):
        _refuse("provenance/suite", "the name of a suite", words["suite"])
    pull_request = entry.get("pull_request")
    return Provenance(
        attempt=_count(entry.get("attempt", 1), "provenance/attempt"),
        pull_request=None if pull_request is None else _count(pull_request, "provenance/pull_request"),
        changed={
            heading: _each(paths, f"provenance/changed/{heading}", _string)
            for heading, paths in _mapping(entry.get("changed", {}), "provenance/changed").items()
        },
        **words,
    )


def _exit(entry: Json, key: str) -> ExitCode:
    try:
        return ExitCode(_count(entry.get(key), key))
    except ValueError:
        _refuse(key, "an exit code", entry.get(key))


Named = TypeVar("Named", RuleName, Level, BlockKind, Part)


def _named(kind: type[Named], value: object, where: str) -> Named:
    try:
        return kind(_string(value, where))
    except ValueError:
        _refuse(where, f"one of {', '.join(kind)}", value)


def _pair(data: object, where: str) -> tuple[str, str]:
    pair = _each(data, where, _string)
    if len(pair) != 2:
        _refuse(where, "two strings", data)
    return pair[0], pair[1]


def _each(data: object, where: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
    return tuple(read(value, f"{where}/{place}") for place, value in enumerate(_list(data, where)))


def _list(data: object, where: str) -> list[Any]:
    return data if isinstance(data, list) else _refuse(where, "a list", data)


def _mapping(data: object, where: str) -> Json:
    return data if isinstance(data, dict) else _refuse(where, "an object", data)


def _string(data: object, where: str) -> str:
    return data if isinstance(data, str) else _refuse(where, "a string", data)


def _boolean(entry: Json, key: str, where: str) -> bool:
    value = entry.get(key, False)
    return value if isinstance(value, bool) else _refuse(f"{where}/{key}", "true or false", value)


def _count(data: object, where: str) -> int:
    return data if isinstance(data, int) and not isinstance(data, bool) else _refuse(where, "a whole number", data)


def _number(data: object, where: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not finite(data):
        _refuse(where, "a finite number", data)
    return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _refuse(where: str, expected: str, found: object) -> NoReturn:
    shown = repr(found)
    raise UsageError(
        f"expected {expected}, found {shown if len(shown) <= 60 else shown[:57] + '...'}",
        where=where if where.startswith(WHERE) else f"{WHERE}/{where}",
        remedy=_REMEDY,
    )
