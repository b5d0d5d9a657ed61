"""What GitHub says about this run: the environment of a workflow and its event payload, as one frozen value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from gate.errors import UsageError
from gate.schema.refs import PULL_REQUEST_EVENTS, PullRequestRefs

PUBLIC_API = "https://api.github.com"
PUBLIC_SERVER = "https://github.com"
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_COMMIT = re.compile(r"0+")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of GitHub. Strings are empty where the event has no such thing.

    Attributes:
        repository: owner and name.
        name: `pull_request`, `pull_request_target`, `merge_group`, `push`, `schedule`, `workflow_dispatch`, ….
        pull_request: the number of what the payload is about, a review's too; None where it is about none.
        base_sha: tip of the base branch when the event was made; `merge_group.base_sha`; the commit before a push.
        base_ref: base branch without `refs/heads/`; the default branch for events that propose nothing.
        head_sha: tip of the pull request's branch; `merge_group.head_sha`; the commit pushed, else `GITHUB_SHA`.
        head_repository: where the head lives; None when that fork was deleted.
        attempt: from 1, grows when a run is run again.
        run_id: grows over the runs of a repository; 0 outside GitHub Actions.
        checkout_sha: `GITHUB_SHA`; on `pull_request` that is a merge commit, on `pull_request_target` the base.
        ref: `GITHUB_REF`, what `checkout_sha` is the tip of.
        checked_out: the commit that stands in the workspace, empty when the caller doesn't know.
    """

    repository: str
    name: str
    api_url: str = PUBLIC_API
    server_url: str = PUBLIC_SERVER
    pull_request: int | None = None
    base_sha: str = ""
    base_ref: str = ""
    head_sha: str = ""
    head_repository: str | None = ""
    attempt: int = 1
    run_id: int = 0
    checkout_sha: str = ""
    ref: str = ""
    checked_out: str = ""

    @property
    def is_pull_request(self) -> bool:
        """Whether somebody proposes a change, in a merge queue too; of other events only the commits can tell."""
        return self.refs.pull_request

    @property
    def checkout_is_head(self) -> bool:
        """Whether foreign code stands in the workspace of a `pull_request_target`; an unknown commit counts as such."""
        return self.name == "pull_request_target" and self.checked_out not in {self.checkout_sha or "?", self.base_sha}

    @property
    def from_fork(self) -> bool:
        """Whether a pull request comes from another repository; a deleted one counts as such."""
        return self.pull_request is not None and self.head_repository != self.repository

    @property
    def run_url(self) -> str:
        """Web page of the run, of this attempt; empty outside GitHub Actions."""
        if not self.run_id:
            return ""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}/attempts/{self.attempt}"

    @property
    def refs(self) -> PullRequestRefs:
        """The commits, as finding the base takes them."""
        return PullRequestRefs(
            event_name=self.name,
            base_sha=self.base_sha,
            base_ref=self.base_ref,
            head_sha=self.head_sha,
            merge_group_base=self.base_sha if self.name == "merge_group" else "",
            checkout_sha=self.checkout_sha,
            ref=self.ref,
            repository=self.repository,
            number=self.pull_request,
        )


def read_event(environ: Mapping[str, str], payload: Mapping[str, object], *, checked_out: str = "") -> Event:
    """The event of a workflow run.

    Args:
        environ: `GITHUB_EVENT_NAME`, `GITHUB_REPOSITORY` and the other variables of a workflow.
        payload: the parsed file at `GITHUB_EVENT_PATH`; empty for a schedule.
        checked_out: the commit in the workspace, for `checkout_is_head`.

    Raises:
        UsageError: no event name, no repository, or a field that this event must have; names the variable or the field.
    """
    name = environ.get("GITHUB_EVENT_NAME", "").strip()
    if not name:
        _refuse("`GITHUB_EVENT_NAME` is not set", "environment", "run `gate ci` in a workflow, or name `--base`")
    fields = _Fields(name, payload)
    repository = _repository(environ, fields)
    commits = _commits(fields, environ, name, repository)
    return Event(
        repository=repository,
        name=name,
        api_url=_url(environ, "GITHUB_API_URL", PUBLIC_API),
        server_url=_url(environ, "GITHUB_SERVER_URL", PUBLIC_SERVER),
        pull_request=commits.pull_request,
        base_sha=commits.base_sha,
        base_ref=commits.base_ref,
        head_sha=commits.head_sha,
        head_repository=commits.head_repository,
        attempt=_whole(environ, "GITHUB_RUN_ATTEMPT", 1),
        run_id=_whole(environ, "GITHUB_RUN_ID", 0),
        checkout_sha=environ.get("GITHUB_SHA", ""),
        ref=environ.get("GITHUB_REF", ""),
        checked_out=checked_out,
    )


class _Fields:
    """A payload, read by dotted paths. Values are untrusted; a wrong type counts as absent."""

    def __init__(self, event: str, payload: object) -> None:
        self._event = event
        if not isinstance(payload, Mapping):
            _refuse(f"the payload of `{event}` is no JSON object", "GITHUB_EVENT_PATH", _REMEDY)
        self._payload: Mapping[str, object] = payload

    def get(self, path: str) -> object:
        value: object = self._payload
        for key in path.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def text(self, path: str) -> str:
        value = self.get(path)
        return value if isinstance(value, str) else ""

    def need(self, path: str) -> str:
        return self.text(path) or self._absent(path, "a text")

    def commit(self, path: str) -> str:
        value = self.need(path)
        return value if _COMMIT.fullmatch(value) else self._absent(path, "a commit")

    def number(self, *candidates: str) -> int:
        for path in candidates:
            value = self.get(path)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
        return self._absent(candidates[0], "a positive number")

    def _absent(self, path: str, expected: str) -> NoReturn:
        found = self.get(path)
        state = "is missing" if found is None else f"is not {expected}"
        _refuse(f"`{path}` {state} in the payload of `{self._event}`", "GITHUB_EVENT_PATH", _REMEDY)


_REMEDY = "check that GITHUB_EVENT_PATH holds the payload that GitHub sent for GITHUB_EVENT_NAME"


@dataclass(frozen=True, slots=True)
class _Commits:
    """The part of an event that depends on its kind; attributes as in `Event`."""

    base_ref: str
    head_sha: str
    base_sha: str = ""
    pull_request: int | None = None
    head_repository: str | None = ""


def _commits(fields: _Fields, environ: Mapping[str, str], name: str, repository: str) -> _Commits:
    if name in PULL_REQUEST_EVENTS or fields.get("pull_request") is not None:
        return _of_pull_request(fields)
    if name == "merge_group":
        return _Commits(
            base_ref=_branch(fields.need("merge_group.base_ref")),
            head_sha=fields.commit("merge_group.head_sha"),
            base_sha=fields.commit("merge_group.base_sha"),
            head_repository=repository,
        )
    # a schedule runs on the default branch only, and its payload may name no repository
    of_schedule = _branch(environ.get("GITHUB_REF", "")) if name == "schedule" else ""
    default = fields.text("repository.default_branch") or of_schedule
    here = environ.get("GITHUB_SHA", "")
    if name != "push":
        return _Commits(base_ref=default, head_sha=here, head_repository=repository)
    return _Commits(
        base_ref=default,
        head_sha=_real(fields.text("after")) or here,
        base_sha=_real(fields.text("before")),
        head_repository=repository,
    )


def _of_pull_request(fields: _Fields) -> _Commits:
    return _Commits(
        base_ref=fields.need("pull_request.base.ref"),
        head_sha=fields.commit("pull_request.head.sha"),
        base_sha=fields.commit("pull_request.base.sha"),
        pull_request=fields.number("pull_request.number", "number"),
        head_repository=fields.text("pull_request.head.repo.full_name") or None,
    )


def _repository(environ: Mapping[str, str], fields: _Fields) -> str:
    given = environ.get("GITHUB_REPOSITORY", "") or fields.text("repository.full_name")
    if not _REPOSITORY.fullmatch(given):
        state = "is not set" if not given else f"can't be {given!r:.80}"
        _refuse(f"`GITHUB_REPOSITORY` {state}", "environment", "set it to owner/name, as GitHub Actions does")
    return given


def _branch(ref: str) -> str:
    return ref.removeprefix("refs/heads/")


def _real(commit: str) -> str:
    """A commit, or nothing for the zeros that stand for a branch made or deleted."""
    return commit if _COMMIT.fullmatch(commit) and not _NO_COMMIT.fullmatch(commit) else ""


def _url(environ: Mapping[str, str], name: str, default: str) -> str:
    given = environ.get(name, "").strip().rstrip("/") or default
    if not re.match(r"https?://[^/\s]+", given):
        _refuse(f"`{name}` can't be {given!r:.80}", "environment", "give an address with https://")
    return given


def _whole(environ: Mapping[str, str], name: str, default: int) -> int:
    given = environ.get(name, "").strip()
    if not given:
        return default
    if not re.fullmatch(r"[0-9]{1,18}", given):
        _refuse(f"`{name}` can't be {given!r:.80}", "environment", "leave it to GitHub Actions")
    return int(given)


def _refuse(message: str, where: str, remedy: str) -> NoReturn:
    raise UsageError(message, where=where, remedy=remedy)
