"""The last refreshes of a baseline, from real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines import history as module
from gate.baselines.git import Git
from gate.baselines.history import history
from tests.support.repository import Repository

PATH = "baselines/default.jsonl"
LIMIT = 10_000


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Five versions of a baseline, with other commits in between."""
    made = Repository(tmp_path_factory.mktemp("history") / "made")
    for number in range(5):
        made.commit({PATH: f"version {number}\n"}, f"refresh {number}")
        made.commit({"code.py": f"{number}\n"}, "code")
    return made


def versions(found: object) -> list[str]:
    return [each.data.decode().strip() for each in found.kept]  # type: ignore[attr-defined]


def test_oldest_first_with_the_commit_that_brought_it(repository: Repository) -> None:
    git = Git(repository.path)
    found = history(git, PATH, "HEAD", limit=LIMIT)
    assert versions(found) == [f"version {number}" for number in range(5)]
    assert found.cut == ""
    assert found.kept[-1].commit == git.resolve("HEAD~1")
    assert found.kept[-1].when > found.kept[0].when
    assert found.kept[-1].name == f"{PATH} at {found.kept[-1].commit[:7]}"


def test_only_up_to_the_base_and_only_so_many(repository: Repository) -> None:
    git = Git(repository.path)
    assert versions(history(git, PATH, "HEAD~4", limit=LIMIT)) == ["version 0", "version 1", "version 2"]
    assert versions(history(git, PATH, "HEAD", limit=LIMIT, most=2)) == ["version 3", "version 4"]
    assert history(git, "baselines/other.jsonl", "HEAD", limit=LIMIT).kept == ()


def test_a_shallow_clone_says_so(repository: Repository, tmp_path: Path) -> None:
    clone = repository.clone(tmp_path / "clone", depth=4)
    found = history(Git(clone.path), PATH, "HEAD", limit=LIMIT)
    assert versions(found) == ["version 4"]
    assert "fetch-depth: 0" in found.cut


def test_what_can_not_be_read_is_passed_over(repository: Repository, tmp_path: Path) -> None:
    other = repository.clone(tmp_path / "other")
    other.commit({PATH: None}, "gone")
    other.commit({PATH: "x" * (LIMIT + 1)}, "too large")
    other.commit({PATH: "version 5\n"}, "refresh 5")
    found = history(Git(other.path), PATH, "HEAD", limit=LIMIT)
    assert versions(found) == [f"version {number}" for number in range(6)]


def test_large_baselines_end_the_trend(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 25)
    found = history(Git(repository.path), PATH, "HEAD", limit=LIMIT)
    assert versions(found) == ["version 3", "version 4"]
    assert "larger than" in found.cut
