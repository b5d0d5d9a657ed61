"""What earlier runs of one pull request left: the trials of its stochastic tests, and the latest verdict."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from gate.deliver import artifacts
from gate.deliver.artifacts import TRIALS, VERDICT, Artifact
from gate.deliver.client import GitHub, PullRequest
from gate.deliver.fork_verdicts import latest_fork_verdict
from gate.deliver.problems import ApiError
from gate.errors import GateError
from gate.render.words import plural

KNOWN = artifacts.OF_PULL_REQUEST
MOST_BYTES = 16 * 2**20
MOST_LINE = 2**20
_MOST_ARTIFACTS = 10


@dataclass(frozen=True, slots=True)
class History:
    """Trials of earlier runs of one pull request.

    Attributes:
        lines: JSON objects without their line ends, oldest first, each once. They are the suite's own word: untrusted.
        heads: how many other commits of this pull request were tried, as far as that is known.
        missing: which part of the history could not be had, one sentence; empty where nothing is missing.
    """

    lines: tuple[bytes, ...] = ()
    heads: int = 0
    missing: str = ""

    @property
    def data(self) -> bytes:
        """The lines as a file."""
        return _as_file(self.lines)


def earlier_trials(github: GitHub, suite: str, number: int, *, head: str = "", run: int = 0) -> History:
    """Trials that earlier runs of a pull request uploaded. Never raises: what can't be had is said in `missing`.

    Args:
        head: the commit of now, which is not counted among the heads tried.
        run: number of this run (`GITHUB_RUN_ID`), whose workflow tells which heads were tried; 0 when unknown.
    """
    try:
        pull = github.pull_request(number)
        listed = artifacts.list_artifacts(github, artifacts.name_for_pull_request(suite, number))
        own = [artifact for artifact in listed if artifacts.belongs_to(artifact, pull)]
        tried = _tried(github, pull, run) | {artifact.commit for artifact in own}
    except ApiError as error:
        told = f"the token may not read them; {artifacts.PERMISSION}"
        return History(missing=_sentence(told if artifacts.may_not_read(error) else error.message))
    read: dict[Artifact, bytes] = {}
    failures: list[str] = []
    for artifact in own[:_MOST_ARTIFACTS]:
        try:
            # An artifact without the file is a run in which nothing was stochastic.
            read[artifact] = artifacts.read_file(github, artifact, TRIALS, known=KNOWN, limit=MOST_BYTES) or b""
        except GateError as error:
            failures.append(_reason(error))
    known = joined(read[artifact] for artifact in reversed(read))
    tried = (tried | known.heads) - {head, ""}
    lost = tried - {artifact.commit for artifact in read} - known.heads
    return History(known.lines, len(tried), _missing(len(lost), failures, known.dropped))


def local_trials(data: bytes, *, head: str = "") -> History:
    """The history that the last run on this machine left in its file; `head` as in `earlier_trials`."""
    known = joined([data])
    return History(known.lines, len(known.heads - {head}), _missing(0, [], known.dropped))


@dataclass(frozen=True, slots=True)
class Joined:
    """Lines of several files, with the commits that they name under `head` and how many lines were dropped."""

    lines: tuple[bytes, ...]
    heads: frozenset[str]
    dropped: int

    @property
    def data(self) -> bytes:
        """The lines as a file."""
        return _as_file(self.lines)


def joined(files: Iterable[bytes]) -> Joined:
    """Lines of several files, oldest file first, each content once, where it came first.

    Lines may refer to earlier ones of their file, so what is too much is dropped by whole files, the oldest first: all
    together are at most 16 MiB. A line that is no JSON object or longer than 1 MiB is dropped alone.
    """
    parsed = [[_parsed(line) for line in map(bytes.strip, data.split(b"\n")) if line] for data in files]
    kept, total = len(parsed), 0
    while kept:
        total += sum(len(each.line) + 1 for each in parsed[kept - 1] if each is not None)
        if total > MOST_BYTES:
            break
        kept -= 1
    found: dict[str, _Line] = {}
    dropped = sum(map(len, parsed[:kept]))
    for each in chain.from_iterable(parsed[kept:]):
        if each is None:
            dropped += 1
        else:
            found.setdefault(each.content, each)
    heads = frozenset(each.head for each in found.values()) - {""}
    return Joined(tuple(each.line for each in found.values()), heads, dropped)


@dataclass(frozen=True, slots=True)
class LatestVerdict:
    """The verdict of a pull request's latest run.

    Attributes:
        data: JSON as the run uploaded it; untrusted.
        commit: the head that it is of.
        head: the head of the pull request now.
    """

    data: bytes
    commit: str
    head: str


def latest_verdict(github: GitHub, suite: str, number: int) -> LatestVerdict | None:
    """The verdict that the latest run of a pull request left; None when none left one.

    Of a fork's the trusted workflow's counts before the one that the fork's own run may have left; of Dependabot's,
    whose run may only have measured, it is the one that is there.

    Raises:
        DeliveryError: it has expired or is damaged.
        ApiError: GitHub refuses, has no such pull request, or can't be reached.
    """
    pull = github.pull_request(number)
    if pull.head_name.lower() == github.repository.lower():
        return _of_own_run(github, suite, pull) or _of_trusted_run(github, suite, pull)
    return _of_trusted_run(github, suite, pull) or _of_own_run(github, suite, pull)


def _of_own_run(github: GitHub, suite: str, pull: PullRequest) -> LatestVerdict | None:
    for artifact in artifacts.list_artifacts(github, artifacts.name_for_pull_request(suite, pull.number)):
        if artifacts.belongs_to(artifact, pull):
            data = artifacts.read_file(github, artifact, VERDICT, known=KNOWN, limit=MOST_BYTES)
            if data is not None:
                return LatestVerdict(data, artifact.commit, pull.head_sha)
    return None


def _of_trusted_run(github: GitHub, suite: str, pull: PullRequest) -> LatestVerdict | None:
    found = latest_fork_verdict(github, suite, pull)
    return None if found is None else LatestVerdict(found.data, found.commit, pull.head_sha)


def _tried(github: GitHub, pull: PullRequest, run: int) -> set[str]:
    """Heads that this workflow ran for, the run of now left out; those of the same branch name elsewhere too."""
    if not run:
        return set()
    try:
        this = artifacts.read_run(github, run)
    except ApiError as error:
        if error.status == 404:
            return set()
        raise
    return {
        other.commit
        for other in artifacts.runs_of(github, this.workflow, pull.head_ref, this.event)
        if other.id != run and other.head_repository == this.head_repository and other.conclusion != "skipped"
    }


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, what it says written the same way however it was written, and the commit that it names, if any."""

    line: bytes
    content: str
    head: str


def _parsed(line: bytes) -> _Line | None:
    if len(line) > MOST_LINE:
        return None
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            return None
        head = value.get("head")
        return _Line(line, json.dumps(value, sort_keys=True), head if isinstance(head, str) else "")
    except (ValueError, RecursionError):
        return None


def _as_file(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _reason(error: GateError) -> str:
    if isinstance(error, ApiError) and artifacts.may_not_read(error):
        return f"the token may not read them; {artifacts.PERMISSION}"
    return f"{error.where}: {error.message}" if error.where else error.message


def _missing(lost: int, failures: list[str], dropped: int) -> str:
    parts = [f"{plural(lost, 'earlier commit')} left none that can be read"] if lost else []
    parts += list(dict.fromkeys(failures))[:1]
    parts += [f"{plural(dropped, 'line')} can't be used"] if dropped else []
    return _sentence("; ".join(parts)) if parts else ""


def _sentence(why: str) -> str:
    return f"earlier trials of this pull request are missing: {why}"
