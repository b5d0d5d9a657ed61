"""Cases of a candidate that are no collected tests: mutants of a prompt and the summaries of their targets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.schema.mutation import RuleState
from gate.schema.report import Kind, Report

MUTATION = {"target": "bank:PROMPT", "mutant": "4f1c", "operator": "delete-constraint", "status": "killed"}
KILLED = {"id": "mutant:bank:PROMPT#4f1c", "kind": "mutant", "mutation": MUTATION}
SUMMARY = {
    "id": "mutants:bank:PROMPT",
    "kind": "mutant",
    "fingerprint": "p",
    "metrics": [{"name": "mutation score", "value": 1.0}],
    "rules": [{"rule": "r", "text": "Never.", "state": "guarded"}],
}


def read(cases: Any) -> Report:
    data = {
        "exitcode": 0,
        "root": "/r",
        "summary": {"passed": 1, "total": 1, "collected": 1},
        "tests": [{"nodeid": "t.py::a", "outcome": "passed"}],
        "gate": {"schema": 1, "completeness": {"collected": 1, "deselected": 0}, "cases": cases},
    }
    return read_report(json.dumps(data).encode(), "here.json")


def test_mutants_stand_beside_the_tests_and_count_for_none() -> None:
    report = read([KILLED, SUMMARY])
    assert [case.kind for case in report.cases] == [Kind.TEST, Kind.MUTANT, Kind.MUTANT]
    assert report.cases[1].mutation is not None
    assert report.cases[1].mutation.status == "killed"
    assert report.cases[2].rules == (RuleState("r", "Never.", "guarded"),)
    assert report.completeness.complete
    assert report.completeness.collected == 1


@pytest.mark.parametrize(("collected", "said"), [(2, "shard 3/3 has none of the 2 collected tests"), (0, "no tests")])
def test_a_shard_without_tests_is_told_apart_from_a_suite_without(collected: int, said: str) -> None:
    shard = {"number": 3, "count": 3, "own": 0, "collected": collected}
    ours = {"schema": 1, "completeness": {"collected": 0, "deselected": 0}, "shard": shard}
    data = {"exitcode": 5, "root": "/r", "summary": {"total": 0, "collected": 0}, "tests": [], "gate": ours}
    report = read_report(json.dumps(data).encode(), "here.json")
    assert report.completeness.reasons[0].startswith(said)
    assert not report.completeness.complete


@pytest.mark.parametrize(
    ("cases", "place"),
    [
        ({}, "cases"),
        ([1], "cases/0"),
        ([KILLED | {"id": 1}], "cases/0/id"),
        ([KILLED | {"id": "mutant:bank:PROMPT#other"}], "cases/0/id"),
        ([KILLED | {"id": "t.py::a"}], "cases/0/id"),
        ([KILLED | {"kind": "test"}], "cases/0/kind"),
        ([{"id": "t.py::a", "kind": "mutant"}], "cases/0/id"),
        ([SUMMARY | {"id": "mutants:"}], "cases/0/id"),
        ([KILLED | {"outcome": "passed"}], "cases/0"),
        ([KILLED | {"mutation": MUTATION | {"status": "dead"}}], "cases/0/mutation/status"),
    ],
)
def test_any_other_case_is_refused_with_its_place(cases: Any, place: str) -> None:
    with pytest.raises(ReportError, match="expected") as caught:
        read(cases)
    assert caught.value.where == f"here.json: gate/{place}"
