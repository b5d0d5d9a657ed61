"""The checkout in the hands of the suite's user for the length of a run, and back again.

No link is followed on the way: a checkout is somebody else's work. `.git` and the gate's own folder stay out of reach.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.errors import SuiteError
from gate.sandbox.worlds import SuiteUser, end_processes

HIDDEN_CREDENTIALS = (
    "credentials in `.git/config` were hidden from the suite; set `persist-credentials: false` at actions/checkout"
)
_SET_ID = stat.S_ISUID | stat.S_ISGID
_WRITE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_CREDENTIAL = re.compile(
    r"^[ \t]*(extraheader|password|helper|path|token)[ \t]*=.*$|^[ \t]*(push)?url[ \t]*=[ \t]*\w+://[^/\s]*@.*$",
    re.IGNORECASE | re.MULTILINE,
)
_RUNNER_FILES = (
    "GITHUB_OUTPUT",
    "GITHUB_ENV",
    "GITHUB_PATH",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_EVENT_PATH",
)
_RUNNER_FOLDERS = ("RUNNER_TEMP", "HOME")


@dataclass(frozen=True, slots=True)
class _Owner:
    uid: int
    gid: int
    mode: int


@contextlib.contextmanager
def handed_over(
    workspace: Path, user: SuiteUser, *, environ: Mapping[str, str], own: str = ".gate"
) -> Iterator[tuple[str, ...]]:
    """Give the checkout to the suite's user; yields what a reviewer should know about it.

    Args:
        environ: of the gate; the runner's files and folders that it names become private for the run.
        own: the gate's folder in the checkout; what stands in its place and is no folder is removed.

    Afterwards the user has no process left, and every file is its owner's again, without set-uid bits.

    Raises:
        SuiteError: an owner can't be changed (not root, a read-only workspace).
    """
    found = workspace.stat()
    owner = _Owner(found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode))
    private = _make_private(_runner_paths(environ, workspace))
    secrets: dict[Path, bytes] = {}
    try:
        _keep_own(workspace / own)
        _protect(workspace / ".git", user)
        secrets = _hide_credentials(workspace / ".git")
        _give(workspace, user.uid, user.gid, leave=(".git", own))
        # sticky and root's: the user may add files, but can't rename `.git` or the gate's folder away
        os.chown(workspace, 0, 0)
        workspace.chmod(0o1777)
        yield (HIDDEN_CREDENTIALS,) if secrets else ()
    finally:
        end_processes(user.uid)
        _give(workspace, owner.uid, owner.gid, leave=(".git",))
        os.chown(workspace, owner.uid, owner.gid)
        workspace.chmod(owner.mode)
        for config, content in secrets.items():
            _write_plainly(config, content)
        for path, mode in private.items():
            path.chmod(mode)


def give(tree: Path, user: SuiteUser) -> None:
    """Give a tree of the gate's own to the suite's user, who may pass through the folder above it but not list it.

    Raises:
        SuiteError: an owner can't be changed.
    """
    tree.parent.chmod(0o711)
    _give(tree, user.uid, user.gid, leave=())
    os.chown(tree, user.uid, user.gid)


def _give(root: Path, uid: int, gid: int, *, leave: Iterable[str]) -> None:
    """Change the owner of everything in a folder, of links themselves, without crossing into another file system."""
    kept = frozenset(leave)
    device = root.stat().st_dev
    try:
        for _, folders, files, handle in os.fwalk(root, follow_symlinks=False):
            folders[:] = [
                name
                for name in folders
                if name not in kept and os.stat(name, dir_fd=handle, follow_symlinks=False).st_dev == device
            ]
            for name in (*folders, *files):
                if name not in kept:
                    _give_one(name, handle, uid, gid)
            kept = frozenset()  # names of the top alone
    except OSError as error:
        raise SuiteError(
            f"the owner of a file in the workspace can't be changed: {error.strerror or error}",
            where=str(error.filename or root),
            remedy="run the container as root, as GitHub does, on a writable workspace",
        ) from None


def _give_one(name: str, folder: int, uid: int, gid: int) -> None:
    before = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if (before.st_uid, before.st_gid) != (uid, gid):
        os.chown(name, uid, gid, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISREG(before.st_mode) and before.st_mode & _SET_ID:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            os.fchmod(handle, stat.S_IMODE(before.st_mode) & ~_SET_ID)
        finally:
            os.close(handle)


def _protect(git: Path, user: SuiteUser) -> None:
    """Nothing in `.git` may be the user's or writable for it."""
    if git.is_symlink() or not git.is_dir():
        return
    for folder in (git, *(path for path in git.rglob("*") if not path.is_symlink())):
        found = folder.lstat()
        if found.st_uid == user.uid or found.st_gid == user.gid:
            os.chown(folder, 0, 0)
        if found.st_mode & _WRITE_BY_OTHERS:
            folder.chmod(stat.S_IMODE(found.st_mode) & ~_WRITE_BY_OTHERS)


def _keep_own(folder: Path) -> None:
    """The gate's folder is root's before foreign code runs, so that nothing can be planted there."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        folder.unlink()
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    os.chown(folder, 0, 0)


def _hide_credentials(git: Path) -> dict[Path, bytes]:
    """Take tokens out of the repository's configuration for the run; gives what stood there, by file."""
    hidden: dict[Path, bytes] = {}
    if git.is_symlink() or not git.is_dir():
        return hidden
    for config in (git / "config", git / "config.worktree", *sorted((git / "modules").rglob("config"))):
        if config.is_symlink() or not config.is_file():
            continue
        content = config.read_bytes()
        text = content.decode("utf-8", "surrogateescape")
        cleaned = _CREDENTIAL.sub("", text)
        if cleaned != text:
            _write_plainly(config, cleaned.encode("utf-8", "surrogateescape"))
            hidden[config] = content
    return hidden


def _write_plainly(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW), "wb") as stream:
        stream.write(data)


def _runner_paths(environ: Mapping[str, str], workspace: Path) -> list[Path]:
    files = [Path(environ[name]) for name in _RUNNER_FILES if environ.get(name)]
    folders = [path.parent for path in files] + [Path(environ[name]) for name in _RUNNER_FOLDERS if environ.get(name)]
    return [path for path in dict.fromkeys((*files, *folders)) if _may_be_private(path, workspace)]


def _may_be_private(path: Path, workspace: Path) -> bool:
    """Not a link, and not a folder that others need: one around the workspace, or a shared one such as /tmp."""
    try:
        found = path.lstat()
    except OSError:
        return False
    if stat.S_ISREG(found.st_mode):
        return True
    shared = bool(found.st_mode & stat.S_ISVTX) or path == Path("/") or workspace.is_relative_to(path)
    return stat.S_ISDIR(found.st_mode) and not shared


def _make_private(paths: Iterable[Path]) -> dict[Path, int]:
    """Take group's and others' rights away; gives the modes that were."""
    modes: dict[Path, int] = {}
    for path in paths:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            path.chmod(mode & ~0o077)
            modes[path] = mode
    return modes
