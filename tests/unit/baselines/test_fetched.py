"""Commits of a pull request come as objects: nothing of them reaches the checkout, and no name is taken for more."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from gate.baselines.base import Base
from gate.baselines.fetched import base_of_pull_request, fetch_pull_request
from gate.baselines.git import Git
from gate.errors import RepositoryError, UndecidedError
from tests.support.repository import Repository

NUMBER = 7


@dataclass
class Story:
    """Main, a change that branched from it, main moved on, and a checkout of main."""

    origin: Repository
    head: str
    base: str
    tip: str
    merge: str
    checkout: Repository

    def fetch(self, base_ref: str = "main", token: str = "") -> None:
        root, environ = self.checkout.path, dict(os.environ)
        fetch_pull_request(
            root, NUMBER, base_ref=base_ref, server_url="https://github.com", token=token, environ=environ
        )

    def found(self, head: str = "") -> Base:
        return base_of_pull_request(Git(self.checkout.path), NUMBER, head or self.head, "main")


@pytest.fixture
def story(tmp_path: Path) -> Story:
    origin = Repository(tmp_path / "origin")
    base = origin.commit({"a.txt": "a"})
    origin.branch("change")
    head = origin.commit({"evil.py": "evil", ".gitattributes": "* filter=evil\n"})
    origin.checkout("main")
    tip = origin.commit({"b.txt": "b"})
    merge = origin.merge_like_github("main", "change", NUMBER)
    origin.git("branch", "-D", "change")  # as of a fork: there is no such branch here
    return Story(origin, head, base, tip, merge, origin.clone(tmp_path / "work", depth=None, ref="main"))


def test_the_test_merge_names_the_base(story: Story) -> None:
    before = sorted(path.name for path in story.checkout.path.iterdir())
    story.fetch(token="ghs_0123456789")
    found = story.found()
    assert (found.commit, found.head, found.merge_commit, found.proposed) == (story.tip, story.merge, True, True)
    assert sorted(path.name for path in story.checkout.path.iterdir()) == before
    assert story.checkout.head == story.tip


def test_without_a_test_merge_it_is_the_merge_base_under_the_tips_settings(story: Story) -> None:
    story.fetch()
    story.origin.git("update-ref", "-d", f"refs/pull/{NUMBER}/merge")
    story.fetch()  # what was fetched before is forgotten
    found = story.found()
    assert (found.commit, found.head, found.tip, found.deciding) == (story.base, story.head, story.tip, story.tip)


def test_a_merge_with_a_first_parent_of_ones_own_names_no_base(story: Story) -> None:
    story.origin.checkout(story.base)
    own = story.origin.commit({"baselines/default.jsonl": "{}"})
    story.origin.merge_like_github(own, story.head, NUMBER)
    story.fetch()
    assert story.found().commit == story.base


def test_a_base_branch_that_moved_on_is_fetched_too(story: Story) -> None:
    story.origin.checkout("main")
    tip = story.origin.commit({"c.txt": "c"})
    merge = story.origin.merge_like_github("main", story.head, NUMBER)
    story.fetch()
    assert (story.found().commit, story.found().head) == (tip, merge)


def test_a_head_that_moved_on(story: Story) -> None:
    story.fetch()
    with pytest.raises(UndecidedError, match=r"the head of #7 is not c{7} any more"):
        story.found("c" * 40)


def test_histories_that_share_nothing(story: Story) -> None:
    story.origin.git("checkout", "--quiet", "--orphan", "lone")
    head = story.origin.commit({"x.txt": "x"})
    story.origin.git("update-ref", f"refs/pull/{NUMBER}/head", head)
    story.origin.git("update-ref", "-d", f"refs/pull/{NUMBER}/merge")
    story.fetch()
    with pytest.raises(RepositoryError, match="shares no commit"):
        story.found(head)


def test_names_that_no_branch_has(story: Story) -> None:
    for name in ("main:refs/heads/main", "*", "", "-main", "a b", "a\nb", "a^", "a~1"):
        with pytest.raises(RepositoryError, match="no branch is called"):
            story.fetch(name)


def test_a_branch_that_is_gone(story: Story) -> None:
    with pytest.raises(RepositoryError, match="fetch"):
        story.fetch("gone")


def test_an_origin_that_is_not_reached(story: Story) -> None:
    for url in ("http://127.0.0.1:1/octo/model.git", story.origin.path.with_name("gone").as_uri()):
        story.checkout.git("remote", "set-url", "origin", url)
        with pytest.raises(UndecidedError, match="`origin` can't be reached") as caught:
            story.fetch()
        assert "run the job again" in caught.value.remedy


def test_objects_that_git_refuses(story: Story) -> None:
    """A tree with a `.git` in it would be dangerous to whoever checks it out; it does not even come in."""
    blob = story.origin.git("hash-object", "-w", "--stdin", text="[core]\n")
    inner = story.origin.git("mktree", text=f"100644 blob {blob}\tconfig\n")
    tree = story.origin.git("mktree", text=f"040000 tree {inner}\t.git\n")
    head = story.origin.git("commit-tree", tree, "-p", story.base, "-m", "evil")
    story.origin.git("update-ref", f"refs/pull/{NUMBER}/head", head)
    with pytest.raises(RepositoryError, match="fetch"):
        story.fetch()
    assert not Git(story.checkout.path).has(head)
