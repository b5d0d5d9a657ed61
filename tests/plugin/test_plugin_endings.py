"""However a run ends: a whole report, one that says why it is not whole, or none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.ingest import read_report
from gate.schema.outcome import Outcome
from tests.support import fork_server

pytest_plugins = ["pytester"]


def recorded(pytester: pytest.Pytester) -> Any:
    return read_report((pytester.path / "c.json").read_bytes(), "c.json")


def test_x_says_that_it_stopped(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): assert 0\ndef test_b(): pass")
    pytester.runpytest_inprocess("--gate-report=c.json", "-x")
    reasons = recorded(pytester).completeness.reasons
    assert any("stopping after 1 failures" in reason for reason in reasons)


def test_maxfail_that_cut_nothing_is_whole(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): pass\ndef test_b(): assert 0")
    pytester.runpytest_inprocess("--gate-report=c.json", "--maxfail=1")
    assert recorded(pytester).completeness.reasons == ()


def test_collection_error(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_a="import nothing_of_that_name", test_b="def test_b(): pass")
    pytester.runpytest_inprocess("--gate-report=c.json")
    assert any("test_a.py" in error for error in recorded(pytester).completeness.collection_errors)


def test_interrupt(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): pass\ndef test_b(): raise KeyboardInterrupt")
    fork_server.run_pytest(pytester, "--gate-report=c.json")
    report = recorded(pytester)
    assert report.completeness.exit_code == 2
    assert not report.completeness.complete


def test_nothing_collected(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("x = 1")
    pytester.runpytest_inprocess("--gate-report=c.json")
    assert recorded(pytester).completeness.exit_code == 5


def test_crashed_worker(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import os\ndef test_a(): pass\ndef test_b(): os._exit(3)\ndef test_c(): pass")
    fork_server.run_pytest(pytester, "--gate-report=c.json", "-n1")
    found = {case.id.partition("::")[2]: case.outcome for case in recorded(pytester).cases}
    assert found == {"test_a": Outcome.PASSED, "test_b": Outcome.CRASHED, "test_c": Outcome.PASSED}


def test_a_killed_process_leaves_no_report_but_a_trace(pytester: pytest.Pytester) -> None:
    (pytester.path / "c.json").write_text("{}")
    pytester.makepyfile("import os\ndef test_a(): pass\ndef test_b(): os._exit(0)")
    fork_server.run_pytest(pytester, "--gate-report=c.json")
    assert not (pytester.path / "c.json").exists()
    lines = [json.loads(line) for line in (pytester.path / "c.json.partial").read_text().splitlines()]
    assert [(word, nodeid.partition("::")[2]) for word, nodeid in lines] == [
        ("start", "test_a"),
        ("end", "test_a"),
        ("start", "test_b"),
    ]


def test_a_forked_child_that_comes_back_writes_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import os, sys
        def test_a():
            child = os.fork()
            if child == 0:
                sys.exit(7)
            os.waitpid(child, 0)
        def test_b(): pass
        """
    )
    fork_server.run_pytest(pytester, "--gate-report=c.json")
    assert [case.outcome for case in recorded(pytester).cases] == [Outcome.PASSED, Outcome.PASSED]


@pytest.mark.parametrize("place", ["folder", "file.txt/c.json"])
def test_a_place_that_cannot_be_written_is_said_at_once(pytester: pytest.Pytester, place: str) -> None:
    (pytester.path / "folder").mkdir()
    (pytester.path / "file.txt").write_text("")
    pytester.makepyfile("def test_a(): pass")
    result = fork_server.run_pytest(pytester, f"--gate-report={place}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --gate-report can't be written: *"])


@pytest.mark.parametrize("quiet", [[], ["-qqq"], ["-p", "no:terminal"]], ids=["loud", "quiet", "no terminal"])
def test_a_disk_that_fails_at_the_end_is_an_error(pytester: pytest.Pytester, quiet: list[str]) -> None:
    pytester.makepyfile("import shutil\ndef test_a(): shutil.rmtree('out'); open('out', 'w').close()")
    result = fork_server.run_pytest(pytester, "--gate-report=out/c.json", *quiet)
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    assert "gate report could not be written" in "\n".join([*result.outlines, *result.errlines])


def test_an_old_report_is_removed_first(pytester: pytest.Pytester) -> None:
    (pytester.path / "c.json").write_text("old")
    pytester.makepyfile("def test_a(): pass")
    result = fork_server.run_pytest(pytester, "--gate-report=c.json", "--nothing-of-that-name")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_deselected_by_workers_is_counted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_a(): pass\ndef test_b(): pass")
    fork_server.run_pytest(pytester, "--gate-report=c.json", "-n1", "-k", "test_a")
    ours = json.loads((pytester.path / "c.json").read_text())["gate"]
    assert ours["completeness"] == {"exit_code": 0, "collected": 1, "deselected": 1, "reported": 1}
