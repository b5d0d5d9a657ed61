"""What the server knows: accounts behind tokens, pull requests, comments, files, runs and their artifacts."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

Access = Literal["none", "read", "write"]
_START = datetime(2026, 1, 1, tzinfo=UTC)
ZERO = "0" * 40


@dataclass(frozen=True)
class Account:
    """Who a token acts as. `app` is the slug of the app for a bot, empty for a person."""

    login: str = "github-actions[bot]"
    id: int = 41898282
    kind: Literal["Bot", "User"] = "Bot"
    app: str = "github-actions"


@dataclass(frozen=True)
class Token:
    """An account with permissions, as a workflow's `permissions:` grants them.

    Attributes:
        members: of the organisation's teams; a workflow's own token never has it.
        edits_others: whether it may change comments of other accounts, as a maintainer's token may.
        administers: whether it may see the settings of the repository.
    """

    account: Account = Account()
    issues: Access = "write"
    pull_requests: Access = "write"
    contents: Access = "read"
    actions: Access = "read"
    checks: Access = "none"
    edits_others: bool = False
    members: Access = "none"
    administers: bool = False


READ_ONLY = Token(issues="read", pull_requests="read")


def person(login: str, identifier: int) -> Account:
    """An account of a human."""
    return Account(login, identifier, "User", "")


OCTOCAT = person("octocat", 1)


@dataclass(frozen=True)
class Comment:
    """One comment of an issue or a pull request."""

    id: int
    number: int
    author: Account
    body: str
    created_at: str
    updated_at: str
    edits: int = 0


@dataclass(frozen=True)
class Pull:
    """One pull request. `head_repository` is None once the fork is deleted."""

    number: int
    head_sha: str
    base_sha: str
    head_ref: str = "change"
    base_ref: str = "main"
    head_repository: str | None = ""
    author: Account = OCTOCAT
    state: Literal["open", "closed"] = "open"


@dataclass(frozen=True)
class Run:
    """One run of a workflow. `head_repository` is empty for the repository itself, None once the fork is deleted."""

    id: int
    branch: str
    commit: str
    event: str = "pull_request"
    status: str = "completed"
    conclusion: str | None = "success"
    workflow: int = 71
    head_repository: str | None = ""
    attempt: int = 1
    path: str = ".github/workflows/robustness.yml"
    actor: str = "octocat"


@dataclass(frozen=True)
class Artifact:
    """What a run uploaded, packed.

    Attributes:
        digest: of the packed bytes as GitHub names it; None leaves it out, as for files of older uploads.
        orphan: whether GitHub no longer says which run it came from.
    """

    id: int
    name: str
    run: int
    content: bytes
    expired: bool = False
    digest: str | None = ""
    orphan: bool = False


@dataclass(frozen=True)
class CheckRun:
    """One check run of a commit. `app` is the slug of the app that made it; no conclusion while it runs."""

    id: int
    head: str
    name: str
    app: str = "github-actions"
    external_id: str = ""
    conclusion: str | None = None
    details_url: str = ""
    title: str = ""
    summary: str = ""


@dataclass(frozen=True)
class Issue:
    """One issue that is no pull request."""

    number: int
    author: Account
    title: str
    body: str
    labels: tuple[str, ...] = ()
    state: Literal["open", "closed"] = "open"
    reason: str | None = None


@dataclass
class State:
    """Everything mutable, behind one lock."""

    repository: str = "octo/model"
    tokens: dict[str, Token] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    files: dict[tuple[str, str], bytes] = field(default_factory=dict)
    permissions: dict[str, str] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    teams: dict[str, list[str]] = field(default_factory=dict)
    """Members by `owner/team`."""
    reactions: list[tuple[int, str, str]] = field(default_factory=list)
    """Comment, what, by whom."""
    reruns: list[int] = field(default_factory=list)
    """Runs whose failed jobs were started again."""
    dispatches: list[tuple[str, str]] = field(default_factory=list)
    """Workflow and branch."""
    issues: dict[int, Issue] = field(default_factory=dict)
    checks: dict[int, CheckRun] = field(default_factory=dict)
    history: list[str] = field(default_factory=list)
    """Commits of the default branch, oldest first."""
    opens_pull_requests: bool = False
    required_by_rules: tuple[str, ...] = ()
    required_by_protection: tuple[str, ...] = ()
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _ticks: int = 0
    _last: int = 1000

    def now(self) -> str:
        """A moment that is later at each call and the same in each run."""
        self._ticks += 1
        return (_START + timedelta(seconds=self._ticks)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def comment(self, number: int, body: str, author: Account | None = None) -> Comment:
        """Make a comment, as the author would on the web page."""
        with self.lock:
            self._last += 1
            moment = self.now()
            made = Comment(self._last, number, author or Account(), body, moment, moment)
            self.comments[made.id] = made
            return made

    def edit(self, identifier: int, body: str) -> Comment:
        """Change a comment's text."""
        with self.lock:
            old = self.comments[identifier]
            self.comments[identifier] = replace(old, body=body, updated_at=self.now(), edits=old.edits + 1)
            return self.comments[identifier]

    def check(self, head: str, name: str, **more: Any) -> CheckRun:
        """Make a check run; `more` are fields of `CheckRun`."""
        with self.lock:
            made = CheckRun(70_000 + len(self.checks), head, name, **more)
            self.checks[made.id] = made
            return made

    def change_check(self, identifier: int, **values: Any) -> CheckRun:
        """Change fields of a check run."""
        with self.lock:
            self.checks[identifier] = replace(self.checks[identifier], **values)
            return self.checks[identifier]

    def issue(self, title: str, body: str, author: Account | None = None, labels: tuple[str, ...] = ()) -> Issue:
        """Open an issue."""
        with self.lock:
            number = 1 + max([100, *self.issues, *self.pulls])
            self.issues[number] = Issue(number, author or Account(), title, body, labels)
            return self.issues[number]

    def of(self, number: int) -> list[Comment]:
        """Comments of one pull request, oldest first."""
        with self.lock:
            return [self.comments[key] for key in sorted(self.comments) if self.comments[key].number == number]

    def to_json(self) -> dict[str, Any]:
        """Builtins; tokens only by what they may, never themselves."""
        with self.lock:
            return {
                "repository": self.repository,
                "comments": [asdict(self.comments[key]) for key in sorted(self.comments)],
                "pulls": [asdict(self.pulls[key]) for key in sorted(self.pulls)],
                "reactions": [list(each) for each in self.reactions],
                "issues": [asdict(self.issues[key]) for key in sorted(self.issues)],
                "reruns": list(self.reruns),
                "dispatches": [list(each) for each in self.dispatches],
                "checks": [asdict(self.checks[key]) for key in sorted(self.checks)],
                "files": sorted([ref, path] for ref, path in self.files),
            }


def load_state(text: str) -> State:
    """State from the JSON that the process form of the server starts with.

    Keys, all optional: `repository`; `tokens` (token to permissions and `account`); `pulls` (list of the fields of
    `Pull`); `files` (list of [ref, path, base64]); `permissions` (login to permission); `runs` (list of the fields of
    `Run`); `artifacts` (list of the fields of `Artifact`, the content as base64); `history` (commits, oldest first);
    `teams` (`owner/team` to logins); `comments` (list of number, body and author).
    """
    data: Mapping[str, Any] = json.loads(text)
    state = State(repository=data.get("repository", "octo/model"), permissions=dict(data.get("permissions", {})))
    for value, fields in data.get("tokens", {}).items():
        account = Account(**fields["account"]) if "account" in fields else Account()
        state.tokens[value] = Token(**{**fields, "account": account})
    for fields in data.get("pulls", []):
        author = Account(**fields["author"]) if "author" in fields else Pull.author
        state.pulls[fields["number"]] = Pull(**{**fields, "author": author})
    for ref, path, content in data.get("files", []):
        state.files[ref, path] = base64.b64decode(content)
    for fields in data.get("runs", []):
        state.runs[fields["id"]] = Run(**fields)
    for fields in data.get("artifacts", []):
        content = base64.b64decode(fields["content"])
        state.artifacts[fields["id"]] = Artifact(**{**fields, "content": content})
    state.history = list(data.get("history", []))
    state.teams = {name: list(members) for name, members in data.get("teams", {}).items()}
    for fields in data.get("comments", []):
        author = Account(**fields["author"]) if "author" in fields else None
        state.comment(fields["number"], fields["body"], author)
    return state
