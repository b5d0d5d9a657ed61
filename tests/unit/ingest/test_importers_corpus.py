"""Results of other tools that people published: each file is read, or refused for the reason that its row names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import GateError
from gate.ingest import read_report
from gate.schema.report import Report
from tests.support.corpus import corpus

READ = {
    "clastogen/demo__clastogen.json": ("clastogen", 6),
    "evalplus/evalplus__codet5_2b_samples_eval_results.json": ("evalplus", 328),
    "evalplus/evalplus__llama_7b_hf_samples_eval_results.json": ("evalplus", 328),
    "evalplus/evalplus__phi_1_samples_eval_results.json": ("evalplus", 328),
    "evalplus/evalplus__samples_eval_results.json": ("evalplus", 328),
    "inspect/inspect__tests_analysis_test_logs_2025-05-12T20-28-13-04-00_no-samples.json": ("inspect", 4),
    "inspect/inspect__tests_analysis_test_logs_2025-05-12T20-28-26-04-00_security-guide.json": ("inspect", 4),
    "inspect/inspect__tests_log_test_eval_log_log_formats.eval": ("inspect", 2),
    "inspect/inspect__tests_log_test_eval_log_log_formats.json": ("inspect", 2),
    "inspect/inspect__tests_log_test_eval_log_log_read_sample.json": ("inspect", 2),
    "inspect/inspect__tests_log_test_list_logs_2024-11-05T13-31-45-05-00_input-task_8zXjbRzCWrL9GXiXo2vus9.json": (
        "inspect",
        2,
    ),
    "mutation/mutmut__md-evals__mutmut-cicd-stats.json": ("mutmut", 1),
    "mutation/mutmut__specmetrics__mutmut-cicd-stats.json": ("mutmut", 1),
    "mutation/stryker__packages_elements_testResources_csharp-example_mutation-report.json": ("stryker", 24),
    "mutation/stryker__packages_elements_testResources_deep-dir-example_mutation-report.json": ("stryker", 5),
    "mutation/stryker__packages_elements_testResources_infection-php-example_report.json": ("stryker", 14),
    "mutation/stryker__packages_elements_testResources_lighthouse-example_mutation.json": ("stryker", 280),
    "mutation/stryker__packages_elements_testResources_rust-example_report.json": ("stryker", 1023),
    "mutation/stryker__packages_elements_testResources_scala-example_mutation-report.json": ("stryker", 263),
    "mutation/stryker__packages_elements_testResources_simple-example_mutation-report.json": ("stryker", 4),
    "mutation/stryker__packages_elements_testResources_svelte-example_mutation-report.json": ("stryker", 27),
    "mutation/stryker__packages_elements_testResources_unsanitized-example_mutation-report.json": ("stryker", 203),
    "promptfoo/promptfoo-dialogue-results__5804c82.json": ("promptfoo", 1),
    "promptfoo/promptfoo-results__afba52b.json": ("promptfoo", 16),
}
REFUSED = {
    "deepeval/deepeval-cache__563cb75.json": "a cache of DeepEval",
    "evalplus/evalplus__samples.jsonl": "expected one JSON value",
    "mutation/stryker__packages_elements_testResources_csharp-example_mutation-report-old.json": (
        "Stryker.NET from before the common schema"
    ),
    "promptfoo/stats_data_experiment_test_results__4b275ee.json": "found an object with: correlations",
    "promptfoo/stats_data_experiment_test_results__79b9a25.json": "found an object with: correlations",
}


def evals() -> Path:
    return corpus() / "evals"


def read(name: str) -> Report:
    path = evals() / name
    return read_report(path.read_bytes(), path.name)


@pytest.mark.parametrize("name", READ)
def test_a_published_file_is_read(name: str) -> None:
    form, cases = READ[name]
    report = read(name)
    assert (report.source.format, len(report.cases)) == (form, cases)
    assert len({case.id for case in report.cases}) == cases


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_result_is_refused_for_its_reason(name: str) -> None:
    with pytest.raises(GateError) as caught:
        read(name)
    assert REFUSED[name] in str(caught.value)


def test_every_json_file_of_the_folder_has_its_row() -> None:
    found = {path.relative_to(evals()).as_posix() for path in evals().rglob("*") if path.is_file()}
    others = {"clastogen/demo__clastogen.md", "clastogen/demo__junit.xml", "clastogen/demo__report.json"}
    assert found - others == READ.keys() | REFUSED.keys()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("promptfoo/promptfoo-results__afba52b.json", "16 of 16 samples were not measured"),
        ("inspect/inspect__tests_analysis_test_logs_2025-05-12T20-28-13-04-00_no-samples.json", "says `cancelled`"),
        ("mutation/mutmut__specmetrics__mutmut-cicd-stats.json", "interrupted: 24,229 of 24,230"),
    ],
)
def test_a_run_that_was_stopped_or_could_not_ask_is_not_whole(name: str, reason: str) -> None:
    assert reason in read(name).completeness.reasons[0]


@pytest.mark.parametrize("name", [name for name, (form, _) in READ.items() if form not in ("stryker", "evalplus")])
def test_half_a_file_is_refused(name: str) -> None:
    data = (evals() / name).read_bytes()
    for part in (1, len(data) // 3, len(data) // 2, len(data) - 2):
        with pytest.raises(GateError):
            read_report(data[:part], name)
