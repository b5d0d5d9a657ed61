"""What a run says of the files around it: requests without an answer, and an overlay that is not there."""

from __future__ import annotations

from pathlib import Path

from gate.cli.suite import said_of_missing, said_of_overlay
from gate.record.recordings.exchange import Request
from gate.record.recordings.missing import Asked, MissingEntry, write_missing
from gate.settings import Settings

REPLAY = Settings(mode="replay")


def test_what_a_replay_lacked_is_counted_with_its_file(tmp_path: Path) -> None:
    output, path = tmp_path / "candidate.json", tmp_path / "missing.jsonl"
    assert said_of_missing(output, REPLAY) == ""
    request = Request("POST", "https://api.example.com/v1/chat/completions", (), b"{}")
    write_missing(path, [MissingEntry("0" * 32, request, (Asked("t.py::a", 0, 0),))])
    assert said_of_missing(output, REPLAY).startswith(f"1 request had no recorded answer: {path}; ")
    assert said_of_missing(output, Settings()) == "", "another run left it"
    path.write_text("{", encoding="utf-8")
    assert said_of_missing(output, REPLAY) == ""


def test_an_overlay_of_the_environment_that_is_not_there(tmp_path: Path) -> None:
    named = REPLAY.model_copy(update={"overlay": "answers"})
    (sentence,) = said_of_overlay(named, tmp_path, {"GATE_OVERLAY": "answers"})
    assert "GATE_OVERLAY names answers" in sentence
    assert said_of_overlay(named, tmp_path, {}) == (), "`gate record` makes the folder of the settings when it must"
    assert said_of_overlay(REPLAY, tmp_path, {"GATE_OVERLAY": ""}) == ()
    (tmp_path / "answers").mkdir()
    assert said_of_overlay(named, tmp_path, {"GATE_OVERLAY": "answers"}) == ()
