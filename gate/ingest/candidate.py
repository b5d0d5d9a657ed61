"""Our candidate: a pytest-json-report file with a `gate` object at the top and in the metadata of tests.

What is no collected test, such as a mutant or a probe, stands in `gate.cases`, so that the counts of tests stay right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, cast, get_args

from gate.ingest.completeness import ENDINGS, NOTHING
from gate.ingest.message import first_line
from gate.ingest.pytest_json import is_pytest_json, read_pytest_json
from gate.ingest.refuse import count_of, mapping_of, refuse, refuse_newer, text_of, texts_of
from gate.ingest.shards import alone, none_of_shard
from gate.schema import mutation, probes
from gate.schema.codec import facets_from_json
from gate.schema.dimensions import Dimension
from gate.schema.outcome import Outcome
from gate.schema.rejudged import NO_RUN, Rejudged
from gate.schema.report import Case, Completeness, Kind, Location, Mode, Report, Source
from gate.schema.stale import recordings_from_json

_PROBE_OUTCOMES = tuple(each.value for each in (Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED))
_SUMMARIES = frozenset({probes.COMPOSITE, *map(probes.summary_id, Dimension)})


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
        fingerprints=_texts(ours, "fingerprints", where),
        packages=_texts(ours, "packages", where),
        machine=_texts(ours, "machine", where),
        judges={
            case: tuple(texts_of(names, f"{where}/judges/{case:.80}"))
            for case, names in sorted(mapping_of(ours.get("judges", {}), f"{where}/judges").items())
        },
        rejudged=_rejudged(ours["rejudged"], f"{where}/rejudged") if "rejudged" in ours else None,
        recordings=recordings_from_json(ours["recordings"], f"{where}/recordings") if "recordings" in ours else None,
        plan=text_of(ours.get("plan", ""), f"{where}/plan"),
    )


def _texts(ours: Mapping[str, Any], name: str, where: str) -> dict[str, str]:
    """A mapping of texts, sorted; empty where there is none."""
    found = mapping_of(ours.get(name, {}), f"{where}/{name}")
    return {key: text_of(value, f"{where}/{name}/{key}") for key, value in sorted(found.items())}


def _rejudged(value: Any, where: str) -> Rejudged:
    entry = mapping_of(value, where)
    return Rejudged(*(count_of(entry.get(each.name), f"{where}/{each.name}") or 0 for each in fields(Rejudged)))


def _more_cases(value: Any, where: str) -> tuple[Case, ...]:
    """Cases that are no collected tests: mutants of a prompt, probes of an agent, and what sums them up."""
    if not isinstance(value, list):
        refuse(where, "a list of cases", value)
    return tuple(_more(entry, f"{where}/{place}") for place, entry in enumerate(value))


def _more(value: Any, where: str) -> Case:
    entry = dict(mapping_of(value, where))
    name, kind = text_of(entry.pop("id", None), f"{where}/id"), entry.pop("kind", None)
    if kind == Kind.MUTANT.value:
        case = Case(id=name, kind=Kind.MUTANT, **facets_from_json(entry, where))
        _check_mutant(case, where)
    elif kind == Kind.PROBE.value:
        case = _probe(name, entry, where)
        _check_probe(case, where)
    else:
        refuse(f"{where}/kind", f"{Kind.MUTANT.value} or {Kind.PROBE.value}", kind)
    return case


def _check_mutant(case: Case, where: str) -> None:
    named = case.mutation
    if named is not None and case.id != mutation.case_id(named.target, named.mutant):
        refuse(f"{where}/id", f"`{mutation.MUTANT}<target>#<mutant>` of its mutation", case.id)
    if named is None and (not case.id.startswith(mutation.SUMMARY) or case.id == mutation.summary_id("")):
        refuse(f"{where}/id", f"`{mutation.SUMMARY}<target>` of a summary, or a mutation", case.id)


def _probe(name: str, entry: dict[str, Any], where: str) -> Case:
    """A probe has an outcome, a message and a place beside its facets, since no test of pytest-json-report has them."""
    word, path = entry.pop("outcome", None), entry.pop("path", None)
    if word is not None and (not isinstance(word, str) or word not in _PROBE_OUTCOMES):
        refuse(f"{where}/outcome", ", ".join(_PROBE_OUTCOMES), word)
    return Case(
        id=name,
        kind=Kind.PROBE,
        outcome=None if word is None else Outcome(word),
        location=None if path is None else Location(text_of(path, f"{where}/path")),
        message=first_line(text_of(entry.pop("message", ""), f"{where}/message")),
        **facets_from_json(entry, where),
    )


def _check_probe(case: Case, where: str) -> None:
    if case.probe is not None and (not case.id.startswith(probes.PROBE) or case.id == probes.PROBE):
        refuse(f"{where}/id", f"`{probes.PROBE}<probe>`", case.id)
    if case.probe is not None and case.outcome is None:
        refuse(f"{where}/outcome", ", ".join(_PROBE_OUTCOMES), None)
    if case.probe is None and case.id not in _SUMMARIES:
        refuse(f"{where}/id", f"`{probes.SUMMARY}<dimension>`, `{probes.COMPOSITE}`, or a probe", case.id)


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
        *([NO_RUN] if "rejudged" in ours else []),
    ]
    nothing = {NOTHING} if ours.get("cases") else set()  # a run for mutants alone deselects every test
    kept = [none_of_shard(ours, where) or reason if reason == ENDINGS[5] else reason for reason in found.reasons]
    kept = [reason for reason in kept if reason not in nothing]
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
