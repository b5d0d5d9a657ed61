"""What a report says that it is of, and on which branch its reader stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines.base import default_branch
from gate.baselines.git import Git
from gate.baselines.measured import measured_commit, uncommitted
from tests.support.repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "project")
    made.commit({"model.py": "1\n", ".gitattributes": "*.txt filter=bad\n", "a.txt": "a\n"})
    return made


def test_a_clean_checkout_is_its_commit(repository: Repository) -> None:
    repository.write({"untracked.py": "1"})
    assert measured_commit(Git(repository.path), own=True) == repository.head
    assert uncommitted(repository.head) == ()


@pytest.mark.parametrize("staged", [False, True])
def test_changed_files_are_told(repository: Repository, staged: bool) -> None:
    repository.write({"model.py": "2\n"})
    if staged:
        repository.git("add", "model.py")
    commit = measured_commit(Git(repository.path), own=True)
    assert commit == f"{repository.head}-dirty"
    assert uncommitted(commit) == (f"the suite ran with uncommitted changes on top of {repository.head[:7]}",)


def test_a_file_that_was_only_touched_is_no_change(repository: Repository) -> None:
    (repository.path / "model.py").touch()
    assert measured_commit(Git(repository.path), own=True) == repository.head


def test_in_a_workflow_the_files_are_not_looked_at(repository: Repository, tmp_path: Path) -> None:
    """Comparing them would run the filters of a configuration that an earlier run may have written."""
    ran = tmp_path / "ran"
    repository.git("config", "filter.bad.clean", f"touch {ran}; cat")
    repository.write({"a.txt": "b\n"})
    assert measured_commit(Git(repository.path), own=False) == repository.head
    assert not ran.exists()


def test_without_a_commit_there_is_none(tmp_path: Path) -> None:
    Repository(tmp_path / "new")
    assert measured_commit(Git(tmp_path / "new"), own=True) == ""


def test_the_default_branch_is_what_the_remote_says(repository: Repository, tmp_path: Path) -> None:
    repository.git("branch", "develop")
    copy = repository.clone(tmp_path / "copy")
    copy.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    assert default_branch(Git(copy.path)) == "develop"


@pytest.mark.parametrize(("names", "expected"), [(["main"], "main"), (["master"], "master"), (["trunk", "x"], "trunk")])
def test_else_it_is_the_usual_name(repository: Repository, names: list[str], expected: str) -> None:
    repository.git("branch", "-m", "feature")
    for name in names:
        repository.git("branch", name)
    assert default_branch(Git(repository.path)) == expected


@pytest.mark.parametrize("name", ["master", "unusual/name"])
def test_else_it_is_the_branch_one_is_on_also_before_the_first_commit(tmp_path: Path, name: str) -> None:
    repository = Repository(tmp_path / "new")
    repository.git("symbolic-ref", "HEAD", f"refs/heads/{name}")
    git = Git(repository.path)
    assert (git.branch(), default_branch(git)) == (name, name)


def test_a_detached_head_is_on_no_branch(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--detach")
    assert Git(repository.path).branch() == ""
