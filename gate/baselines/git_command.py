"""One call of git: its fixed options and environment, and what its refusals mean.

Nothing in a hostile repository's configuration may run; replace refs, grafts, commit graph and lazy fetches are off.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.errors import RepositoryError

_FIXED = (
    "--no-replace-objects",
    "--no-pager",
    "--literal-pathspecs",
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.commitGraph=false"),
    *("-c", "advice.graftFileDeprecated=false"),
)
_MISSING = re.compile(
    r"bad object|unable to read|Not a valid (object|commit) name|could not get object info|missing (blob|tree|commit)"
    r"|unable to find|bad revision|unknown revision|could not fetch|promisor|transport '.*' not allowed"
    r"|not a tree object"
)


class MissingObjectError(RepositoryError):
    """The clone lacks a commit, a tree or a file's content: it is shallow, partial or of something else."""


@dataclass(frozen=True, slots=True)
class GitCommand:
    """Runs git in one repository.

    Attributes:
        program: path of git.
        root: where the user works, for errors.
        top: the root of the checkout.
        environ: of the child, from `clean`.
        trust: whether a repository that another user owns is read.
        timeout: seconds for one call.
    """

    program: str
    root: Path
    top: Path
    environ: Mapping[str, str]
    trust: bool
    timeout: float

    def text(self, *arguments: str) -> str:
        """What git printed, without white space around it."""
        return self.run(*arguments).stdout.decode("utf-8", "replace").strip()

    def run(
        self, *arguments: str, check: bool = True, given: bytes = b"", more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """One call.

        Args:
            check: whether any other exit code than 0 is refused; a repository that can't be used always is.
            given: for its standard input.
            more: variables of its environment.

        Raises:
            RepositoryError: it is refused, or takes too long.
            MissingObjectError: the clone lacks an object.
        """
        trust = ("-c", "safe.directory=*") if self.trust else ()
        try:
            result = subprocess.run(
                [self.program, *_FIXED, *trust, *arguments],
                cwd=self.top,
                env={**self.environ, **(more or {})},
                input=given,
                capture_output=True,
                timeout=self.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RepositoryError(
                f"`git {arguments[0]}` took longer than {self.timeout:g} s",
                where=str(self.root),
                remedy="try it by hand; a disk that is slow or gone is the usual cause",
            ) from None
        if check or _unusable(result.stderr):
            self.refuse(result)
        return result

    def refuse(self, result: subprocess.CompletedProcess[bytes]) -> None:
        """Raise what a call that ended with another code than 0 means. Raises as `run`."""
        if result.returncode == 0:
            return
        said = result.stderr.decode("utf-8", "replace").strip()
        where = str(self.root)
        if "dubious ownership" in said or "unsafe repository" in said:
            raise RepositoryError(
                "git refuses this repository because another user owns it",
                where=where,
                remedy=f"`git config --global --add safe.directory {self.top}`",
            )
        if "not a git repository" in said.lower():
            raise no_repository(self.root)
        last = said.rsplit("\n", 1)[-1].removeprefix("fatal: ").removeprefix("error: ") or "no reason given"
        if _MISSING.search(said):
            raise MissingObjectError(
                f"the clone lacks an object: {last}",
                where=where,
                remedy="fetch more: `fetch-depth: 2` for a merge commit of a pull request, else `fetch-depth: 0`",
            )
        command = next((word for word in _words(result.args) if word[:1].islower()), "")
        raise RepositoryError(f"`git {command}` failed: {last}", where=where, remedy="try it by hand: `git fsck`")


def clean(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which only the gate says where git looks; no transport is allowed."""
    kept = {name: value for name, value in environ.items() if not name.upper().startswith("GIT_")}
    return kept | {
        "LC_ALL": "C",
        "LANGUAGE": "C",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def no_repository(root: Path) -> RepositoryError:
    """The error of a folder that is in no repository."""
    return RepositoryError(
        "this is not a git repository",
        where=str(root),
        remedy="run in a checkout; in a workflow `actions/checkout` comes first, and `gate compare` needs no git",
    )


def _unusable(said: bytes) -> bool:
    return b"dubious ownership" in said or b"unsafe repository" in said or b"not a git repository" in said


def _words(arguments: Sequence[str]) -> Sequence[str]:
    return [word for word in arguments[1:] if "=" not in word]
