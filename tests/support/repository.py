"""Real git repositories for tests, GitHub's merge commits and shallow clones included."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_TIME = 1_700_000_000
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Author",
    "GIT_AUTHOR_EMAIL": "author@example.invalid",
    "GIT_COMMITTER_NAME": "Committer",
    "GIT_COMMITTER_EMAIL": "committer@example.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}
# most of a commit's time is git's look whether to tidy up
_SETTINGS = [
    *("-c", "protocol.file.allow=always", "-c", "safe.directory=*"),
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false"),
]


class Repository:
    """One repository with a checkout; the commits are the same on every machine.

    Args:
        path: folder; it is made, with an empty `main`, unless it is a repository already.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._clock = 0
        if not (path / ".git").exists():
            path.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", "--initial-branch=main", "--template=")  # without the samples of hooks

    def git(self, *arguments: str, text: str | None = None) -> str:
        """Run git here and give what it printed; an error of git fails the test."""
        moment = f"{_TIME + self._clock} +0000"
        environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environ |= _IDENTITY | {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        result = subprocess.run(
            ["git", *_SETTINGS, *arguments],
            cwd=self.path,
            env=environ,
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert result.returncode == 0, f"git {' '.join(arguments)}: {result.stderr}"
        return result.stdout.strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files into the checkout; None removes one."""
        for name, content in files.items():
            path = self.path / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)

    def commit(self, files: Mapping[str, str | bytes | None], message: str = "change") -> str:
        """Write files, commit everything, and give the commit."""
        self.write(files)
        self._clock += 60
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        return self.head

    @property
    def head(self) -> str:
        """The commit that is checked out; read from the files where they tell, since tests ask for it so often."""
        folder = self.path / ".git"
        try:
            named = (folder / "HEAD").read_text(encoding="ascii").strip()
            found = named if ": " not in named else (folder / named.partition(": ")[2]).read_text(encoding="ascii")
        except OSError:
            found = self.git("rev-parse", "HEAD")
        return found.strip()

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch and check it out."""
        self.git("checkout", "--quiet", "-b", name, start)

    def checkout(self, name: str) -> None:
        """Check out a branch, or a commit (detached)."""
        self.git("checkout", "--quiet", name)

    def merge_like_github(self, base: str, head: str, number: int = 1) -> str:
        """Make `refs/pull/<number>/merge` of two branches or commits, checked out detached, and give its commit."""
        base, head = self.git("rev-parse", f"{base}^{{commit}}"), self.git("rev-parse", f"{head}^{{commit}}")
        self._clock += 60
        self.git("checkout", "--quiet", "--detach", base)
        self.git("merge", "--quiet", "--no-ff", "--no-edit", "-m", f"Merge {head} into {base}", head)
        merged = self.head
        self.git("update-ref", f"refs/pull/{number}/merge", merged)
        self.git("update-ref", f"refs/pull/{number}/head", head)
        return merged

    def clone(self, path: Path, depth: int | None = None, ref: str = "main") -> Repository:
        """Clone as actions/checkout does: one ref, fetched to a depth (None: everything), checked out.

        A branch is checked out by its name, with `origin/<name>`; any other ref is detached. Without a depth every
        branch is fetched.
        """
        path.mkdir(parents=True)
        copy = Repository(path)
        copy._clock = self._clock
        copy.git("remote", "add", "origin", f"file://{self.path}")
        is_branch = not ref.startswith("refs/") and ref in self.git("branch", "--format=%(refname:short)").split()
        source = f"refs/heads/{ref}" if is_branch else ref
        remote = f"refs/remotes/origin/{ref}" if is_branch else f"refs/remotes/{ref.removeprefix('refs/')}"
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        depths = [] if depth is None else [f"--depth={depth}"]
        everything = ["+refs/heads/*:refs/remotes/origin/*"] if depth is None else []
        copy.git("fetch", "--quiet", "--no-tags", *depths, "origin", f"+{source}:{remote}", *everything)
        if is_branch:
            copy.git("checkout", "--quiet", "-B", ref, remote)
        else:
            copy.git("checkout", "--quiet", "--detach", remote)
        return copy
