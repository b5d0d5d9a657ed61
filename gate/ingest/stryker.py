"""Mutation reports of Stryker's schema (StrykerJS, Stryker.NET, Stryker4s, Infection, cargo-mutants by a converter).

Numbers of mutants change with every edit, so a mutant is known by its file, its mutator, and what it puts in the place
of what. They come as mutants do: a survivor that was killed before is found, one whose code is gone is let go.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from gate.errors import ReportError
from gate.schema.mutation import (
    DECIDED,
    LONGEST_TEXT,
    SCORE,
    Mutation,
    Status,
    case_id,
    summary_id,
)
from gate.schema.report import Case, Completeness, Kind, Location, Metric, Report, Source
from gate.schema.untrusted import count, listed, mapping, refuse, string
from gate.stats.intervals import wilson
from gate.stats.refusal import TooLittle

NEWEST = 2
_LONGEST_PATH = 500
_ABSOLUTE = re.compile(r"(?:[A-Za-z]:)?/")
STATUSES: dict[str, Status] = {
    "Killed": "killed",
    "Timeout": "killed",
    "Survived": "survived",
    "NoCoverage": "survived",
    "CompileError": "error",
    "RuntimeError": "error",
    "TranspileError": "error",
    "BuildError": "error",
    "Ignored": "suppressed",
    "Skipped": "suppressed",
    "Pending": "skipped",
    "NotRun": "skipped",
}
_REASONS = {
    "Timeout": "the tests ran out of time",
    "NoCoverage": "no test runs this code",
    "Ignored": "ignored by its configuration",
    "Pending": "not run yet",
}
Json = dict[str, Any]


def is_stryker(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("files"), dict):
        return False
    return "thresholds" in data or "schemaVersion" in data or "mutationScore" in data


def read_stryker(data: Json, name: str) -> Report:
    """Report of a mutation report: a case a mutant, and one a file with its mutation score.

    Raises:
        ReportError: a part has another shape, or the schema is newer.
    """
    _refuse_newer(data.get("schemaVersion", "1"), f"{name}: schemaVersion")
    tests = _tests(data.get("testFiles"), f"{name}: testFiles")
    cases: list[Case] = []
    files = mapping(data["files"], f"{name}: files")
    for path, short in _short(list(files)).items():
        where = f"{name}: files/{path:.120}"
        cases += _file(short, mapping(files[path], where), tests, where)
    mutants = [case.mutation for case in cases if case.mutation is not None]
    waiting = sum(each.status == "skipped" for each in mutants)
    reasons = [] if mutants else ["no mutant was reported"]
    if waiting:
        reasons.append(f"{waiting:,} of {len(mutants):,} mutants are pending")
    return Report(
        cases=tuple(cases),
        source=Source(tool=_tool(data), format="stryker"),
        completeness=Completeness(collected=len(cases), reasons=tuple(reasons)),
    )


def _refuse_newer(version: object, where: str) -> None:
    found = str(version) if type(version) is int else string(version, where)
    major = found.split(".")[0]
    if not (major.isascii() and major.isdecimal()) or len(major) > 6:
        refuse(where, "a version such as 1 or 2.0", found)
    if int(major) > NEWEST:
        raise ReportError(
            f"schema {found:.20} is newer than {NEWEST}, which this version reads",
            where=where,
            remedy="upgrade robustness-gate where it compares",
        )


def _short(paths: list[str]) -> dict[str, str]:
    """Paths with forward slashes; where all are absolute, without the folder that they share: it is the machine's."""
    plain = {path: path.replace("\\", "/") for path in paths}
    if not all(_ABSOLUTE.match(path) for path in plain.values()):
        return {path: short[:_LONGEST_PATH] for path, short in plain.items()}
    folders = [path.split("/")[:-1] for path in plain.values()]
    shared = len(list(takewhile(lambda names: len(set(names)) == 1, zip(*folders, strict=False))))
    return {path: "/".join(short.split("/")[shared:])[:_LONGEST_PATH] for path, short in plain.items()}


def _tests(value: object, where: str) -> dict[str, str]:
    """Names of tests by their numbers."""
    found: dict[str, str] = {}
    for path, entry in ({} if value is None else mapping(value, where)).items():
        for place, test in enumerate(listed(mapping(entry, f"{where}/{path:.80}").get("tests", []), f"{where}/tests")):
            record = mapping(test, f"{where}/{path:.80}/tests/{place}")
            number, title = record.get("id"), record.get("name")
            if isinstance(number, str) and isinstance(title, str):
                found[number] = f"{path}: {title}"[:LONGEST_TEXT] if path else title[:LONGEST_TEXT]
    return found


def _file(path: str, entry: Json, tests: dict[str, str], where: str) -> Iterator[Case]:
    source = string(entry.get("source", ""), f"{where}/source")
    lines = source.split("\n")
    seen: dict[str, int] = {}
    statuses: list[Status] = []
    for place, each in enumerate(listed(entry.get("mutants"), f"{where}/mutants")):
        at = f"{where}/mutants/{place}"
        mutation, line = _mutation(path, mapping(each, at), lines, tests, seen, at)
        statuses.append(mutation.status)
        yield Case(case_id(path, mutation.mutant), kind=Kind.MUTANT, location=Location(path, line), mutation=mutation)
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    yield Case(summary_id(path), kind=Kind.MUTANT, fingerprint=digest, metrics=(_score(statuses),))


def _mutation(
    path: str, record: Json, lines: list[str], tests: dict[str, str], seen: dict[str, int], where: str
) -> tuple[Mutation, int]:
    word = string(record.get("status"), f"{where}/status")
    if word not in STATUSES:
        refuse(f"{where}/status", ", ".join(STATUSES), word)
    operator = string(record.get("mutatorName"), f"{where}/mutatorName")[:200]
    line, before = _span(mapping(record.get("location"), f"{where}/location"), lines, f"{where}/location")
    told = record.get("replacement")
    after = told if isinstance(told, str) else ""
    content = "\x00".join((operator, before, after, lines[line - 1].strip() if line <= len(lines) else ""))
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    seen[digest] = seen.get(digest, 0) + 1
    killers = [tests.get(each, each) for each in _texts(record.get("killedBy"))]
    covered = [tests.get(each, each) for each in _texts(record.get("coveredBy"))]
    reason = record.get("statusReason")
    status = STATUSES[word]
    return Mutation(
        target=path,
        mutant=digest if seen[digest] == 1 else f"{digest}-{seen[digest]}",
        operator=operator,
        rule="",
        rule_text="",
        before=before[:LONGEST_TEXT],
        after=after[:LONGEST_TEXT],
        description=_description(record, operator),
        status=status,
        killer=killers[0] if killers and status == "killed" else "",
        tests=tuple(dict.fromkeys([*killers, *covered]))[:1_000],
        reason=reason[:LONGEST_TEXT] if isinstance(reason, str) else _REASONS.get(word, ""),
        certain=True,
    ), line


def _description(record: Json, operator: str) -> str:
    told = record.get("description")
    return told[:LONGEST_TEXT] if isinstance(told, str) and told else operator


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _span(location: Json, lines: list[str], where: str) -> tuple[int, str]:
    """Line of a mutant from 1, and what stands there in the source; columns count from 1, the end is excluded."""
    ends = [mapping(location.get(key), f"{where}/{key}") for key in ("start", "end")]
    (top, left), (bottom, right) = (
        (count(end.get("line"), f"{where}/line"), count(end.get("column"), f"{where}/column")) for end in ends
    )
    if not 1 <= top <= bottom <= len(lines):
        return max(top, 1), ""
    if top == bottom:
        return top, lines[top - 1][max(left - 1, 0) : max(right - 1, 0)]
    middle = lines[top : bottom - 1]
    return top, "\n".join([lines[top - 1][max(left - 1, 0) :], *middle, lines[bottom - 1][: max(right - 1, 0)]])


def _score(statuses: list[Status]) -> Metric:
    measured = [each for each in statuses if each in DECIDED]
    killed = sum(each == "killed" for each in measured)
    interval = wilson(killed, len(measured))
    if isinstance(interval, TooLittle):
        return Metric(SCORE, None, unscored="no mutant was measured")
    return Metric(SCORE, killed / len(measured), interval=(interval.low, interval.high), count=len(measured))


def _tool(data: Json) -> str:
    framework = data.get("framework")
    if not isinstance(framework, dict) or not isinstance(framework.get("name"), str):
        return "Stryker's schema"
    version = framework.get("version")
    return f"{framework['name']:.60}" + (f" {version:.40}" if isinstance(version, str) else "")
