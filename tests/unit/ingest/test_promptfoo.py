"""Files of promptfoo: what a result becomes, what stays the same when a prompt changes, what was not measured."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Report


def result(test: int = 0, *, passed: bool = True, output: str = "yes", **parts: Any) -> dict[str, Any]:
    return {
        "testIdx": test,
        "promptIdx": 0,
        "prompt": {"raw": "Answer {{q}}", "label": "Answer {{q}}"},
        "provider": {"id": "openai:gpt", "label": ""},
        "testCase": {"description": f"case {test}", "vars": {"q": test}},
        "vars": {"q": test},
        "response": {"output": output},
        "gradingResult": {"pass": passed},
        "success": passed,
        "failureReason": 0 if passed else 1,
    } | parts


def error(test: int = 0) -> dict[str, Any]:
    return result(test, passed=False, gradingResult=None, failureReason=2, error="429 too many requests", response=None)


def document(*results: dict[str, Any], version: int = 3, **parts: Any) -> dict[str, Any]:
    errors = sum(each["failureReason"] == 2 for each in results)
    good = sum(each["success"] for each in results)
    stats = {"successes": good, "failures": len(results) - good - errors, "errors": errors}
    return {"evalId": "eval-1", "results": {"version": version, "results": list(results), "stats": stats}} | parts


def read(data: object) -> Report:
    return read_report(json.dumps(data).encode(), "results.json")


def test_a_result_is_a_case_named_by_test_provider_and_prompt() -> None:
    report = read(document(result(0), result(1, passed=False, error="expected yes")))
    assert [case.id for case in report.cases] == ["case 0 · openai:gpt · prompt 0", "case 1 · openai:gpt · prompt 0"]
    assert [case.outcome for case in report.cases] == [Outcome.PASSED, Outcome.FAILED]
    assert report.cases[1].message == "expected yes"
    assert report.completeness.complete


def test_the_id_stays_when_the_text_of_the_prompt_changes() -> None:
    before = document(result(prompt={"raw": "Be kind.\nAnswer", "label": "prompts/a.txt: Be kind.\nAnswer"}))
    after = document(result(prompt={"raw": "Be short.\nAnswer", "label": "prompts/a.txt: Be short.\nAnswer"}))
    assert read(before).cases[0].id == read(after).cases[0].id == "case 0 · openai:gpt · prompt 0 prompts/a.txt"


def test_a_label_of_the_authors_own_names_the_prompt() -> None:
    data = document(result(prompt={"raw": "Be kind.", "label": "kind"}))
    assert read(data).cases[0].id.endswith(" · kind")


def test_tests_without_a_description_are_named_by_their_variables() -> None:
    first, second = (read(document(result(testCase={}, vars={"q": q}))).cases[0].id for q in (1, 2))
    assert first.startswith("vars ")
    assert first != second


def test_two_tests_that_are_called_alike_are_told_apart() -> None:
    both = [result(place, testCase={"description": "same"}) for place in (0, 1)]
    assert [case.id.split(" · ")[0] for case in read(document(*both)).cases] == ["same #1", "same #2"]


def test_repeats_are_trials_and_an_answer_from_the_cache_is_no_second_one() -> None:
    asked = [result(output=text, passed=text != "c") for text in "abc"]
    again = result(output="a", response={"output": "a", "cached": True})
    (case,) = read(document(*asked, again)).cases
    assert case.stochastic
    assert case.trials is not None
    assert case.trials.outcomes == "110"
    assert case.trials.sessions[0].id == "eval-1"


def test_equal_answers_that_were_asked_for_are_samples_each() -> None:
    (case,) = read(document(result(), result(), result())).cases
    assert case.trials is not None
    assert case.trials.outcomes == "111"


def test_an_error_of_the_provider_is_not_measured_and_the_run_not_whole() -> None:
    report = read(document(result(0), error(1)))
    assert report.cases[1].outcome is Outcome.SKIPPED
    assert "429" in report.cases[1].message
    assert report.completeness.reasons == (
        "1 of 2 samples were not measured, the first because of: 429 too many requests",
    )


def test_results_that_the_statistics_count_and_the_file_lacks_are_missed() -> None:
    data = document(result(0))
    data["results"]["stats"]["successes"] = 3
    assert read(data).completeness.reasons == ("the statistics count 3 results, the file holds 1",)
    del data["results"]["stats"]
    assert "stopped" in read(data).completeness.reasons[0]


def test_the_first_versions_are_read_and_a_newer_one_is_refused() -> None:
    old = result(provider="openai:gpt")
    del old["testIdx"], old["failureReason"]
    data = {"results": {"version": 2, "results": [old], "stats": {"successes": 1, "failures": 0}}}
    assert read(data).cases[0].outcome is Outcome.PASSED
    with pytest.raises(ReportError, match="version 4 are newer than 3"):
        read(document(result(), version=4))


def test_a_file_without_results_is_not_whole() -> None:
    assert read(document()).completeness.reasons == ("no sample was reported",)
