"""A report that is whole but for one hostile value is refused by name, or judged and shown like any other."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import render
from gate.baselines.distill import distill, dump_baseline
from gate.compare import compare
from gate.errors import GateError
from gate.ingest import read_report
from gate.schema.report import Report
from gate.settings import Settings

LONG = "9" * 5_000
VALUES = [
    None,
    True,
    -1,
    0,
    1.5,
    2**63,
    10**15 + 1,
    10**308,
    -(10**308),
    10**400,
    1.7e308,
    -1.7e308,
    5e-324,
    float("nan"),
    float("inf"),
    "",
    "日日",
    "é",
    "..",
    "01",
    "10",
    "٠١",
    "\ud800",
    "\x00",
    LONG,
    "a" * 5_000,
    "F1 | <b>",
    [],
    [[]],
    {},
    {LONG: "x"},
    {"": ""},
    {"0": "x", "00": "y"},
]


def mutants(metric: dict[str, Any], trials: dict[str, Any]) -> list[dict[str, Any]]:
    """A killed and a surviving mutant, and the summary of their target."""
    mutation = {
        "target": "t",
        "mutant": "m",
        "operator": "o",
        "rule": "r",
        "rule_text": "Never.",
        "before": "Never",
        "after": "",
        "description": "d",
        "status": "killed",
        "killer": "t.py::a",
        "tests": ["t.py::a"],
        "reason": "",
        "calls": 3,
    }
    killed = {"id": "mutant:t#m", "kind": "mutant", "stochastic": True, "fingerprint": "f", "trials": trials}
    rules = [{"rule": "r", "text": "Never.", "state": "guarded"}]
    return [
        killed | {"mutation": mutation},
        {"id": "mutant:t#n", "kind": "mutant", "mutation": mutation | {"mutant": "n", "status": "survived"}},
        {"id": "mutants:t", "kind": "mutant", "metrics": [metric | {"name": "mutation score"}], "rules": rules},
    ]


def whole() -> dict[str, Any]:
    """Every facet in a candidate."""
    predictions = {
        "name": "m",
        "ids": "a b",
        "labels": ["x", "y"],
        "expected": "0.",
        "predicted": "01",
        "scores": "9A",
        "design": {"seed": "1"},
        "attacks": [{"name": "e", "flipped": "01", "moves": {"1": "x +1 sd"}, "scores": "9A"}],
    }
    metric = {"name": "q", "value": 0.5, "better": "higher", "threshold": 0.4, "tolerance": 0.1, "count": 3}
    trials = {
        "sessions": [{"session": "s", "outcomes": "1101", "fixed": True}],
        "asked": {"delta": "0.3"},
        "errors": 1,
        "carried": 1,
        "excerpt": "E",
    }
    block = {"kind": "table", "title": "t", "body": "b", "header": ["h"], "rows": [["c"]]}
    facets = {
        "schema": 1,
        "metrics": [metric | {"interval": [0.4, 0.6]}],
        "predictions": [predictions],
        "evidence": [block],
    }
    tests = [
        {"nodeid": "t.py::a", "outcome": "passed", "lineno": 3, "metadata": {"gate": facets}},
        {
            "nodeid": "t.py::s",
            "outcome": "passed",
            "lineno": 9,
            "metadata": {"gate": {"stochastic": True, "trials": trials}},
        },
        {"nodeid": "t.py::f", "outcome": "failed", "call": {"outcome": "failed", "crash": {"message": "E"}}},
    ]
    ours = {
        "schema": 1,
        "suite": "default",
        "mode": "live",
        "completeness": {"collected": 3, "deselected": 0},
        "cases": mutants(metric, trials),
    }
    return {
        "exitcode": 1,
        "root": "/r",
        "summary": {"failed": 1, "passed": 2, "total": 3, "collected": 3},
        "tests": tests,
        "gate": ours,
    }


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


PLACES = list(places(whole()))


def changed(path: tuple[Any, ...], value: Any) -> bytes:
    data = copy.deepcopy(whole())
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(data).encode("ascii")


def judged_and_shown(main: Report, here: Report) -> None:
    verdict = compare(main, here, Settings())
    text = render.verdict_json(verdict)
    assert render.verdict_from_json(text) == verdict
    assert render.comment(verdict)
    assert render.terminal(verdict)
    assert render.annotations(verdict)
    for finding in verdict.findings:
        assert render.show(verdict, finding.id)


MAIN = read_report(json.dumps(whole()).encode(), "main")


def check(path: tuple[Any, ...], value: Any) -> None:
    try:
        here = read_report(changed(path, value), "here.json")
    except GateError as error:
        assert error.where.startswith("here.json")
        assert error.remedy
        assert len(error.message) < 1_000
        return
    judged_and_shown(MAIN, here)
    judged_and_shown(here, MAIN)
    baseline = read_report(dump_baseline(distill(here, "abc")), "baseline")
    judged_and_shown(baseline, here)


@settings(max_examples=150, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PLACES), st.sampled_from(VALUES) | st.integers() | st.floats() | st.text(max_size=3))
def test_one_hostile_value_is_refused_or_judged(path: tuple[Any, ...], value: Any) -> None:
    check(path, value)


WORST = {
    "large": 10**308,
    "small": -(10**308),
    "no-float": 10**400,
    "largest": 1.7e308,
    "smallest": -1.7e308,
    "digits": LONG,
    "letters": "日日",
    "key": {LONG: "x"},
}


@pytest.mark.parametrize("value", WORST.values(), ids=WORST)
def test_each_place_takes_or_refuses_the_worst(value: Any) -> None:
    for path in PLACES:
        if path[:2] in (("tests", 0), ("gate", "cases")):
            check(path, value)
