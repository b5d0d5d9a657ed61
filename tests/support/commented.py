"""A pull request whose run left one regression, and persons who comment on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.command_line import HELD, NUMBER, REPOSITORY, Ended, PullRequest, Shell, candidate
from tests.support.github.fixture import TOKEN, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import OCTOCAT, Account, Comment, Run, Token, person
from tests.support.repository import Repository
from tests.support.stochastic_project import GateRuns, StochasticProject

RUN = 5
REPORT = "r.json"
LOST = {**HELD, "test_a.py::test_two": "failed"}
ARTIFACT = f"robustness-gate-default-pr-{NUMBER}"
MAINTAINER, STRANGER = person("mona", 2), person("eve", 3)
MAY = Token(actions="write")
WORSE = {"test_a.py": "def test_one(): pass\ndef test_two(): open('ran', 'a').write('x'); assert 0, 'lost'\n"}


@dataclass(frozen=True)
class Judged:
    """A pull request that one run of `gate ci` has judged, and what it left."""

    pull: PullRequest
    clone: Path
    work: Path
    body: str
    files: Mapping[str, bytes]


def judged(folder: Path, shell: Shell, main: Mapping[str, str | bytes | None] | None = None) -> Judged:
    """Run `gate ci` on the report of a pull request that loses a test."""
    pull = PullRequest(folder, WORSE, main)
    work = pull.checkout("work")
    files = {"candidate.json": json.dumps(candidate(LOST)).encode()}
    (work / REPORT).write_bytes(files["candidate.json"])
    shell("ci", "--report", REPORT, cwd=work, **pull.variables("http://127.0.0.1:9"))
    left = work / ".gate"
    copy = pull.origin.clone(folder / "main")
    copy.git("fetch", "--quiet", "origin", f"+refs/pull/{NUMBER}/head:refs/gate/head")
    return Judged(pull, copy.path, work, (left / "comment.md").read_text("utf-8"), files)


MERGED = ".gate/candidate.json"


def judged_live(
    folder: Path, gate: GateRuns, files: Mapping[str, str], change: Mapping[str, str], shards: int = 0
) -> Judged:
    """Run `gate ci` on a pull request with stochastic tests, suspects confirmed against main.

    Args:
        shards: how many machines make the first look; 0 for the one that judges.
    """
    pull = PullRequest(folder, change, files)
    counted = folder / "calls"
    counted.mkdir()
    work = pull.origin.clone(folder / "work", depth=2, ref=f"refs/pull/{NUMBER}/merge")
    project = StochasticProject(work, counted)
    variables = pull.variables("http://127.0.0.1:9")
    parts = [f".gate/s{number}" for number in range(1, shards + 1)]
    for number, part in enumerate(parts, start=1):
        asked = ("ci", "--shard", f"{number}/{shards}", "--output", part, "--", "tests")
        gate.shell(*asked, cwd=work.path, **project.variables, **variables)
    if parts:
        gate.shell("merge", *parts, "-o", MERGED, cwd=work.path)
    gate(project, *(("--merged", MERGED) if parts else ()), "--", "tests", **variables)
    left = work.path / ".gate"
    copy = pull.origin.clone(folder / "main")
    copy.git("fetch", "--quiet", "origin", f"+refs/pull/{NUMBER}/head:refs/gate/head")
    kept = {name: (left / name).read_bytes() for name in ("candidate.json", "trials.jsonl")}
    return Judged(pull, copy.path, work.path, (left / "comment.md").read_text("utf-8"), kept)


class Review:
    """A GitHub on which the verdict stands, and what persons ask for there."""

    def __init__(self, github: GitHubServer, made: Judged, shell: Shell) -> None:
        self.github = github
        self.made = made
        self.shell = shell
        self.sticky = github.add_comment(NUMBER, made.body)
        self.run: Run = github.add_run("change", made.pull.head, id=RUN, conclusion="failure")
        github.add_artifact(ARTIFACT, self.run, made.files)
        github.state.permissions.update(mona="write", octocat="write")

    @property
    def body(self) -> str:
        """The gate's comment as it is now."""
        return self.github.state.comments[self.sticky.id].body

    def say(self, text: str, author: Account = MAINTAINER) -> Comment:
        return self.github.add_comment(NUMBER, text, author)

    def ask(self, text: str, author: Account = MAINTAINER, **event: object) -> Ended:
        """Somebody comments, and the workflow of comments runs."""
        return self.answer(self.say(text, author), **event)

    def answer(self, comment: Comment, **event: object) -> Ended:
        pull = self.made.pull
        payload = {
            "action": "created",
            "issue": {"number": NUMBER, "state": "open", "pull_request": {"url": "x"}},
            "comment": {
                "id": comment.id,
                "body": comment.body,
                "html_url": "x",
                "user": {"id": comment.author.id, "login": comment.author.login, "type": comment.author.kind},
            },
            "repository": {"full_name": REPOSITORY, "default_branch": "main"},
            **event,
        }
        path = pull.folder / "comment-event.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        variables = pull.variables(self.github.url, GITHUB_TOKEN=TOKEN, GITHUB_SERVER_URL="https://github.example")
        return self.shell(
            "command",
            cwd=self.made.clone,
            **{**variables, "GITHUB_EVENT_NAME": "issue_comment", "GITHUB_EVENT_PATH": str(path)},
        )

    def ci(self, *arguments: str, attempt: int = 2, work: Path | None = None, **more: str) -> Ended:
        """The run's jobs, started again; without a report to read the suite would run."""
        variables = self.made.pull.variables(self.github.url, GITHUB_TOKEN=TOKEN, GITHUB_RUN_ATTEMPT=str(attempt))
        return self.shell("ci", *arguments, cwd=work or self.made.work, **{**variables, **more})

    def reaction(self, comment: int | None = None) -> str:
        """The last reaction of the gate."""
        return self.github.state.reactions[-1][1] if self.github.state.reactions else ""

    def reply(self) -> str:
        """What the gate said in a comment of its own; empty where it said nothing."""
        bots = [
            each for each in self.github.comments(NUMBER) if each.author.kind == "Bot" and each.id != self.sticky.id
        ]
        return bots[-1].body if bots else ""

    def refused(self) -> str:
        """The reply of a refusal; nothing has changed."""
        assert self.reaction() == "confused"
        assert "accepted by" not in self.body
        assert self.github.state.reruns == []
        return self.reply()


@contextmanager
def review(made: Judged, shell: Shell, token: Token = MAY) -> Iterator[Review]:
    with serve(tokens={TOKEN: token}) as github:
        github.add_pull_request(NUMBER, made.pull.head, made.pull.base, author=OCTOCAT)
        yield Review(github, made, shell)


def push(made: Judged, change: Mapping[str, str]) -> tuple[str, Path]:
    """A further commit of the pull request, and a checkout of its merge."""
    origin: Repository = made.pull.origin
    origin.checkout("change")
    head = origin.commit(change)
    made.pull.merge = origin.merge_like_github("main", "change", NUMBER)
    made.pull.head = head
    made.pull.event.write_text(json.dumps(made.pull._payload()), encoding="utf-8")
    return head, made.pull.checkout(f"work-{head[:7]}")
