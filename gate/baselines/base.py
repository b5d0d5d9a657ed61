"""The base of a checkout: which commit decides, how it was found, and reading files there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gate.baselines.git import MAX_BYTES, Git, MissingObjectError
from gate.errors import GateError, RepositoryError
from gate.schema.refs import PullRequestRefs

Fetch = Callable[[str, str], bytes | None]
"""(path, commit) -> content by the contents API, None when that commit has no such file. Raises for anything else."""

_DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master", "trunk")


@dataclass(frozen=True, slots=True)
class Base:
    """The commit that decides.

    Attributes:
        commit: full name.
        how: how it was found, in words for the foot of the comment.
        head: full name of the commit that is checked out.
        merge_commit: whether HEAD is GitHub's merge commit of the pull request.
        proposed: whether HEAD is somebody's proposal, so that what decides comes from `commit` alone.
        local: whether the objects of `commit` are in the clone; else they come by the contents API.
        since: commit from which changed paths count; `commit`, or the parent of a commit that is its own base.
        head_checked_out: False when `pull_request_target` checked out the base branch, so only a report made
            elsewhere can be judged here.
    """

    commit: str
    how: str
    head: str
    merge_commit: bool = False
    proposed: bool = True
    local: bool = True
    since: str = ""
    head_checked_out: bool = True

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
    if explicit:
        base = _named(git, explicit, head, proposed=refs is None or refs.pull_request)
    elif refs is None or not refs.event_name:
        base = _from_shell(git, head)
    elif refs.event_name == "merge_group":
        base = _queued(git, refs, head)
    elif refs.pull_request:
        base = _of_pull_request(git, refs, head)
    else:
        base = _of_branch(git, refs, head)
    return _located(git, base, fetch)


def read_at(git: Git, base: Base, path: str, *, fetch: Fetch | None = None, limit: int = MAX_BYTES) -> bytes | None:
    """Content of a file at the base, from the clone, else by the contents API; None when the base has none.

    Raises:
        RepositoryError: it is no plain file, too large, or neither way gives it.
    """
    if base.local:
        try:
            return git.read(base.commit, path, limit=limit)
        except MissingObjectError:
            if fetch is None:
                raise _missing(base) from None
    if fetch is None:
        raise _missing(base)
    try:
        data = fetch(path, base.commit)
    except GateError as error:
        raise RepositoryError(
            f"the clone lacks the base {base.short}, and the contents API did not give `{path}`: {error.message}",
            remedy=_depth(base) + ", or give the token `contents: read`",
        ) from error
    if data is not None and len(data) > limit:
        raise RepositoryError(
            f"{len(data):,} bytes are more than the limit of {limit:,}",
            where=f"{path} at {base.short}",
            remedy="raise `max-report-bytes`",
        )
    return data


def _named(git: Git, name: str, head: str, *, proposed: bool) -> Base:
    commit = git.resolve(name)
    if commit is None:
        raise RepositoryError(
            f"no commit is called `{name:.80}` here",
            where="--base",
            remedy="fetch it first (`git fetch origin`), or in a workflow set `fetch-depth: 0`",
        )
    return Base(commit, f"`{name}`, as asked", head, proposed=proposed)


def _from_shell(git: Git, head: str) -> Base:
    for branch in _DEFAULT_BRANCHES:
        tip = git.resolve(f"refs/remotes/{branch}" if branch.startswith("origin/") else f"refs/heads/{branch}")
        if tip is None:
            continue
        if tip == head:
            return _itself(git, head, f"HEAD, which is `{branch}`")
        found = git.merge_base(head, tip)
        if found is not None:
            return Base(found, f"merge base with `{branch}`", head, proposed=False)
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
    if refs.event_name == "pull_request" and refs.checkout_sha == head:
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
        if not tip or not git.has(tip):
            continue
        found = git.merge_base(head, tip)
        if found is not None:
            return Base(found, f"merge base with {named}", head)
    if not refs.base_sha:
        raise RepositoryError(
            "the event names no base commit, and the clone has no base branch",
            where=str(git.root),
            remedy="set `fetch-depth: 0` at actions/checkout, or name a base with --base",
        )
    return Base(refs.base_sha, f"tip of {named} in the event, since the clone lacks the history", head)


def _of_branch(git: Git, refs: PullRequestRefs, head: str) -> Base:
    """A push, a schedule, a dispatch: nothing is proposed, and what is committed here decides."""
    default = refs.base_ref or "main"
    tip = _base_tip(git, PullRequestRefs(base_ref=default))
    if tip is None or git.is_ancestor(head, tip):
        return _itself(git, head, "this commit itself")
    found = git.merge_base(head, tip)
    if found is None:
        return _itself(git, head, "this commit itself, since the clone lacks the history")
    return Base(found, f"merge base with `{default}`", head, proposed=False)


def _itself(git: Git, head: str, how: str) -> Base:
    parents = git.parents(head)
    return Base(head, how, head, proposed=False, since=parents[0] if parents else "")


def _base_tip(git: Git, refs: PullRequestRefs) -> str | None:
    return git.resolve(f"refs/remotes/origin/{refs.base_ref}") if refs.base_ref else None


def _located(git: Git, base: Base, fetch: Fetch | None) -> Base:
    local = git.has(base.commit)
    if not local and fetch is None:
        raise _missing(base)
    return Base(
        base.commit,
        base.how,
        base.head,
        merge_commit=base.merge_commit,
        proposed=base.proposed,
        local=local,
        since=base.since or base.commit,
        head_checked_out=base.head_checked_out,
    )


def _missing(base: Base) -> RepositoryError:
    return RepositoryError(
        f"the clone lacks the base {base.short} ({base.how})",
        remedy=_depth(base) + ", or give a token that may read contents",
    )


def _depth(base: Base) -> str:
    if base.merge_commit:
        return "set `fetch-depth: 2` at actions/checkout"
    return "set `fetch-depth: 0` at actions/checkout (2 is enough for the merge commit of a pull request)"
