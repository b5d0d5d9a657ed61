"""The last refreshes of a baseline, as the history of main has them."""

from __future__ import annotations

from dataclasses import dataclass

from gate.baselines.attached import attach
from gate.baselines.git import Git, MissingObjectError
from gate.errors import GateError

MOST = 12
"""Refreshes that are looked at: enough for a trend."""
MOST_BYTES = 64_000_000
"""Of all of them together: where baselines are large, a trend is not worth minutes."""

_LARGE = f"Earlier baselines are not shown, since all of them together are larger than {MOST_BYTES // 1_000_000} MB."
_SHALLOW = "This clone holds a part of main's history only; `fetch-depth: 0` in the checkout shows all of it."


@dataclass(frozen=True, slots=True)
class Kept:
    """A baseline of the past.

    Attributes:
        commit: that brought it, its full name.
        when: time of that commit, in Unix seconds.
        data: the whole baseline, with what is attached to it.
        name: of these bytes, for errors.
    """

    commit: str
    when: int
    data: bytes
    name: str


@dataclass(frozen=True, slots=True)
class History:
    """What was found, oldest first.

    Attributes:
        cut: why there is not more, one sentence; empty where the history is told to its beginning or to `MOST`.
    """

    kept: tuple[Kept, ...] = ()
    cut: str = ""


def history(git: Git, path: str, rev: str, *, limit: int, most: int = MOST) -> History:
    """The last versions of a baseline up to a commit, each from the commit that brought it.

    Along a merge the side is followed that the file came from. A version that can't be read, or is gone, is passed
    over; so is one whose attached examples are lost.

    Args:
        path: of the baseline, relative to the top of the repository.
        rev: the newest commit that counts.
        limit: most bytes of one version.
        most: how many commits are looked at.
    """
    kept: list[Kept] = []
    at: str | None = rev
    left = MOST_BYTES
    for _ in range(most):
        if at is None:
            break
        try:
            last = git.last_commit_of(path, at)
            if last is None:
                return History(tuple(reversed(kept)), _SHALLOW if git.is_shallow else "")
            found = _read(git, path, *last, limit)
            left -= sum(len(each.data) for each in found)
            if left < 0:
                return History(tuple(reversed(kept)), _LARGE)
            kept += found
            at = next(iter(git.parents(last[0])), None)
        except MissingObjectError:
            return History(tuple(reversed(kept)), _SHALLOW)
    return History(tuple(reversed(kept)))


def _read(git: Git, path: str, commit: str, when: int, limit: int) -> list[Kept]:
    name = f"{path} at {commit[:7]}"
    try:
        data = git.read(commit, path, limit=limit)
        if data is None:
            return []
        whole = attach(data, path, lambda each: git.read(commit, each, limit=limit), limit=limit, where=name)
    except MissingObjectError:
        raise
    except GateError:
        return []
    return [Kept(commit, when, whole, name)]
