"""A finished run of a fork, looked at from the trusted side: whose it is, and the report that it left.

All that a fork can choose is hostile: names and contents of artifacts, its branch's name, what stands in its workflow
file. What counts is what GitHub itself says of the run, and which open pull request has that head now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

from gate.deliver import artifacts, problems
from gate.deliver.artifacts import CANDIDATE, OF_PULL_REQUEST, Run
from gate.deliver.client import GitHub, PullRequest, pull_request_of
from gate.deliver.problems import ApiError
from gate.errors import DeliveryError, ReportError, UndecidedError, UsageError
from gate.ingest import read_report

DEPENDABOT = "dependabot[bot]"
MOST_BYTES = 64 * 2**20
"""Bytes of a fork's report above which it is refused, whatever the settings allow a report of our own."""
MOST_CASES = 200_000
MOST_NAME = 4_000
_MOST_PAGES = 3
_AGAIN = "run the workflow of the pull request again"
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class NothingToJudge:
    """Why a run is not judged here, one sentence; that is no failure.

    Attributes:
        judged: the run itself where it judged what it measured, so that its own conclusion can be told.
    """

    why: str
    judged: Run | None = None


def needs_trusted_step(repository: str, head_repository: str | None, actor: str) -> bool:
    """Whether a pull request's own job has no secrets: it is of a fork (a deleted one, too) or of Dependabot."""
    return (head_repository or "").lower() != repository.lower() or actor == DEPENDABOT


def read_fork_run(github: GitHub, number: int, workflow: str) -> Run | NothingToJudge:
    """The run, when it is one that this workflow has to judge.

    Args:
        workflow: name of the file below `.github/workflows/` that measures pull requests.

    Raises:
        UsageError: a run of another workflow file.
        ApiError: GitHub refuses, or can't be reached.
    """
    run = artifacts.read_run(github, number)
    expected = f".github/workflows/{workflow}"
    if run.repository != github.repository.lower() or run.id != number:
        raise problems.nonsense(f"GET /actions/runs/{number:d}", "the run that was asked for")
    if run.path != expected:
        raise UsageError(
            f"the run is of another workflow file, {run.path!r:.120}",
            where=f"run {number}",
            remedy=f"{expected} is expected; --workflow names another one",
        )
    if run.event not in ("pull_request", "merge_group"):
        return NothingToJudge(f"a run for the event {run.event!r:.40}, not for a pull request")
    if not run.finished:
        return NothingToJudge("another attempt of the run has begun, whose end is judged")
    if run.conclusion == "action_required":
        return NothingToJudge("the run waits until somebody approves it, and nothing was measured yet")
    if not _COMMIT.fullmatch(run.commit):
        raise problems.nonsense(f"GET /actions/runs/{number:d}", "a run of a commit")
    if run.event == "merge_group":
        own = run.repository == run.head_repository
        return NothingToJudge("a run of the merge queue, which judges itself", run if own else None)
    if not needs_trusted_step(run.repository, run.head_repository, run.actor):
        return NothingToJudge("a pull request of the repository itself, which its own job judges", run)
    return run


def find_pull_request(github: GitHub, run: Run) -> PullRequest | NothingToJudge:
    """The open pull request whose head is the commit of a run, in the repository that the run's commit came from.

    Raises:
        UndecidedError: several have that head, so which of them was measured is unknown.
        ApiError: GitHub refuses, or can't be reached.
    """
    listed = [pull for pull in _pulls(github, run) if pull.open and _same_place(pull, run)]
    found = [pull for pull in listed if pull.head_sha == run.commit]
    if len(found) > 1:
        numbers = ", ".join(f"#{pull.number}" for pull in found[:5])
        raise UndecidedError(
            f"the pull requests {numbers} have this same head, and which of them was measured is not known",
            where=f"run {run.id}",
            remedy="close all but one of them, or push a commit to one",
        )
    if not found:
        moved = listed and "the pull request has a newer commit, whose run is judged"
        return NothingToJudge(moved or "no open pull request has this commit as its head")
    return still_there(github, found[0].number, run)


def still_there(github: GitHub, number: int, run: Run) -> PullRequest | NothingToJudge:
    """The pull request as it is now, unless it was closed or has moved on."""
    now = github.pull_request(number)
    if not now.open:
        return NothingToJudge(f"#{number} is closed")
    if now.head_sha != run.commit or not _same_place(now, run):
        return NothingToJudge(f"#{number} has a newer commit, whose run is judged")
    return now


def fetch_candidate(github: GitHub, run: Run, *, suite: str, number: int, limit: int) -> bytes:
    """The report that a run left for a pull request; nothing else of the artifact is looked at.

    Args:
        number: of the pull request that GitHub says the run is of; the artifact is called by it.
        limit: bytes of the report above which it is refused; never more than `MOST_BYTES`.

    Raises:
        ReportError: no artifact, several, one that expired or may not be unpacked, or no report of this suite.
        ApiError: GitHub refuses, or can't be reached.
    """
    name = artifacts.name_for_pull_request(suite, number)
    found = [
        artifact for artifact in artifacts.artifacts_of_run(github, run.id, name) if artifact.commit in ("", run.commit)
    ]
    where = f"artifact {name} of run {run.id}"
    if not found:
        raise ReportError("there is none", where=where, remedy=f"{_AGAIN}; its log says why it left none")
    if len(found) > 1:
        raise ReportError(f"the run left it {len(found)} times", where=where, remedy="upload it once, with `overwrite`")
    try:
        data = artifacts.read_file(github, found[0], CANDIDATE, known=OF_PULL_REQUEST, limit=min(limit, MOST_BYTES))
    except ApiError:
        raise
    except DeliveryError as error:
        raise ReportError(error.message, where=where, remedy=error.remedy or _AGAIN) from None
    if data is None:
        raise ReportError(f"it holds no {CANDIDATE}", where=where, remedy=f"{_AGAIN}; its log says why")
    refuse_excess(data, suite, where, limit)
    return data


def refuse_excess(data: bytes, suite: str, where: str, limit: int) -> None:
    """Refuse what no run of this suite writes: another format, another suite, more or longer names than there can be.

    Raises:
        ReportError: it is such a file, or no report that can be read.
    """
    report = read_report(data, where, limit=limit)
    if report.source.format != "candidate":
        raise ReportError(f"is a report of the format {report.source.format!r:.40}", where=where, remedy=_AGAIN)
    if report.suite != suite:
        raise ReportError(f"is of the suite {report.suite!r:.80}, not of {suite!r}", where=where, remedy=_AGAIN)
    if len(report.cases) > MOST_CASES:
        raise ReportError(f"has {len(report.cases):,} cases, more than {MOST_CASES:,}", where=where, remedy=_AGAIN)
    longest = max((len(case.id) for case in report.cases), default=0)
    if longest > MOST_NAME:
        raise ReportError(f"has an id of {longest:,} characters", where=where, remedy=_AGAIN)


def _pulls(github: GitHub, run: Run) -> list[PullRequest]:
    if run.head_repository:
        asked = {"state": "open", "head": f"{run.head_repository.partition('/')[0]}:{run.branch}"}
        pages: list[Any] = list(islice(github.read_pages("/pulls", asked), _MOST_PAGES))
        where = "GET /pulls"
    else:
        where = f"/commits/{quote(run.commit, safe='')}/pulls"
        pages = [github.read(where)]
    if not all(isinstance(page, list) for page in pages):
        raise problems.nonsense(where, "a list of pull requests")
    return [pull_request_of(entry, where) for page in pages for entry in page]


def _same_place(pull: PullRequest, run: Run) -> bool:
    """Once the fork is deleted, neither side names a repository, and the commit alone tells."""
    return pull.head_repository == run.head_number
