"""The user's files in an agent's cell, and what is refused as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.record.probes.agents import home
from gate.record.probes.agents.home import read_files, read_overlay


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_files_come_with_their_modes_sorted_and_without_what_tools_leave(tmp_path: Path) -> None:
    write(tmp_path / "z" / "run.sh").chmod(0o755)
    write(tmp_path / "a.md")
    write(tmp_path / ".git" / "config")
    write(tmp_path / "z" / "__pycache__" / "a.pyc")
    found = read_overlay(tmp_path)
    assert list(found.content) == ["a.md", "z/run.sh"]
    assert found.executable == {"z/run.sh"}


def test_the_digest_knows_paths_contents_and_modes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md")
    seen = [read_overlay(tmp_path).digest]
    path.chmod(0o755)
    seen.append(read_overlay(tmp_path).digest)
    write(path, "y")
    seen.append(read_overlay(tmp_path).digest)
    path.rename(tmp_path / "b.md")
    seen.append(read_overlay(tmp_path).digest)
    assert len(set(seen)) == 4
    assert home.NONE.digest == ""


@pytest.mark.parametrize(
    "name", [".claude/.credentials.json", ".codex/auth.json", ".ssh/id_ed25519", ".git-credentials"]
)
def test_a_credential_is_refused_by_its_place(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    with pytest.raises(UsageError, match="credential"):
        read_overlay(tmp_path)


def test_links_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "outside" / "secret")
    (tmp_path / "home").mkdir()
    for target in ("secret", ""):
        link = tmp_path / "home" / "link"
        link.symlink_to(tmp_path / "outside" / target)
        with pytest.raises(UsageError, match="no plain file"):
            read_overlay(tmp_path / "home")
        link.unlink()


def test_absent_too_large_or_elsewhere_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="not exist"):
        read_overlay(tmp_path / "none")
    path = write(tmp_path / "a" / "x", "12345")
    with pytest.raises(UsageError, match="not below"):
        read_files([path], tmp_path / "b", "agent-files")
    monkeypatch.setattr(home, "MOST_BYTES", 4)
    with pytest.raises(UsageError, match="more than"):
        read_overlay(tmp_path / "a")
