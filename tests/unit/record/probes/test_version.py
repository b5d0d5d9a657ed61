"""What an agent's program says of its version."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.record.probes.agents.agent import Identity
from gate.record.probes.agents.program import Program
from gate.record.probes.agents.version import version_of
from gate.record.probes.candidate import fingerprints_of
from gate.sandbox.cell import Cell

ME = Identity(command="agent")


def program(path: Path) -> Program:
    return Program(path, (path,), "/usr/bin:/bin")


def test_the_first_line_with_a_number_counts(tmp_path: Path, cell: Cell) -> None:
    script = tmp_path / "agent"
    script.write_text("#!/bin/sh\necho 'an agent'\necho \"  agent  v1.4.2 ($1)\"\necho 9.9\n", encoding="utf-8")
    script.chmod(0o755)
    assert version_of(program(script), cell) == "agent v1.4.2 (--version)"


@pytest.mark.parametrize("body", ["echo none", "echo 1.0; exit 3", "kill -9 $$"])
def test_a_program_that_says_nothing_of_it_has_none(tmp_path: Path, cell: Cell, body: str) -> None:
    script = tmp_path / "agent"
    script.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    script.chmod(0o755)
    assert version_of(program(script), cell) == ""


def test_a_file_of_the_user_is_known_by_its_content(cell: Cell) -> None:
    assert version_of(None, cell) == ""


def test_a_candidate_names_it_where_it_is_known() -> None:
    assert fingerprints_of(ME, [], [], "agent v1")["agent-version"] == "agent v1"
    assert "agent-version" not in fingerprints_of(ME, [], [])
