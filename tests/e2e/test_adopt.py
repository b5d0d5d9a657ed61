"""docs/adopt.md, played: a fresh repository, a remote, a GitHub that checks every request; no container engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support import container
from tests.support.github.server import GitHubServer
from tests.support.playbook import Block, blocks, missing
from tests.support.repository import Repository

PAGE = (container.PROJECT / "docs/adopt.md").read_text(encoding="utf-8")
CODES = {"simpler": 1, "readme": 0}
"""How the workflow ends on each branch."""


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
        branch = self.own.git("branch", "--show-current")
        self.number += 1
        base, head = self.remote.git("rev-parse", "main"), self.remote.git("rev-parse", branch)
        self.remote.merge_like_github("main", branch, self.number)
        clone = self.remote.clone(self.folder / branch, depth=2, ref=f"refs/pull/{self.number}/merge")
        self.github.add_pull_request(self.number, head, base)
        event = self.folder / f"{branch}.json"
        event.write_text(json.dumps(container.pull_request_event(base, head, self.number)), encoding="utf-8")
        variables = {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "octo/model",
            "GITHUB_RUN_ID": "7",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_SHA": clone.head,
            "GITHUB_TOKEN": container.TOKEN,
        }
        ended = self.run(block.text, clone.path, variables)
        assert ended.returncode == CODES[branch], ended.stdout

    def comment(self) -> str:
        (comment,) = self.github.comments(self.number)
        return comment.body.replace("**", "")

    def play(self, block: Block) -> None:
        if block.kind == "sh":
            (self.workflow if block.name == "workflow" else self.shell)(block)
        elif block.kind == "text":
            assert missing(block.text, self.printed) == [], self.printed
        elif block.name == "comment":
            assert missing(block.text, self.comment()) == [], self.comment()
        elif block.name == "say":
            assert block.text.startswith("/gate accept F")
        else:
            assert block.name, "a file has a name"
            self.own.write({block.name: block.text})


def test_the_page_is_what_happens(tmp_path: Path) -> None:
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        played = Played(tmp_path, github)
        for block in blocks(PAGE):
            played.play(block)
        assert played.number == len(CODES)
    written = {"gate.toml", ".gitignore", ".github/workflows/robustness.yml", ".github/workflows/baseline.yml"}
    assert all((played.own.path / name).is_file() for name in written)


def test_a_line_that_is_not_printed_is_found() -> None:
    assert missing("a …\nb\n", "a 1\nx\nb\n") == []
    assert missing("b\na …\n", "a 1\nb\n") == ["a …"]
