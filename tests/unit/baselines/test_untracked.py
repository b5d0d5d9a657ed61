"""An overlay that the head tracks is refused, by whatever way it is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines.git import Git
from gate.baselines.untracked import refuse_tracked_overlay
from gate.errors import RepositoryError
from tests.support.repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "project")
    found.commit({"sub/kept/t.py.jsonl": "{}", "sub/gate.toml": ""}, "overlay")
    (found.path / "sub" / "free").mkdir()
    (found.path / "sub" / "free" / "t.py.jsonl").write_text("{}", encoding="ascii")
    (found.path / "sub" / "link").symlink_to("kept")
    return found


@pytest.mark.parametrize("overlay", ["kept", "./kept/", "free/../kept", "link", "../sub/kept", "."])
def test_a_tracked_one_is_refused(repository: Repository, overlay: str) -> None:
    git = Git(repository.path / "sub")
    with pytest.raises(RepositoryError, match="the overlay is tracked") as caught:
        refuse_tracked_overlay(git, git.head(), overlay)
    assert "gate record" in caught.value.remedy


def test_an_absolute_path_into_the_checkout_is_no_way_around(repository: Repository) -> None:
    git = Git(repository.path / "sub")
    with pytest.raises(RepositoryError, match="tracked"):
        refuse_tracked_overlay(git, git.head(), str(repository.path / "sub" / "kept"))


@pytest.mark.parametrize("overlay", ["free", "missing", "../../elsewhere", "/nowhere/at/all"])
def test_others_are_taken(repository: Repository, overlay: str) -> None:
    git = Git(repository.path / "sub")
    refuse_tracked_overlay(git, git.head(), overlay)
