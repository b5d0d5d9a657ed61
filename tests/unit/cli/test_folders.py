"""A folder without settings, below one that has them, is refused with the command to type instead."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.support.command_line import HELD, Shell, candidate, project, refused
from tests.support.repository import Repository

SUITE = 'arguments = "-q -p no:cacheprovider"\n'


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = project(tmp_path / "project", {"gate.toml": SUITE, "tests/robustness/test_b.py": "def test_b(): pass\n"})
    made.write({"tests/robustness/r.json": json.dumps(candidate(HELD))})
    return made


COMMANDS = {
    "ci": "gate ci -- tests/robustness",
    "run": "gate run -- tests/robustness",
    "config": "gate config",
    "baseline create": "gate baseline create -- tests/robustness",
    "baseline show": "gate baseline show",
    "baseline adopt r.json": "gate baseline adopt …",
    "baseline refresh r.json": "gate baseline refresh …",
    "compare r.json r.json": "gate compare …",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_folder_and_the_command_are_named(gate: Shell, repository: Repository, command: str) -> None:
    folder = repository.path / "tests" / "robustness"
    ended = gate(*command.split(), cwd=folder)
    said = f"gate: {folder}: settings and baselines stand in {repository.path}, and this folder has none"
    refused(ended, 2, said, advice=f"`cd ../.. && {COMMANDS[command]}`")
    assert not (folder / ".gate").exists()
    assert not (folder / "baselines").exists()


def test_the_command_that_is_printed_works(gate: Shell, repository: Repository) -> None:
    folder = repository.path / "tests" / "robustness"
    (line,) = re.findall(r"`cd (.*) && gate (.*)`", gate("run", cwd=folder).err)
    place, arguments = line
    ended = gate(*shlex.split(arguments), cwd=(folder / place).resolve())
    assert (ended.code, "1 case: .gate/candidate.json" in ended.err) == (0, True), ended.err


def test_a_folder_with_a_file_of_its_own_is_a_project(gate: Shell, repository: Repository) -> None:
    folder = repository.path / "tests" / "robustness"
    (folder / "gate.toml").write_text(SUITE, encoding="utf-8")
    assert gate("run", cwd=folder).code == 0
    assert gate("config", cwd=folder).code == 0


def test_arguments_on_the_command_line_take_the_place_of_the_settings(gate: Shell, repository: Repository) -> None:
    """The same for every command that runs the suite."""
    for command in (("run",), ("ci",), ("baseline", "create", "--runs", "1", "--replace")):
        ended = gate(*command, "--", "-p", "no:cacheprovider", "-k", "test_b", cwd=repository.path)
        assert ended.code in (0, 1), ended.err
        report = repository.path / ".gate" / ("create-1.json" if command[0] == "baseline" else "candidate.json")
        assert [test["nodeid"] for test in json.loads(report.read_text("utf-8"))["tests"]] == [
            "tests/robustness/test_b.py::test_b"
        ]
        told = ended.err + ended.out
        assert command[0] == "baseline" or "test session starts" in told, "without the -q of the settings"
