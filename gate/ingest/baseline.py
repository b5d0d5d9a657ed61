"""Our baseline: a header line, then one case a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from gate.errors import BaselineError, ReportError
from gate.ingest.text import parse
from gate.schema.codec import facets_from_json
from gate.schema.outcome import Outcome
from gate.schema.report import SCHEMA_VERSION, Case, Completeness, Kind, Location, Report, Source

HEADER = "gate_baseline"
_OWN_KEYS = frozenset({"id", "outcome", "kind", "path", "at"})


def is_baseline(text: str) -> bool:
    return f'"{HEADER}"' in text.partition("\n")[0][:2000]


def read_baseline(text: str, name: str) -> Report:
    """Report of a committed baseline.

    Raises:
        BaselineError: damaged, of a newer schema, or with an id that stands twice.
    """
    lines = text.split("\n")
    try:
        header = _header(parse(lines[0], name), name)
        cases = [_case(parse(line, name, line=number), f"{name}:{number}") for number, line in _numbered(lines)]
    except ReportError as error:
        if isinstance(error, BaselineError):
            raise
        raise BaselineError(error.message, where=error.where, remedy="run `gate baseline refresh`") from None
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            _refuse(name, "ids that stand once each", case.id)
        seen.add(case.id)
    return Report(
        cases=tuple(cases),
        suite=str(header.get("suite", "default")),
        source=Source(commit="", tool="", format="baseline"),
        completeness=Completeness(collected=len(cases)),
        fingerprints={str(key): str(value) for key, value in sorted(header.get("fingerprints", {}).items())},
        forced=str(header.get("forced", "")),
    )


def _numbered(lines: list[str]) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(lines[1:], start=2) if line]


def _header(header: Any, name: str) -> Mapping[str, Any]:
    version = header.get(HEADER) if isinstance(header, Mapping) else None
    if isinstance(version, bool) or not isinstance(version, int):
        _refuse(f"{name}:1", "the header of a baseline", header)
    if version > SCHEMA_VERSION:
        raise BaselineError(
            f"schema {version} is newer than {SCHEMA_VERSION}, which this version reads",
            where=f"{name}:1",
            remedy="upgrade robustness-gate where it compares",
        )
    if not isinstance(header.get("fingerprints", {}), Mapping):
        _refuse(f"{name}:1", "fingerprints as an object", header["fingerprints"])
    checked: Mapping[str, Any] = header
    return checked


def _case(entry: Any, where: str) -> Case:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
        _refuse(where, "a case with an id", entry)
    outcome = entry.get("outcome")
    try:
        known = None if outcome is None else Outcome(outcome)
        kind = Kind(entry.get("kind", Kind.TEST))
    except ValueError:
        _refuse(where, "a known outcome and kind", outcome)
    path = entry.get("path", entry["id"].partition("::")[0])
    facets = {key: value for key, value in entry.items() if key not in _OWN_KEYS}
    return Case(
        id=entry["id"],
        kind=kind,
        outcome=known,
        location=Location(path) if isinstance(path, str) else None,
        measured_at=str(entry.get("at", "")),
        **(facets_from_json(facets, where) if facets else {}),
    )


def _refuse(where: str, expected: str, found: Any) -> NoReturn:
    raise BaselineError(
        f"expected {expected}, found {str(found)!r:.80}", where=where, remedy="run `gate baseline refresh`"
    )
