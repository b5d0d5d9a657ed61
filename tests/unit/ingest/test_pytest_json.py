"""What pytest-json-report writes, quirks included."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.ingest import FORMATS, read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Location, Metric, Report
from tests.support.reports import document, encoded, entry


def one(*arguments: Any, **more: Any) -> Case:
    (case,) = read_report(encoded(entry(*arguments, **more), exitcode=1), "r").cases
    return case


def reasons(data: bytes) -> tuple[str, ...]:
    return read_report(data, "r").completeness.reasons


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("passed", Outcome.PASSED),
        ("failed", Outcome.FAILED),
        ("error", Outcome.ERROR),
        ("skipped", Outcome.SKIPPED),
        ("xfailed", Outcome.XFAILED),
        ("xpassed", Outcome.XPASSED),
        ("rerun", Outcome.RERUN),
        ("subtests passed", Outcome.PASSED),
        ("subtests failed", Outcome.FAILED),
        ("subtests skipped", Outcome.PASSED),
    ],
)
def test_each_word_has_an_outcome(word: str, outcome: Outcome) -> None:
    assert one(outcome=word).outcome is outcome


@pytest.mark.parametrize("left", ["rerun", "failed"])
@pytest.mark.parametrize("stage", ["setup", "call", "teardown"])
def test_a_rerun_whose_last_attempt_never_came_has_failed(stage: str, left: str) -> None:
    case = one(outcome="rerun", **{stage: {"duration": 0.1, "outcome": left, "crash": {"message": "boom"}}})
    assert (case.outcome, case.message) == (Outcome.FAILED, "boom")


def test_the_message_is_the_first_line_of_the_crash() -> None:
    call = {"duration": 1.0, "outcome": "failed", "crash": {"message": "\n" + "x" * 400 + "\nmore"}, "longrepr": "E  y"}
    assert one(outcome="failed", call=call).message == "x" * 300


def test_the_message_without_a_crash_is_the_error_line_of_the_traceback() -> None:
    longrepr = "def test():\n>   assert f()\nE   ValueError: no\nE   more\n\nfile.py:3: ValueError"
    assert one(outcome="failed", call={"outcome": "failed", "longrepr": longrepr}).message == "ValueError: no"
    assert one(outcome="failed", call={"outcome": "failed", "longrepr": "one\ntwo\n"}).message == "two"


def test_text_of_stages_that_passed_is_no_message() -> None:
    passed = {"duration": 0.1, "outcome": "passed", "longrepr": "[gw0] linux -- Python 3.11.7"}
    assert one(outcome="failed", setup=passed, call=passed, teardown=passed).message == ""


def test_the_worker_that_died_is_a_crash() -> None:
    lost = {"duration": 0, "outcome": "failed", "longrepr": "[gw1] linux\nworker 'gw1' crashed while running 'a::b'"}
    case = one(outcome="failed", **{"???": lost})
    assert (case.outcome, case.message) == (Outcome.CRASHED, "worker 'gw1' crashed while running 'a::b'")
    other = one(outcome="failed", **{"???": {"duration": 0, "outcome": "failed", "longrepr": "something else"}})
    assert (other.outcome, other.message) == (Outcome.FAILED, "something else")


@pytest.mark.parametrize(
    ("raw", "case_id"),
    [
        ("tests\\unit\\test_a.py::test_b[a\\b]", "tests/unit/test_a.py::test_b[a\\b]"),
        ("test_a.py::test_b[a::b]", "test_a.py::test_b[a::b]"),
        ("README.md::README.md", "README.md::README.md"),
        ("test_a.py::TestB::test_c", "test_a.py::TestB::test_c"),
        ("", ""),
        ("x" * 12_000, "x" * 12_000),
        ("test_a.py::test_b[\ud800]", "test_a.py::test_b[\ud800]"),
    ],
    ids=["windows", "colons", "doctest", "class", "empty", "long", "surrogate"],
)
def test_ids(raw: str, case_id: str) -> None:
    case = one(raw)
    assert case.id == case_id
    assert case.location == Location(case_id.partition("::")[0], 5)


@pytest.mark.parametrize(("lineno", "line"), [(0, 1), (7, 8), (None, None), (-1, None), (True, None), (1.5, None)])
def test_lines_count_from_one(lineno: object, line: int | None) -> None:
    case = one(lineno=lineno)
    assert case.location is not None
    assert case.location.line == line


def test_facets_of_a_candidate() -> None:
    ours = {"schema": 1, "kind": "sweep", "stochastic": True, "metrics": [{"name": "accuracy", "value": 0.5}]}
    case = one(metadata={"score": 1, "gate": ours})
    assert (case.kind, case.stochastic, case.metrics) == (Kind.SWEEP, True, (Metric("accuracy", 0.5),))


@pytest.mark.parametrize(
    "metadata",
    [{"duration": 1.0, "outcome": "passed"}, {"nodeid": "a", "type": "b"}, {"nodeid": "a", "outcome": "b"}],
    ids=["stage", "item", "test"],
)
def test_metadata_that_looks_like_a_part_of_the_report_hides_no_facet(metadata: dict[str, Any]) -> None:
    facets = {"schema": 1, "metrics": [{"name": "accuracy", "value": 0.5}]}
    assert one(metadata={**metadata, "gate": facets}).metrics == (Metric("accuracy", 0.5),)


def test_the_head_of_a_candidate() -> None:
    ours = {
        "schema": 1,
        "suite": "slow",
        "mode": "replay",
        "source": {"commit": "abc", "tool": "robustness-gate 0.1.0"},
        "fingerprints": {"data": "1", "agent": "2"},
        "completeness": {"collected": 3, "deselected": 2, "reasons": ["out of time"]},
        "reasons": ["stopped"],
    }
    report = read_report(encoded(entry(), gate=ours), "r")
    assert (report.suite, report.mode, report.source.commit, report.source.format) == (
        "slow",
        "replay",
        "abc",
        "candidate",
    )
    assert report.source.root == "/home/project"
    assert list(report.fingerprints.items()) == [("agent", "2"), ("data", "1")]
    assert (report.completeness.collected, report.completeness.deselected) == (3, 2)
    assert report.completeness.reasons == ("1 of 3 collected tests are reported", "stopped", "out of time")


def test_a_plain_report_has_defaults() -> None:
    report = read_report(encoded(entry()), "r")
    assert (report.suite, report.mode, report.source.format) == ("default", "live", "pytest-json-report")
    assert report.completeness.complete
    assert set(FORMATS) == {
        "baseline",
        "candidate",
        "clastogen",
        "evalplus",
        "glassalpha",
        "inspect",
        "junit",
        "mutmut",
        "promptfoo",
        "pytest-json-report",
        "stryker",
    }


def test_what_is_left_out_is_not_missed() -> None:
    lean = {**document({"nodeid": "a.py::b", "outcome": "passed"}), "summary": {}, "environment": None}
    for key in ("created", "duration", "environment"):
        del lean[key]
    report = read_report(json.dumps(lean).encode(), "r")
    assert report.cases == (Case("a.py::b", outcome=Outcome.PASSED, location=Location("a.py")),)
    assert report.completeness.complete


@pytest.mark.parametrize(
    ("exit_code", "word"),
    [
        (2, "interrupted"),
        (3, "internal error"),
        (4, "called wrongly"),
        (5, "no tests were collected"),
        (137, "none of"),
    ],
)
def test_exit_codes_that_measure_nothing(exit_code: int, word: str) -> None:
    assert any(word in reason for reason in reasons(encoded(entry(), exitcode=exit_code)))


def test_a_failure_that_no_test_shows() -> None:
    (reason,) = reasons(encoded(entry(outcome="subtests passed"), exitcode=1))
    assert reason == "exit code 1, but no reported test failed: a failed subtest or a plugin"
    assert reasons(encoded(entry(outcome="failed"), exitcode=1)) == ()
    assert reasons(encoded(entry(), exitcode=0)) == ()


def test_a_known_failure_explains_no_second_one() -> None:
    found = (entry("t.py::a", outcome="failed"), entry("t.py::b", outcome="subtests passed"))
    counts = {"failed": 2, "passed": 0, "total": 2, "collected": 2}
    assert reasons(encoded(*found, exitcode=1, summary=counts)) == (
        "1 of the 2 failures that the summary counts are reported",
    )
    assert reasons(encoded(*found, exitcode=1, summary=counts | {"failed": 1})) == ()
    lost = {"subtests failed": 1, "error": 1, "failed": 1, "total": 2}
    assert reasons(encoded(*found, exitcode=1, summary=lost)) == (
        "1 of the 3 failures that the summary counts are reported",
    )


def test_fewer_tests_than_were_collected() -> None:
    stopped = {"total": 1, "collected": 10, "deselected": 2}
    assert reasons(encoded(entry(), summary=stopped)) == ("1 of 8 collected tests are reported",)
    assert reasons(encoded(entry(), summary={"total": 1, "collected": 3, "deselected": 2})) == ()
    assert reasons(encoded(entry(), summary={"total": 4})) == ("1 of 4 tests that the summary counts are reported",)
    assert reasons(encoded(summary={})) == ("no test was reported",)
    assert reasons(encoded(summary={"total": 0, "collected": 0})) == ("no test was reported",)


def test_collection_errors_are_reasons_once_each() -> None:
    bad = {"nodeid": "tests\\test_a.py", "outcome": "failed", "result": [], "longrepr": "E   ImportError: no\nmore"}
    good = {"nodeid": "tests/test_b.py", "outcome": "passed", "result": []}
    session = {"nodeid": "", "outcome": "failed", "result": []}
    completeness = read_report(encoded(entry(), collectors=[bad, good, bad, session]), "r").completeness
    assert completeness.collection_errors == ("tests/test_a.py failed: ImportError: no", "the session failed: ")
    assert completeness.reasons == tuple(f"collecting {error}" for error in completeness.collection_errors)


def test_the_same_bytes_give_the_same_report() -> None:
    data = encoded(entry(), entry("b", "failed"), exitcode=1)
    first, second = read_report(data, "r"), read_report(bytes(data), "r")
    assert isinstance(first, Report)
    assert first == second
