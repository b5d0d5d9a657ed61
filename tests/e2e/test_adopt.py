"""docs/adopt.md, played: a fresh repository, a remote, a GitHub that checks every request; no container engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support import container
from tests.support.github.server import GitHubServer
from tests.support.github.state import OCTOCAT, Token, person
from tests.support.playbook import Block, blocks, missing
from tests.support.repository import Repository

PAGE = (container.PROJECT / "docs/adopt.md").read_text(encoding="utf-8")
CODES = {("simpler", 1): 1, ("simpler", 2): 0, ("readme", 1): 0}
"""How the workflow ends on each branch, by the attempt of its run."""
UPLOADED = "candidate.json", "missing.jsonl", "trials.jsonl", "verdict.json"
MAINTAINER = person("mona", 2)
REPOSITORY = "octo/model"


class Played:
    """The repository of the page, its remote, and its GitHub."""

    def __init__(self, folder: Path, github: GitHubServer) -> None:
        self.github = github
        self.remote = Repository(folder / "remote")
        self.remote.git("checkout", "--quiet", "--orphan", "nothing")  # so that main can be pushed
        self.own = Repository(folder / "own")
        for name, value in (("user.name", "Author"), ("user.email", "author@example.invalid")):
            self.own.git("config", name, value)
        self.own.git("remote", "add", "origin", str(self.remote.path))
        self.folder = folder
        self.printed = ""
        self.number = 0
        self.played: list[tuple[str, int]] = []

    def environ(self) -> dict[str, str]:
        kept = {
            name: text for name, text in os.environ.items() if not name.startswith(("GATE_", "GITHUB_", "GH_", "CI"))
        }
        return {**kept, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}"}

    def run(self, text: str, folder: Path, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-e", "-c", text],
            cwd=folder,
            env={**self.environ(), **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )

    def shell(self, block: Block) -> None:
        ended = self.run(block.text, self.own.path, {})
        assert ended.returncode == 0, f"{block.text}\n{ended.stdout}"
        self.printed = ended.stdout

    def workflow(self, block: Block) -> None:
        """Play a command on GitHub's merge commit of the branch that was pushed last."""
        self.number += 1
        branch = self.own.git("branch", "--show-current")
        base, head = self.remote.git("rev-parse", "main"), self.remote.git("rev-parse", branch)
        self.remote.merge_like_github("main", branch, self.number)
        self.remote.clone(self.folder / branch, depth=2, ref=f"refs/pull/{self.number}/merge")
        self.github.add_pull_request(self.number, head, base, author=OCTOCAT, head_ref=branch)
        self.event("pull_request", container.pull_request_event(base, head, self.number))
        self.attempt(block, branch, 1)

    def again(self, block: Block) -> None:
        """The failed jobs of the run, which the answer to a comment has started."""
        assert self.github.state.reruns == [self.number]
        self.attempt(block, self.own.git("branch", "--show-current"), 2)

    def attempt(self, block: Block, branch: str, number: int) -> None:
        """One attempt of the run, and the artifact that it leaves."""
        folder = self.folder / branch
        more = {"GITHUB_SHA": Repository(folder).head, "GITHUB_RUN_ATTEMPT": str(number)}
        ended = self.run(block.text, folder, self.variables("pull_request", **more))
        code = CODES[branch, number]
        assert ended.returncode == code, ended.stdout
        self.played.append((branch, number))
        conclusion, head = "failure" if code else "success", self.remote.git("rev-parse", branch)
        run = self.github.add_run(branch, head, id=self.number, conclusion=conclusion)
        left = [path for path in sorted((folder / ".gate").iterdir()) if path.name in UPLOADED]
        files = {path.name: path.read_bytes() for path in left}
        self.github.add_artifact(f"robustness-gate-default-pr-{self.number}", run, files)

    def say(self, block: Block) -> None:
        """A maintainer comments, and the workflow `commands.yml` answers in a checkout of main."""
        comment = self.github.add_comment(self.number, block.text, MAINTAINER)
        clone = self.remote.clone(self.folder / f"main-{comment.id}")
        clone.git("fetch", "--quiet", "origin", f"+refs/pull/{self.number}/head:refs/gate/head")
        user = {"id": MAINTAINER.id, "login": MAINTAINER.login, "type": MAINTAINER.kind}
        payload = {
            "action": "created",
            "issue": {"number": self.number, "state": "open", "pull_request": {"url": "x"}},
            "comment": {"id": comment.id, "body": comment.body, "html_url": "x", "user": user},
            "repository": {"full_name": REPOSITORY, "default_branch": "main"},
        }
        self.event("issue_comment", payload)
        ended = self.run("gate command", clone.path, self.variables("issue_comment"))
        assert ended.returncode == 0, ended.stdout
        assert [content for _, content, _ in self.github.state.reactions] == ["+1"], ended.stdout

    def event(self, name: str, payload: dict[str, Any]) -> None:
        (self.folder / f"{name}.json").write_text(json.dumps(payload), encoding="utf-8")

    def variables(self, event: str, **more: str) -> dict[str, str]:
        """Of a step of a workflow."""
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(self.folder / f"{event}.json"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": str(self.number),
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_TOKEN": container.TOKEN,
            **more,
        }

    def comment(self) -> str:
        """The one comment of the gate."""
        (comment,) = [each for each in self.github.comments(self.number) if each.author.kind == "Bot"]
        return comment.body.replace("**", "")

    def play(self, block: Block) -> None:
        if block.kind == "sh":
            {"workflow": self.workflow, "again": self.again, "": self.shell}[block.name](block)
        elif block.kind == "text":
            assert missing(block.text, self.printed) == [], self.printed
        elif block.name == "comment":
            assert missing(block.text, self.comment()) == [], self.comment()
        elif block.name == "say":
            self.say(block)
        else:
            assert block.name, "a file has a name"
            self.own.write({block.name: block.text})


def test_the_page_is_what_happens(tmp_path: Path) -> None:
    with GitHubServer({container.TOKEN: Token(actions="write")}) as github:
        github.state.permissions.update(mona="write")
        played = Played(tmp_path, github)
        for block in blocks(PAGE):
            played.play(block)
        assert played.played == list(CODES)
    workflows = {f".github/workflows/{name}.yml" for name in ("robustness", "baseline", "commands", "fork")}
    assert all((played.own.path / name).is_file() for name in workflows | {"gate.toml", ".gitignore"})


def test_a_line_that_is_not_printed_is_found() -> None:
    assert missing("a …\nb\n", "a 1\nx\nb\n") == []
    assert missing("b\na …\n", "a 1\nb\n") == ["a …"]
