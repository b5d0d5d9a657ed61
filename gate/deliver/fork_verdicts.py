"""Verdicts of the trusted workflow about pull requests of forks, found again by what they say.

The workflow runs on the default branch, so its runs name no pull request; its artifact is the only link. Every run may
upload under that name, a pull request's own included: only those of the event `workflow_run` in the repository itself
count, since GitHub takes their workflow from the default branch. What they hold is read as untrusted all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from gate.deliver import artifacts
from gate.deliver.artifacts import VERDICT, Artifact, Run
from gate.deliver.client import GitHub, PullRequest
from gate.deliver.problems import ApiError
from gate.errors import GateError
from gate.render import verdict_from_json
from gate.render.marker import SUITE

NAME = f"{artifacts.PREFIX}-fork"
"""Name of the artifact in which the trusted workflow leaves its files."""
MOST_BYTES = 16 * 2**20
_FILES = (VERDICT, "comment.md", "report.html")
_GONE = (404, 410)
_MOST_LOOKED_AT = 30


@dataclass(frozen=True, slots=True)
class ForkVerdict:
    """What the trusted workflow found of one pull request.

    Attributes:
        run: the run that judged, not the one that measured.
        data: the verdict as JSON; untrusted.
        commit: the head that it is of.
    """

    run: Run
    data: bytes
    commit: str


def latest_fork_verdict(github: GitHub, suite: str, pull: PullRequest, *, head: str = "") -> ForkVerdict | None:
    """The newest verdict of the trusted workflow about a pull request; None where there is none that can be read.

    The newest thirty artifacts are looked at. One that expired, is damaged or is about something else is passed over:
    another pull request's must not stand in the way of this one's.

    Args:
        head: commit that it must be of; empty takes any.

    Raises:
        ApiError: GitHub refuses the list, or can't be reached.
    """
    listed = (each for each in artifacts.list_artifacts(github, NAME) if each.of_own_branch and not each.expired)
    for artifact in islice(listed, _MOST_LOOKED_AT):
        try:
            found = _read(github, artifact, suite, pull)
        except ApiError as error:
            if error.status not in _GONE:
                raise
            continue
        except GateError:
            continue
        if found is not None and head in ("", found.commit):
            return found
    return None


class _Known(Collection[str]):
    """Names that the artifact may hold; a further suite of the same workflow has a folder of its own."""

    def __contains__(self, name: object) -> bool:
        folder, _, file = str(name).rpartition("/")
        own = SUITE.fullmatch(folder) is not None and folder.strip(".") != ""
        return file in _FILES and (str(name) == file or own)

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)


def _read(github: GitHub, artifact: Artifact, suite: str, pull: PullRequest) -> ForkVerdict | None:
    run = artifacts.read_run(github, artifact.run)
    if run.event != "workflow_run" or not run.repository == run.head_repository == github.repository.lower():
        return None
    for name in (VERDICT, f"{suite}/{VERDICT}"):
        data = artifacts.read_file(github, artifact, name, known=_Known(), limit=MOST_BYTES)
        if data is None:
            continue
        told = verdict_from_json(data.decode("utf-8", "replace")).provenance
        if told.suite == suite and told.pull_request == pull.number:
            return ForkVerdict(run, data, told.head)
    return None
