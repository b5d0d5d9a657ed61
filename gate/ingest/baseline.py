"""Our baseline: a header line, then one case a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from gate.errors import BaselineError, ReportError
from gate.ingest.text import parse
from gate.schema.codec import facets_from_json
from gate.schema.outcome import Outcome
from gate.schema.report import SCHEMA_VERSION, Case, Completeness, Kind, Location, Report, Source

HEADER = "gate_baseline"
REMEDY = "take the file of an earlier commit, or run `gate baseline refresh`"

_FIRST = re.compile(r'\s*\{\s*"gate_baseline"\s*:')
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
_KINDS = {kind.value: kind for kind in Kind}
_OWN_KEYS = frozenset({"id", "outcome", "kind", "path", "at"})


def is_baseline(text: str) -> bool:
    return _FIRST.match(text) is not None


def read_baseline(text: str, name: str) -> Report:
    """Report of a committed baseline, read line by line.

    Raises:
        BaselineError: damaged, of a newer schema, or with an id that stands twice.
    """
    lines = _lines(text)
    try:
        number, line = next(lines)
        header = _header(parse(line, name, line=number), f"{name}:{number}")
        shared: dict[str, str] = {}
        cases = tuple([_case(parse(line, name, line=number), f"{name}:{number}", shared) for number, line in lines])
    except BaselineError:
        raise
    except ReportError as error:
        raise BaselineError(error.message, where=error.where, remedy=REMEDY) from None
    if len({case.id for case in cases}) != len(cases):
        _refuse_repeated(cases, name)
    return Report(
        cases=cases,
        suite=_text(header, "suite", "default", name),
        source=Source(format="baseline"),
        completeness=Completeness(collected=len(cases)),
        fingerprints=_texts(header, "fingerprints", name),
        packages=_texts(header, "packages", name),
        forced=_text(header, "forced", "", name),
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that hold something, with their numbers; one at a time, since the list of all is as large as the text."""
    number, start = 0, 0
    while start < len(text):
        number += 1
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        start = end + 1
        if line and not line.isspace():
            yield number, line


def _header(header: Any, where: str) -> Mapping[str, Any]:
    version = header.get(HEADER) if isinstance(header, Mapping) else None
    if type(version) is not int:
        _refuse(where, "a header with the schema of the baseline", version)
    if version > SCHEMA_VERSION:
        raise BaselineError(
            f"schema {version} is newer than {SCHEMA_VERSION}, which this version reads",
            where=where,
            remedy="upgrade robustness-gate where it compares",
        )
    checked: Mapping[str, Any] = header
    return checked


def _text(header: Mapping[str, Any], key: str, default: str, name: str) -> str:
    value = header.get(key, default)
    if not isinstance(value, str):
        _refuse(f"{name}:1/{key}", "a text", value)
    return value


def _texts(header: Mapping[str, Any], key: str, name: str) -> dict[str, str]:
    found = header.get(key, {})
    if not isinstance(found, Mapping) or not all(isinstance(value, str) for value in found.values()):
        _refuse(f"{name}:1/{key}", "an object of texts", found)
    return dict(sorted(found.items()))


def _case(entry: Any, where: str, shared: dict[str, str]) -> Case:
    """Case of one line. `shared` keeps one copy of texts that stand in many lines."""
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        _refuse(where, "a case with an id", entry)
    case_id, word, kind, at = entry["id"], entry.get("outcome"), entry.get("kind", Kind.TEST.value), entry.get("at", "")
    path = entry["path"] if "path" in entry else case_id.partition("::")[0]
    if not isinstance(at, str) or not isinstance(path, str | None):
        _refuse(where, "texts for at and path", at if not isinstance(at, str) else path)
    if word is not None and (not isinstance(word, str) or word not in _OUTCOMES):
        _refuse(f"{where}/outcome", f"one of {', '.join(_OUTCOMES)}", word)
    if not isinstance(kind, str) or kind not in _KINDS:
        _refuse(f"{where}/kind", f"one of {', '.join(_KINDS)}", kind)
    _refuse_detached(entry, where)
    facets: dict[str, Any] = {}
    if not entry.keys() <= _OWN_KEYS:
        facets = facets_from_json({key: value for key, value in entry.items() if key not in _OWN_KEYS}, where)
    return Case(
        id=case_id,
        kind=_KINDS[kind],
        outcome=None if word is None else _OUTCOMES[word],
        location=None if path is None else Location(shared.setdefault(path, path)),
        measured_at=shared.setdefault(at, at),
        **facets,
    )


def _refuse_detached(entry: Mapping[str, Any], where: str) -> None:
    """A large set stands in files beside the baseline, which whoever read the bytes had to put back."""
    sets = entry.get("predictions")
    for found in sets if isinstance(sets, list) else []:
        if isinstance(found, dict) and isinstance(found.get("examples"), str) and "ids" not in found:
            remedy = "read the baseline where it stands: its folder `.examples` belongs to it"
            raise BaselineError("the examples stand in a file beside the baseline", where=where, remedy=remedy)


def _refuse_repeated(cases: tuple[Case, ...], name: str) -> NoReturn:
    seen: set[str] = set()
    repeated = next(case.id for case in cases if case.id in seen or seen.add(case.id))  # type: ignore[func-returns-value]
    raise BaselineError(
        f"the id {repeated!r:.200} stands in two lines",
        where=name,
        remedy="a merge kept both sides: keep one of the two, or run `gate baseline refresh`",
    )


def _refuse(where: str, expected: str, found: Any) -> NoReturn:
    raise BaselineError(f"expected {expected}, found {found!r:.80}", where=where, remedy=REMEDY)
