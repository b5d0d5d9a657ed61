"""Probes of another git repository, so that they stay private: its files of probes at one commit, in a folder of ours.

Of the repository nothing is checked out and nothing of it runs: files that may be probes are taken out of the commit's
archive. git asks for credentials where it always does; an address that holds one is refused, since settings are read by
everyone.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from gate.baselines.write import write_atomically
from gate.errors import UsageError
from gate.suites.probes.catalog import ENDINGS, MOST_PROBES

PREFIX = "git+"
SECONDS = 120.0
_SCHEMES = ("https", "ssh", "file")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REV = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}")
_FORM = "write `git+https://host/owner/repository.git@REVISION#FOLDER`; revision and folder may be left out"
_OPTIONS = ("-c", f"core.hooksPath={os.devnull}", "-c", "protocol.ext.allow=never", "-c", "gc.auto=0")


@dataclass(frozen=True, slots=True)
class Place:
    """Where probes are.

    Attributes:
        url: of the repository.
        revision: branch, tag or commit; empty for its default branch.
        folder: within it; empty for all of it.
    """

    url: str
    revision: str = ""
    folder: str = ""


def place_of(named: str) -> Place:
    """A name that begins with `git+`, taken apart.

    Raises:
        UsageError: it has another form, or holds a password.
    """
    address, _, folder = named.removeprefix(PREFIX).partition("#")
    head, separator, path = address.partition("://")
    host, _, inside = path.partition("/")
    inside, at, revision = inside.rpartition("@") if "@" in inside else (inside, "", "")
    url = f"{head}{separator}{host}/{inside}"
    if head not in _SCHEMES or not inside or (not host and head != "file"):
        raise UsageError("is no address of a repository of probes", where=f"{named:.200}", remedy=_FORM)
    if urlsplit(url).password or (head == "https" and urlsplit(url).username):
        shown = f"{PREFIX}{head}://…@{host.rpartition('@')[2]}/{inside}"
        raise UsageError("holds a credential", where=f"{shown:.200}", remedy="give it to git's credential helper")
    if (at and not _REV.fullmatch(revision)) or ".." in PurePosixPath(folder).parts or folder.startswith("/"):
        raise UsageError("has a revision or a folder that can't be", where=f"{named:.200}", remedy=_FORM)
    return Place(url, revision, folder.strip("/"))


def folder_of(named: str, kept: Path, environ: Mapping[str, str]) -> Path:
    """The folder of probes that a setting or an option names.

    Args:
        named: a folder or a file, or `git+` and the address of a repository.
        kept: where files of repositories are put. A commit that is there is not fetched again.
        environ: of git, with what its credential helpers need.

    Raises:
        UsageError: no such address or revision, git is absent, or the commit has no file of probes there.
    """
    if not named.startswith(PREFIX):
        return Path(named)
    place = place_of(named)
    own = kept / hashlib.sha256(f"{place.url}#{place.folder}".encode()).hexdigest()[:16]
    if _COMMIT.fullmatch(place.revision) and (own / place.revision).is_dir():
        return own / place.revision
    git = shutil.which("git", path=environ.get("PATH"))
    if git is None:
        raise UsageError("git is not on the PATH", where=f"{named:.200}", remedy="install git, or name a folder")
    store = own / "repository.git"
    call = _Git(git, named, {**_kept(environ), "GIT_DIR": str(store.resolve())})
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        told = f"can't be made: {error.strerror}"
        raise UsageError(told, where=str(store), remedy="mend its permissions") from None
    call("init", "--quiet", "--bare", "--template=")
    call("fetch", "--quiet", "--depth=1", "--no-tags", "--end-of-options", place.url, place.revision or "HEAD")
    commit = call("rev-parse", "--verify", "FETCH_HEAD^{commit}").decode("ascii").strip()
    target = own / commit
    if not target.is_dir():
        archive = call("archive", "--format=tar", f"{commit}:{place.folder}")
        _unpack(archive, target, named)
    return target


@dataclass(frozen=True, slots=True)
class _Git:
    program: str
    named: str
    environ: Mapping[str, str]

    def __call__(self, *arguments: str) -> bytes:
        try:
            done = subprocess.run(
                [self.program, *_OPTIONS, *arguments],
                env=self.environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise self._refused(f"`git {arguments[0]}` took longer than {SECONDS:g} s") from None
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
            raise self._refused(f"`git {arguments[0]}` failed: {lines[0].removeprefix('fatal: ')[:300]}")
        return done.stdout

    def _refused(self, message: str) -> UsageError:
        remedy = "check the address, the revision and git's credentials; a commit's 40 digits are fetched only once"
        return UsageError(message, where=f"{self.named:.200}", remedy=remedy)


def _kept(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which git asks nobody, and works in no other repository."""
    places = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE")
    kept = {name: value for name, value in environ.items() if name not in places}
    fixed = {"LC_ALL": "C", "LANGUAGE": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": ":".join(_SCHEMES)}
    return {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes", **kept, **fixed}


def _unpack(archive: bytes, target: Path, named: str) -> None:
    """Plain files that may be probes, into a folder that is whole or not there."""
    made = target.with_name(f"{target.name}.part")
    shutil.rmtree(made, ignore_errors=True)
    count = 0
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            path = PurePosixPath(member.name)
            if not member.isfile() or path.suffix not in ENDINGS or path.is_absolute() or ".." in path.parts:
                continue
            count += 1
            data = files.extractfile(member)
            if data is not None and count <= MOST_PROBES:
                write_atomically(made / path, data.read())
    if not count:
        told = f"holds no file that ends in {', '.join(ENDINGS)}"
        raise UsageError(told, where=f"{named:.200}", remedy="name the folder of probes after `#`")
    with contextlib.suppress(OSError):  # another run was quicker
        made.rename(target)
    shutil.rmtree(made, ignore_errors=True)
