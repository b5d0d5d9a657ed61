"""A report reduced to what a later comparison needs: no times, no machine facts, sorted, one case a line."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from gate.baselines.counting import count_on
from gate.baselines.mutants import count_mutant, summed_up
from gate.baselines.probes import count_probe
from gate.compare.duplicates import together
from gate.schema.codec import facets_to_json
from gate.schema.report import SCHEMA_VERSION, Case, Completeness, Kind, Location, Predictions, Report, Source
from gate.settings import Settings

SESSIONS = Settings().baseline_sessions
"""How many sessions of trials a case keeps where no settings say it."""
SHORT = 10
SCORED = 20_000
"""Examples up to which a set keeps the probabilities beside its classes; they tell, but decide nothing."""


def distill(report: Report, commit: str, previous: Report | None = None, *, sessions: int = SESSIONS) -> Report:
    """The baseline of a report.

    Args:
        report: a candidate; where an id stands twice, the worst of each facet counts, as in a comparison.
        commit: where it was measured; each case that changed since `previous` carries it, shortened.
        previous: the baseline until now; its trials count on, see `gate.baselines.counting`.
        sessions: how many sessions of trials a case keeps, at least 1.
    """
    before = {case.id: case for case in previous.cases} if previous is not None else {}
    groups: dict[str, list[Case]] = {}
    for case in report.cases:
        groups.setdefault(case.id, []).append(case)
    worst = {case_id: found[0] if len(found) == 1 else together(found) for case_id, found in groups.items()}
    counted = {case_id: _counted(before.get(case_id), case, sessions) for case_id, case in sorted(worst.items())}
    cases = tuple(_distilled(case, before.get(case_id), commit[:SHORT]) for case_id, case in summed_up(counted).items())
    fingerprints = dict(sorted(report.fingerprints.items()))
    same = previous is not None and (previous.cases, previous.fingerprints) == (cases, fingerprints)
    return Report(
        cases=cases,
        suite=report.suite,
        source=Source(format="baseline"),
        completeness=Completeness(collected=len(cases)),
        fingerprints=fingerprints,
        # other packages that give the same results are no new baseline
        packages=dict(previous.packages if previous is not None and same else sorted(report.packages.items())),
        forced=report.forced,
    )


def dump_baseline(report: Report) -> bytes:
    """Canonical bytes of a distilled report; `gate.ingest` reads them back to the same value."""
    header: dict[str, Any] = {"gate_baseline": SCHEMA_VERSION, "suite": report.suite}
    if report.fingerprints:
        header["fingerprints"] = dict(report.fingerprints)
    if report.packages:
        header["packages"] = dict(report.packages)
    if report.forced:
        header["forced"] = report.forced
    lines = [_line(header), *(_line(_entry(case)) for case in sorted(report.cases, key=lambda case: case.id))]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _counted(before: Case | None, now: Case, sessions: int) -> Case:
    counts = {Kind.MUTANT: count_mutant, Kind.PROBE: count_probe}.get(now.kind, count_on)
    return counts(before, now, sessions)


def _distilled(case: Case, previous: Case | None, commit: str) -> Case:
    location = None if case.location is None else Location(case.location.path)  # lines move, and would fill the diff
    distilled = replace(
        case,
        location=location,
        message="",
        evidence=(),
        calls=None,
        measured_at=commit,
        predictions=tuple(map(_without_scores, case.predictions)),
    )
    if previous is not None and replace(previous, measured_at=commit) == distilled:
        return previous
    return distilled


def _without_scores(found: Predictions) -> Predictions:
    if len(found.ids) <= SCORED:
        return found
    return replace(found, scores="", attacks=tuple(replace(attack, scores="") for attack in found.attacks))


def _entry(case: Case) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": case.id, "at": case.measured_at} if case.measured_at else {"id": case.id}
    if case.outcome is not None:
        entry["outcome"] = case.outcome.value
    if case.kind is not Kind.TEST:
        entry["kind"] = case.kind.value
    path = None if case.location is None else case.location.path
    if path != case.id.partition("::")[0]:
        entry["path"] = path
    return entry | facets_to_json(case)


def _line(value: dict[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if "\u2028" in text or "\u2029" in text or "\x85" in text or not text.isprintable():
        return json.dumps(value, allow_nan=False, separators=(",", ":"))  # nothing that another tool takes for a line
    return text
