"""`gate mutants list`: what would be tried, and what it may cost, without any trial."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Shell
from tests.support.mutation_project import BANK, STRONG
from tests.support.repository import Repository


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def test_list(shell: Shell, repository: Repository) -> None:
    repository.write({"bank.py": BANK, "tests/test_a.py": STRONG, "gate.toml": 'arguments = "tests"\n'})
    environ = {"PYTHONPATH": str(repository.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = shell("mutants", "list", cwd=repository.path, **environ)
    assert ended.code == 0
    assert "bank:PROMPT: 4 of 4 mutants" in ended.out
    assert "delete-constraint: delete “You must always verify customer identity" in ended.out
    assert "calls: " in ended.out
    assert "251 at most" not in ended.out  # a sample of each kill comes on top

    told = json.loads(shell("mutants", "list", "--json", cwd=repository.path, **environ).out)
    assert told["calls"]["most"] == 10 + 1 + 4 * (60 + 10)


def test_what_can_not_be_collected_is_said(shell: Shell, repository: Repository) -> None:
    repository.write({"bank.py": BANK, "tests/test_a.py": STRONG.replace("bank:PROMPT", "bank:PROMTP")})
    environ = {"PYTHONPATH": str(repository.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = shell("mutants", "list", "--", "tests", cwd=repository.path, **environ)
    assert ended.code == 3
    assert "did you mean `PROMPT`" in ended.err
