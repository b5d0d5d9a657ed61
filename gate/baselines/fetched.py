"""Commits of a pull request fetched as objects by a workflow that has the base checked out; nothing of them is run."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from gate.baselines.base import Base
from gate.baselines.git import Git
from gate.errors import RepositoryError, UndecidedError

_BRANCH = re.compile(r"[^\s:*?\[\\^~\x00-\x1f\x7f-][^\s:*?\[\\^~\x00-\x1f\x7f]*")
_AT = "refs/gate/pull"
_FETCH = (
    *("-c", "fetch.fsckObjects=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "credential.helper=", "-c", "submodule.recurse=false"),
    *("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"),
)
_UNREACHED = re.compile(
    r"unable to access|[Cc]ould not resolve|unable to look up|[Cc]onnection (refused|reset|timed out|closed)"
    r"|Could not read from remote repository|remote end hung up|unexpected disconnect"
)
_PROTOCOLS = "https:http:ssh:file"
_NETWORK = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE")


def fetch_pull_request(
    root: Path, number: int, *, base_ref: str, server_url: str, token: str = "", environ: Mapping[str, str]
) -> None:
    """Fetch head and test merge of a pull request, and the branch that it goes into, from `origin`.

    The objects are checked by git as they come; no file of them is written to the checkout.

    Args:
        root: the checkout.
        base_ref: branch of the repository itself, without `refs/heads/`.
        server_url: the only server that sees the token.
        environ: of this process, for proxies and certificates.

    Raises:
        RepositoryError: git can't fetch them. That there is no test merge (a conflict) is no error.
        UndecidedError: `origin` can't be reached.
    """
    if not _BRANCH.fullmatch(base_ref):
        raise RepositoryError(f"no branch is called {base_ref!r:.80}", remedy="run it again later")
    branch = f"+refs/heads/{base_ref}:refs/remotes/origin/{base_ref}"
    head, merge = (f"+refs/pull/{number:d}/{name}:{_AT}/{number:d}/{name}" for name in ("head", "merge"))
    git, told = _Fetching(root), _told(_signed(server_url, token), environ)
    git.forget(f"{_AT}/{number:d}/merge")
    git.fetch([branch, head], told)
    git.fetch([merge], told, optional=True)


def base_of_pull_request(git: Git, number: int, head_sha: str, base_ref: str) -> Base:
    """The base of a pull request whose commits were fetched: its test merge's first parent, else the merge base.

    Raises:
        UndecidedError: the head has moved on.
        RepositoryError: nothing here is shared with the base branch.
    """
    head, tip = git.resolve(f"{_AT}/{number:d}/head"), git.resolve(f"refs/remotes/origin/{base_ref}")
    if head != head_sha or tip is None:
        raise UndecidedError(
            f"the head of #{number} is not {head_sha[:7]} any more", remedy="the run of its newer commit is judged"
        )
    merge = git.resolve(f"{_AT}/{number:d}/merge")
    parents = git.parents(merge) if merge else ()
    if merge and len(parents) == 2 and parents[1] == head and git.is_ancestor(parents[0], tip):
        how = "first parent of the merge commit"
        return Base(parents[0], how, merge, merge_commit=True, since=parents[0])
    found = git.merge_base(head, tip)
    if found is None:
        raise RepositoryError(
            f"#{number} shares no commit with `{base_ref}` here",
            remedy="set `fetch-depth: 0` at actions/checkout",
        )
    return Base(found, f"merge base with `{base_ref}`", head, since=found, tip=tip)


class _Fetching(Git):
    """Git that may also reach `origin`, and write refs of our own."""

    def fetch(self, specs: Sequence[str], environ: Mapping[str, str], *, optional: bool = False) -> None:
        """Fetch `+from:to` as objects; `optional` where `origin` may lack them."""
        result = self._git.run(*_FETCH, "origin", *specs, check=False, more=environ)
        if optional and b"couldn't find remote ref" in result.stderr:
            return
        self._refuse_unreached(result)
        self._git.refuse(result)

    def _refuse_unreached(self, result: subprocess.CompletedProcess[bytes]) -> None:
        """That a network is down is no mistake in the set-up, and `git fsck` would mend nothing."""
        said = result.stderr.decode("utf-8", "replace").strip()
        if result.returncode and _UNREACHED.search(said):
            raise UndecidedError(
                f"`origin` can't be reached: {said.splitlines()[0].removeprefix('fatal: ')}",
                where=str(self.root),
                remedy="run the job again; if that does not help, give it `contents: read`, or look at its network",
            )

    def forget(self, ref: str) -> None:
        """Delete a ref; one that is not there is no error."""
        self._git.run("update-ref", "-d", ref, check=False)


def _told(settings: Sequence[tuple[str, str]], environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a fetch: proxies and certificates of this process, and settings of git."""
    told = {name: environ[name] for name in _NETWORK if environ.get(name)}
    for place, (key, value) in enumerate(settings):
        told |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return {**told, "GIT_CONFIG_COUNT": str(len(settings)), "GIT_ALLOW_PROTOCOL": _PROTOCOLS}


def _signed(server_url: str, token: str) -> list[tuple[str, str]]:
    """The setting that shows the token to one server; it goes by the environment, which no list of processes shows."""
    import base64

    if not token:
        return []
    told = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
    key = f"http.{server_url.rstrip('/')}/.extraheader"
    return [(key, ""), (key, f"AUTHORIZATION: basic {told}")]  # the empty one takes back what a checkout has left
