"""Files of Clastogen: what each status becomes, the rules, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.schema.mutation import COVERAGE, SCORE
from gate.schema.report import Case, Kind
from tests.support.corpus import corpus

TARGET = "shop.agent:PROMPT"
STRONG, WEAK = "tests/test_shop.py::test_strong", "tests/test_shop.py::test_weak"


def record(mutant: str, status: str, test: str = STRONG, **parts: Any) -> dict[str, Any]:
    return {
        "test_id": test,
        "target": TARGET,
        "mutant_id": mutant,
        "description": f"Deleted constraint {mutant}",
        "operator_name": "delete_constraint",
        "original_snippet": f"Always keep rule {mutant}",
        "mutated_snippet": "[DELETED]",
        "status": status,
        "sample_count": 2,
        "llr": 3.05,
        "error": None,
    } | parts


def document(*results: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"mutation_score": 50.0, "total_mutants": len(results), "results": list(results)} | parts


def read(data: object) -> list[Case]:
    return list(read_report(json.dumps(data).encode(), "clastogen.json").cases)


@pytest.mark.parametrize(
    ("word", "error", "status"),
    [
        ("KILLED", None, "killed"),
        ("SURVIVED", None, "survived"),
        ("INCONCLUSIVE", None, "undecided"),
        ("ERROR", "boom", "error"),
        ("ERROR", "canary: test passes with an empty prompt", "vacuous"),
        ("SKIPPED", None, "skipped"),
        ("UNMEASURED", None, "skipped"),
        ("SUPPRESSED", None, "suppressed"),
    ],
)
def test_each_status_is_one_of_ours(word: str, error: str | None, status: str) -> None:
    case = read(document(record("aa", word, error=error)))[0]
    assert case.kind is Kind.MUTANT
    assert case.id == f"mutant:{TARGET}#aa"
    assert case.mutation is not None
    assert case.mutation.status == status
    assert case.mutation.operator == "delete-constraint"
    assert case.mutation.killer == (STRONG if status == "killed" else "")
    assert bool(case.mutation.reason) == (word in ("ERROR", "UNMEASURED", "SUPPRESSED"))


def test_calls_and_tests_are_those_of_all_executions() -> None:
    tried = [record("aa", "SURVIVED", WEAK, sample_count=6), record("aa", "KILLED", sample_count=2)]
    mutation = read(document(record("aa", "KILLED"), executions=tried))[0].mutation
    assert mutation is not None
    assert (mutation.calls, mutation.tests, mutation.killer) == (8, (WEAK, STRONG), STRONG)


def test_the_summary_has_score_coverage_and_every_rule() -> None:
    data = document(
        record("aa", "KILLED"),
        record("bb", "SURVIVED"),
        record("cc", "ERROR", sample_count=None, error="boom"),
        constraint_coverage={"untested": ["Never sell swords"]},
    )
    summary = read(data)[-1]
    score, coverage = summary.metrics
    assert (summary.id, summary.mutation) == (f"mutants:{TARGET}", None)
    assert (score.name, score.value, score.count) == (SCORE, 0.5, 2)
    assert score.interval == pytest.approx((0.0945, 0.9055), abs=1e-4)
    assert (coverage.name, coverage.value, coverage.count) == (COVERAGE, 0.5, 4)
    assert [each.state for each in summary.rules] == ["guarded", "unguarded", "not measured", "not measured"]
    assert summary.rules[-1].text == "Never sell swords"


def test_nothing_measured_is_said_and_is_no_score() -> None:
    score, coverage = read(document(record("aa", "SKIPPED", sample_count=None)))[-1].metrics
    assert (score.value, coverage.value) == (None, 0.0)
    assert score.unscored


def test_with_two_prompts_rules_without_a_mutant_are_nobodys() -> None:
    other = record("bb", "KILLED", target="shop.agent:OTHER")
    cases = read(document(record("aa", "KILLED"), other, constraint_coverage={"untested": ["Never sell swords"]}))
    summaries = [case for case in cases if case.id.startswith("mutants:")]
    assert len(summaries) == 2
    for summary in summaries:
        assert len(summary.rules) == 1
        assert summary.metrics[1].value is None


def test_a_file_without_a_mutant_is_not_whole() -> None:
    report = read_report(json.dumps(document()).encode(), "clastogen.json")
    assert not report.completeness.complete


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"mutation_score": 1, "total_mutants": 0}, "results"),
        (document(record("aa", "KILLED"), record("aa", "KILLED")), "results/1"),
        (document(record("aa", "DEAD")), "results/0/status"),
        (document(record("aa", "KILLED", target="")), "results/0/target"),
        (document(record("aa", "KILLED", sample_count=-1)), "sample_count"),
        (document(record("x" * 3_000, "KILLED")), "results/0/mutant_id"),
        (document(record("aa", "KILLED"), executions=[3]), "executions/0"),
        (document(record("aa", "KILLED"), constraint_coverage=[]), "constraint_coverage"),
    ],
)
def test_damage_is_refused_with_its_place(data: object, place: str) -> None:
    with pytest.raises(ReportError) as caught:
        read(data)
    assert place in caught.value.where


def test_long_texts_are_cut() -> None:
    mutation = read(document(record("aa", "SURVIVED", original_snippet="x" * 9_000)))[0].mutation
    assert mutation is not None
    assert len(mutation.before) == 500


def test_its_own_demo_is_read() -> None:
    path = corpus() / "evals" / "clastogen" / "demo__clastogen.json"
    report = read_report(path.read_bytes(), path.name)
    statuses = [case.mutation.status for case in report.cases if case.mutation is not None]
    assert sorted(statuses) == ["killed"] * 3 + ["survived"] * 2
    assert report.cases[-1].metrics[0].value == pytest.approx(0.6)
