"""The tree of a commit as plain files, for running the base's suite beside the head's.

It is written from the objects themselves and not by a checkout: no hook, no filter and no setting of the repository,
which a pull request's suite may have changed by then, takes part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from gate.baselines.git import Git
from gate.errors import RepositoryError

_AT_ONCE = 64_000_000
_POINTER = b"version https://git-lfs.github.com/spec/"
_SHORT = 512
_FILE, _PROGRAM, _LINK, _SUBMODULE = "100644", "100755", "120000", "160000"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes:
        files: how many.
        lacking: paths whose content is not in the repository itself (submodules, pointers of Git LFS) or that lead
            elsewhere (links out of the tree): a suite that needs them can't be run from these files.
    """

    files: int
    lacking: tuple[str, ...] = ()


def export(git: Git, commit: str, folder: Path) -> Exported:
    """Write the files of a commit into an empty folder.

    Raises:
        RepositoryError: the folder can't be written, or a path leads out of it.
        MissingObjectError: the clone lacks content.
    """
    lacking: list[str] = []
    count = 0
    try:
        for mode, path, data in _entries(git, commit, lacking):
            target = folder / _safe(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            if mode == _LINK:
                _link(target, data, folder, path, lacking)
            else:
                target.write_bytes(data)
                target.chmod(0o755 if mode == _PROGRAM else 0o644)
                if len(data) < _SHORT and data.startswith(_POINTER):
                    lacking.append(path)
            count += 1
    except OSError as error:
        raise RepositoryError(
            f"the base's files can't be written: {error.strerror or error}",
            where=str(folder),
            remedy='make room, or set confirm = "off"',
        ) from None
    return Exported(count, tuple(lacking))


def _entries(git: Git, commit: str, lacking: list[str]) -> Iterator[tuple[str, str, bytes]]:
    held: list[tuple[str, str, str]] = []
    size = 0
    for mode, name, count, path in git.tree(commit):
        if mode == _SUBMODULE:
            lacking.append(path)
            continue
        if held and size + count > _AT_ONCE:
            yield from _read(git, held)
            held, size = [], 0
        held.append((mode, name, path))
        size += count
    yield from _read(git, held)


def _read(git: Git, held: list[tuple[str, str, str]]) -> Iterator[tuple[str, str, bytes]]:
    contents = git.blobs([name for _, name, _ in held]) if held else iter(())
    for (mode, _, path), data in zip(held, contents, strict=True):
        yield mode, path, data


def _safe(path: str) -> PurePosixPath:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or any(part.lower() == ".git" for part in parts):
        raise RepositoryError("leads out of the tree", where=path[:200], remedy="remove it from the repository")
    return PurePosixPath(path)


def _link(target: Path, data: bytes, folder: Path, path: str, lacking: list[str]) -> None:
    to = data.decode("utf-8", "surrogateescape")
    inside = (target.parent / to).resolve().is_relative_to(folder.resolve()) and not to.startswith("/")
    if not inside:
        lacking.append(path)
        return
    target.symlink_to(to)
