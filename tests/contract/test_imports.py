"""The import contract holds, and it fails when somebody breaks it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    environ = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [*command, "--no-cache"], cwd=root, env=environ, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT / "gate", tmp_path / "gate", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    return tmp_path


def test_contract_holds_as_committed(checkout: Path) -> None:
    result = lint(checkout)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("module", "line", "named"),
    [
        ("gate/compare/align.py", "from gate.render import escape", "gate.compare"),
        ("gate/schema/outcome.py", "def late():\n    import gate.settings\n", "gate.schema"),
        ("gate/stats/decide.py", "import random", "random"),
        ("gate/ingest/__init__.py", "def late():\n    import os\n", "os"),
        ("gate/record/plugin/__init__.py", "import click", "click"),
    ],
    ids=["sideways", "upwards-in-a-function", "impure", "impure-in-a-function", "heavy-plugin"],
)
def test_a_forbidden_import_breaks_the_contract(checkout: Path, module: str, line: str, named: str) -> None:
    path = checkout / module
    path.write_text(path.read_text(encoding="utf-8") + f"\n\n{line}\n", encoding="utf-8")
    result = lint(checkout)
    assert result.returncode == 1, result.stdout
    assert "BROKEN" in result.stdout
    assert named in result.stdout
