"""Which repository on GitHub a checkout belongs to, and how it is reached from a shell."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gate.errors import UsageError

PUBLIC_API = "https://api.github.com"
PUBLIC_SERVER = "https://github.com"
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_SHORT = re.compile(r"(?:[\w.-]+@)?(?P<host>[\w.-]+):(?P<path>[^/].*)")
_SSH_HOSTS = {"ssh.github.com": "github.com"}


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository on GitHub: owner and name, and the address of the API."""

    repository: str
    api_url: str


def find_remote(environ: Mapping[str, str], folder: Path, named: str | None = None) -> Remote:
    """The repository that the user named, that of the workflow, or that of the remote `origin`.

    Only GitHub's own host, or that of `GITHUB_SERVER_URL`, is taken: the token goes there.

    Raises:
        UsageError: none of them names a repository of that host.
    """
    given = named or environ.get("GITHUB_REPOSITORY", "")
    if given:
        if not _NAME.fullmatch(given):
            raise UsageError(
                f"a repository can't be called {given!r:.80}",
                where="--repository" if named else "GITHUB_REPOSITORY",
                remedy="give owner/name",
            )
        return Remote(given, _api(environ))
    host, path = _parts(_origin(folder))
    server = _server_host(environ)
    if not _NAME.fullmatch(path):
        raise UsageError(
            "the remote `origin` names no repository on GitHub", where=str(folder), remedy="add --repository owner/name"
        )
    if host != server:
        raise UsageError(
            f"the remote `origin` is on {host:.80}, and the token is for {server}",
            where=str(folder),
            remedy="set GITHUB_SERVER_URL to your server, or add --repository owner/name",
        )
    return Remote(path, _api(environ))


def find_token(environ: Mapping[str, str]) -> str:
    """A token that may read artifacts.

    Raises:
        UsageError: there is none.
    """
    for name in TOKENS:
        if environ.get(name, "").strip():
            return environ[name].strip()
    raise UsageError(
        "there is no token: GitHub gives artifacts to nobody without one",
        where=" or ".join(TOKENS),
        remedy="set it to a token that may read actions, for example with `export GH_TOKEN=$(gh auth token)`",
    )


def _api(environ: Mapping[str, str]) -> str:
    server = environ.get("GITHUB_SERVER_URL", "").strip().rstrip("/") or PUBLIC_SERVER
    default = PUBLIC_API if server == PUBLIC_SERVER else f"{server}/api/v3"
    return environ.get("GITHUB_API_URL", "").strip().rstrip("/") or default


def _server_host(environ: Mapping[str, str]) -> str:
    return urlsplit(environ.get("GITHUB_SERVER_URL", "").strip() or PUBLIC_SERVER).hostname or ""


def _origin(folder: Path) -> str:
    command = ["git", "config", "--get", "remote.origin.url"]
    try:
        found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    return found.stdout.strip()


def _parts(url: str) -> tuple[str, str]:
    """Host and owner/name of a remote's address; what stands before an @ may be a secret and is dropped."""
    short = _SHORT.fullmatch(url)
    if "://" in url:
        try:
            split = urlsplit(url)
            host, path = split.hostname or "", split.path
        except ValueError:
            return "", ""
    elif short:
        host, path = short["host"].lower(), short["path"]
    else:
        return "", ""
    return _SSH_HOSTS.get(host, host), path.strip("/").removesuffix(".git")
