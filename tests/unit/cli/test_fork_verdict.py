"""The second step of a fork's pull request: whose run it is, what it left, and what the trusted side says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.deliver import checks, sticky
from tests.support.command_line import Shell
from tests.support.fork_run import WORSE, ForkRun, report

Make = Callable[..., ForkRun]


@pytest.fixture
def fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Make]:
    """Makes the story; leaving it fails the test if an exchange broke GitHub's description."""
    made: list[ForkRun] = []
    for module in (checks, sticky):
        monkeypatch.setattr(module, "_SETTLE_SECONDS", 0.0)

    def make(**more: Any) -> ForkRun:
        made.append(ForkRun(tmp_path, Shell(monkeypatch, capsys), **more))
        made[0].github.__enter__()
        return made[0]

    yield make
    made[0].github.__exit__(None, None, None)


def test_what_holds(fork: Make) -> None:
    story = fork()
    story.leave({"candidate.json": report()})
    ended = story.judge()
    assert ended.code == 0, ended.out + ended.err
    assert story.check[0] == "success"
    assert "As robust as main" in story.check[1]
    assert "As robust as main" in story.comment
    assert story.request.step().outputs["verdict"] == "holds"
