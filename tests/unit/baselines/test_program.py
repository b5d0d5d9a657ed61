"""git is found where the PATH says, and never in the checkout."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gate.baselines.program import find_git
from gate.errors import RepositoryError


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with programs in which a pull request waits to be called."""
    folder = tmp_path / "checkout"
    for name in ("git", "git.bat", "git.exe", "git.cmd"):
        program(folder / name)
    monkeypatch.chdir(folder)
    return folder


def path_of(*folders: object) -> str:
    return os.pathsep.join(map(str, folders))


@pytest.mark.usefixtures("checkout")
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("entry", ["", ".", "bin", "./"])
def test_the_checkout_is_not_searched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str, entry: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    empty = tmp_path / "empty"
    empty.mkdir()
    for path in (path_of(entry, empty), path_of(empty, entry), str(empty)):
        with pytest.raises(RepositoryError, match="git is not installed"):
            find_git({"PATH": path, "PATHEXT": ".COM;.EXE;.BAT;.CMD"})


@pytest.mark.usefixtures("checkout")
def test_on_windows_the_endings_are_tried_in_their_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    there = program(tmp_path / "tools" / "git.exe")
    program(tmp_path / "tools" / "git.cmd")
    program(tmp_path / "tools" / "git")
    assert find_git({"PATH": path_of(".", f'"{tmp_path / "tools"}"')}) == there
    assert find_git({"PATH": str(tmp_path / "tools"), "PATHEXT": ".CMD;;.EXE"}).endswith("git.cmd")
    with pytest.raises(RepositoryError):
        find_git({"PATH": str(tmp_path / "tools"), "PATHEXT": ".VBS"})


def test_elsewhere_the_first_folder_that_has_one_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    (tmp_path / "folder" / "git").mkdir(parents=True)
    first, _ = program(tmp_path / "one" / "git"), program(tmp_path / "two" / "git")
    path = path_of(tmp_path / "absent", tmp_path / "folder", tmp_path / "one", tmp_path / "two")
    assert find_git({"PATH": path}) == first
    assert Path(find_git(os.environ)).is_absolute()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permission")
def test_a_file_that_nobody_may_run_is_no_program(tmp_path: Path) -> None:
    Path(program(tmp_path / "git")).chmod(0o644)
    with pytest.raises(RepositoryError):
        find_git({"PATH": str(tmp_path)})
