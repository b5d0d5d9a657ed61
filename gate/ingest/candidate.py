"""Our candidate: a pytest-json-report file with a `gate` object at the top and in the metadata of tests.

What is no collected test, such as a mutant, stands in `gate.cases`, so that the counts of tests stay right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast, get_args

from gate.ingest.completeness import NOTHING
from gate.ingest.pytest_json import is_pytest_json, read_pytest_json
from gate.ingest.refuse import count_of, mapping_of, refuse, refuse_newer, text_of, texts_of
from gate.ingest.shards import alone
from gate.schema.codec import facets_from_json
from gate.schema.mutation import MUTANT, SUMMARY, case_id, summary_id
from gate.schema.report import Case, Completeness, Kind, Mode, Report, Source
from gate.schema.stale import recordings_from_json


def is_candidate(data: Any) -> bool:
    return is_pytest_json(data) and "gate" in data


def read_candidate(data: dict[str, Any], name: str) -> Report:
    """Report of a candidate.

    Raises:
        ReportError: a part has a shape that the plugin does not write, or the schema is newer.
    """
    where = f"{name}: gate"
    ours = mapping_of(data["gate"], where)
    refuse_newer(ours, where)
    collected, deselected = _counts(ours, where)
    report = read_pytest_json(data, name, collected=collected, deselected=deselected)
    return replace(
        report,
        cases=(*report.cases, *_more_cases(ours.get("cases", []), f"{where}/cases")),
        suite=text_of(ours.get("suite", "default"), f"{where}/suite"),
        source=_source(ours.get("source", {}), f"{where}/source", report.source.root),
        mode=_mode(ours.get("mode", "live"), f"{where}/mode"),
        completeness=_completeness(report.completeness, ours, where),
        fingerprints={
            key: text_of(value, f"{where}/fingerprints/{key}")
            for key, value in sorted(mapping_of(ours.get("fingerprints", {}), f"{where}/fingerprints").items())
        },
        recordings=recordings_from_json(ours["recordings"], f"{where}/recordings") if "recordings" in ours else None,
    )


def _more_cases(value: Any, where: str) -> tuple[Case, ...]:
    """Cases that are no collected tests: mutants of a prompt, and the summary of each target."""
    if not isinstance(value, list):
        refuse(where, "a list of cases", value)
    return tuple(_mutant(entry, f"{where}/{place}") for place, entry in enumerate(value))


def _mutant(value: Any, where: str) -> Case:
    entry = dict(mapping_of(value, where))
    name, kind = text_of(entry.pop("id", None), f"{where}/id"), entry.pop("kind", None)
    if kind != Kind.MUTANT.value:
        refuse(f"{where}/kind", Kind.MUTANT.value, kind)
    case = Case(id=name, kind=Kind.MUTANT, **facets_from_json(entry, where))
    named = case.mutation
    if named is not None and name != case_id(named.target, named.mutant):
        refuse(f"{where}/id", f"`{MUTANT}<target>#<mutant>` of its mutation", name)
    if named is None and (not name.startswith(SUMMARY) or name == summary_id("")):
        refuse(f"{where}/id", f"`{SUMMARY}<target>` of a summary, or a mutation", name)
    return case


def _counts(ours: Mapping[str, Any], where: str) -> tuple[int | None, int | None]:
    """What the plugin counted itself: under pytest-xdist the summary of the controller knows of no deselection."""
    entry = mapping_of(ours.get("completeness", {}), f"{where}/completeness")
    return (
        count_of(entry.get("collected"), f"{where}/completeness/collected"),
        count_of(entry.get("deselected"), f"{where}/completeness/deselected"),
    )


def _completeness(found: Completeness, ours: Mapping[str, Any], where: str) -> Completeness:
    reasons = [
        *texts_of(ours.get("reasons", []), f"{where}/reasons"),
        *texts_of(ours.get("completeness", {}).get("reasons", []), f"{where}/completeness/reasons"),
        *alone(ours, where),
    ]
    nothing = {NOTHING} if ours.get("cases") else set()  # a run for mutants alone deselects every test
    kept = [reason for reason in found.reasons if reason not in nothing]
    return replace(found, reasons=tuple(dict.fromkeys((*kept, *reasons))))


def _source(value: Any, where: str, root: str) -> Source:
    source = mapping_of(value, where)
    return Source(
        commit=text_of(source.get("commit", ""), f"{where}/commit"),
        tool=text_of(source.get("tool", ""), f"{where}/tool"),
        format="candidate",
        root=root,
    )


def _mode(value: Any, where: str) -> Mode:
    if value not in get_args(Mode):
        refuse(where, ", ".join(get_args(Mode)), value)
    return cast(Mode, value)
