"""The user's own files in an agent's cell: what is laid over its fresh HOME, and what its command names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from gate.errors import UsageError

MOST_BYTES = 64 * 1024 * 1024
MOST_FILES = 5_000
_LEFT_OUT = frozenset({".git", "__pycache__", "node_modules", ".DS_Store"})
_CREDENTIALS = frozenset(
    {".credentials.json", ".git-credentials", ".netrc", "_netrc", "auth.json", "oauth_creds.json", ".npmrc", ".pypirc"}
)
_CREDENTIAL_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".kube"})


@dataclass(frozen=True, slots=True)
class Files:
    """Files as they lie below a folder.

    Attributes:
        content: by relative path with forward slashes, sorted.
        executable: paths that are executable.
    """

    content: Mapping[str, bytes] = field(default_factory=dict)
    executable: frozenset[str] = frozenset()

    @property
    def digest(self) -> str:
        """32 hexadecimal digits; empty for no files."""
        if not self.content:
            return ""
        digest = blake2b(digest_size=16)
        for path, data in self.content.items():
            head = f"{path}\0{int(path in self.executable)}\0{len(data)}\0"
            digest.update(head.encode("utf-8", "surrogateescape") + data)
        return digest.hexdigest()


NONE = Files()


def read_overlay(folder: Path, where: str = "home") -> Files:
    """What is laid over the HOME of each agent: instructions, skills, pins of versions.

    Raises:
        UsageError: no such folder, a link, a credential (the cell holds none), or more than `MOST_BYTES` bytes.
    """
    found = read_files([folder], folder, where)
    for path in found.content:
        parts = path.split("/")
        if parts[-1] in _CREDENTIALS or _CREDENTIAL_FOLDERS & set(parts[:-1]):
            raise UsageError(
                "is where a credential is kept, and an agent is given none",
                where=f"{where}: {path}",
                remedy="leave it out; keys stand in the environment of the gate, and its proxy sends them",
            )
    return found


def read_files(paths: Iterable[Path], below: Path, where: str) -> Files:
    """Files and folders by their paths below a folder; what git and interpreters keep beside them is left out.

    Raises:
        UsageError: one is absent, a link or unreadable, lies elsewhere, or all are too many or too large.
    """
    content: dict[str, bytes] = {}
    executable = set()
    size = 0
    for path in _walked(paths, where):
        try:
            name = path.relative_to(below).as_posix()
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode):
                raise _refused("is no plain file", path, where)
            content[name] = data = path.read_bytes()
        except ValueError:
            raise _refused(f"is not below {below}", path, where) from None
        except OSError as error:
            raise _refused(f"can't be read: {error.strerror or error}", path, where) from None
        size += len(data)
        if mode & stat.S_IXUSR:
            executable.add(name)
        if size > MOST_BYTES or len(content) > MOST_FILES:
            raise UsageError(
                f"holds more than {MOST_FILES:,} files or {MOST_BYTES // 2**20} MiB",
                where=where,
                remedy="keep to what the agent reads; install the rest where the cell may read it",
            )
    return Files({name: content[name] for name in sorted(content)}, frozenset(executable))


def _walked(paths: Iterable[Path], where: str) -> Iterable[Path]:
    for path in paths:
        if not path.exists():
            raise _refused("does not exist", path, where)
        if path.is_symlink() or not path.is_dir():
            yield path
            continue
        for folder, folders, files in os.walk(path, onerror=_raise):
            for name in list(folders):
                if name in _LEFT_OUT:
                    folders.remove(name)
                elif (Path(folder) / name).is_symlink():
                    yield Path(folder) / name
            yield from (Path(folder) / name for name in sorted(files) if name not in _LEFT_OUT)


def _raise(error: OSError) -> None:
    raise UsageError(
        f"can't be read: {error.strerror or error}", where=str(error.filename), remedy="check its permissions"
    )


def _refused(message: str, path: Path, where: str) -> UsageError:
    return UsageError(message, where=f"{where}: {path}", remedy="name plain files in folders that can be read")
