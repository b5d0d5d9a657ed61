"""The base of a pull request of which nothing is checked out: the same as of GitHub's merge commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines.base import resolve_base
from gate.baselines.git import Git
from gate.baselines.proposal import base_of_proposal
from gate.errors import RepositoryError
from gate.schema.refs import PullRequestRefs
from tests.support.repository import Repository


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "origin")
    made.commit({"a": "1\n2\n3\n4\n5\n", "b": "x"})
    made.branch("change")
    made.commit({"a": "1\n2\n3\n4\n6\n"})
    made.checkout("main")
    made.commit({"a": "0\n2\n3\n4\n5\n"})
    return made


def cloned(origin: Repository, path: Path) -> Repository:
    copy = origin.clone(path)
    copy.git("fetch", "--quiet", "origin", "+refs/heads/change:refs/gate/head")
    return copy


def test_it_shows_what_the_merge_commit_shows(origin: Repository, tmp_path: Path) -> None:
    base, head = origin.git("rev-parse", "main"), origin.git("rev-parse", "change")
    merge = origin.merge_like_github("main", "change")
    theirs = Git(origin.path)
    refs = PullRequestRefs(event_name="pull_request", base_sha=base, head_sha=head, checkout_sha=merge)
    usual = resolve_base(theirs, refs)
    copy = cloned(origin, tmp_path / "copy")
    ours = Git(copy.path)
    found = base_of_proposal(ours, base=base, head=head, branch="main")
    assert (found.commit, found.deciding, found.merge_commit) == (usual.commit, usual.deciding, True)
    assert ours.changed(found.since, found.head) == theirs.changed(usual.since, usual.head)
    assert ours.read(found.head, "a") == theirs.read(usual.head, "a") == b"0\n2\n3\n4\n6\n"
    assert (copy.path / "a").read_text() == "0\n2\n3\n4\n5\n", "nothing of the head is checked out"


def test_a_head_that_has_the_base_already(origin: Repository, tmp_path: Path) -> None:
    origin.checkout("change")
    origin.git("merge", "--quiet", "--no-edit", "main")
    copy = cloned(origin, tmp_path / "copy")
    found = base_of_proposal(Git(copy.path), base=origin.git("rev-parse", "main"), head=origin.head, branch="main")
    assert found.head == origin.head


def test_what_it_can_t_stand_on(origin: Repository, tmp_path: Path) -> None:
    base, head = origin.git("rev-parse", "main"), origin.git("rev-parse", "change")
    copy = Git(cloned(origin, tmp_path / "copy").path)
    for given, said in (
        ({"base": "c" * 40, "head": head, "branch": "main"}, "lacks the base"),
        ({"base": base, "head": "c" * 40, "branch": "main"}, "lacks the head"),
        ({"base": "", "head": head, "branch": "main"}, "lacks the base"),
        ({"base": head, "head": head, "branch": "main"}, "does not stand on `main`"),
        ({"base": base, "head": head, "branch": "gone"}, "does not stand on `gone`"),
    ):
        with pytest.raises(RepositoryError, match=said):
            base_of_proposal(copy, **given)


def test_a_conflict(origin: Repository, tmp_path: Path) -> None:
    base = origin.commit({"a": "1\n2\n3\n4\n7\n"})
    head = origin.git("rev-parse", "change")
    copy = Git(cloned(origin, tmp_path / "copy").path)
    with pytest.raises(RepositoryError, match="conflicts with its base"):
        base_of_proposal(copy, base=base, head=head, branch="main")
