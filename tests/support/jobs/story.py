"""A repository on GitHub to which things happen, each of which starts the workflow that waits for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support import container
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.github.state import OCTOCAT, Account, Run
from tests.support.jobs.play import Played, play
from tests.support.jobs.stand_ins import GATE
from tests.support.repository import Repository

TEMPLATES = container.PROJECT / "gate/cli/templates"
REPOSITORY = "octo/model"
PLACE = {"full_name": REPOSITORY, "name": "model", "default_branch": "main", "fork": False}
FILES = {
    "robustness": "robustness",
    "robustness baseline": "baseline",
    "robustness commands": "commands",
    "robustness nightly": "nightly",
    "robustness of forks": "fork",
}
"""Where workflows of these names stand."""
MARKER = "<!-- robustness-gate"
_DEPTH = re.compile(r"^ +fetch-depth: (\d+)", re.MULTILINE)
_INSTALL = re.compile(
    r"""      - run: python -m pip install "?robustness-gate(?:\[mutation\])?"?
      - run: python -m pip install -r requirements\.txt # what your suite needs
"""
)
_CI = "      - run: gate ci\n"


def template(name: str) -> str:
    """A workflow that users copy by hand."""
    return (TEMPLATES / f"{name}.yml").read_text(encoding="utf-8")


def in_container(workflow: str, **inputs: str) -> str:
    """The workflow that `gate init` writes with the action in the place of `gate ci`, as docs/workflows.md says."""
    assert len(_INSTALL.findall(workflow)) == workflow.count(_CI) == 1
    given = "".join(f"          {name.replace('_', '-')}: {value}\n" for name, value in inputs.items())
    step = f"      - uses: {GATE}\n" + (f"        with:\n{given}" if given else "")
    return _INSTALL.sub("", workflow).replace(_CI, step)


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

    def workflow(self, name: str) -> str:
        """One that main has."""
        return self.origin.git("show", f"main:.github/workflows/{name}.yml") + "\n"

    def open(self, number: int, branch: str, author: Account = OCTOCAT, **more: Any) -> None:
        """Open a pull request, or bring GitHub's up to date with what was pushed to its branch."""
        head, base = self.origin.git("rev-parse", branch), self.origin.git("rev-parse", "main")
        self.origin.merge_like_github("main", branch, number)
        self.origin.checkout("main")
        self.github.add_pull_request(number, head, base, author=author, head_ref=branch, **more)

    def gate(self, number: int, workflow: str, **more: int) -> Played:
        """The workflow on `pull_request`; `more` are `run` and `attempt`, where an earlier run is repeated."""
        pull = self.github.state.pulls[number]
        payload = container.pull_request_event(pull.base_sha, pull.head_sha, number)
        side = payload["pull_request"]
        side["user"]["login"] = payload["sender"]["login"] = pull.author.login
        side["head"]["ref"] = pull.head_ref
        if pull.head_repository:
            side["head"]["repo"] = {"full_name": pull.head_repository, "fork": True}
        ref = f"refs/pull/{number}/merge"
        known = Run(0, pull.head_ref, pull.head_sha, actor=pull.author.login, head_repository=pull.head_repository)
        return self._run(known, payload, workflow, self._clone(workflow, ref), ref, **more)

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
        return self.on_branch("issue_comment", payload, self.workflow("commands"))

    def on_branch(
        self, event: str, payload: Mapping[str, Any], workflow: str, ref: str = "main", **more: int
    ) -> Played:
        """A workflow on an event that is of a branch; `more` as for `gate`."""
        clone = self._clone(workflow, ref)
        return self._run(Run(0, ref, clone.head, event), payload, workflow, clone, f"refs/heads/{ref}", **more)

    def reactions(self) -> list[str]:
        """What the gate answered comments with, in order."""
        return [content for _, content, _ in self.github.state.reactions]

    def comments(self, number: int) -> list[str]:
        """The gate's comments on a pull request, with nothing bold."""
        return [text for text in self._by_apps(number) if text.startswith(MARKER)]

    def replies(self, number: int) -> list[str]:
        """What the gate answered comments with in words, in order."""
        return [text for text in self._by_apps(number) if not text.startswith(MARKER)]

    def _by_apps(self, number: int) -> list[str]:
        return [each.body.replace("**", "") for each in self.github.comments(number) if each.author.kind == "Bot"]

    def _clone(self, workflow: str, ref: str) -> Repository:
        """As deep as the workflow asks for."""
        self._plays += 1
        asked = _DEPTH.search(workflow)
        depth = int(asked[1]) or None if asked else 1
        return self.origin.clone(self.folder / f"clone-{self._plays}", depth=depth, ref=ref)

    def _run(
        self,
        known: Run,
        payload: Mapping[str, Any],
        workflow: str,
        clone: Repository,
        ref: str,
        *,
        run: int = 0,
        attempt: int = 1,
    ) -> Played:
        """Play it as a run that GitHub knows, and keep what it uploaded as GitHub does."""
        self.runs += not run
        run = run or self.runs
        values = {each: getattr(known, each) for each in ("event", "actor", "head_repository")}
        name = FILES[workflow.partition("\n")[0].removeprefix("name: ")]
        values |= {"path": f".github/workflows/{name}.yml", "workflow": 71 + list(FILES.values()).index(name)}
        known = self.github.add_run(known.branch, known.commit, id=run, status="in_progress", attempt=attempt, **values)
        played = play(
            self.engine,
            self.github,
            self.folder / f"run-{self._plays}",
            workflow=workflow,
            event=known.event,
            payload=payload,
            origin=self.origin,
            clone=clone,
            variables={"GITHUB_RUN_ID": str(run), "GITHUB_RUN_ATTEMPT": str(attempt), "GITHUB_REF": ref},
            read_only=bool(known.head_repository),
        )
        self._ended(known, played)
        return played

    def _ended(self, known: Run, played: Played) -> None:
        state = self.github.state
        with state.lock:
            conclusion = "failure" if played.code else "success"
            state.runs[known.id] = replace(known, status="completed", conclusion=conclusion)
            for one in list(state.artifacts.values()):
                if one.run == known.id and one.name in played.artifacts:  # `overwrite: true`
                    del state.artifacts[one.id]
            for number, (name, files) in enumerate(played.artifacts.items()):
                self.github.add_artifact(name, known, files, id=50_000 + 10 * self._plays + number)
