"""A repository on GitHub to which things happen, each of which starts the workflow that waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support import container
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.github.state import OCTOCAT, Account
from tests.support.jobs.play import Played, play
from tests.support.jobs.stand_ins import GATE
from tests.support.repository import Repository

TEMPLATES = container.PROJECT / "gate/cli/templates"
REPOSITORY = "octo/model"
PLACE = {"full_name": REPOSITORY, "name": "model", "default_branch": "main", "fork": False}
_INSTALL = """\
      - run: python -m pip install robustness-gate
      - run: python -m pip install -r requirements.txt # what your suite needs
"""
_CI = "      - run: gate ci\n"


def template(name: str) -> str:
    """A workflow as `gate init` writes it."""
    return (TEMPLATES / f"{name}.yml").read_text(encoding="utf-8")


def in_container(workflow: str, **inputs: str) -> str:
    """A workflow with the action in the place of `gate ci`, as docs/workflows.md says."""
    assert workflow.count(_INSTALL) == workflow.count(_CI) == 1
    given = "".join(f"          {name.replace('_', '-')}: {value}\n" for name, value in inputs.items())
    step = f"      - uses: {GATE}\n" + (f"        with:\n{given}" if given else "")
    return workflow.replace(_INSTALL, "").replace(_CI, step)


class Story:
    """What happens, in order.

    Args:
        origin: the repository; what is pushed stands on its branches.
        folder: for clones and what runs leave.
    """

    def __init__(self, engine: Engine, origin: Repository, github: GitHubServer, folder: Path) -> None:
        self.engine = engine
        self.origin = origin
        self.github = github
        self.folder = folder
        self.runs = 100
        self._plays = 0

    def open(self, number: int, branch: str, author: Account = OCTOCAT, **more: Any) -> None:
        """Open a pull request, or bring GitHub's up to date with what was pushed to its branch."""
        head, base = self.origin.git("rev-parse", branch), self.origin.git("rev-parse", "main")
        self.origin.merge_like_github("main", branch, number)
        self.origin.checkout("main")
        self.github.add_pull_request(number, head, base, author=author, head_ref=branch, **more)

    def gate(self, number: int, workflow: str, *, run: int = 0, attempt: int = 1) -> Played:
        """The workflow on `pull_request`.

        Args:
            run: of which this is a further attempt; by default a new one.
        """
        pull = self.github.state.pulls[number]
        payload = container.pull_request_event(pull.base_sha, pull.head_sha, number)
        side = payload["pull_request"]
        side["user"]["login"] = payload["sender"]["login"] = pull.author.login
        side["head"]["ref"] = pull.head_ref
        forked = bool(pull.head_repository)
        if forked:
            side["head"]["repo"] = {"full_name": pull.head_repository, "fork": True}
        clone = self._clone(depth=2, ref=f"refs/pull/{number}/merge")
        place = pull.head_ref, pull.head_sha
        return self._run(
            "pull_request", payload, workflow, clone, place, run, attempt, f"refs/pull/{number}/merge", forked
        )

    def say(self, number: int, text: str, who: Account) -> Played:
        """A comment, and the workflow on `issue_comment` that answers it."""
        comment = self.github.add_comment(number, text, who)
        user = {"id": who.id, "login": who.login, "type": who.kind}
        payload = {
            "action": "created",
            "issue": {"number": number, "state": "open", "pull_request": {"url": "x"}},
            "comment": {"id": comment.id, "body": text, "html_url": "x", "user": user},
            "repository": PLACE,
        }
        return self.on_main("issue_comment", payload, template("commands"))

    def on_main(
        self, event: str, payload: Mapping[str, Any], workflow: str, *, ref: str = "main", depth: int | None = None
    ) -> Played:
        """A workflow on any event that is of a branch."""
        clone = self._clone(depth, ref)
        place = ref, clone.head
        return self._run(event, payload, workflow, clone, place, 0, 1, f"refs/heads/{ref}")

    def reactions(self) -> list[str]:
        """What the gate answered comments with, in order."""
        return [content for _, content, _ in self.github.state.reactions]

    def comments(self, number: int) -> list[str]:
        """The gate's own comments, with nothing bold; replies are among them."""
        return [each.body.replace("**", "") for each in self.github.comments(number) if each.author.kind == "Bot"]

    def _clone(self, depth: int | None, ref: str) -> Repository:
        self._plays += 1
        return self.origin.clone(self.folder / f"clone-{self._plays}", depth=depth, ref=ref)

    def _run(
        self,
        event: str,
        payload: Mapping[str, Any],
        workflow: str,
        clone: Repository,
        place: tuple[str, str],
        run: int,
        attempt: int,
        ref: str,
        forked: bool = False,
    ) -> Played:
        """Play it as a run that GitHub knows, and keep what it uploaded as GitHub does."""
        if not run:
            self.runs += 1
            run = self.runs
        pull = forked and next(
            each for each in self.github.state.pulls.values() if (each.head_ref, each.head_sha) == place
        )
        more = {"head_repository": pull.head_repository, "actor": pull.author.login} if pull else {}
        known = self.github.add_run(*place, event, id=run, status="in_progress", attempt=attempt, **more)
        played = play(
            self.engine,
            self.github,
            self.folder / f"run-{self._plays}",
            workflow=workflow,
            event=event,
            payload=payload,
            origin=self.origin,
            clone=clone,
            variables={"GITHUB_RUN_ID": str(run), "GITHUB_RUN_ATTEMPT": str(attempt), "GITHUB_REF": ref},
            read_only=forked,
        )
        state = self.github.state
        with state.lock:
            conclusion = "failure" if played.code else "success"
            state.runs[run] = replace(known, status="completed", conclusion=conclusion)
            old = [one.id for one in state.artifacts.values() if one.run == run and one.name in played.artifacts]
            for number in old:  # `overwrite: true`
                del state.artifacts[number]
        for name, files in played.artifacts.items():
            self.github.add_artifact(name, known, files, id=50_000 + self._plays * 10 + len(state.artifacts))
        return played
