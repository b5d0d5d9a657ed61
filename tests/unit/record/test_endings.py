"""A run whose process ends in another way than its report says is not whole."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gate.ingest import read_report
from gate.record.endings import as_ended, reason
from gate.record.run import World, run_suite
from gate.schema.report import Case, Completeness, Report

CHANGED = "a conftest file or a plugin failed after the tests, or changed the exit code"


def report(exit_code: int | None, *reasons: str) -> Report:
    return Report(cases=(Case("t.py::a"),), completeness=Completeness(exit_code=exit_code, reasons=reasons))


@pytest.mark.parametrize(("told", "ended"), [(0, 0), (1, 1), (None, 1), (0, None), (3, 3)])
def test_a_run_that_ended_as_its_report_says_stays_as_it_is(told: int | None, ended: int | None) -> None:
    assert as_ended(report(told), ended) == report(told)


@pytest.mark.parametrize(("told", "ended"), [(0, 1), (1, 0), (0, 3), (1, 7), (5, 0)])
def test_another_exit_code_is_a_reason_that_names_it(told: int, ended: int) -> None:
    found = as_ended(report(told, "a file could not be collected"), ended)
    assert not found.completeness.complete
    assert found.completeness.reasons == (
        "a file could not be collected",
        f"the process of the suite ended with exit code {ended}, its report says {told}: {CHANGED}",
    )


def test_an_internal_error_of_pytest_is_not_its_own_way_to_end() -> None:
    assert reason(3, "", "") == "the process of the suite ended with exit code 3 and left no report"
    assert "kept the plugin from it" in reason(0, "", "")


def test_a_wrong_call_says_what_to_do_where_the_plugin_does() -> None:
    wrong = "pytest was called wrongly (exit code 4): "
    assert reason(4, "ERROR: it needs b\n  next: pip install b\n", "") == f"{wrong}it needs b: pip install b"
    assert reason(4, "ERROR: file or directory not found: a\n\nnext time\n", "").endswith("not found: a")
    assert reason(4, "usage: x\n  x: error: unrecognized\n", "") == f"{wrong}unrecognized"


@pytest.mark.parametrize(
    ("conftest", "code"),
    [
        ("def pytest_sessionfinish(session): raise RuntimeError('no quota left')", 1),
        ("def pytest_sessionfinish(session): session.exitstatus = 1", 1),
        ("import pytest\ndef pytest_sessionfinish(session): session.exitstatus = pytest.ExitCode.INTERNAL_ERROR", 3),
        ("import atexit, os\natexit.register(os._exit, 7)", 7),
        ("", 0),
    ],
    ids=["raises", "a limit", "internal error", "at exit", "nothing"],
)
def test_what_a_conftest_does_after_the_tests_is_seen(tmp_path: Path, conftest: str, code: int) -> None:
    (tmp_path / "conftest.py").write_text(conftest, encoding="utf-8")
    (tmp_path / "test_a.py").write_text("def test_a(): pass", encoding="utf-8")
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    world = World(sys.executable, tmp_path, environ)
    path = tmp_path / "c.json"
    result = run_suite(["-q", "-p", "no:cacheprovider"], world=world, report=path, timeout=60)
    assert (result.report, result.exit_code, result.warning) == (path, code, "")
    found = read_report(path.read_bytes(), "c.json")
    assert found.completeness.complete, "the report alone does not know"
    assert as_ended(found, result.exit_code).completeness.complete is (code == 0)
