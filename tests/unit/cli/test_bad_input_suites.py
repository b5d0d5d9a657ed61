"""Suites that end badly, in whole runs of the gate: never a pass, always a reason and the code that goes with it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from gate.cli.console import Echo
from gate.render import parse_marker
from tests.support.command_line import BASELINE, Ended, Shell, call, findings, project, refused
from tests.support.repository import Repository

LONG = "x" * 12_000
PLAIN = ("-p", "no:cacheprovider", "-q")


@dataclass(frozen=True, slots=True)
class Bad:
    """One suite: its tests, the arguments of pytest, and what the one finding says."""

    tests: str
    said: str
    arguments: tuple[str, ...] = ()


BAD = {
    "os._exit": Bad(
        "import os\ndef test_one(): pass\ndef test_two(): os._exit(0)\n",
        "the process of the suite ended with exit code 0 and left no report while test_a.py::test_two ran",
    ),
    "signal": Bad(
        "import os, signal\ndef test_one(): pass\ndef test_two(): os.kill(os.getpid(), signal.SIGKILL)\n",
        "ended by signal 9 (SIGKILL) while test_a.py::test_two ran",
    ),
    "usage error": Bad(
        "def test_one(): pass\ndef test_two(): pass\n",
        "pytest was called wrongly (exit code 4): unrecognized arguments: --no-such-option",
        ("--no-such-option",),
    ),
    "no such file": Bad(
        "def test_one(): pass\ndef test_two(): pass\n",
        "pytest was called wrongly (exit code 4): file or directory not found: no_such_file.py",
        ("no_such_file.py",),
    ),
    "our option misspelt": Bad(
        "def test_one(): pass\ndef test_two(): pass\n", "unrecognized arguments: --gate-suit", ("--gate-suit=a",)
    ),
    "collection error": Bad(
        "import nothing_of_that_name\ndef test_one(): pass\ndef test_two(): pass\n",
        "collecting test_a.py failed: ModuleNotFoundError: No module named 'nothing_of_that_name'",
    ),
    "everything deselected": Bad(
        "def test_one(): pass\ndef test_two(): pass\n",
        "every collected test was deselected, 2 in all (exit code 5)",
        ("-k", "nothing_of_that_name"),
    ),
    "nothing collected": Bad("x = 1\n", "no tests were collected (exit code 5)"),
}


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """On its main; a test writes a suite over the committed one."""
    return project(tmp_path_factory.mktemp("suites") / "project")


def run(gate: Shell, repository: Repository, tests: str, *arguments: str, **variables: str) -> Ended:
    repository.write({"test_a.py": tests})
    return gate("ci", "--base", "main", "--", *PLAIN, *arguments, cwd=repository.path, **variables)


def texts(folder: Path) -> Mapping[str, str]:
    """What was written for people."""
    return {name: (folder / ".gate" / name).read_text("utf-8") for name in ("comment.md", "report.html")}


@pytest.mark.parametrize("name", BAD)
def test_it_could_not_be_decided(gate: Shell, repository: Repository, name: str) -> None:
    if name == "signal" and sys.platform == "win32":
        pytest.skip("no such signals")
    bad = BAD[name]
    ended = run(gate, repository, bad.tests, *bad.arguments)
    assert (ended.code, "Traceback (most" in ended.err) == (3, False), ended.err
    ((rule, what),) = findings(repository.path)
    assert (rule, what.startswith("is not whole: ")) == ("incomplete-run", True)
    assert bad.said in what
    assert "Could not decide: 1 finding fails this check" in ended.out
    assert "Next: mend what kept the suite from being measured" in ended.out
    assert "Could not decide" in texts(repository.path)["comment.md"]


def test_a_run_alone_says_the_same(gate: Shell, repository: Repository) -> None:
    repository.write({"test_a.py": BAD["os._exit"].tests})
    ended = gate("run", "--", *PLAIN, cwd=repository.path)
    refused(
        ended, 3, "gate: the process of the suite ended with exit code 0", advice="the output above is pytest's own"
    )
    repository.write({"test_a.py": BAD["everything deselected"].tests})
    ended = gate("run", "--", *PLAIN, "-k", "nothing_of_that_name", cwd=repository.path)
    assert (ended.code, ended.out) == (3, "")
    assert "gate: the run is not whole: every collected test was deselected, 2 in all" in ended.err
    ended = gate("run", "--python", "no-such-python", cwd=repository.path)
    refused(ended, 3, "gate: `no-such-python` can't be started: No such file", advice="mend that")


def test_a_regression_counts_more_than_a_file_that_can_not_be_collected(gate: Shell, tmp_path: Path) -> None:
    other = json.dumps({"id": "test_b.py::test_other", "outcome": "passed"}) + "\n"
    repository = project(
        tmp_path / "project", {"baselines/default.jsonl": BASELINE + other, "test_b.py": "import no\n"}
    )
    ended = run(gate, repository, "def test_one(): pass\ndef test_two(): assert 0\n", "--continue-on-collection-errors")
    assert ended.code == 1, ended.err
    found = dict(findings(repository.path))
    assert found["newly-failing"].startswith("newly fails")
    assert "collecting test_b.py failed: ModuleNotFoundError: No module named 'no'" in found["incomplete-run"]


def test_a_hundred_megabytes_of_output(repository: Repository) -> None:
    """The beginning and the end are shown, the rest is counted, and the verdict is that of the tests."""
    loud = (
        "def test_one():\n    for n in range(1_000): print('x' * 99_999)\n    print('the end')\ndef test_two(): pass\n"
    )
    repository.write({"test_a.py": loud})
    ended = call("ci", "--base", "main", "--", *PLAIN, "-s", cwd=repository.path)
    assert ended.code == 0, ended.err[-2_000:]
    assert findings(repository.path) == []
    assert "As robust as main" in ended.out
    assert len(ended.out) < 1_000
    assert len(ended.err) < 3_000_000
    assert re.search(r"\[… 9\d,\d{3},\d{3} bytes left out …\]", ended.err)
    assert "  the end" in ended.err
    assert max(map(len, ended.err.splitlines())) < 3_000
    assert (repository.path / ".gate" / "candidate.json").stat().st_size < 100_000


@pytest.mark.parametrize("outcome", ["passes", "fails"])
def test_a_node_id_of_twelve_thousand_characters(gate: Shell, repository: Repository, outcome: str) -> None:
    """Shown by both its ends; table, marker and page stay whole."""
    long = (
        "import pytest\ndef test_one(): pass\ndef test_two(): pass\n"
        f"@pytest.mark.parametrize('ok', [{outcome == 'passes'}], ids=['{LONG}end'])\ndef test_long(ok): assert ok\n"
    )
    ended = run(gate, repository, long)
    assert ended.code == (0 if outcome == "passes" else 1), ended.err
    assert [rule for rule, _ in findings(repository.path)] == ([] if outcome == "passes" else ["newly-failing"])
    made = texts(repository.path)
    assert parse_marker(made["comment.md"]) is not None
    assert len(made["comment.md"]) < 10_000
    assert LONG not in made["comment.md"] + ended.out
    if outcome == "fails":
        assert re.search(r"test_long\[x+…x+end\]", made["comment.md"])
        report = json.loads((repository.path / ".gate" / "candidate.json").read_text("utf-8"))
        assert any(test["nodeid"] == f"test_a.py::test_long[{LONG}end]" for test in report["tests"])


def test_a_child_that_dies_after_its_report_is_told(gate: Shell, repository: Repository) -> None:
    repository.write({"conftest.py": "import os\ndef pytest_unconfigure(): os.abort()\n"})
    try:
        ended = run(gate, repository, "def test_one(): pass\ndef test_two(): pass\n")
    finally:
        repository.write({"conftest.py": None})
    assert ended.code == 0, ended.err
    assert "ended by signal 6 (SIGABRT) after its report" in texts(repository.path)["comment.md"]


class Stream:
    """Takes text as a terminal of a narrow encoding does."""

    encoding = "ascii"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text.encode(self.encoding).decode()

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
def test_what_is_printed_is_shown_line_by_line_however_it_arrives(size: int) -> None:
    printed = "one\n\n::error::forged\n  ##[error]forged\n10%\r50%\r100%\r\nd\u00fcnn\x1b[31m\nlast".encode()
    stream = Stream()
    echo = Echo(stream)  # type: ignore[arg-type]
    for start in range(0, len(printed), size):
        echo(printed[start : start + size])
    assert not stream.text.endswith("\n")
    echo(b"")
    lines = stream.text.split("\n")
    assert lines[:2] == ["  one", ""]
    assert not any(re.match(r"\s*::", line) or "##[" in line for line in lines)
    assert lines[-4:] == ["  100%", "  d?nn", "  last", ""]


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    stream = Stream()
    echo = Echo(stream)  # type: ignore[arg-type]
    for _ in range(100):
        echo(b"x" * 1_000)
    assert 0 < len(stream.text) < 100_000
    assert max(map(len, stream.text.splitlines())) < 3_000
