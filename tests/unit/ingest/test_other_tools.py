"""EvalPlus, Stryker's schema, mutmut and GlassAlpha: what their files become, and what a later file shows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.compare import compare
from gate.errors import ReportError
from gate.ingest import read_report
from gate.schema.mutation import SCORE
from gate.schema.outcome import Outcome
from gate.schema.report import Kind, Report
from gate.schema.verdict import ExitCode, RuleName
from gate.settings import Settings


def read(data: object) -> Report:
    return read_report(json.dumps(data).encode(), "file.json")


def judged(before: object, after: object) -> tuple[ExitCode, set[RuleName]]:
    verdict = compare(read(before), read(after), Settings())
    return verdict.exit_code, {finding.rule for finding in verdict.failing}


def evalplus(*plus: str, base: str = "success", nfiles: int | None = None) -> dict[str, Any]:
    entry = {
        "nfiles": len(plus) if nfiles is None else nfiles,
        "base": [[base, [True]]] * len(plus),
        "plus": [[status, []] for status in plus],
    }
    return {"date": "2024-01-29", "hash": "d1", "eval": {"HumanEval/0": entry}}


def test_base_and_additional_tests_of_a_task_are_two_cases() -> None:
    cases = read(evalplus("failed")).cases
    assert {case.id: case.outcome for case in cases} == {
        "HumanEval/0 (base)": Outcome.PASSED,
        "HumanEval/0 (plus)": Outcome.FAILED,
    }


def test_samples_of_a_task_are_trials_and_lost_ones_are_missed() -> None:
    report = read(evalplus("success", "timeout", nfiles=3))
    trials = report.cases[1].trials
    assert trials is not None
    assert trials.outcomes == "10"
    assert "HumanEval/0 (plus): 2 of 3 samples were evaluated" in report.completeness.reasons


def test_the_later_form_of_a_record_a_sample_is_read() -> None:
    record = {"task_id": "HumanEval/0", "solution": "x", "base_status": "pass", "plus_status": "fail"}
    alone = {**record, "plus_status": None}
    cases = read({"date": "", "hash": "d", "eval": {"HumanEval/0": [record], "HumanEval/1": [alone]}}).cases
    assert [(case.id, case.outcome) for case in cases] == [
        ("HumanEval/0 (base)", Outcome.PASSED),
        ("HumanEval/0 (plus)", Outcome.FAILED),
        ("HumanEval/1 (base)", Outcome.PASSED),
    ]


def test_a_task_that_fails_newly_fails() -> None:
    assert judged(evalplus("success"), evalplus("failed")) == (ExitCode.REGRESSION, {RuleName.NEWLY_FAILING})
    assert judged(evalplus("success"), evalplus("success")) == (ExitCode.HOLDS, set())
    assert judged(evalplus("success"), evalplus("success", nfiles=2))[0] is not ExitCode.HOLDS


def mutant(status: str, column: int = 1, number: str = "1", **parts: Any) -> dict[str, Any]:
    span = {"start": {"line": 1, "column": column}, "end": {"line": 1, "column": column + 1}}
    return {"id": number, "mutatorName": "Arithmetic", "location": span, "replacement": "-", "status": status} | parts


def stryker(*mutants: dict[str, Any], source: str = "a+b", path: str = "src/sum.js") -> dict[str, Any]:
    file = {"language": "javascript", "source": source, "mutants": list(mutants)}
    return {"schemaVersion": "1.0", "thresholds": {"high": 80, "low": 60}, "files": {path: file}}


def test_a_mutant_is_known_by_what_it_changes_and_not_by_its_number() -> None:
    first = read(stryker(mutant("Killed", 2, "1", killedBy=["t1"])))
    second = read(stryker(mutant("Survived", 1, "1"), mutant("Killed", 2, "2")))
    assert first.cases[0].id in {case.id for case in second.cases}
    found = first.cases[0].mutation
    assert found is not None
    assert (first.cases[0].kind, found.before, found.after, found.killer) == (Kind.MUTANT, "+", "-", "t1")


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("Killed", "killed"),
        ("Timeout", "killed"),
        ("Survived", "survived"),
        ("NoCoverage", "survived"),
        ("CompileError", "error"),
        ("BuildError", "error"),
        ("Ignored", "suppressed"),
        ("Pending", "skipped"),
    ],
)
def test_each_status_of_the_schema_is_one_of_ours(word: str, status: str) -> None:
    report = read(stryker(mutant(word)))
    assert report.cases[0].mutation is not None
    assert report.cases[0].mutation.status == status
    assert report.completeness.complete == (word != "Pending")


def test_the_score_counts_what_was_decided() -> None:
    summary = read(stryker(mutant("Killed"), mutant("NoCoverage", 2), mutant("CompileError", 3))).cases[-1]
    assert [(metric.name, metric.value, metric.count) for metric in summary.metrics] == [(SCORE, 0.5, 2)]


def test_a_mutant_that_is_not_noticed_any_more_is_found_since_these_tests_do_not_vary() -> None:
    before, after = stryker(mutant("Killed", 2)), stryker(mutant("Survived", 2))
    assert judged(before, after) == (ExitCode.REGRESSION, {RuleName.MUTANT_SURVIVES})
    assert judged(before, before) == (ExitCode.HOLDS, set())


def test_a_mutant_whose_code_is_gone_is_let_go() -> None:
    assert judged(stryker(mutant("Killed", 2)), stryker(mutant("Killed", 1), source="c"))[0] is ExitCode.HOLDS


def test_absolute_paths_lose_what_is_the_machines() -> None:
    found = read(stryker(mutant("Killed"), path="C:\\work\\app\\sum.js")).cases[0].mutation
    assert found is not None
    assert found.target == "sum.js"


def test_a_newer_schema_is_refused() -> None:
    with pytest.raises(ReportError, match=r"schema 3\.0 is newer"):
        read({**stryker(mutant("Killed")), "schemaVersion": "3.0"})


def mutmut(**counts: int) -> dict[str, int]:
    return {
        "killed": 8,
        "survived": 1,
        "total": 10,
        "no_tests": 1,
        "skipped": 0,
        "suspicious": 0,
        "timeout": 0,
    } | counts


def test_the_score_of_mutmut_counts_what_no_test_runs() -> None:
    metrics = {metric.name: metric.value for metric in read(mutmut()).cases[0].metrics}
    assert metrics == {SCORE: 0.8, "mutants under test": 0.9}
    assert judged(mutmut(), mutmut(killed=7, survived=2)) == (ExitCode.REGRESSION, {RuleName.METRIC_REGRESSION})


def test_an_interrupted_run_of_mutmut_is_not_whole() -> None:
    assert "interrupted" in read(mutmut(check_was_interrupted_by_user=1)).completeness.reasons[0]
    assert "2 of 12 mutants were not checked" in read(mutmut(total=12)).completeness.reasons[0]


def glassalpha(score: object = 0.1, status: str = "PASS", **parts: Any) -> dict[str, Any]:
    inner = {
        "robustness_score": score,
        "gate_status": status,
        "threshold": 0.15,
        "per_epsilon_deltas": {"0.01": 0.02, "0.1": score},
        "n_samples": 200,
        "n_features": 20,
        "n_protected": 1,
        "seed": 42,
    }
    return {"stability_analysis": inner | parts}


def test_a_sweep_of_glassalpha_has_its_score_and_its_status() -> None:
    (case,) = read(glassalpha()).cases
    assert (case.id, case.outcome) == ("stability", Outcome.PASSED)
    score = case.metrics[0]
    assert (score.name, score.value, score.better, score.threshold, score.count) == (
        "robustness score",
        0.1,
        "lower",
        0.15,
        200,
    )
    assert read(glassalpha()["stability_analysis"]).cases == read(glassalpha()).cases


def test_a_worse_sweep_fails_and_one_that_was_not_measured_does_not_pass() -> None:
    code, rules = judged(glassalpha(), glassalpha(0.3, "FAIL"))
    assert code is ExitCode.REGRESSION
    assert RuleName.NEWLY_FAILING in rules
    assert judged(glassalpha(), glassalpha()) == (ExitCode.HOLDS, set())
    assert judged(glassalpha(), {"stability_analysis": {"error": "no model", "status": "failed"}})[0] != ExitCode.HOLDS
    assert judged(glassalpha(), glassalpha(None))[0] != ExitCode.HOLDS


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(ReportError, match="a finite number"):
        read_report(json.dumps(glassalpha(float("nan"))).encode(), "file.json")
