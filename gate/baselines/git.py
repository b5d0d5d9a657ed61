"""The one seam to git: plumbing commands only, so that nothing in a hostile repository's configuration runs.

The one exception, `Git.dirty`, is for a user's own checkout.

Replace refs, grafts, the commit graph and lazy fetches are off; what is read is what the object of that name holds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gate.baselines.git_command import GitCommand, MissingObjectError, clean, no_repository
from gate.baselines.program import find_git
from gate.errors import RepositoryError

__all__ = ["MAX_BYTES", "Git", "MissingObjectError"]

MAX_BYTES = 1_000_000_000
_TIMEOUT = 120.0
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Git:
    """Reads of one repository.

    Args:
        root: the checkout, or a folder in it.
        environ: environment of the child; its `GIT_` variables are dropped. By default this process's own.
        trust: read a repository that another user owns. For the container, whose workspace always is.
        timeout: seconds for one command.

    Attributes:
        top: the root of the checkout.
        prefix: `root` relative to `top` with a slash at its end; empty at the top.
    """

    def __init__(
        self, root: Path, *, environ: Mapping[str, str] | None = None, trust: bool = False, timeout: float = _TIMEOUT
    ) -> None:
        self.root = root
        cleaned = clean(os.environ if environ is None else environ)
        program = find_git(cleaned)
        self.top = _top(root)
        self._git = GitCommand(program, root, self.top, cleaned, trust, timeout)
        relative = root.resolve().relative_to(self.top.resolve()).as_posix()
        self.prefix = "" if relative == "." else f"{relative}/"
        bare, _, shallow = self._git.text("rev-parse", "--is-bare-repository", "--git-path", "shallow").partition("\n")
        self._shallow = self.top / shallow
        self._entries: dict[tuple[str, str], tuple[str, str] | None] = {}
        if bare == "true":
            raise RepositoryError(
                "this is a bare repository", where=str(root), remedy="run the gate in a checkout (`git clone` it)"
            )

    def head(self) -> str:
        """Full name of the commit that is checked out, on a branch or detached.

        Raises:
            RepositoryError: the branch has no commit yet.
        """
        found = self.resolve("HEAD")
        if found is None:
            raise RepositoryError("nothing is committed yet", where=str(self.root), remedy="commit first")
        return found

    def resolve(self, rev: str) -> str | None:
        """Full name of a commit, or None when nothing here is called so."""
        if not rev or rev.startswith("-"):
            return None
        result = self._git.run("rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}", check=False)
        name = result.stdout.decode("utf-8", "replace").strip()
        return name if result.returncode == 0 and _SHA.fullmatch(name) else None

    def branch(self, ref: str = "HEAD") -> str:
        """Short name of the branch that a ref stands for, also before its first commit; empty for none."""
        found = self._git.run("symbolic-ref", "--quiet", "--short", ref, check=False)
        return found.stdout.decode("utf-8", "replace").strip() if found.returncode == 0 else ""

    def setting(self, name: str) -> str:
        """A value of the repository's configuration; empty where it has none."""
        found = self._git.run("config", "--get", name, check=False)
        return found.stdout.decode("utf-8", "replace").strip() if found.returncode == 0 else ""

    def dirty(self) -> bool:
        """Whether tracked files differ from HEAD.

        Only for a checkout of the user's own: to compare contents, git runs the filters that its configuration names.
        """
        changed = self._git.run("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
        return bool(changed.stdout)

    def has(self, rev: str) -> bool:
        """Whether a commit and its tree are here."""
        return self._git.run("cat-file", "-e", f"{_checked(rev)}^{{tree}}", check=False).returncode == 0

    def parents(self, rev: str) -> tuple[str, ...]:
        """Parents as the commit itself names them, also where a shallow clone lacks them.

        Raises:
            MissingObjectError: the commit is not here.
        """
        header, _, _ = self._git.run("cat-file", "commit", _checked(rev)).stdout.partition(b"\n\n")
        return tuple(line[7:].decode("ascii") for line in header.split(b"\n") if line.startswith(b"parent "))

    def merge_base(self, one: str, other: str) -> str | None:
        """Best common ancestor, None when there is none here.

        Raises:
            MissingObjectError: one of the two is not here.
        """
        result = self._git.run("merge-base", _checked(one), _checked(other), check=False)
        if result.returncode == 1:
            return None
        self._git.refuse(result)
        return result.stdout.decode("ascii").split("\n", 1)[0] or None

    def is_ancestor(self, one: str, other: str) -> bool:
        """Whether `one` is `other` or in its history, as far as that is here."""
        result = self._git.run("merge-base", "--is-ancestor", _checked(one), _checked(other), check=False)
        return result.returncode == 0

    def merged(self, base: str, head: str) -> str | None:
        """A commit that merges two as GitHub would, made without a checkout; None where they conflict.

        Raises:
            RepositoryError: one of them or their history is not here, or git is older than 2.38.
        """
        made = self._git.run("merge-tree", "--write-tree", "--no-messages", _checked(base), _checked(head), check=False)
        if made.returncode == 1:
            return None
        self._git.refuse(made)
        tree = made.stdout.decode("ascii").strip()
        author = ("-c", "user.name=gate", "-c", "user.email=gate@localhost")
        return self._git.text(*author, "commit-tree", tree, "-p", base, "-p", head, "-m", "merge")

    def entry(self, rev: str, path: str) -> tuple[str, str] | None:
        """Mode and object name of what a commit has at a path, None when it has nothing there."""
        known = (rev, path)
        if known in self._entries:
            return self._entries[known]
        found = self._listed(rev, path)
        entry = None if found is None else (found[0], found[1])
        if _SHA.fullmatch(rev):  # what a commit holds never changes, unlike what a branch does
            self._entries[known] = entry
        return entry

    def _listed(self, rev: str, path: str, *options: str) -> tuple[str, ...] | None:
        """Mode, object name and what `options` add."""
        listed = self._git.run("ls-tree", "-z", "--full-tree", *options, _checked(rev), "--", path.rstrip("/")).stdout
        header, _, _ = listed.partition(b"\t")
        if not header:
            return None
        mode, _, name, *more = header.decode("ascii").split()
        return mode, name, *more

    def name_of(self, data: bytes) -> str:
        """Name that git gives to a file of this content."""
        return self._git.run("hash-object", "--stdin", "--no-filters", given=data).stdout.decode("ascii").strip()

    def read(self, rev: str, path: str, *, limit: int = MAX_BYTES) -> bytes | None:
        """Content of a file at a commit, None when the commit has no such file.

        Args:
            path: relative to the top, with forward slashes.
            limit: most bytes.

        Raises:
            RepositoryError: it is a symbolic link, a folder or a submodule, or too large.
            MissingObjectError: the commit or the content is not here.
        """
        found = self._listed(rev, path, "--long")
        if found is None:
            return None
        mode, name, size = found
        where = f"{path} at {rev[:7]}"
        if mode not in ("100644", "100755"):
            kind = {"120000": "a symbolic link", "040000": "a folder"}.get(mode, "a submodule")
            raise RepositoryError(f"is {kind}, not a file", where=where, remedy="commit it as a plain file")
        if int(size) > limit:
            message = f"{int(size):,} bytes are more than the limit of {limit:,}"
            raise RepositoryError(message, where=where, remedy="raise `max-report-bytes`")
        return self._git.run("cat-file", "blob", name).stdout

    def list(self, rev: str, prefix: str) -> tuple[str, ...]:
        """Paths of all files below a folder (with its slash; empty for all), sorted; none when it doesn't exist."""
        below = ("--", prefix) if prefix else ()
        listed = self._git.run("ls-tree", "-r", "-z", "--full-tree", "--name-only", _checked(rev), *below).stdout
        return tuple(sorted(_path(entry) for entry in listed.split(b"\0") if entry))

    def tree(self, rev: str) -> tuple[tuple[str, str, int, str], ...]:
        """Mode, object name, bytes (0 for a submodule) and path of everything in a commit, in the order of paths."""
        listed = self._git.run("ls-tree", "-r", "-l", "-z", "--full-tree", _checked(rev)).stdout
        found = []
        for entry in filter(None, listed.split(b"\0")):
            header, _, path = entry.partition(b"\t")
            mode, _, name, size = header.decode("ascii").split()
            found.append((mode, name, int(size) if size.isdecimal() else 0, _path(path)))
        return tuple(found)

    def blobs(self, names: Sequence[str]) -> Iterator[bytes]:
        """Contents of objects, in order, read by one process: keep their sum within memory."""
        data = self._git.run("cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode("ascii")).stdout
        place = 0
        for _ in names:
            end = data.index(b"\n", place)
            size = int(data[place:end].rsplit(b" ", 1)[1])
            yield data[end + 1 : end + 1 + size]
            place = end + 2 + size

    def changed(self, base: str, head: str) -> tuple[tuple[str, ...], dict[str, str]]:
        """Changed paths (both names of a renamed file), sorted, and renames old to new.

        Raises:
            MissingObjectError: one of the two is not here.
        """
        raw = self._git.run(
            *("diff-tree", "-r", "-z", "-M", "--no-ext-diff", "--no-textconv", "--name-status", f"-O{os.devnull}"),
            *(_checked(base), _checked(head)),
        ).stdout
        fields = iter(raw.split(b"\0"))
        paths: set[str] = set()
        renames: dict[str, str] = {}
        for status in fields:
            if not status:
                continue
            old = _path(next(fields))
            paths.add(old)
            if status[:1] in (b"R", b"C"):
                new = _path(next(fields))
                paths.add(new)
                renames[old] = new
        return tuple(sorted(paths)), renames

    def last_commit_of(self, path: str, rev: str) -> tuple[str, int] | None:
        """Last commit that changed a path, with its time (Unix seconds); None when the history here doesn't show it."""
        listed = self._git.text("rev-list", "-1", "--timestamp", _checked(rev), "--", path)
        time, _, name = listed.partition(" ")
        if not name or (self.is_shallow and name in self._boundary()):
            return None  # at the edge of a shallow clone every file looks new
        return name, int(time)

    def set_tag(self, name: str, commit: str) -> None:
        """Make or move a tag without a message; it is pushed by whoever may."""
        self._git.run("update-ref", f"refs/tags/{_checked(name)}", _checked(commit))

    @property
    def is_shallow(self) -> bool:
        """Whether the clone lacks history."""
        return self._shallow.exists()

    def _boundary(self) -> frozenset[str]:
        try:
            return frozenset(self._shallow.read_text(encoding="ascii").split())
        except (OSError, UnicodeDecodeError):
            return frozenset()


def _top(root: Path) -> Path:
    # core.worktree in a repository's configuration would answer `rev-parse --show-toplevel` with any folder
    folder = root.absolute()
    for candidate in (folder, *folder.parents):
        if (candidate / ".git").exists():
            return candidate
    if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
        return folder
    raise no_repository(root)


def _checked(rev: str) -> str:
    if not rev or rev.startswith("-"):
        raise RepositoryError(f"{rev!r:.60} names no commit", remedy="give a branch, a tag or a commit")
    return rev


def _path(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
