"""Every real file of the corpus is read, or refused for the right reason."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Report
from tests.support.corpus import corpus

FOLDERS = ("pytest_json", "pytest_json_generated", "pytest_json_probe", "junit")
REFUSED = {
    "pjr__sample_report__2018-02-18__df5b019.json": (":144:9", "expected JSON"),
    "publish-unit-test-result-action__pytest_corrupt-xml.xml": (":11:22", "ends in the middle"),
}
PARTIAL = {
    "agent-data__report__2025-06-23__92bcdc3.json": (0, 515),
    "agent-data__report__2025-06-24__87f6f3e.json": (126, 519),
    "agent-data__report____5caa90d.json": (0, 856),
    "agent-data__report____c0e94e8.json": (0, 856),
    "deepdiff-8.6.1_py8_collecterror.json": (0, 310),
    "jsonschema-4.21.1_py8.json": (0, 7568),
    "jsonschema-4.25.1_py8.json": (0, 7706),
    "more-itertools-10.5.0_py8_x.json": (154, 822),
    "sqlparse-0.5.3_py8_collectonly.json": (0, 464),
    "sqlparse-0.5.3_py8_nomatch.json": (0, 0),
    "sqlparse-0.5.3_py8_summary.json": (0, 464),
}
"""Files of which fewer tests are reported than were to run: reported, collected."""
UNCOLLECTED = {
    "deepdiff-8.6.1_py8_partialdeps.json": 310,
    "deepdiff-8.6.1_py8_reruns.json": 310,
    "deepdiff-8.6.1_py8_reruns_xdist.json": 310,
    "jsonschema-4.25.1_py9_xdist.json": 7706,
}
"""Files of runs that went on although some modules could not be collected."""


def read(name: str) -> Report:
    (path,) = corpus().glob(f"*/{name}")
    return read_report(path.read_bytes(), name)


def names(folder: str) -> list[str]:
    return sorted(path.name for path in (corpus() / folder).iterdir())


def test_the_corpus_is_the_one_that_this_is_about() -> None:
    assert [len(names(folder)) for folder in FOLDERS] == [33, 28, 3, 11]


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_file_is_read_whole_or_says_what_it_lacks(folder: str) -> None:
    wrong = []
    for name in names(folder):
        try:
            report = read(name)
        except ReportError as error:
            place, message = REFUSED.get(name, ("-", "-"))
            if error.where != name + place or message not in error.message:
                wrong.append(f"{name}: {error}")
            continue
        found = (len(report.cases), report.completeness.collected)
        if name in REFUSED or report.completeness.complete == (name in PARTIAL or name in UNCOLLECTED):
            wrong.append(f"{name}: {report.completeness}")
        if found != PARTIAL.get(name, found) or (name not in PARTIAL and found[1] not in (None, found[0])):
            wrong.append(f"{name}: {found}")
    assert wrong == []


@pytest.mark.parametrize("folder", FOLDERS[:3])
def test_the_cases_are_those_of_the_summary(folder: str) -> None:
    for name in names(folder):
        if name in REFUSED or name == "sqlparse-0.5.3_py8_summary.json":
            continue
        summary = json.loads((corpus() / folder / name).read_text(encoding="utf-8"))["summary"]
        counts = Counter(str(case.outcome) for case in read(name).cases)
        expected = {word: count for word, count in summary.items() if word not in ("total", "collected", "deselected")}
        expected["passed"] = expected.get("passed", 0) + expected.pop("subtests passed", 0)
        if name == "probe_v8_crash.json":
            expected |= {"crashed": expected.pop("failed")}
        assert counts == Counter({word: count for word, count in expected.items() if count}), name


def test_reasons_of_the_notable_ones() -> None:
    def reason(name: str) -> str:
        return "; ".join(read(name).completeness.reasons)

    assert reason("more-itertools-10.5.0_py8_x.json") == "154 of 822 collected tests are reported"
    assert reason("sqlparse-0.5.3_py8_nomatch.json") == "every collected test was deselected, 464 in all (exit code 5)"
    assert reason("sqlparse-0.5.3_py8_collectonly.json") == "0 of 464 collected tests are reported"
    assert "collecting jsonschema/tests/test_cli.py failed: StopIteration" in reason("jsonschema-4.21.1_py8.json")
    assert "exit code 2" in reason("deepdiff-8.6.1_py8_collecterror.json")
    serial, spread = read("deepdiff-8.6.1_py8_reruns.json"), read("deepdiff-8.6.1_py8_reruns_xdist.json")
    assert set(serial.completeness.collection_errors) == set(spread.completeness.collection_errors)


def test_deselected_tests_were_not_meant_to_run() -> None:
    found = read("aipd-os__docs_audit_pytest-report__2026-08-06__0ef0ae8.json").completeness
    assert (found.collected, found.deselected, found.complete) == (520, 2, True)


def test_reruns_and_a_lost_worker() -> None:
    by_id = {case.id: case for case in read("probe_v82.json").cases}
    assert by_id["test_probe.py::test_flaky"].outcome is Outcome.RERUN
    assert by_id["test_probe.py::test_meta_nan"].outcome is Outcome.PASSED
    assert by_id["test_probe.py::test_sub_fail_then_body_pass"].message == ""
    (lost,) = (case for case in read("probe_v8_crash.json").cases if case.outcome is Outcome.CRASHED)
    assert lost.message == "worker 'gw1' crashed while running 'test_crash.py::test_crash'"


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("action-junit-report__catch2_report.xml", {"failed": 1}),
        ("action-junit-report__maven_surefire_flaky_surefire-report.xml", {"rerun": 1}),
        ("action-junit-report__mocha_mocha.xml", {"passed": 1}),
        ("publish-unit-test-result-action__bazel_suite-logs.xml", {"error": 1}),
        (
            "publish-unit-test-result-action__junit.multiresult.xml",
            {"error": 1, "failed": 1, "skipped": 1, "passed": 1},
        ),
        ("publish-unit-test-result-action__pytest_junit.fail.xml", {"passed": 3, "skipped": 1, "failed": 1}),
        (
            "publish-unit-test-result-action__unsupported-unicode.xml",
            {"passed": 1, "skipped": 2, "failed": 2, "error": 2},
        ),
        ("test-reporter__external_jest_jest-test-results.xml", {"passed": 4207, "skipped": 30, "failed": 2}),
        ("test-reporter__phpunit_phpunit.xml", {"passed": 10, "failed": 2}),
        ("test-reporter__python-xunit-pytest.xml", {"passed": 6, "skipped": 1, "failed": 2, "xfailed": 1}),
    ],
)
def test_junit_of_real_tools(name: str, counts: dict[str, int]) -> None:
    assert Counter(str(case.outcome) for case in read(name).cases) == counts
