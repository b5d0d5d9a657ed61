"""`gate recordings check` warns of answers that are old or of another model, and holds all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.record.recordings.store import Store
from tests.unit.cli.test_recordings_command import entry, folder, run

__all__ = ["folder"]


def test_old_answers_and_those_of_another_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(folder).put(
        [
            entry(at="2020-01-01", model="gpt-4o-2024-05-13"),
            entry(n=1, at="2020-01-02", model="gpt-4o-2024-05-13"),
            entry("tests/test_b.py::t", at="9999-01-01"),
        ]
    )
    code, _, err = run(capsys, "check")
    assert code == 0
    assert "2 answers of 1 test of another version of their model" in err
    assert "older than" not in err, "no limit is set"
    (folder.parent / "gate.toml").write_text("stale-days = 36500\n", encoding="utf-8")
    assert "older than" not in run(capsys, "check")[2]
    (folder.parent / "gate.toml").write_text("stale-days = 1000\n", encoding="utf-8")
    code, _, err = run(capsys, "check")
    assert code == 0
    case = "tests/test_chat.py::test_greets (2 answers, the oldest of 2020-01-01)"
    assert f"2 answers of 1 test older than 1,000 days: {case}" in err


def test_no_id_is_obeyed_and_few_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "gate.toml").write_text("stale-days = 1000\n", encoding="utf-8")
    Store(folder).put([entry(f"tests/t.py::\x1b[31m{n}", at="2020-01-01") for n in range(7)])
    _, _, err = run(capsys, "check")
    assert "\x1b" not in err
    assert "2 more" in err
