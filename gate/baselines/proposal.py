"""A pull request's base without a checkout of its code: its merge is made from the objects alone."""

from __future__ import annotations

from gate.baselines.base import Base
from gate.baselines.git import Git
from gate.errors import RepositoryError


def base_of_proposal(git: Git, *, base: str, head: str, branch: str) -> Base:
    """The base that judged a head, as `gate ci` found it on GitHub's merge commit.

    Args:
        base: full name of the commit that decided.
        head: full name of the pull request's head.
        branch: base branch, as it was fetched from `origin`.

    Raises:
        RepositoryError: a commit is not here, `base` is none of the base branch's, or they can't be merged.
    """
    tip = git.resolve(f"refs/remotes/origin/{branch}")
    for commit, what in ((base, "the base"), (head, "the head of the pull request")):
        if not commit or not git.has(commit):
            raise RepositoryError(f"the clone lacks {what} {commit[:7]}", remedy=_FETCH)
    if tip is None or not git.is_ancestor(base, tip):
        raise RepositoryError(f"{base[:7]} does not stand on `{branch:.80}`", remedy=_FETCH)
    if git.is_ancestor(base, head):
        merge: str | None = head
    else:
        merge = git.merged(base, head)
    if merge is None:
        raise RepositoryError("the pull request conflicts with its base", remedy="update its branch")
    return Base(base, "the base of the verdict in the comment", merge, merge_commit=True, since=base)


_FETCH = "fetch both with their history, as the workflow that `gate init` writes does"
