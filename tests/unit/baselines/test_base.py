"""Which commit decides, over real repositories in every form of checkout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gate.baselines.base import read_at, resolve_base
from gate.baselines.git import Git
from gate.errors import DeliveryError, RepositoryError
from gate.schema.refs import PullRequestRefs
from tests.support.repository import Repository


@dataclass
class Story:
    """A fork point, a head that branches from it, and a main that has moved on since."""

    origin: Repository
    fork: str
    head: str
    main: str
    merge: str

    def refs(self, name: str = "pull_request", checkout: str | None = None) -> PullRequestRefs:
        return PullRequestRefs(name, self.fork, "main", self.head, "", self.merge if checkout is None else checkout)

    def fetch(self, path: str, ref: str) -> bytes | None:
        names = self.origin.git("ls-tree", "--name-only", ref, path)
        return (self.origin.git("show", f"{ref}:{path}")).encode() if names else None


@pytest.fixture
def story(tmp_path: Path) -> Story:
    origin = Repository(tmp_path / "origin")
    origin.commit({"a.txt": "0"})
    fork = origin.commit({"a.txt": "fork"})
    origin.branch("feature")
    origin.commit({"b.txt": "1"})
    head = origin.commit({"b.txt": "head"})
    origin.checkout("main")
    main = origin.commit({"a.txt": "moved on"})
    merge = origin.merge_like_github("main", "feature", 7)
    return Story(origin, fork, head, main, merge)


@pytest.mark.parametrize("depth", [2, 3, None])
def test_first_parent_of_githubs_merge_commit_also_when_main_moved_on(
    story: Story, tmp_path: Path, depth: int | None
) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", depth, "refs/pull/7/merge").path)
    base = resolve_base(git, story.refs())
    assert (base.commit, base.head, base.merge_commit, base.proposed) == (story.main, story.merge, True, True)
    assert base.how == "first parent of the merge commit"
    assert read_at(git, base, "a.txt") == b"moved on"
    assert git.changed(base.since, base.head)[0] == ("b.txt",)


def test_merge_commit_at_depth_1_uses_the_contents_api(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", 1, "refs/pull/7/merge").path)
    base = resolve_base(git, story.refs(), fetch=story.fetch)
    assert (base.commit, base.local) == (story.main, False)
    assert read_at(git, base, "a.txt", fetch=story.fetch) == b"moved on"
    assert read_at(git, base, "nothing.txt", fetch=story.fetch) is None
    with pytest.raises(RepositoryError, match="8 bytes are more than the limit of 7"):
        read_at(git, base, "a.txt", fetch=story.fetch, limit=7)


def test_merge_commit_at_depth_1_without_api_names_fetch_depth_2(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", 1, "refs/pull/7/merge").path)
    with pytest.raises(RepositoryError, match="lacks the base") as caught:
        resolve_base(git, story.refs())
    assert "`fetch-depth: 2`" in caught.value.remedy


def test_an_api_that_fails_is_no_absent_file(story: Story, tmp_path: Path) -> None:
    def down(path: str, ref: str) -> bytes | None:
        raise DeliveryError("503 from the server")

    git = Git(story.origin.clone(tmp_path / "copy", 1, "refs/pull/7/merge").path)
    base = resolve_base(git, story.refs(), fetch=down)
    with pytest.raises(RepositoryError, match="503 from the server") as caught:
        read_at(git, base, "a.txt", fetch=down)
    assert "fetch-depth: 2" in caught.value.remedy
    assert "contents: read" in caught.value.remedy


def test_head_checked_out_takes_the_merge_base(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", None, "feature").path)
    for event in ("pull_request", "pull_request_target"):
        base = resolve_base(git, story.refs(event))
        assert (base.commit, base.merge_commit, base.head_checked_out) == (story.fork, False, True)
        assert base.how == "merge base with `main`"


def test_shallow_head_without_api_names_fetch_depth_0(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", 1, "feature").path)
    with pytest.raises(RepositoryError, match="lacks the base") as caught:
        resolve_base(git, story.refs())
    assert "`fetch-depth: 0`" in caught.value.remedy


def test_shallow_head_with_api_takes_the_events_base(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", 1, "feature").path)
    base = resolve_base(git, story.refs(), fetch=story.fetch)
    assert (base.commit, base.local) == (story.fork, False)
    assert "lacks the history" in base.how


def test_a_merge_commit_of_the_authors_own_is_not_githubs(story: Story, tmp_path: Path) -> None:
    """The author pushed after the event: a merge of a baseline to their liking with the event's head."""
    origin = story.origin
    origin.checkout(story.fork)
    origin.branch("evil")
    evil = origin.commit({"a.txt": "evil"})
    forged = origin.merge_like_github(evil, story.head, 8)
    git = Git(origin.clone(tmp_path / "copy", None, "refs/pull/8/merge").path)
    assert git.parents(forged) == (evil, story.head)
    base = resolve_base(git, story.refs("pull_request_target", checkout=story.main))
    assert base.commit == story.fork
    base = resolve_base(git, story.refs("pull_request", checkout=story.merge))
    assert base.commit == story.fork


def test_merge_ref_under_pull_request_target(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", None, "refs/pull/7/merge").path)
    base = resolve_base(git, story.refs("pull_request_target", checkout=story.main))
    assert (base.commit, base.merge_commit) == (story.main, True)


def test_base_branch_checked_out_is_said(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", 1, "main").path)
    base = resolve_base(git, story.refs("pull_request_target", checkout=story.main))
    assert (base.commit, base.head_checked_out, base.local) == (story.main, False, True)


def test_merge_queue_takes_its_own_base(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", 2, "refs/pull/7/merge").path)
    base = resolve_base(git, PullRequestRefs("merge_group", merge_group_base=story.main, checkout_sha=story.merge))
    assert (base.commit, base.proposed) == (story.main, True)
    with pytest.raises(RepositoryError, match="names no base"):
        resolve_base(git, PullRequestRefs("merge_group"))


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch"])
@pytest.mark.parametrize("depth", [1, None])
def test_on_main_the_commit_itself_decides(story: Story, tmp_path: Path, event: str, depth: int | None) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", depth, "main").path)
    base = resolve_base(git, PullRequestRefs(event, base_ref="main", checkout_sha=story.main))
    assert (base.commit, base.proposed, base.since) == (story.main, False, story.fork)


@pytest.mark.parametrize("event", ["push", "issue_comment", "an_event_of_tomorrow"])
def test_what_is_not_on_the_default_branch_is_a_proposal(story: Story, tmp_path: Path, event: str) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", None, "feature").path)
    refs = PullRequestRefs(event, base_ref="main", checkout_sha=story.head, ref="refs/heads/feature")
    base = resolve_base(git, refs)
    assert (base.commit, base.deciding, base.proposed) == (story.fork, story.main, True)


@pytest.mark.parametrize("ref", ["feature", "refs/pull/7/merge", "refs/pull/7/head"])
@pytest.mark.parametrize("depth", [1, 2])
def test_a_shallow_clone_decides_nothing_about_itself(story: Story, tmp_path: Path, ref: str, depth: int) -> None:
    """Such a workflow checks out somebody's commit, and the clone lacks the default branch."""
    git = Git(story.origin.clone(tmp_path / "copy", depth, ref).path)
    for refs in (
        PullRequestRefs("issue_comment", base_ref="main", checkout_sha=story.main, ref="refs/heads/main"),
        PullRequestRefs("push", base_ref="main", checkout_sha=git.head(), ref="refs/heads/feature"),
        PullRequestRefs("workflow_dispatch", checkout_sha=git.head(), ref="refs/heads/main"),
        PullRequestRefs("release", base_ref="main", checkout_sha=git.head(), ref="refs/tags/main"),
    ):
        with pytest.raises(RepositoryError, match="can't decide about itself") as caught:
            resolve_base(git, refs)
        assert "`fetch-depth: 0`" in caught.value.remedy


@pytest.mark.parametrize("event", ["push", "schedule"])
def test_what_the_runner_calls_the_tip_of_the_default_branch_decides(story: Story, tmp_path: Path, event: str) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", 1, "main").path)
    Repository(git.root).git("update-ref", "-d", "refs/remotes/origin/main")
    base = resolve_base(git, PullRequestRefs(event, base_ref="main", checkout_sha=story.main, ref="refs/heads/main"))
    assert (base.commit, base.proposed, base.since) == (story.main, False, story.fork)


def test_the_remote_tells_the_default_branch_where_the_event_does_not(story: Story, tmp_path: Path) -> None:
    copy = story.origin.clone(tmp_path / "copy", None, "feature")
    copy.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert resolve_base(Git(copy.path), PullRequestRefs("push")).commit == story.fork
    copy.checkout(story.main)
    assert resolve_base(Git(copy.path), PullRequestRefs("push")).proposed is False


def test_a_review_is_about_a_pull_request(story: Story, tmp_path: Path) -> None:
    """Its `GITHUB_SHA` is GitHub's merge commit, as that of `pull_request` is."""
    refs = PullRequestRefs(
        "pull_request_review", story.fork, "main", story.head, "", story.merge, "refs/pull/7/merge", number=7
    )
    merged = Git(story.origin.clone(tmp_path / "merge", 2, "refs/pull/7/merge").path)
    assert resolve_base(merged, refs).commit == story.main
    head = Git(story.origin.clone(tmp_path / "head", None, "refs/pull/7/head").path)
    base = resolve_base(head, refs)
    assert (base.commit, base.deciding, base.proposed) == (story.fork, story.main, True)


@pytest.mark.parametrize(
    ("address", "trusted"),
    [
        ("https://github.com/octo/model", True),
        ("https://x-access-token:t@ghe.example:8443/prefix/Octo/Model.git/", True),
        ("git@github.com:octo/model.git", True),
        ("ssh://git@ssh.github.com:443/octo/model.git", True),
        ("/srv/mirrors/stranger/model", True),
        ("https://github.com/stranger/model", False),
        ("git@github.com:stranger/model.git", False),
    ],
)
def test_a_branch_of_a_fork_is_no_base(story: Story, tmp_path: Path, address: str, trusted: bool) -> None:
    """`repository:` at actions/checkout makes the fork `origin`, whose `main` whoever proposes may move at will."""
    origin = story.origin
    origin.checkout(story.head)
    origin.branch("loose")
    loose = origin.commit({"a.txt": "loose"})
    copy = origin.clone(tmp_path / "copy", None, "loose")
    head = copy.commit({"b.txt": "bad"})
    copy.git("update-ref", "refs/remotes/origin/main", loose)
    copy.git("remote", "set-url", "origin", address)
    refs = PullRequestRefs("pull_request_target", story.main, "main", head, "", story.main, repository="octo/model")
    base = resolve_base(Git(copy.path), refs)
    assert base.commit == (loose if trusted else story.fork)
    assert base.deciding == (loose if trusted else story.main)


def test_a_head_that_was_merged_since_is_not_its_own_base(story: Story, tmp_path: Path) -> None:
    """A run that is repeated after the merge, or an `origin/main` that is the head itself."""
    copy = story.origin.clone(tmp_path / "copy", None, "feature")
    copy.git("update-ref", "refs/remotes/origin/main", story.head)
    base = resolve_base(Git(copy.path), story.refs())
    assert (base.commit, base.proposed) == (story.fork, True)


@pytest.mark.parametrize("event", ["push", "workflow_dispatch", "pull_request"])
def test_a_named_base_decides_whatever_the_event(story: Story, event: str) -> None:
    story.origin.checkout("feature")
    base = resolve_base(Git(story.origin.path), PullRequestRefs(event, base_ref="main"), explicit="main")
    assert (base.commit, base.deciding, base.proposed) == (story.fork, story.main, True)


def test_an_event_without_base_fields(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", 1, "feature").path)
    with pytest.raises(RepositoryError, match="names no base commit") as caught:
        resolve_base(git, PullRequestRefs("pull_request", head_sha=story.head))
    assert "--base" in caught.value.remedy


def test_shell_on_a_branch(story: Story, tmp_path: Path) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", None, "feature").path)
    base = resolve_base(git)
    assert (base.commit, base.how, base.proposed) == (story.fork, "merge base with `origin/main`", True)
    assert (base.deciding, base.shell) == (story.main, True)


def test_shell_on_main_and_on_a_local_branch(story: Story) -> None:
    story.origin.checkout("main")
    base = resolve_base(Git(story.origin.path))
    assert (base.commit, base.how) == (story.main, "HEAD, which is `main`")
    story.origin.checkout("feature")
    assert resolve_base(Git(story.origin.path)).how == "merge base with `main`"


def test_shell_on_a_branch_without_a_commit_of_its_own_is_on_main(story: Story) -> None:
    story.origin.checkout(story.fork)
    story.origin.branch("fresh")
    base = resolve_base(Git(story.origin.path))
    assert (base.commit, base.proposed, base.how) == (story.fork, False, "HEAD, which `main` contains")


def test_shell_detached(story: Story) -> None:
    story.origin.checkout(story.head)
    assert resolve_base(Git(story.origin.path)).commit == story.fork


def test_shell_without_any_known_branch(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit({"a": "1"})
    repository.git("branch", "-m", "unusual")
    with pytest.raises(RepositoryError, match="no branch to compare with: looked for `origin/HEAD`") as caught:
        resolve_base(Git(repository.path))
    assert "--base" in caught.value.remedy


@pytest.mark.parametrize("name", ["main~1", "refs/heads/main~1"])
def test_explicit_base_decides(story: Story, name: str) -> None:
    story.origin.checkout("feature")
    base = resolve_base(Git(story.origin.path), explicit=name)
    assert (base.commit, base.proposed, base.how) == (story.fork, True, f"`{name}`, as asked")


def test_an_explicit_base_that_moved_on_is_left_where_the_branch_left_it(story: Story) -> None:
    """Else everything that is new on main would look lost here."""
    story.origin.checkout("feature")
    base = resolve_base(Git(story.origin.path), explicit="main")
    assert (base.commit, base.deciding) == (story.fork, story.main)
    assert base.how == f"merge base with `main`, which is at {story.main[:7]}"


@pytest.mark.parametrize("depth", [2, None])
def test_an_explicit_base_is_taken_as_it_is_by_a_merge_commit_on_it(
    story: Story, tmp_path: Path, depth: int | None
) -> None:
    git = Git(story.origin.clone(tmp_path / "copy", depth, "refs/pull/7/merge").path)
    base = resolve_base(git, explicit=story.main)
    assert (base.commit, base.deciding, base.merge_commit) == (story.main, story.main, True)
    assert base.how == f"`{story.main}`, as asked"


def test_an_explicit_base_that_contains_the_head_is_the_head_itself(story: Story) -> None:
    story.origin.checkout(story.fork)
    base = resolve_base(Git(story.origin.path), explicit="main")
    assert (base.commit, base.deciding, base.proposed) == (story.fork, story.main, True)


def test_an_explicit_base_without_common_history_is_taken_as_it_is(story: Story, tmp_path: Path) -> None:
    copy = story.origin.clone(tmp_path / "copy", 1, "feature")
    copy.git("fetch", "--quiet", "--depth=1", "origin", "+refs/heads/main:refs/remotes/origin/main")
    base = resolve_base(Git(copy.path), explicit="origin/main")
    assert base.commit == story.main
    assert base.how.endswith("since no commit that both share is here")


@pytest.mark.parametrize("name", ["nothing", "--help", "0" * 40])
def test_explicit_base_that_is_no_commit(story: Story, name: str) -> None:
    with pytest.raises(RepositoryError, match="no commit is called"):
        resolve_base(Git(story.origin.path), explicit=name)


def test_a_branch_called_like_a_commit_is_no_base(story: Story, tmp_path: Path) -> None:
    """A ref named as the base's 40 digits points elsewhere; the commit of that name is meant."""
    story.origin.git("update-ref", f"refs/heads/{story.main}", story.head)
    git = Git(story.origin.clone(tmp_path / "copy", None, "refs/pull/7/merge").path)
    base = resolve_base(git, story.refs())
    assert read_at(git, base, "a.txt") == b"moved on"
