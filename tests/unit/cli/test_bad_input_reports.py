"""Report files that can't be read: refused with file, place and remedy, by the command that reads and by the gate."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.command_line import (
    BASELINE,
    HELD,
    PullRequest,
    Shell,
    candidate,
    findings,
    project,
    refused,
)
from tests.support.github.runner import commands

WHOLE = json.dumps(candidate())
NAME = "r.json"
LIMIT = 3_000


@dataclass(frozen=True, slots=True)
class Bad:
    """One file, where it is damaged, what is said about it, and what to do."""

    data: bytes | None
    where: str
    said: str
    advice: str


BAD = {
    "absent": Bad(None, NAME, "no such report", "`gate run` writes one"),
    "empty": Bad(b"", NAME, "the file is empty", "look at what the suite printed"),
    "blank": Bad(b"\n \n", NAME, "the file is empty", "look at what the suite printed"),
    "truncated": Bad(WHOLE[:200].encode(), f"{NAME}:1:", "the file ends in the middle", "run it again"),
    "too large": Bad(
        WHOLE.encode().ljust(LIMIT + 1), NAME, "3,001 bytes are more than the limit of 3,000", "`max-report-bytes`"
    ),
    "not utf-8": Bad(b'{\n"root": "\xe9"}', f"{NAME}:2", "byte 11 is no UTF-8", "as UTF-8"),
    "utf-16": Bad(WHOLE.encode("utf-16"), f"{NAME}:1", "it looks like UTF-16", "as UTF-8"),
    "binary": Bad(b"\x1f\x8b\x08\x00", NAME, "this is a gzip file", "unpack it"),
    "truncated xml": Bad(
        b'<testsuite><testcase name="a"', f"{NAME}:1:", "the file ends in the middle", "run the suite"
    ),
    "xml with entities": Bad(
        b'<!DOCTYPE a [<!ENTITY b "x">]><testsuite>&b;</testsuite>', NAME, "entities", "without a document type"
    ),
    "nan": Bad(
        WHOLE.replace('"collected": 2', '"collected": NaN').encode(),
        f"{NAME}: summary/collected",
        "expected a count, found a bare NaN",
        "pytest-json-report",
    ),
    "infinity": Bad(
        WHOLE.replace('"exitcode": 0', '"exitcode": -Infinity').encode(),
        f"{NAME}: exitcode",
        "expected a whole number, found a bare -Infinity",
        "pytest-json-report",
    ),
    "repeated key": Bad(
        WHOLE.replace('"exitcode": 0', '"exitcode": 1, "exitcode": 0').encode(),
        NAME,
        "the key 'exitcode' stands twice in one object",
        "write the report again",
    ),
    "deep": Bad(b'{"a":' * 100_000, NAME, "nested too deep to be a report", "check what wrote it"),
    "deep and closed": Bad(b"[" * 100_000 + b"]" * 100_000, NAME, "nested too deep", "check what wrote it"),
    "another tool": Bad(
        b'{"meta": {}, "files": {}, "totals": {}}', NAME, "this is a report of coverage.py", "name a pytest-json-report"
    ),
    "no report": Bad(b'{"a": 1}', NAME, "found an object with: a", "name a pytest-json-report"),
    "newer schema": Bad(
        json.dumps(candidate(gate={"schema": 99})).encode(),
        f"{NAME}: gate",
        "schema 99 is newer than",
        "upgrade robustness-gate",
    ),
    "newer baseline": Bad(b'{"gate_baseline": 99}\n', f"{NAME}:1", "schema 99 is newer than", "upgrade"),
    "conflict": Bad(
        BASELINE.replace("\n", "\n<<<<<<< HEAD\n", 1).encode(),
        f"{NAME}:2",
        "merge conflict markers",
        "`gate baseline refresh`",
    ),
}


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository on its main; no test commits to it."""
    return project(tmp_path_factory.mktemp("reports") / "project").path


@pytest.fixture
def place(folder: Path) -> Iterator[Path]:
    """Where the report of one test goes."""
    yield folder / NAME
    (folder / NAME).unlink(missing_ok=True)


@pytest.mark.parametrize("name", BAD)
def test_commands_that_read_it_say_where_and_what_to_do(gate: Shell, place: Path, name: str) -> None:
    bad = BAD[name]
    if bad.data is not None:
        place.write_bytes(bad.data)
    before = (place.parent / "baselines" / "default.jsonl").read_bytes()
    limit = ["--max-report-bytes", str(LIMIT)] if name == "too large" else []
    ended = gate("compare", "baselines/default.jsonl", NAME, *limit, cwd=place.parent)
    refused(ended, 3, f"gate: {bad.where}", bad.said, advice=bad.advice)
    assert ended.out == ""
    variables = {"GATE_MAX_REPORT_BYTES": str(LIMIT)} if limit else {}
    for command in ("adopt", "refresh"):
        refused(
            gate("baseline", command, NAME, cwd=place.parent, **variables), 3, bad.where, bad.said, advice=bad.advice
        )
    assert (place.parent / "baselines" / "default.jsonl").read_bytes() == before


@pytest.mark.parametrize("name", BAD)
def test_the_gate_could_not_decide_and_says_why(gate: Shell, place: Path, name: str) -> None:
    """A report of a run made elsewhere: nothing was measured, so nothing passes, and the comment says what to do."""
    bad = BAD[name]
    if bad.data is not None:
        place.write_bytes(bad.data)
    variables = {"GATE_MAX_REPORT_BYTES": str(LIMIT)} if name == "too large" else {}
    ended = gate("ci", "--base", "main", "--report", NAME, cwd=place.parent, **variables)
    assert (ended.code, "Traceback" in ended.err) == (3, False)
    ((rule, what),) = findings(place.parent)
    assert rule == "incomplete-run"
    assert f"is not whole: {bad.where}" in what
    assert bad.said in what
    assert bad.advice in what
    for text in (what, ended.out, (place.parent / ".gate" / "comment.md").read_text("utf-8")):
        assert str(place.parent) not in text, "a path of this machine helps nobody"


def test_the_default_limit_is_a_gigabyte_and_nothing_of_a_larger_file_is_read(gate: Shell, place: Path) -> None:
    place.touch()
    os.truncate(place, 1_000_000_001)
    ended = gate("compare", "baselines/default.jsonl", NAME, cwd=place.parent)
    refused(ended, 3, "1,000,000,001 bytes are more than the limit of 1,000,000,000", advice="max-report-bytes")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_up_to_the_limit(gate: Shell, tmp_path: Path, folder: Path) -> None:
    """`gate compare <(zcat a.gz) <(zcat b.gz)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb") as stream:
            stream.write(WHOLE.encode())

    for limit, code in ((len(WHOLE), 0), (len(WHOLE) - 1, 3)):
        writer = threading.Thread(target=write)
        writer.start()
        arguments = ["baselines/default.jsonl", str(pipe), "--max-report-bytes", str(limit)]
        assert gate("compare", *arguments, cwd=folder).code == code
        writer.join(10)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/zero")
def test_a_file_without_an_end_is_refused(gate: Shell, folder: Path) -> None:
    arguments = ["baselines/default.jsonl", "/dev/zero", "--max-report-bytes", "100000"]
    refused(gate("compare", *arguments, cwd=folder), 3, "/dev/zero", "limit of 100,000")


@pytest.mark.parametrize("name", ["baselines", "a\0b", "x" * 5_000], ids=["folder", "NUL", "long"])
def test_what_is_no_file_is_no_report(gate: Shell, folder: Path, name: str) -> None:
    if "\0" not in name:  # which only a settings file can hold
        refused(gate("compare", name, NAME, cwd=folder), 3, "can't be read: ", advice="check the path")
    ended = gate("ci", "--base", "main", "--report", name, cwd=folder)
    assert (ended.code, "Traceback" in ended.err) == (3, False), ended.err
    assert "can't be read: " in findings(folder)[0][1]


def test_a_verdict_is_no_report_and_a_report_is_no_verdict(gate: Shell, place: Path) -> None:
    place.write_text(WHOLE)
    refused(gate("report", "--verdict", NAME, cwd=place.parent), 2, NAME, "expected 1, found None", advice="gate ci")
    refused(gate("show", "F1", "--verdict", NAME, cwd=place.parent), 2, NAME, "expected 1", advice="gate ci")
    place.write_bytes(b'{"a":' * 100_000)
    refused(gate("report", "--verdict", NAME, cwd=place.parent), 2, NAME, "is not JSON", advice="gate ci")
    place.unlink()
    refused(gate("report", "--verdict", NAME, cwd=place.parent), 2, NAME, "no verdict can be read", advice="gate ci")
    verdict = json.dumps({"schema": 1, "exit_code": 0, "findings": [], "provenance": {}})
    place.write_text(verdict)
    ended = gate("compare", "baselines/default.jsonl", NAME, cwd=place.parent)
    refused(ended, 3, NAME, "this is a verdict of this gate")


def test_a_regression_counts_more_than_a_second_report_that_is_missing(gate: Shell, tmp_path: Path) -> None:
    repository = project(tmp_path / "project", {"gate.toml": 'reports = ["other.json"]\n'})
    worse = candidate({**HELD, "test_a.py::test_two": "failed"})
    (repository.path / NAME).write_text(json.dumps(worse))
    ended = gate("ci", "--base", "main", "--report", NAME, cwd=repository.path)
    assert ended.code == 1, ended.err
    found = dict(findings(repository.path))
    assert set(found) == {"incomplete-run", "newly-failing"}
    assert "other.json: no such report; `gate run` writes one" in found["incomplete-run"]


def test_wrong_usage_counts_more_than_a_report_that_is_missing(gate: Shell, tmp_path: Path) -> None:
    repository = project(tmp_path / "project", {"gate.toml": "alpa = 1\n"})
    refused(gate("ci", "--base", "main", "--report", NAME, cwd=repository.path), 2, "unknown setting `alpa`")


def test_a_damaged_baseline_of_the_base_reaches_the_workflow(gate: Shell, tmp_path: Path) -> None:
    """Log, annotation, summary and outputs name the file at the base, the line and the remedy."""
    header, one, two = BASELINE.splitlines(keepends=True)
    conflict = f"{header}<<<<<<< HEAD\n{one}=======\n{two}>>>>>>> other\n"
    pull = PullRequest(tmp_path, {"x.txt": "x"}, main={"baselines/default.jsonl": conflict})
    ended = gate("ci", cwd=pull.checkout("work"), **pull.variables("http://127.0.0.1:9"))
    where = f"baselines/default.jsonl at {pull.base[:7]}:2"
    refused(ended, 3, f"gate: {where}: merge conflict markers", advice="`gate baseline refresh`")
    step = pull.told("undecided", 3, tmp_path / "work")
    assert "merge conflict markers" in step.summary
    assert "**Next:** resolve the conflict" in step.summary
    ((name, message),) = commands(ended.out)
    assert (name, message.startswith(f"{where}: merge conflict markers")) == ("error", True)


def test_the_suites_own_report_may_be_too_large(gate: Shell, folder: Path) -> None:
    ended = gate("ci", "--base", "main", "--", "-p", "no:cacheprovider", cwd=folder, GATE_MAX_REPORT_BYTES="500")
    assert ended.code == 3, ended.err
    assert "Traceback" not in ended.err
    ((rule, what),) = findings(folder)
    assert (rule, "the report is larger than the limit of 500 bytes; raise `max-report-bytes`" in what) == (
        "incomplete-run",
        True,
    )
    ended = gate("run", "--", "-p", "no:cacheprovider", cwd=folder, GATE_MAX_REPORT_BYTES="500")
    refused(ended, 3, ".gate/candidate.json", "more than the limit of 500", advice="`max-report-bytes`")
