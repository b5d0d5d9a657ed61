"""The folders of a job: filled before it starts, read and removed when nothing of it runs any more.

All goes through an open folder and never through a link, since what is in there is foreign work. Removing needs
neither deep recursion nor long paths.
"""

# pathlib would make every fork larger
# ruff: noqa: PTH101, PTH123, PTH208

from __future__ import annotations

import contextlib
import fnmatch
import os
import stat
from collections.abc import Iterator, Sequence

PARTS = ("work", "home", "tmp")
_HOME = "~/"
_BLOCK = 512
_ENTRY = 4096
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
DEEPEST = 128
"""How deep folders may be nested, where nothing else limits them; what is deeper is never collected."""


def prepare(folder: int) -> None:
    """Make the parts of an empty folder."""
    for name in PARTS:
        os.mkdir(name, 0o700, dir_fd=folder)


def write(folder: int, name: str, data: bytes) -> None:
    """Write a file of the job, executable so that it may be a program."""
    parts = _place(name)
    handle = os.dup(folder)
    try:
        for part in parts[:-1]:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=handle)
            deeper = os.open(part, _DIRECTORY, dir_fd=handle)
            os.close(handle)
            handle = deeper
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(parts[-1], flags, 0o700, dir_fd=handle), "wb") as stream:
            stream.write(data)
    finally:
        os.close(handle)


def collect(folder: int, patterns: Sequence[str], limit: int) -> tuple[dict[str, bytes], bool]:
    """What the patterns match: plain files with one name only, in the order of their paths.

    Args:
        limit: bytes of all together; the second value tells whether something was left out for it.
    """
    found: dict[str, bytes] = {}
    wanted = [(pattern, _place(pattern)) for pattern in patterns]
    left, cut = limit, False
    for path in sorted(_files(folder)) if wanted else ():
        given = next((pattern for pattern, parts in wanted if _matches(path, parts)), None)
        if given is None:
            continue
        data = _read(folder, path, left)
        if data is None:
            continue
        if len(data) > left:
            cut = True
            continue
        left -= len(data)
        prefix = _HOME if path[0] == "home" else ""
        found[prefix + "/".join(path[1:])] = data
    return found, cut


def used(folder: int, limit: int) -> int:
    """Bytes that a folder takes, every entry counted as a page at least; once above the limit, any number above it."""
    total = 0
    for path, found in _walk(folder):
        total += max(_ENTRY, found.st_blocks * _BLOCK)
        if total > limit or len(path) > DEEPEST:
            return max(total, limit + 1)
    return total


def remove(parent: int, name: str) -> None:
    """Remove a tree, however deep; folders are moved up before they are emptied, so two are open at a time."""
    try:
        _make_writable(parent, name)
        top = os.open(name, _DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        return
    try:
        serial = 0
        while entries := os.listdir(top):
            for entry in entries:
                serial = _remove_entry(top, entry, serial)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=parent)


def _remove_entry(top: int, entry: str, serial: int) -> int:
    """Remove an entry; the folders in it become entries of the top, with numbers from `serial` on."""
    try:
        _make_writable(top, entry)
        handle = os.open(entry, _DIRECTORY, dir_fd=top)
    except NotADirectoryError:
        os.unlink(entry, dir_fd=top)
        return serial
    try:
        for child in os.listdir(handle):
            try:
                _make_writable(handle, child)
            except NotADirectoryError:
                os.unlink(child, dir_fd=handle)
            else:
                serial += 1
                os.rename(child, f".gate-{os.getpid()}-{serial}", src_dir_fd=handle, dst_dir_fd=top)
    finally:
        os.close(handle)
    os.rmdir(entry, dir_fd=top)
    return serial


def _make_writable(parent: int, name: str) -> None:
    """Give the owner of a folder all rights to it, which also moving it needs.

    Raises:
        NotADirectoryError: it is none.
    """
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{handle}", 0o700)
    finally:
        os.close(handle)


def _place(name: str) -> tuple[str, ...]:
    """Parts of a job's path from the folder that holds all of its folders."""
    home = name.startswith(_HOME)
    rest = name.removeprefix(_HOME) if home else name
    return ("home" if home else "work", *(part for part in rest.split("/") if part not in ("", ".")))


def _files(folder: int) -> Iterator[tuple[str, ...]]:
    for path, found in _walk(folder):
        if stat.S_ISREG(found.st_mode) and path[0] != "tmp":
            yield path


def _walk(handle: int, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
    """Every entry below a folder, but nothing in folders that are nested deeper than `DEEPEST`."""
    try:
        names = os.listdir(handle)
    except OSError:
        return
    for name in names:
        try:
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except OSError:
            continue  # gone since it was listed
        yield (*place, name), found
        if stat.S_ISDIR(found.st_mode) and len(place) < DEEPEST:
            try:
                deeper = os.open(name, _DIRECTORY, dir_fd=handle)
            except OSError:
                continue
            try:
                yield from _walk(deeper, (*place, name))
            finally:
                os.close(deeper)


def _descend(folder: int, place: Sequence[str]) -> int | None:
    handle = os.dup(folder)
    for part in place:
        try:
            deeper = os.open(part, _DIRECTORY, dir_fd=handle)
        except OSError:
            os.close(handle)
            return None
        os.close(handle)
        handle = deeper
    return handle


def _read(folder: int, path: tuple[str, ...], limit: int) -> bytes | None:
    parent = _descend(folder, path[:-1])
    if parent is None:
        return None
    try:
        handle = os.open(path[-1], _FILE, dir_fd=parent)
    except OSError:
        return None
    finally:
        os.close(parent)
    with open(handle, "rb") as stream:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            return None
        return stream.read(limit + 1)


def _matches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(path[start:], pattern[1:]) for start in range(len(path) + 1))
    return bool(path) and fnmatch.fnmatchcase(path[0], pattern[0]) and _matches(path[1:], pattern[1:])
