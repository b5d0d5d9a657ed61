"""The commit that a report is of, and whether what was measured was that commit alone."""

from __future__ import annotations

from gate.baselines.git import Git
from gate.errors import RepositoryError

DIRTY = "-dirty"


def measured_commit(git: Git, *, own: bool) -> str:
    """Full name of HEAD, with `-dirty` behind it where tracked files differ; empty when there is none.

    Args:
        own: whether the checkout is the user's own; only then the files are looked at, see `Git.dirty`.
    """
    try:
        head = git.head()
    except RepositoryError:
        return ""
    try:
        return head + DIRTY if own and git.dirty() else head
    except RepositoryError:  # too slow, or damaged: the measurement does not depend on it
        return head


def uncommitted(commit: str) -> tuple[str, ...]:
    """What a reader of a verdict over such a report must know, one sentence; nothing for a commit as it is."""
    if not commit.endswith(DIRTY):
        return ()
    return (f"the suite ran with uncommitted changes on top of {commit[:7]}",)
