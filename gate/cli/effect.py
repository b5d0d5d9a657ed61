"""What a baseline that was just written changes, and for whom: only the default branch's decides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gate.baselines.base import default_branch
from gate.baselines.git import Git
from gate.baselines.measured import DIRTY
from gate.errors import RepositoryError

SECTION = "README, Accepting an intended change"


def warnings(folder: Path, path: Path, commit: str) -> Iterator[str]:
    """What somebody who adopts a report should know before they commit it, one sentence each.

    Args:
        folder: where the command runs; without git nothing is known.
        path: the baseline.
        commit: what the report says that it is of, with `-dirty` where that was not all.
    """
    if commit.endswith(DIRTY):
        yield f"the report is of uncommitted changes on top of {commit[:7]}: commit them too"
    try:
        git = Git(folder)
        default = default_branch(git)
        if git.branch() == default:
            yield from _too_early(git, commit.removesuffix(DIRTY), default)
        elif _has_one(git, default, path):
            yield f"until `{default}` has it, the baseline of `{default}` decides, on this branch too ({SECTION})"
    except RepositoryError:
        return


def _has_one(git: Git, default: str, path: Path) -> bool:
    tip = git.resolve(f"refs/remotes/origin/{default}") or git.resolve(f"refs/heads/{default}")
    full = path if path.is_absolute() else git.root.absolute() / path
    top = git.top.absolute()
    return bool(tip) and full.is_relative_to(top) and git.entry(str(tip), full.relative_to(top).as_posix()) is not None


def _too_early(git: Git, commit: str, default: str) -> Iterator[str]:
    """A report of a pull request that is not merged yet would turn the default branch and all others red."""
    known = git.resolve(commit)
    head = git.head()
    if known is None or git.is_ancestor(known, head) or not git.changed(known, head)[0]:
        return
    yield (
        f"the report is of {commit[:7]}, which `{default}` does not contain: if that is not merged yet, merge it "
        f"before this baseline, or `{default}` and every branch turn red ({SECTION})"
    )
