"""Variables of the environment that are nearly a setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.cli.variables import misspelt
from gate.settings import names
from tests.support.command_line import Shell


@pytest.mark.parametrize(
    ("name", "near"),
    [("GATE_ALPA", "GATE_ALPHA"), ("GATE_TIME_OUT", "GATE_TIMEOUT"), ("GATE_WORKING_DIR", "GATE_WORKING_DIRECTORY")],
)
def test_a_typing_error_is_told(name: str, near: str) -> None:
    assert list(misspelt({name: "1"})) == [f"{name} is no setting and has no effect; did you mean {near}?"]


@pytest.mark.parametrize("name", ["GATE_UNRELATED", "GATE_HOME", "GATE_API_KEY", "ALPA", "GATE_UPDATE_GOLDEN"])
def test_variables_of_other_programs_are_left_alone(name: str) -> None:
    assert list(misspelt({name: "1"})) == []


def test_no_setting_is_one() -> None:
    assert list(misspelt({"GATE_" + key.upper().replace("-", "_"): "1" for key in names()})) == []


@pytest.mark.parametrize("command", [("config", "alpha"), ("run", "--", "nothing.py")], ids=" ".join)
def test_every_command_tells_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: tuple[str, ...]
) -> None:
    ended = Shell(monkeypatch, capsys)(*command, cwd=tmp_path, GATE_ALPA="0.1")
    assert "warning: GATE_ALPA is no setting and has no effect; did you mean GATE_ALPHA?" in ended.err
