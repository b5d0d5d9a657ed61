"""The base of a checkout: which commit decides, how it was found, and reading files there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from gate.baselines.git import MAX_BYTES, Git, MissingObjectError
from gate.errors import GateError, RepositoryError
from gate.schema.refs import PullRequestRefs

Fetch = Callable[[str, str], bytes | None]
"""(path, commit) -> content by the contents API, None when that commit has no such file. Raises for anything else."""

_NAMES = ("main", "master", "trunk")
_ADDRESS = re.compile(r"(?:://[^/]+/|^[^/:]{2,}:(?!//))(?:.*/)?(?P<name>[^/]+/[^/]+?)(?:\.git)?/?$")
"""A remote's address with owner and name at its end; a path on this machine is none."""
_DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", *_NAMES)


@dataclass(frozen=True, slots=True)
class Base:
    """The commit that decides.

    Attributes:
        commit: full name; its baseline judges.
        how: how it was found, in words for the foot of the comment.
        head: full name of the commit that is checked out.
        merge_commit: whether HEAD is GitHub's merge commit of the pull request.
        proposed: whether HEAD is somebody's proposal, so that nothing of it may decide.
        local: whether the objects of `commit` are in the clone; else they come by the contents API.
        since: commit from which changed paths count; `commit`, or the parent of a commit that is its own base.
        head_checked_out: False when `pull_request_target` checked out the base branch, so only a report made
            elsewhere can be judged here.
        shell: whether somebody judges a working tree of their own, where the head's side need not be committed yet.
        tip: tip of the base branch where the head branched from an older commit, since settings decide as they are
            now; empty where `commit` decides.
    """

    commit: str
    how: str
    head: str
    merge_commit: bool = False
    proposed: bool = True
    local: bool = True
    since: str = ""
    head_checked_out: bool = True
    shell: bool = False
    tip: str = ""

    @property
    def deciding(self) -> str:
        """The commit whose settings decide."""
        return self.tip or self.commit

    @property
    def short(self) -> str:
        """The first seven characters, as users see commits."""
        return self.commit[:7]


def resolve_base(
    git: Git,
    refs: PullRequestRefs | None = None,
    *,
    explicit: str | None = None,
    fetch: Fetch | None = None,
) -> Base:
    """Find the base as DESIGN says: the user's own, a merge commit's first parent, the queue's, or the merge base.

    Args:
        refs: commits of GitHub's event; None in a shell.
        explicit: what the user named (`--base`).
        fetch: the contents API; without it the objects of the base must be in the clone.

    Raises:
        RepositoryError: nothing to compare with, the checkout is not of this pull request, or objects are missing
            (with the `fetch-depth` to set).
    """
    head = git.head()
    shell = refs is None or not refs.event_name
    if explicit:
        base = _named(git, explicit, head)
    elif refs is None or shell:
        base = _from_shell(git, head)
    elif refs.event_name == "merge_group":
        base = _queued(git, refs, head)
    elif refs.pull_request:
        base = _of_pull_request(git, refs, head)
    else:
        base = _of_branch(git, refs, head)
    return _located(git, replace(base, shell=shell), fetch)


def default_branch(git: Git) -> str:
    """Name of the branch that pull requests go into, as far as the clone shows; empty when nothing here tells it."""
    told = git.branch("refs/remotes/origin/HEAD").removeprefix("origin/")
    here = (name for name in _NAMES if git.resolve(f"refs/remotes/origin/{name}") or git.resolve(f"refs/heads/{name}"))
    return told or next(here, "") or git.branch()


def read_at(
    git: Git, base: Base, path: str, *, commit: str = "", fetch: Fetch | None = None, limit: int = MAX_BYTES
) -> bytes | None:
    """Content of a file at the base, from the clone, else by the contents API; None when the base has none.

    Args:
        commit: another commit of the base branch.

    Raises:
        RepositoryError: it is no plain file, or too large.
        MissingObjectError: neither way gives it.
    """
    commit = commit or base.commit
    try:
        return git.read(commit, path, limit=limit)
    except MissingObjectError:
        if fetch is None:
            raise _missing(base) from None
    try:
        data = fetch(path, commit)
    except GateError as error:
        raise MissingObjectError(
            f"the clone lacks the base {base.short}, and the contents API did not give `{path}`: {error.message}",
            remedy=_depth(base) + ", or give the token `contents: read`",
        ) from error
    if data is not None and len(data) > limit:
        raise RepositoryError(
            f"{len(data):,} bytes are more than the limit of {limit:,}",
            where=f"{path} at {commit[:7]}",
            remedy="raise `max-report-bytes`",
        )
    return data


def _named(git: Git, name: str, head: str) -> Base:
    commit = git.resolve(name)
    if commit is None:
        raise RepositoryError(
            f"no commit is called `{name:.80}` here",
            where="--base",
            remedy="fetch it first (`git fetch origin`), or in a workflow set `fetch-depth: 0`",
        )
    parents = git.parents(head)
    if parents[:1] == (commit,) or git.is_ancestor(commit, head):  # a shallow clone names parents that it lacks
        merge_commit = len(parents) > 1 and parents[0] == commit
        return Base(commit, f"`{name}`, as asked", head, merge_commit=merge_commit)
    # a tip that has moved on would show everything that is new there as lost here
    found = git.merge_base(head, commit) if git.has(commit) else None
    if found is not None:
        return Base(found, f"merge base with `{name}`, which is at {commit[:7]}", head, tip=commit)
    return Base(commit, f"`{name}`, as asked, since no commit that both share is here", head)


def _from_shell(git: Git, head: str) -> Base:
    for branch in _DEFAULT_BRANCHES:
        tip = git.resolve(f"refs/remotes/{branch}" if branch.startswith("origin/") else f"refs/heads/{branch}")
        if tip is None:
            continue
        if tip == head:
            return _itself(git, head, f"HEAD, which is `{branch}`")
        found = git.merge_base(head, tip)
        if found == head:
            return _itself(git, head, f"HEAD, which `{branch}` contains")
        if found is not None:
            return Base(found, f"merge base with `{branch}`", head, tip=tip)
    raise RepositoryError(
        "no branch to compare with: looked for " + ", ".join(f"`{branch}`" for branch in _DEFAULT_BRANCHES),
        where=str(git.root),
        remedy="name one with --base; in a shallow clone `git fetch --unshallow` first",
    )


def _queued(git: Git, refs: PullRequestRefs, head: str) -> Base:
    commit = refs.merge_group_base or refs.base_sha
    if not commit:
        raise RepositoryError("the merge group's event names no base", remedy="name one with --base")
    return Base(commit, "base of the merge group", head, merge_commit=git.parents(head)[:1] == (commit,))


def _of_pull_request(git: Git, refs: PullRequestRefs, head: str) -> Base:
    parents = git.parents(head)
    if len(parents) == 2 and refs.head_sha and parents[1] == refs.head_sha and _made_by_github(git, refs, head):
        return Base(parents[0], "first parent of the merge commit", head, merge_commit=True)
    if head != refs.head_sha and _is_base_branch(git, refs, head):
        return Base(head, "the base branch, which is checked out", head, head_checked_out=False)
    return _merge_base(git, refs, head)


def _made_by_github(git: Git, refs: PullRequestRefs, head: str) -> bool:
    """A merge whose second parent is the head may also be the author's own, with a first parent to their liking."""
    of_github = refs.event_name == "pull_request" or refs.ref == f"refs/pull/{refs.number}/merge"
    if of_github and refs.checkout_sha == head:
        return True
    first = git.parents(head)[0]
    tip = _base_tip(git, refs)
    return first == refs.base_sha or (tip is not None and git.is_ancestor(first, tip))


def _is_base_branch(git: Git, refs: PullRequestRefs, head: str) -> bool:
    if head == refs.base_sha:
        return True
    return refs.event_name == "pull_request_target" and refs.checkout_sha == head


def _merge_base(git: Git, refs: PullRequestRefs, head: str) -> Base:
    named = f"`{refs.base_ref}`" if refs.base_ref else "the base branch"
    for tip in (_base_tip(git, refs), refs.base_sha):
        # a tip that contains the head says only that the head was merged since, or that it is not the base's own
        if not tip or not git.has(tip) or git.is_ancestor(head, tip):
            continue
        found = git.merge_base(head, tip)
        if found is not None:
            return Base(found, f"merge base with {named}", head, tip=tip)
    if not refs.base_sha:
        raise RepositoryError(
            "the event names no base commit, and the clone has no base branch",
            where=str(git.root),
            remedy="set `fetch-depth: 0` at actions/checkout, or name a base with --base",
        )
    return Base(refs.base_sha, f"tip of {named} in the event, since the clone lacks the history", head)


def _of_branch(git: Git, refs: PullRequestRefs, head: str) -> Base:
    """A push, a schedule, a comment: only what provably stands on the default branch decides about itself."""
    default = refs.base_ref
    if default and refs.ref == f"refs/heads/{default}" and refs.checkout_sha == head:
        return _itself(git, head, f"this commit itself, the tip of `{default}`")
    named = f"`{default}`" if default else "the default branch"
    tip = _base_tip(git, refs) if default else git.resolve("refs/remotes/origin/HEAD")
    if tip is None:
        raise RepositoryError(
            f"nothing here shows whether this commit belongs to {named}, so it can't decide about itself",
            where=str(git.root),
            remedy="set `fetch-depth: 0` at actions/checkout, so that the base is found, or name it with --base",
        )
    if git.is_ancestor(head, tip):
        return _itself(git, head, f"this commit itself, which {named} contains")
    found = git.merge_base(head, tip)
    if found is None:
        return Base(tip, f"tip of {named}, since the clone lacks the history", head)
    return Base(found, f"merge base with {named}", head, tip=tip)


def _itself(git: Git, head: str, how: str) -> Base:
    parents = git.parents(head)
    return Base(head, how, head, proposed=False, since=parents[0] if parents else "")


def _base_tip(git: Git, refs: PullRequestRefs) -> str | None:
    """The base branch as fetched, unless `origin` is another repository, such as the fork of whoever proposes."""
    if not refs.base_ref:
        return None
    origin = _ADDRESS.search(git.setting("remote.origin.url"))
    if origin is not None and refs.repository and origin["name"].lower() != refs.repository.lower():
        return None
    return git.resolve(f"refs/remotes/origin/{refs.base_ref}")


def _located(git: Git, base: Base, fetch: Fetch | None) -> Base:
    local = git.has(base.commit)
    if not local and fetch is None:
        raise _missing(base)
    return replace(base, local=local, since=base.since or base.commit)


def _missing(base: Base) -> MissingObjectError:
    return MissingObjectError(
        f"the clone lacks the base {base.short} ({base.how})",
        remedy=_depth(base) + ", or give a token that may read contents",
    )


def _depth(base: Base) -> str:
    if base.merge_commit:
        return "set `fetch-depth: 2` at actions/checkout"
    return "set `fetch-depth: 0` at actions/checkout (2 is enough for the merge commit of a pull request)"
