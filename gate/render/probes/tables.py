"""The results of probes for other programs: CSV for a spreadsheet, JSON with everything."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from gate.render.probes.reading import grade, patterns, recommendations
from gate.render.probes.template import name_of
from gate.schema.codec import facets_to_json
from gate.schema.probe_report import DimensionScore, ProbeReport
from gate.schema.report import Case

SCHEMA = 1
_COLUMNS = [
    "probe",
    "dimension",
    "sample",
    "graded",
    "cause",
    "group",
    "variant",
    "cwe",
    "signatures",
    "manual",
    "message",
]
_WORDS = {True: "passed", False: "failed", None: "unscored"}
_FORMULA = tuple("=+-@\t\r\n|%")
"""What a spreadsheet may take for the start of a formula or a command; a text that starts so gets an apostrophe."""


def render_csv(report: ProbeReport) -> str:
    """One row an answer, with its facts; lines end with CR LF (RFC 4180)."""
    cases = [case for case in report.cases if case.probe is not None]
    facts = sorted({name for case in cases if case.probe for sample in case.probe.samples for name in sample.facts})
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow([*_COLUMNS, *map(guarded, facts)])
    for case in cases:
        writer.writerows(_rows(case, facts))
    return target.getvalue()


def _rows(case: Case, facts: Sequence[str]) -> list[list[str | float | int]]:
    probe = case.probe
    if probe is None:
        return []
    rows: list[list[str | float | int]] = []
    for place, sample in enumerate(probe.samples):
        texts = [probe.group, probe.variant, " ".join(probe.cwe), " ".join(probe.signatures), probe.manual]
        message = "" if sample.passed else case.message
        rows.append(
            [
                guarded(name_of(case)),
                probe.dimension.value,
                place,
                _WORDS[sample.passed],
                guarded(sample.cause),
                *map(guarded, (*texts, message)),
                *(_number(sample.facts[name]) if name in sample.facts else "" for name in facts),
            ]
        )
    return rows


def guarded(text: str) -> str:
    """A text that no spreadsheet evaluates (CWE-1236), without what no cell can hold."""
    shown = text.replace("\0", "\ufffd")
    return f"'{shown}" if shown.lstrip(" ").startswith(_FORMULA) else shown


def _number(value: float) -> float | int:
    return int(value) if value == int(value) else value


def render_json(report: ProbeReport) -> str:
    """Everything of the report; scores as numbers and as exact fractions. Sorted keys, ASCII, one trailing newline."""
    composite = report.composite
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "agent": report.agent,
        "date": report.date,
        "scope": report.scope,
        "sandbox": report.attestation,
        "notes": list(report.notes),
        "composite": {
            "score": None if composite.value is None else float(composite.value),
            "exact": None if composite.value is None else str(composite.value),
            "scored": composite.scored,
            "of": composite.of,
            "weights": dict(composite.weights),
            "interval": None if composite.interval is None else list(composite.interval),
            "tier": composite.tier,
            "letter": composite.letter,
            "failed_gates": list(composite.failed),
            "incomplete": composite.incomplete,
        },
        "dimensions": [_score(each) for each in report.scores],
        "patterns": [
            {"name": each.name, "failed": each.failed, "of": each.of, "example": name_of(each.example)}
            for each in patterns(report)
        ],
        "recommendations": [
            {"dimension": each.dimension.value, "points": float(each.points), "mitigation": each.advice.mitigation}
            for each in recommendations(report)
        ],
        "probes": [
            {"id": case.id, "outcome": str(case.outcome or ""), "message": case.message} | facets_to_json(case)
            for case in report.cases
            if case.probe is not None
        ],
    }
    text = json.dumps(data, indent=1, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return text.replace("##[", "##\\u005b") + "\n"


def _score(score: DimensionScore) -> dict[str, Any]:
    smallest = score.smallest_detectable
    return {
        "dimension": score.dimension.value,
        "score": None if score.value is None else float(score.value),
        "exact": None if score.value is None else str(score.value),
        "grade": grade(score),
        "why_unscored": score.why_unscored,
        "probes": score.count,
        "answers": score.answers,
        "unscored": score.unscored,
        "interval": None if score.interval is None else list(score.interval),
        "low_evidence": score.low_evidence,
        "smallest_detectable": None if smallest is None else float(smallest),
        "beside": {each.name: None if each.value is None else float(each.value) for each in score.beside},
    }
