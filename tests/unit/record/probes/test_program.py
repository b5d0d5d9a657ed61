"""What a cell opens so that a command's program can run, and that it opens nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.record.probes.agents.program import Program, find_program


def script(path: Path, first: str = "#!/bin/sh") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def find(word: str, root: Path, *folders: str) -> Program:
    search = ":".join(str(root / folder) for folder in folders)
    return find_program(word, search=search, home=root / "home", checkout=root / "home" / "checkout")


def test_a_program_of_the_system_needs_nothing_further(tmp_path: Path) -> None:
    found = find_program("sh", search="/usr/bin:/bin", home=tmp_path, checkout=tmp_path)
    assert found.readable == ()
    assert found.path.name == "sh"


def test_an_installation_is_opened_as_a_whole_with_that_of_its_interpreter(tmp_path: Path) -> None:
    script(tmp_path / "node" / "bin" / "node", "\x7fELF")
    package = script(tmp_path / "npm" / "lib" / "node_modules" / "agent" / "cli.js", "#!/usr/bin/env node")
    (tmp_path / "npm" / "bin").mkdir()
    (tmp_path / "npm" / "bin" / "agent").symlink_to("../lib/node_modules/agent/cli.js")
    found = find("agent", tmp_path, "npm/bin", "node/bin")
    modules = package.parent.parent
    assert set(found.readable) == {tmp_path / "npm", modules, tmp_path / "node"}
    assert found.search.split(":")[:2] == [str(tmp_path / "npm" / "bin"), str(tmp_path / "node" / "bin")]


def test_neither_the_home_nor_the_checkout_is_opened_as_a_whole(tmp_path: Path) -> None:
    script(tmp_path / "home" / "bin" / "mine")
    script(tmp_path / "home" / "checkout" / ".venv" / "bin" / "tool")
    script(tmp_path / "home" / "loose")
    assert find("mine", tmp_path, "home/bin").readable == (tmp_path / "home" / "bin",)
    assert find("tool", tmp_path, "home/checkout/.venv/bin").readable == (tmp_path / "home" / "checkout" / ".venv",)
    assert find("loose", tmp_path, "home").readable == (tmp_path / "home" / "loose",)


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x", encoding="utf-8")
    for word in ("data", "absent", str(tmp_path)):
        with pytest.raises(UsageError) as refused:
            find(word, tmp_path, ".")
        assert refused.value.remedy
