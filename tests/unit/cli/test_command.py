"""`gate command`: who may accept what, for which head, and what the same head's next attempt does then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.deliver import sticky
from tests.support.command_line import NUMBER, Shell
from tests.support.commented import Judged, Review, judged, review


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setattr(sticky, "_SETTLE_SECONDS", 0.0)
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def kept() -> dict[str, Judged]:
    return {}


@pytest.fixture
def made(kept: dict[str, Judged], gate: Shell, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Judged once; no test changes it."""
    if "one" not in kept:
        kept["one"] = judged(tmp_path_factory.mktemp("commented"), gate)
    return kept["one"]


@pytest.fixture
def at(made: Judged, gate: Shell) -> Iterator[Review]:
    with review(made, gate) as found:
        yield found


def ran(folder: Path) -> int:
    """How often the suite has run there."""
    path = folder / "ran"
    return len(path.read_text()) if path.exists() else 0


def test_a_second_person_accepts_and_the_same_head_turns_green_without_the_suite(at: Review) -> None:
    assert at.ask("/gate accept F1 the fixture was wrong").code == 0
    assert (at.reaction(), at.reply()) == ("+1", "")
    assert at.github.state.reruns == [5]
    assert "### ✅ As robust as main, 1 finding is accepted" in at.body.replace(": ", ", ")
    assert "accepted by `mona`: the fixture was wrong" in at.body
    before = ran(at.made.work)
    assert before == 1
    ended = at.ci()
    assert ended.code == 0, ended.out + ended.err
    assert ran(at.made.work) == before
    verdict = json.loads((at.made.work / ".gate/verdict.json").read_text())
    (finding,) = verdict["findings"]
    assert finding["accepted"]["who"] == "mona"
    assert finding["accepted"]["reason"] == "the fixture was wrong"
    assert (at.made.work / ".gate/candidate.json").read_bytes() == at.made.files["candidate.json"]
    assert "accepted by `mona`" in at.body
    assert len(at.github.comments(NUMBER)) == 2
