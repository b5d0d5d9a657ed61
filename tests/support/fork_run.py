"""A pull request of a fork whose own run has ended, and the trusted workflow that judges what it left."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import HELD, NUMBER, Ended, PullRequest, candidate
from tests.support.github.description import DescriptionAbsentError
from tests.support.github.fixture import TOKEN
from tests.support.github.server import GitHubServer
from tests.support.github.state import Artifact, Run, Token

FORK = "stranger/model"
ARTIFACT = f"robustness-gate-default-pr-{NUMBER}"
WORSE = {**HELD, "test_a.py::test_two": "failed"}


def report(outcomes: Mapping[str, str] = HELD, suite: str = "default", **more: Any) -> bytes:
    """A candidate as the plugin leaves it."""
    value = candidate(outcomes, gate={"schema": 1, "suite": suite, "mode": "replay"}, **more)
    return json.dumps(value).encode()


class ForkRun:
    """One story: main, a fork's pull request, its run, and a checkout of main in which `gate fork-verdict` is called.

    Args:
        folder: for the repositories and the runner's files.
        shell: calls `gate`, in this process or in one of its own.
        change: what the fork does to the files of main.
        main: files of main beside or instead of the usual ones.
    """

    def __init__(
        self,
        folder: Path,
        shell: Callable[..., Ended],
        change: Mapping[str, str | bytes | None] | None = None,
        main: Mapping[str, str | bytes | None] | None = None,
    ) -> None:
        self.shell = shell
        self.request = PullRequest(folder, change or {"README.md": "a fork was here\n"}, main)
        self.head = self.request.head
        self.checkout = self.request.checkout("trusted", depth=None, ref="main")
        try:
            self.github = GitHubServer({TOKEN: Token(checks="write")})
        except DescriptionAbsentError as error:
            pytest.skip(str(error))
        self.open()
        self.run = self.add_run()

    def open(self, **more: Any) -> None:
        """The pull request as GitHub has it now; `more` are fields of the server's `Pull`."""
        values = {"head_repository": FORK, "head_ref": "change", **more}
        self.github.add_pull_request(NUMBER, values.pop("head_sha", self.head), self.request.base, **values)

    def add_run(self, **more: Any) -> Run:
        """A finished run of the fork's head; `more` are fields of the server's `Run`."""
        values = {"head_repository": FORK, "conclusion": "failure", **more}
        return self.github.add_run(values.pop("branch", "change"), values.pop("commit", self.head), **values)

    def leave(
        self, files: Mapping[str, bytes] | bytes, name: str = ARTIFACT, run: Run | None = None, **more: Any
    ) -> Artifact:
        """What the run uploaded."""
        return self.github.add_artifact(name, run or self.run, files, **more)

    def judge(self, *arguments: str, run: Run | None = None, **environ: str) -> Ended:
        """`gate fork-verdict` in the trusted workflow's step, for the run's `workflow_run` event."""
        event = self.request.folder / "workflow_run.json"
        event.write_text(json.dumps({"workflow_run": {"id": (run or self.run).id, "pull_requests": []}}), "utf-8")
        variables = self.request.variables(
            self.github.url,
            **{"GITHUB_EVENT_NAME": "workflow_run", "GITHUB_EVENT_PATH": str(event), "GITHUB_TOKEN": TOKEN, **environ},
        )
        return self.shell("fork-verdict", *arguments, cwd=self.checkout, **variables)

    @property
    def check(self) -> tuple[str, str]:
        """Conclusion and whole text of the one check run on the head that is ours."""
        (found,) = [one for one in self.github.state.checks.values() if one.head == self.head and one.external_id]
        assert found.name == "Robustness Gate (default)"
        return str(found.conclusion), f"{found.title}\n{found.summary}"

    @property
    def comment(self) -> str:
        """Text of the one comment; empty where there is none."""
        found = self.github.comments(NUMBER)
        assert len(found) <= 1
        return found[0].body if found else ""
