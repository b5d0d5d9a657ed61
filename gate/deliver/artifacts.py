"""Artifacts that workflow runs uploaded, and the runs they came from.

An artifact's name proves nothing: every run of a repository may upload under any name, runs of forks included. What
counts is the run, as GitHub itself describes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

from gate.deliver import problems
from gate.deliver.archive import unpack
from gate.deliver.client import GitHub, PullRequest
from gate.deliver.problems import ApiError
from gate.errors import DeliveryError

PREFIX = "robustness-gate"
CANDIDATE, TRIALS, VERDICT, MISSING = "candidate.json", "trials.jsonl", "verdict.json", "missing.jsonl"
OF_PULL_REQUEST = frozenset({CANDIDATE, TRIALS, VERDICT, MISSING})
"""Names in the artifact of a pull request."""
PERMISSION = "add `permissions: actions: read` to the job"
MOST_PACKED = 256 * 2**20
"""Bytes of a packed artifact above which it is not downloaded."""
_MOST_PAGES = 3


@dataclass(frozen=True, slots=True)
class Artifact:
    """One artifact and where it came from. Numbers are 0 and texts empty where GitHub does not say.

    Attributes:
        digest: `sha256:…` of the packed file.
        run: number of the run that uploaded it.
        branch, commit: what that run was started for; of a pull request, its head.
        repository, head_repository: numbers of the repositories of the run and of its commit.
    """

    id: int
    name: str
    size: int
    expired: bool
    digest: str
    run: int
    branch: str
    commit: str
    repository: int
    head_repository: int

    @property
    def of_own_branch(self) -> bool:
        """Whether the commit stood in the repository itself, not in a fork."""
        return 0 < self.repository == self.head_repository


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a workflow.

    Attributes:
        workflow: number of the workflow.
        event: what started it.
        finished: whether it has ended, in whatever way.
        conclusion: how; empty before.
        repository, head_repository: owner and name in lower case; the second is empty once a fork is deleted.
        attempt: the latest, from 1.
        path: file of the workflow, below the root of the repository.
        actor: login of who started it.
        head_number: number of the repository of its commit; 0 once a fork is deleted.
    """

    id: int
    workflow: int
    event: str
    finished: bool
    conclusion: str
    branch: str
    commit: str
    repository: str
    head_repository: str
    attempt: int = 1
    path: str = ""
    actor: str = ""
    head_number: int = 0


def name_for_main(suite: str) -> str:
    """Name of the artifact in which a run of main leaves its report."""
    return f"{PREFIX}-{suite}-main"


def name_for_pull_request(suite: str, number: int) -> str:
    """Name of the artifact in which a run of a pull request leaves its trials and its verdict."""
    return f"{PREFIX}-{suite}-pr-{number:d}"


def list_artifacts(github: GitHub, name: str) -> list[Artifact]:
    """Artifacts of a name over all runs, those of the newest run first; the newest few hundred.

    Raises:
        ApiError: GitHub refuses, or can't be reached.
    """
    return _listed(github, "/actions/artifacts", name)


def artifacts_of_run(github: GitHub, run: int, name: str) -> list[Artifact]:
    """Artifacts of a name that one run left, the newest first.

    Raises:
        ApiError: GitHub refuses, or can't be reached.
    """
    found = _listed(github, f"/actions/runs/{run:d}/artifacts", name)
    return [artifact for artifact in found if artifact.run == run]


def _listed(github: GitHub, path: str, name: str) -> list[Artifact]:
    pages = github.read_pages(path, {"name": name})
    found = [_artifact(entry) for page in islice(pages, _MOST_PAGES) for entry in _entries(page, "artifacts")]
    same = [artifact for artifact in found if artifact.name == name]
    return sorted(same, key=lambda artifact: (artifact.run, artifact.id), reverse=True)


def read_run(github: GitHub, number: int) -> Run:
    """One run.

    Raises:
        ApiError: also when there is no such run.
    """
    return _run(github.read(f"/actions/runs/{number:d}", {"exclude_pull_requests": "true"}))


def runs_of(github: GitHub, workflow: int, branch: str, event: str = "") -> list[Run]:
    """The newest hundred runs of a workflow for a branch of that name, forks' included, newest first."""
    asked = {"branch": branch, "exclude_pull_requests": "true", **({"event": event} if event else {})}
    page = next(github.read_pages(f"/actions/workflows/{workflow:d}/runs", asked))
    return sorted((_run(entry) for entry in _entries(page, "workflow_runs")), key=lambda run: run.id, reverse=True)


def is_ancestor(github: GitHub, commit: str, of: str) -> bool:
    """Whether a commit is another or stands in its history.

    Raises:
        ApiError: GitHub refuses, or can't be reached. A commit that it does not know is no ancestor.
    """
    if commit == of:
        return True
    try:
        # The second page is without the changed files, which nobody needs here.
        asked = {"per_page": "1", "page": "2"}
        found = github.read(f"/compare/{quote(commit, safe='')}...{quote(of, safe='')}", asked)
    except ApiError as error:
        if error.status == 404:
            return False
        raise
    return isinstance(found, dict) and found.get("status") in ("ahead", "identical")


def read_file(github: GitHub, artifact: Artifact, name: str, *, known: Collection[str], limit: int) -> bytes | None:
    """Download an artifact and give one of its files; None when it has no such file.

    Args:
        known: names that the artifact may hold.
        limit: bytes of the file above which it is refused.

    Raises:
        DeliveryError: expired, too large, damaged, or with entries that may not be there.
        ApiError: GitHub refuses, or can't be reached.
    """
    where = f"artifact {artifact.name}"
    if artifact.expired:
        raise DeliveryError("has expired", where=where, remedy="run the workflow that uploads it again")
    most = min(MOST_PACKED, limit + 2**16)
    if artifact.size > most:
        raise problems.too_large(most, where)
    try:
        data = github.download(f"/actions/artifacts/{artifact.id:d}/zip", most)
    except ApiError as error:
        if error.status != 410:
            raise
        raise DeliveryError("has expired", where=where, remedy="run the workflow that uploads it again") from None
    if artifact.digest.startswith("sha256:") and artifact.digest[7:] != hashlib.sha256(data).hexdigest():
        raise DeliveryError("is not what GitHub has a digest of", where=where, remedy="run it again later")
    return unpack(data, name, known=known, limit=limit, where=where)


def belongs_to(artifact: Artifact, pull: PullRequest) -> bool:
    """Whether a run of this pull request's own branch uploaded an artifact.

    Once the fork is deleted nothing but the commit tells its runs from those of others.
    """
    if pull.head_repository:
        return artifact.branch == pull.head_ref and artifact.head_repository == pull.head_repository
    return artifact.commit == pull.head_sha


def may_not_read(error: ApiError) -> bool:
    """Whether an error looks like a missing permission, which GitHub also shows as absence."""
    return error.status in (401, 403, 404)


def _artifact(entry: Any) -> Artifact:
    try:
        run = entry.get("workflow_run") or {}
        return Artifact(
            id=int(entry["id"]),
            name=str(entry["name"]),
            size=int(entry["size_in_bytes"]),
            expired=bool(entry["expired"]),
            digest=str(entry.get("digest") or ""),
            run=int(run.get("id") or 0),
            branch=str(run.get("head_branch") or ""),
            commit=str(run.get("head_sha") or ""),
            repository=int(run.get("repository_id") or 0),
            head_repository=int(run.get("head_repository_id") or 0),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise problems.nonsense("artifacts", "a list of artifacts") from None


def _run(entry: Any) -> Run:
    try:
        return Run(
            id=int(entry["id"]),
            workflow=int(entry["workflow_id"]),
            event=str(entry["event"]),
            finished=entry["status"] == "completed",
            conclusion=str(entry.get("conclusion") or ""),
            branch=str(entry.get("head_branch") or ""),
            commit=str(entry["head_sha"]),
            repository=_full_name(entry.get("repository")),
            head_repository=_full_name(entry.get("head_repository")),
            attempt=int(entry.get("run_attempt") or 1),
            path=str(entry.get("path") or "").partition("@")[0],
            actor=str((entry.get("actor") or {}).get("login") or ""),
            head_number=int((entry.get("head_repository") or {}).get("id") or 0),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise problems.nonsense("workflow runs", "a run of a workflow") from None


def _full_name(repository: Any) -> str:
    return str(repository.get("full_name") or "").lower() if repository else ""


def _entries(page: Any, key: str) -> list[Any]:
    entries = page.get(key) if isinstance(page, dict) else None
    if not isinstance(entries, list):
        raise problems.nonsense(key, f"a list of {key.replace('_', ' ')}")
    return entries
