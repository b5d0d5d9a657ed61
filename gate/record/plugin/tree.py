"""The files of a project as digests by path: git's own for what is unchanged, else of the content."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ABSENT = "-"
_SECONDS = 60
_CHUNK = 1 << 20
_LINK = b"120000"
SKIPPED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        "site-packages",
        "dist-packages",
        "node_modules",
        "__pycache__",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".eggs",
    }
)
"""Folders that hold no content of the project."""
_NOTICES = frozenset({"readme", "license", "licence", "copying"})
_NOTICES_AT_ROOT = frozenset(
    {*_NOTICES, "changelog", "changes", "contributing", "code_of_conduct", "security", "notice", "authors", "history"}
)
_TEXTS = frozenset({".md", ".rst", ".markdown", ".adoc"})


@dataclass(frozen=True, slots=True)
class Tree:
    """A project as it stood when it was looked at.

    Attributes:
        root: of the repository, or of the test suite where there is none.
        blobs: digest of each tracked file by its path relative to the root, with forward slashes.
        tracked: whether git said which files belong to it; else all do.
    """

    root: Path
    blobs: dict[str, str]
    tracked: bool

    def relative(self, path: str) -> str | None:
        """The path relative to the root; None for what is outside, or in a folder of tools."""
        inside = _inside(path, self.root) or _inside(os.path.realpath(path), self.root)
        if inside is None:
            return None
        return None if is_skipped(inside.parts) else inside.as_posix()

    def digest(self, path: str) -> str:
        """Digest of a file by its relative path: as it stood, or as it is where it is not tracked; `-` without it."""
        return self.blobs.get(path) or content_digest(self.root / path)


def _inside(path: str, root: Path) -> PurePosixPath | None:
    try:
        return PurePosixPath(Path(path).relative_to(root).as_posix())
    except ValueError:
        return None


def look(start: Path, own: Iterable[Path] = ()) -> Tree:
    """The project around a folder.

    Args:
        own: files and folders that the gate itself reads and writes, which belong to no project.
    """
    left_out = [path.resolve() for path in own]
    listed = _git(start, "rev-parse", "--show-toplevel")
    if listed is not None:
        root = Path(os.fsdecode(listed.rstrip(b"\n")))
        blobs = _tracked(root)
        if blobs is not None:
            return Tree(root, _without(blobs, root.resolve(), left_out), True)
    root = start.resolve()
    files = (path for path in _walk(root) if not is_own(path, left_out))
    return Tree(root, {path.relative_to(root).as_posix(): content_digest(path) for path in files}, False)


def _without(blobs: Mapping[str, str], root: Path, own: Iterable[Path]) -> dict[str, str]:
    places = [str(place) for path in own if (place := _inside(str(path), root)) is not None]
    beyond = tuple(f"{place}/" for place in places)
    return {path: digest for path, digest in blobs.items() if path not in places and not path.startswith(beyond)}


def is_own(path: Path, own: Iterable[Path]) -> bool:
    """Whether a file is one of these, or lies in a folder of these."""
    return any(path == each or each in path.parents for each in own)


def is_document(path: str) -> bool:
    """Whether a file tells people something, and programs nothing: no trial depends on it unless it is opened."""
    pure = PurePosixPath(path)
    first = pure.parts[0].lower()
    if is_notice(path) or first == "baselines":
        return True
    if first == ".github":
        return pure.parts[1:2] not in (("workflows",), ("actions",))  # these decide with what the suite runs
    return pure.suffix.lower() in _TEXTS


def is_notice(path: str) -> bool:
    """A document that a program would not even read where nobody watches it, such as a child process."""
    pure = PurePosixPath(path)
    if pure.suffix.lower() not in {*_TEXTS, ".txt", ""}:
        return False
    if len(pure.parts) == 1:
        return pure.stem.lower() in _NOTICES_AT_ROOT
    return pure.stem.lower() in _NOTICES or pure.parts[0].lower() in ("docs", "doc")


def is_skipped(parts: Iterable[str]) -> bool:
    return any(part in SKIPPED or part.endswith((".egg-info", ".dist-info")) for part in parts)


def content_digest(path: Path) -> str:
    """As git names a blob; of a link with what it leads to, of a folder all that it holds; `-` of what is not there."""
    try:
        if path.is_symlink():
            target = [os.fsencode(path.readlink())]
            return _blob([*target, b"\0", _content(path).encode()] if path.is_file() else target)
        if path.is_dir():
            held = sorted(f"{each.relative_to(path).as_posix()} {content_digest(each)}" for each in _walk(path))
            return _blob([os.fsencode("\n".join(held))])
        return _content(path)
    except OSError:
        return ABSENT


def _content(path: Path) -> str:
    with path.open("rb") as stream:
        digest = hashlib.sha1(b"blob %d\0" % os.fstat(stream.fileno()).st_size, usedforsecurity=False)
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _blob(parts: list[bytes]) -> str:
    data = b"".join(parts)
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _tracked(root: Path) -> dict[str, str] | None:
    staged = _git(root, "ls-files", "--stage", "-z")
    changed = _git(root, "ls-files", "--modified", "--deleted", "-z")
    if staged is None or changed is None:
        return None
    blobs: dict[str, str] = {}
    others = {os.fsdecode(name) for name in changed.split(b"\0") if name}
    for entry in filter(None, staged.split(b"\0")):
        head, _, name = entry.partition(b"\t")
        mode, blob, _ = head.split()
        path = os.fsdecode(name)
        blobs[path] = blob.decode("ascii")
        if mode == _LINK:
            others.add(path)
    for path in others:
        blobs[path] = content_digest(root / path)
    return {path: digest for path, digest in blobs.items() if digest != ABSENT}


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not is_skipped((name,)))
        folders[:] = [name for name in folders if not Path(folder, name, "pyvenv.cfg").exists()]
        for name in sorted(names):
            yield Path(folder, name)


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git says; None without git, or where it refuses."""
    # the suite's user need not own the repository, and nothing that the repository names is to run
    command = ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "--no-optional-locks", *arguments]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
