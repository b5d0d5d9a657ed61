"""`gate command` on events that bring no comment, or none that can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Shell, refused


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("payload", "said"),
    [({}, "the event has no `issue`"), ({"issue": {}, "comment": {}, "action": "created"}, "nothing to do")],
)
def test_an_event_that_is_none(gate: Shell, tmp_path: Path, payload: dict[str, object], said: str) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(payload))
    ended = gate("command", cwd=tmp_path, GITHUB_EVENT_NAME="issue_comment", GITHUB_EVENT_PATH=str(path))
    assert said in ended.err
    assert ended.code == (0 if payload else 2)


def test_another_event_brings_no_comment(gate: Shell, tmp_path: Path) -> None:
    refused(gate("command", cwd=tmp_path, GITHUB_EVENT_NAME="push"), 2, "`push` brings no comment")
