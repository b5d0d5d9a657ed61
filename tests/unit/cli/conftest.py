"""A pull request that was judged, with GitHub around it, for the tests of commands in comments."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gate.deliver import sticky
from tests.support.command_line import Shell
from tests.support.commented import Judged, Review, judged, review


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setattr(sticky, "_SETTLE_SECONDS", 0.0)
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="session")
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
