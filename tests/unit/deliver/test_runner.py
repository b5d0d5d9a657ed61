"""The runner's files, read back as the runner reads them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from gate.deliver.runner import SUMMARY_BYTES, RunnerFiles, in_workflow
from gate.errors import DeliveryError
from tests.support.github.runner import commands, outputs


def runner(tmp_path: Path, **more: str) -> tuple[RunnerFiles, io.StringIO]:
    log = io.StringIO()
    environ = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        **more,
    }
    return RunnerFiles(environ, log), log


@pytest.mark.parametrize(
    "value", ["holds", "", "two\nlines", "a=b", "x<<EOF\nEOF\nother=1", "end\n", "naïve ✅", "\r\n"]
)
def test_outputs_are_read_back(tmp_path: Path, value: str) -> None:
    files, _ = runner(tmp_path)
    files.set_output("verdict", value)
    files.set_output("exit-code", "1")
    assert outputs((tmp_path / "output").read_bytes()) == {"verdict": value, "exit-code": "1"}


def test_a_delimiter_can_not_be_guessed_nor_stand_in_the_value(tmp_path: Path) -> None:
    words = iter(["aa", "aa", "bb", "cc"])
    files = RunnerFiles({"GITHUB_OUTPUT": str(tmp_path / "output")}, io.StringIO(), entropy=lambda: next(words))
    files.set_output("one", "gate_aa\nother=forged")
    assert outputs((tmp_path / "output").read_bytes()) == {"one": "gate_aa\nother=forged"}
    assert next(words) == "cc"
    one, two = runner(tmp_path)[0], runner(tmp_path)[0]
    for files in (one, two):
        files.set_output("x", "y")
    found = re.findall(rb"x<<(gate_[0-9a-f]{32})\n", (tmp_path / "output").read_bytes())
    assert len(set(found)) == 2


@pytest.mark.parametrize("name", ["", "a b", "a\nb", "a<<b", "a=b", "1a", "ä"])
def test_a_name_that_no_output_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(DeliveryError, match="no output can be called"):
        runner(tmp_path)[0].set_output(name, "x")
    assert not (tmp_path / "output").exists()


def test_an_output_that_github_would_drop(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="1000001 bytes"):
        runner(tmp_path)[0].set_output("report", "x" * 1_000_001)


def test_the_summary_is_appended(tmp_path: Path) -> None:
    files, _ = runner(tmp_path)
    files.append_summary("# One")
    files.append_summary("Two\n")
    assert (tmp_path / "summary").read_text("utf-8") == "# One\nTwo\n"


@pytest.mark.parametrize("before", [0, 500_000, SUMMARY_BYTES - 60, SUMMARY_BYTES])
def test_a_summary_stays_within_what_github_keeps(tmp_path: Path, before: int) -> None:
    (tmp_path / "summary").write_bytes(b"x" * before)
    files, _ = runner(tmp_path)
    line = "| ✅ | a line of the table |\n"
    files.append_summary(line * 60_000)
    data = (tmp_path / "summary").read_bytes()
    assert len(data) <= SUMMARY_BYTES
    added = data[before:].decode("utf-8")
    if before < SUMMARY_BYTES - 300:
        assert len(data) > SUMMARY_BYTES - 200
        assert "Cut here" in added
        assert added.partition("\n\n*Cut")[0].rstrip("\n").endswith(line.strip())
    else:
        assert line not in added


@pytest.mark.parametrize("variable", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
def test_files_that_are_not_there(tmp_path: Path, variable: str) -> None:
    files, log = runner(tmp_path, **{variable: ""})
    files.set_output("a", "b")
    files.append_summary("text")
    assert len(list(tmp_path.iterdir())) == 1
    broken, _ = runner(tmp_path, **{variable: str(tmp_path / "absent" / "file")})
    with pytest.raises(DeliveryError, match=variable):
        broken.set_output("a", "b")
        broken.append_summary("text")
    assert log.getvalue() == ""


def test_annotations_are_written_and_nothing_else(tmp_path: Path) -> None:
    files, log = runner(tmp_path)
    good = ["::error file=a.py,line=3,title=F1::newly fails%0Atwo", "::warning::undecided", "::notice title=x::y"]
    files.annotate([*good, "::set-output name=x::y", "::error::a\n::set-env name=PATH::x", "text", "::add-mask::x"])
    assert log.getvalue().splitlines() == good


def test_a_log_that_is_not_unicode(tmp_path: Path) -> None:
    raw = io.BytesIO()
    log = io.TextIOWrapper(raw, encoding="ascii")
    RunnerFiles({"GITHUB_ACTIONS": "true"}, log).annotate(["::error::naïve \ud800"])
    assert raw.getvalue() == b"::error::na\\xefve \\ud800\n"
    log.detach()


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, False),
        ({"GITHUB_ACTIONS": ""}, False),
        ({"GITHUB_ACTIONS": "false"}, False),
        ({"GITHUB_ACTIONS": "true"}, True),
        ({"GITHUB_ACTIONS": "True"}, True),
        ({"GITHUB_ACTIONS": " TRUE "}, True),
        ({"GITHUB_ACTIONS": "1"}, True),
        ({"GITHUB_EVENT_NAME": "pull_request"}, True),
        ({"GITHUB_ACTIONS": "false", "GITHUB_EVENT_NAME": "push"}, True),
        ({"GITHUB_REPOSITORY": "octo/model", "GITHUB_TOKEN": "x", "CI": "true"}, False),
    ],
)
def test_what_is_unclear_is_a_workflow(environ: dict[str, str], expected: bool) -> None:
    assert in_workflow(environ) is expected
    assert RunnerFiles(environ, io.StringIO()).present is expected


@pytest.mark.parametrize(
    "hostile", ["::error::forged\n", "::set-output name=verdict::holds", "", "\r\n::add-mask::e\r\n"]
)
def test_nothing_within_is_a_command(tmp_path: Path, hostile: str) -> None:
    files, log = runner(tmp_path)
    with files.stopped_commands():
        log.write(hostile)
    log.write("::error::real\n")
    assert [name for name, _ in commands(log.getvalue())] == ["error"]


def test_commands_work_again_after_an_exception(tmp_path: Path) -> None:
    files, log = runner(tmp_path)
    with pytest.raises(KeyError), files.stopped_commands():
        raise KeyError
    log.write("::error::real\n")
    assert len(commands(log.getvalue())) == 1


def test_a_word_that_stops_commands_is_new_each_time(tmp_path: Path) -> None:
    files, log = runner(tmp_path)
    for _ in range(2):
        with files.stopped_commands():
            pass
    words = re.findall(r"::stop-commands::([0-9a-f]{32})\n", log.getvalue())
    assert len(set(words)) == 2


def test_in_a_shell_nothing_is_said(tmp_path: Path) -> None:
    files, log = runner(tmp_path, GITHUB_ACTIONS="")
    files.annotate(["::error::x"])
    with files.stopped_commands():
        pass
    assert log.getvalue() == ""
