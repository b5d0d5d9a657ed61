"""Publishes a tag from a user's own checkout, with the credentials that their git has.

Unlike `Git`, which reads repositories of strangers, this runs the transports, helpers and keys that the checkout's
configuration names; call it where a person, or a workflow of the default branch, has asked for it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from gate.baselines.program import find_git
from gate.errors import RepositoryError

REMOTE = "origin"
_SECONDS = 120.0
_ONLY_THIS = "--force", "--quiet", "--no-follow-tags", "--recurse-submodules=no", "--no-verify"
_SECRET = re.compile(r"//[^/\s@]*@")
_NO_REMOTE = re.compile(r"does not appear to be a git repository|No such remote|No configured push destination")
_NOBODY = re.compile(
    r"could not read Username|terminal prompts disabled|Authentication failed|Permission denied \(publickey"
    r"|Invalid username|error: 401",
    re.IGNORECASE,
)
_MAY_NOT = re.compile(
    r"error: 403|denied to|GH006|GH013|rule violations|protected|not permitted|not allowed|declined|remote rejected",
    re.IGNORECASE,
)
_REFUSED = (
    (_NO_REMOTE, "add the remote: `git remote add origin …`"),
    (_NOBODY, "sign in; in a workflow run `gh auth setup-git` first, with GH_TOKEN and `permissions: contents: write`"),
    (
        _MAY_NOT,
        "give the token `permissions: contents: write`, or let somebody push it whom the ruleset of the tag names",
    ),
)


def push_tag(folder: Path, name: str, commit: str, environ: Mapping[str, str]) -> None:
    """Make or move a tag on the remote `origin`.

    Args:
        folder: the checkout.
        name: of the tag.
        commit: full name of the commit that it is to name.

    Raises:
        RepositoryError: it is not published; says whether credentials, permission or the remote are missing.
    """
    found = f"{commit}:refs/tags/{name}"
    command = [find_git(environ), "-c", f"core.hooksPath={os.devnull}", "push", *_ONLY_THIS, REMOTE, found]
    quiet = {"LC_ALL": "C", "LANGUAGE": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        result = subprocess.run(
            command,
            cwd=folder,
            env={**environ, **quiet},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        if isinstance(error, subprocess.TimeoutExpired):
            raise RepositoryError(
                f"the push took longer than {_SECONDS:g} s, and whether {REMOTE} has moved the tag is not known",
                where=name,
                remedy="look at the connection, then do it again",
            ) from None
        raise _refused(name, str(error), "look at the connection, then do it again") from None
    if result.returncode:
        said = _SECRET.sub("//", result.stderr.decode("utf-8", "replace")).strip()
        remedy = next((advice for pattern, advice in _REFUSED if pattern.search(said)), "try it by hand: `git push`")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        told = next((line for line in lines if "rejected" in line or "fatal" in line or "GH0" in line), "")
        raise _refused(name, told or (lines[-1] if lines else "git gave no reason"), remedy)


def _refused(name: str, why: str, remedy: str) -> RepositoryError:
    return RepositoryError(f"the tag is not published, and nothing was moved: {why:.300}", where=name, remedy=remedy)
