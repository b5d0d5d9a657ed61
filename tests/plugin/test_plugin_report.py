"""The report of varied suites: equal to that of pytest-json-report of the same run, but for our part."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

from gate.ingest import read_report
from gate.schema.outcome import Outcome
from tests.support import fork_server

pytest_plugins = ["pytester"]

VARIED = {
    "test_varied": """
import logging, sys, unittest, warnings
import pytest

@pytest.fixture
def broken_setup():
    raise RuntimeError("no setup")

@pytest.fixture
def broken_teardown():
    yield
    raise RuntimeError("no teardown")

def test_passes(record_property):
    print("out"); print("err", file=sys.stderr)
    logging.getLogger("a").warning("value %d", 3, extra={"more": 1.5})
    warnings.warn("careful")
    record_property("k", [1, "two"])

def test_fails():
    def inner(x):
        assert x == 2, "inner"
    inner(1)

def test_setup(broken_setup): pass
def test_teardown(broken_teardown): pass
@pytest.mark.skip(reason="not here")
def test_skipped(): pass
@pytest.mark.xfail
def test_xfailed(): assert 0
@pytest.mark.xfail
def test_xpassed(): pass
@pytest.mark.parametrize("a", [1, "ü[x]", "a::b"])
def test_many(a): assert a
def test_exception_group():
    raise ExceptionGroup("many", [ValueError("a"), KeyError("b")])

class TestClass:
    @pytest.fixture(scope="class")
    def shared(self): return []
    def test_one(self, shared): shared.append(1)
    def test_two(self, shared): assert shared == [1]

class Unit(unittest.TestCase):
    def test_unit(self): self.assertEqual(1, 1)
    def test_unit_fails(self): self.assertEqual(1, 2)
    @unittest.skip("unit")
    def test_unit_skips(self): pass
    def test_subs(self):
        for n in range(3):
            with self.subTest(n=n): self.assertNotEqual(n, 1)
""",
    "test_doc": '''
def add(a, b):
    """
    >>> add(1, 2)
    3
    >>> add(1, 1)
    3
    """
    return a + b
''',
}
SUBTESTS = """
def test_subtests(subtests):
    for n in range(3):
        with subtests.test(n=n):
            print("sub", n)
            assert n != 1

def test_subtests_pass(subtests):
    for n in range(3):
        with subtests.test(n=n): pass
"""
TIMES = {"created", "duration", "start", "stop", "gate"}


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: without_times(entry) for key, entry in value.items() if key not in TIMES}
        return {key: entry for key, entry in kept.items() if not (key == "metadata" and entry == {})}
    return [without_times(entry) for entry in value] if isinstance(value, list) else value


def unhide_failed_subtests(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    """The one difference that is meant: before pytest 9, a subtest that passes hides one that failed before it."""
    for test, own in zip(theirs["tests"], ours["tests"], strict=True):
        if (test["outcome"], own["outcome"]) == ("subtests passed", "failed"):
            test["outcome"] = "failed"
            theirs["summary"]["subtests passed"] -= 1
            theirs["summary"]["failed"] = theirs["summary"].get("failed", 0) + 1
            assert test["nodeid"].endswith(("::test_subtests", "::test_subs"))
    theirs["summary"] = {word: count for word, count in theirs["summary"].items() if count}


def run(
    pytester: pytest.Pytester, *arguments: str, subprocess: bool = False
) -> tuple[dict[str, Any], pytest.RunResult]:
    options = ["--gate-report=c.json", *arguments]
    result = fork_server.run_pytest(pytester, *options) if subprocess else pytester.runpytest_inprocess(*options)
    return json.loads((pytester.path / "c.json").read_text()), result


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {test["nodeid"].partition("::")[2]: test["outcome"] for test in report["tests"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--doctest-modules"],
        ["--tb=no"],
        ["--tb=native"],
        ["--tb=line", "-s"],
        ["-k", "many or fails"],
        ["-x"],
        ["--maxfail=2", "-p", "no:cacheprovider"],
        ["-n1"],
    ],
    ids=" ".join,
)
def test_equals_pytest_json_report(pytester: pytest.Pytester, arguments: list[str]) -> None:
    pytest.importorskip("pytest_jsonreport")
    pytester.makepyfile(**VARIED)
    if importlib.util.find_spec("_pytest.subtests") or importlib.util.find_spec("pytest_subtests"):
        pytester.makepyfile(test_sub=SUBTESTS)
    ours, _ = run(pytester, "--json-report", "--json-report-file=j.json", *arguments, subprocess=True)
    theirs = json.loads((pytester.path / "j.json").read_text())
    assert list(ours) == [*theirs, "gate"]
    unhide_failed_subtests(theirs, ours)
    assert without_times(ours) == without_times(theirs)
    assert ours["tests"]
    if "-x" not in arguments and "--maxfail=2" not in arguments:
        assert len(ours["tests"]) == ours["gate"]["completeness"]["collected"]


def test_metadata_of_pytest_json_report_is_kept(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_jsonreport")
    pytester.makepyfile("def test_a(json_metadata, robustness): json_metadata['k'] = 1; robustness.metric('m', 1)")
    ours, _ = run(pytester, "--json-report", "--json-report-file=none")
    assert set(ours["tests"][0]["metadata"]) == {"k", "gate"}


def test_top_part(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): pass\ndef test_b(): pass")
    report, _ = run(pytester, "-k", "test_a", "--gate-suite=loans", "--gate-commit=abc", "--gate-mode=live")
    ours = report["gate"]
    assert (ours["schema"], ours["suite"], ours["mode"], ours["source"]["commit"]) == (1, "loans", "live", "abc")
    assert ours["completeness"] == {"exit_code": 0, "collected": 1, "deselected": 1, "reported": 1}


@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "xdist"])
def test_facets_and_stochastic(pytester: pytest.Pytester, workers: list[str]) -> None:
    pytester.makepyfile(
        """
        import enum, pytest
        import numpy as np
        class Name(enum.StrEnum):
            A = "a"
        @pytest.fixture
        def measured(robustness): robustness.metric("in set-up", np.float32(0.5))
        @pytest.mark.stochastic(reason="samples")
        def test_a(measured, robustness):
            robustness.metric(np.str_("m"), np.float64(0.25), threshold=np.int64(0), count=np.int32(3))
            robustness.metric(Name.A, None, unscored="no \\ud800 answer")
            robustness.predictions("p", ids=np.arange(3), expected=np.array([0, 1, 1]), predicted=[0, 1, None],
                                   scores=np.array([.5, 1, np.nan]), attacks={"typo": np.array([1, 1, 1])})
        """
    )
    raw, _ = run(pytester, "--strict-markers", *workers, subprocess=True)  # NumPy can be loaded only once a process
    report = read_report(json.dumps(raw).encode(), "c.json")
    (case,) = report.cases
    assert report.completeness.complete
    assert case.outcome is Outcome.PASSED
    assert case.stochastic
    assert [metric.name for metric in case.metrics] == ["in set-up", "m", "a"]
    assert case.metrics[2].unscored == "no \\ud800 answer"
    (predictions,) = case.predictions
    assert (predictions.expected, predictions.predicted) == ("011", "01.")
    assert predictions.attacks[0].flipped == "10."
    assert predictions.scores.endswith(".")
    assert len(set(predictions.ids)) == 3
    assert predictions.ids[1] != "1"


def test_without_the_option_values_are_checked_and_dropped(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_good(robustness): robustness.metric("m", 1)
        def test_bad(robustness): robustness.metric("m", float("nan"))
        """
    )
    result = pytester.runpytest_inprocess("--strict-markers")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*test_bad: metric 'm': expected a finite number*", "*next: pass None*"])
    assert not [path for path in pytester.path.iterdir() if path.suffix in (".json", ".partial")]


@pytest.mark.parametrize("option", [["--gate-report=c.json"], []], ids=["recorded", "dropped"])
def test_reruns_measure_anew(pytester: pytest.Pytester, option: list[str]) -> None:
    pytest.importorskip("pytest_rerunfailures")
    pytester.makepyfile(
        """
        runs = []
        def test_a(robustness):
            runs.append(1)
            robustness.metric("m", len(runs))
            assert len(runs) == 3
        def test_b(robustness):
            robustness.metric("m", 1)
            assert 0
        """
    )
    result = fork_server.run_pytest(pytester, "--reruns=3", *option)
    result.stdout.fnmatch_lines(["*1 failed, 1 passed, 5 rerun*"])
    if option:
        report = json.loads((pytester.path / "c.json").read_text())
        assert outcomes(report) == {"test_a": "rerun", "test_b": "failed"}
        assert [test["metadata"]["gate"]["metrics"][0]["value"] for test in report["tests"]] == [3, 1]


def test_a_failed_subtest_is_never_hidden(pytester: pytest.Pytester) -> None:
    if not (importlib.util.find_spec("_pytest.subtests") or importlib.util.find_spec("pytest_subtests")):
        pytest.skip("neither pytest 9 nor pytest-subtests")
    pytester.makepyfile(SUBTESTS)
    report, _ = run(pytester, subprocess=True)
    found = read_report(json.dumps(report).encode(), "c.json")
    assert [case.outcome for case in found.cases] == [Outcome.FAILED, Outcome.PASSED]
    assert found.completeness.complete


def test_last_failed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): pass\ndef test_b(): assert 0")
    run(pytester)
    report, _ = run(pytester, "--lf")
    assert outcomes(report) == {"test_b": "failed"}


def test_robustness_outlives_no_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        kept = []
        def test_a(robustness): kept.append(robustness)
        def test_b(): kept[0].metric("late", 1)
        @pytest.fixture(scope="session")
        def wide(robustness): pass
        def test_c(wide): pass
        """
    )
    report, result = run(pytester)
    assert outcomes(report) == {"test_a": "passed", "test_b": "failed", "test_c": "error"}
    result.stdout.fnmatch_lines(["*`robustness` was used after its test had ended*"])
    result.stdout.fnmatch_lines(["*ScopeMismatch*"])


def test_local_file_holds_what_the_report_must_not(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import numpy as np, os
        def model(x): return 1 / (1 + np.exp(-5 * x[:, 0]))
        def test_a(robustness, tmp_path, monkeypatch):
            monkeypatch.chdir(tmp_path)
            x = np.linspace(-1, 1, 50).reshape(-1, 1)
            robustness.sweep(model, x, (x[:, 0] > 0).astype(int), [0.5], ids=[f"patient {n}" for n in range(50)])
        """
    )
    run(pytester, "--gate-local=l.jsonl", subprocess=True)
    lines = [json.loads(line) for line in (pytester.path / "l.jsonl").read_text().splitlines()]
    assert len(lines) == 50
    assert any("→" in move for line in lines for move in line.get("moves", {}).values())
    text = (pytester.path / "c.json").read_text()
    assert "patient" not in text
    assert lines[0]["key"] in text
    assert "max_delta" in text


@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["alone", "xdist"])
def test_what_others_log_breaks_nothing(pytester: pytest.Pytester, workers: list[str]) -> None:
    pytester.makepyfile(
        """
        import logging
        def test_a():
            extra = {"kind": object, "nan": float("nan"), "pair": {(1, 2): {3}}}
            logging.getLogger().error("odd %s", b"x", extra=extra)
        """
    )
    report, _ = run(pytester, *workers, subprocess=True)
    assert outcomes(report) == {"test_a": "passed"}
    (record,) = report["tests"][0]["call"]["log"]
    assert (record["msg"], record["kind"], record["nan"]) == ("odd b'x'", "<class 'object'>", "nan")
    assert record["pair"] == {"(1, 2)": "{3}"}


def test_nan_and_surrogates_of_others_do_not_reach_the_file(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_a(record_property):
            record_property("nan", float("nan"))
            record_property("half", "\\ud800")
        """
    )
    report, _ = run(pytester)
    assert read_report(json.dumps(report, allow_nan=False).encode(), "c.json").completeness.complete
