"""Recordings as they are now, or as a commit of this repository has them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import UndecidedError, UsageError

if TYPE_CHECKING:
    from gate.baselines.git import Git
    from gate.settings import Settings


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
    write_recordings(git, commit, folder, place)
    return place


def write_recordings(git: Git, commit: str, folder: Path, place: Path) -> int:
    """Write the recordings of a commit into an empty folder, and say how many files they are.

    Args:
        folder: of the recordings here; the commit's are those under the same path.

    Raises:
        UsageError: `folder` is not in this repository.
    """
    try:
        inside = folder.resolve().relative_to(git.top.resolve()).as_posix() + "/"
    except ValueError:
        raise UsageError(
            "the recordings are not in this repository", where=str(folder), remedy="name two folders"
        ) from None
    names = [name for name in git.list(commit, inside) if name.endswith(".jsonl")]
    for name in names:
        path = place / name.removeprefix(inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(git.read(commit, name) or b"")
    return len(names)


def stored_answers(git: Git, commit: str, settings: Settings, root: Path, place: Path) -> Path | None:
    """A folder with the recordings of a commit, which judges judge again; None where no commit is named.

    Args:
        root: folder of the settings, in which their paths start.
        place: an empty folder.

    Raises:
        UndecidedError: the commit has none.
        UsageError: the recordings are not in this repository.
    """
    if not commit:
        return None
    from gate.record.locally import recordings_folder

    if not write_recordings(git, commit, recordings_folder(settings, root), place):
        raise UndecidedError(f"{commit[:7]} has no recordings", remedy="record the suite on main")
    return place
