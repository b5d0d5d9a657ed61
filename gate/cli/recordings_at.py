"""Recordings as they are now, or as a commit of this repository has them."""

from __future__ import annotations

from pathlib import Path

from gate.errors import UsageError


def recordings_at(named: str, folder: Path, place: Path) -> Path:
    """A folder with the recordings that a name stands for.

    Args:
        named: a folder, or a commit or branch of this repository.
        folder: of the recordings here; a commit's are those under the same path.
        place: an empty folder, into which those of a commit are written.

    Raises:
        UsageError: there is no such folder or commit, or `folder` is not in this repository.
    """
    from gate.baselines.git import Git

    if Path(named).is_dir():
        return Path(named)
    git = Git(Path.cwd())
    commit = git.resolve(named)
    if commit is None:
        raise UsageError(
            f"{named} is neither a folder nor a commit", remedy="name a folder, or a commit that is in this clone"
        )
    try:
        inside = folder.resolve().relative_to(git.top.resolve()).as_posix() + "/"
    except ValueError:
        raise UsageError(
            "the recordings are not in this repository", where=str(folder), remedy="name two folders"
        ) from None
    for name in git.list(commit, inside):
        if name.endswith(".jsonl"):
            path = place / name.removeprefix(inside)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(git.read(commit, name) or b"")
    return place
