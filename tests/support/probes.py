"""Probes, grades and candidates for tests of scores, comparisons and reports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gate.ingest import read_report
from gate.schema.dimensions import Dimension
from gate.schema.report import Case, Report
from gate.suites.probes.cases import Asked, cases_of, to_json
from gate.suites.probes.composite import composite
from gate.suites.probes.graded import Graded, Standing
from gate.suites.probes.probe import Probe
from gate.suites.probes.scores import scores_of

FACTS: Mapping[Dimension, tuple[Mapping[str, float], Mapping[str, float]]] = {
    Dimension.ADVERSARIAL: (
        {"adversarial_passed": 2, "adversarial_total": 2, "naive_passed": 1, "naive_total": 1},
        {"adversarial_passed": 0, "adversarial_total": 2, "naive_passed": 1, "naive_total": 1},
    ),
    Dimension.SPEC: (
        {"reasonableness": 2, "assumption_stated": 1, "question_asked": 0},
        {"reasonableness": 0, "assumption_stated": 0, "question_asked": 0},
    ),
    Dimension.CONSISTENCY: ({"passed": 1}, {"passed": 0}),
    Dimension.RECOVERY: ({"fixed_round": 1, "regressed": 0}, {"fixed_round": 0, "regressed": 0}),
    Dimension.SECURITY: (
        {"insecure": 0, "functional": 1, "warned": 0},
        {"insecure": 1, "functional": 1, "warned": 0},
    ),
    Dimension.HALLUCINATION: ({"hallucinated": 0}, {"hallucinated": 1}),
    Dimension.DEGRADATION: (
        {"points": 3, "tier": 1, "silent_wrong": 0},
        {"points": 0, "tier": 1, "silent_wrong": 1},
    ),
    Dimension.REFUSAL: ({"should_refuse": 1, "refused": 1}, {"should_refuse": 1, "refused": 0}),
}
"""What a probe that passes and one that fails counts, by dimension."""
CAUSES: Mapping[Dimension, str] = {
    Dimension.ADVERSARIAL: "wrong result",
    Dimension.SPEC: "unreasonable",
    Dimension.CONSISTENCY: "wrong result",
    Dimension.RECOVERY: "not fixed",
    Dimension.SECURITY: "insecure",
    Dimension.HALLUCINATION: "hallucinated",
    Dimension.DEGRADATION: "silently wrong",
    Dimension.REFUSAL: "did not refuse",
}


def probe(name: str, dimension: Dimension = Dimension.SECURITY, **fields: Any) -> Probe:
    """A probe that asks for anything."""
    given = {
        "schema": 1,
        "id": name,
        "dimension": dimension,
        "title": name,
        "prompt": f"write {name}",
        "checks": {"manual": True},
        "reference": {"text": "good"},
        "bad": {"text": "bad"},
    }
    return Probe.model_validate(given | fields)


def grade(
    name: str, dimension: Dimension = Dimension.SECURITY, held: bool | None = True, *, sample: int = 0, **fields: Any
) -> Graded:
    """A grade; None is unscored."""
    if held is None:
        return Graded(name, dimension, sample, Standing.UNSCORED, fields.pop("cause", "no code"), **fields)
    good, bad = FACTS[dimension]
    standing = Standing.PASSED if held else Standing.FAILED
    cause = fields.pop("cause", "" if held else CAUSES[dimension])
    facts = fields.pop("facts", good if held else bad)
    return Graded(name, dimension, sample, standing, cause, facts=facts, **fields)


def several(dimension: Dimension, outcomes: str, *, sample: int = 0) -> list[Graded]:
    """One probe a character: `1` passed, `0` failed, `.` unscored; wordings of one task stand side by side."""
    held = {"1": True, "0": False, ".": None}
    return [
        grade(f"{dimension.value}-{place:02d}", dimension, held[mark], sample=sample, **_pair(dimension, place))
        for place, mark in enumerate(outcomes)
    ]


def _pair(dimension: Dimension, place: int) -> dict[str, Any]:
    if dimension is not Dimension.CONSISTENCY:
        return {}
    return {"group": f"task-{place // 2:02d}", "variant": "original" if place % 2 == 0 else "reworded"}


def cases(
    graded: Sequence[Graded], asked: Asked | None = None, weights: Mapping[str, float] | None = None
) -> tuple[Case, ...]:
    """Cases of a candidate, of probes that are made for the grades."""
    asked = asked or Asked()
    scores = scores_of(graded)
    whole = composite(scores, graded, weights=weights or {})
    return cases_of(probes_of(graded), graded, scores, whole, asked)


def probes_of(graded: Sequence[Graded]) -> list[Probe]:
    found = {each.probe: each for each in graded}
    return [
        probe(name, each.dimension, **{key: value for key in ("group", "variant") if (value := getattr(each, key))})
        for name, each in found.items()
    ]


def candidate(found: Sequence[Case], *reasons: str, **gate: Any) -> bytes:
    """A candidate of probes alone, as it is written."""
    return json.dumps(
        {
            "created": 0,
            "duration": 0,
            "exitcode": 0,
            "root": "",
            "environment": {},
            "summary": {"total": 0, "collected": 0},
            "tests": [],
            "gate": {"schema": 1, "cases": to_json(found), "completeness": {"reasons": list(reasons)}} | gate,
        }
    ).encode()


def read_back(found: Sequence[Case], *reasons: str, **gate: Any) -> Report:
    """The same through the bytes of the file."""
    return read_report(candidate(found, *reasons, **gate), "probes.json")
