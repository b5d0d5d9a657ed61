"""A finding on a fork's pull request: accepted in a comment, judged again by the trusted workflow, shown from there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.deliver import checks, sticky
from tests.support.command_line import NUMBER, REPOSITORY, Ended, Shell
from tests.support.commented import MAINTAINER, STRANGER
from tests.support.fork_run import FORK, WORSE, ForkRun, report
from tests.support.github.fixture import TOKEN
from tests.support.github.state import OCTOCAT, Account, Run, Token

LEFT = "verdict.json", "comment.md", "report.html"
TRUSTED = {"path": ".github/workflows/fork.yml", "conclusion": "failure", "workflow": 72}


class Story(ForkRun):
    """A fork's pull request that the trusted workflow has judged to be worse, and persons who comment on it."""

    def __init__(self, folder: Path, shell: Shell) -> None:
        super().__init__(folder, shell, main={"gate.toml": 'fork-step = "measure"\n'})
        self.github.state.tokens[TOKEN] = Token(checks="write", actions="write")
        self.github.state.permissions.update(mona="write")
        self.open(author=OCTOCAT)
        self.run = self.add_run(conclusion="success")
        self.trusted = self.github.add_run("main", self.request.base, "workflow_run", **TRUSTED)

    def start(self) -> None:
        """The fork's run measured, and the trusted one judged and left its files."""
        self.leave({"candidate.json": report(WORSE)})
        assert self.judge().code == 1
        self.upload(self.trusted)

    def upload(self, run: Run, folder: str = "", **more: object) -> None:
        files = {f"{folder}{name}": (self.checkout / ".gate" / name).read_bytes() for name in LEFT}
        self.github.add_artifact("robustness-gate-fork", run, files, **more)

    def say(self, text: str, author: Account = MAINTAINER) -> Ended:
        """Somebody comments, and the workflow of comments runs in a checkout of main."""
        comment = self.github.add_comment(NUMBER, text, author)
        place = self.request.folder / f"commands-{comment.id}"
        copy = self.request.origin.clone(place)
        copy.git("fetch", "--quiet", "origin", f"+refs/pull/{NUMBER}/head:refs/gate/head")
        event = self.request.folder / "comment.json"
        user = {"id": author.id, "login": author.login, "type": author.kind}
        event.write_text(
            json.dumps(
                {
                    "action": "created",
                    "issue": {"number": NUMBER, "state": "open", "pull_request": {"url": "x"}},
                    "comment": {"id": comment.id, "body": text, "html_url": "x", "user": user},
                    "repository": {"full_name": REPOSITORY, "default_branch": "main"},
                }
            ),
            encoding="utf-8",
        )
        named = {"GITHUB_EVENT_NAME": "issue_comment", "GITHUB_EVENT_PATH": str(event), "GITHUB_TOKEN": TOKEN}
        return self.shell("command", cwd=place, **self.request.variables(self.github.url, **named))

    def show(self) -> Ended:
        environ = {"GITHUB_API_URL": self.github.url, "GITHUB_REPOSITORY": REPOSITORY, "GH_TOKEN": TOKEN}
        return self.shell("show", "F1", "--pr", str(NUMBER), cwd=self.checkout, **environ)

    @property
    def sticky(self) -> str:
        """The gate's own comment."""
        (found,) = [each.body for each in self.github.comments(NUMBER) if "robustness-gate:1" in each.body]
        return found


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Story]:
    for module in (checks, sticky):
        monkeypatch.setattr(module, "_SETTLE_SECONDS", 0.0)
    made = Story(tmp_path, Shell(monkeypatch, capsys))
    with made.github:
        made.start()
        yield made


def test_the_trusted_run_starts_again_and_publishes_what_was_accepted(story: Story) -> None:
    assert story.check[0] == "failure"
    assert story.say("/gate accept F1 the label was wrong").code == 0
    assert story.github.state.reruns == [story.trusted.id]
    ended = story.judge()
    assert ended.code == 0, ended.out + ended.err
    assert story.check[0] == "success"
    assert "accepted by `mona`: the label was wrong" in story.check[1]
    assert "accepted by `mona`: the label was wrong" in story.sticky


def test_a_worse_report_of_the_same_head_is_red_again(story: Story) -> None:
    story.say("/gate accept F1 known")
    later = story.add_run(conclusion="success")
    story.leave({"candidate.json": report({**WORSE, "test_a.py::test_one": "failed"})}, run=later)
    assert story.judge(run=later).code == 1
    assert story.check[0] == "failure"


def test_neither_its_author_nor_a_stranger_can(story: Story) -> None:
    story.say("/gate accept F1 please", OCTOCAT)
    story.say("/gate accept F1 please", STRANGER)
    assert story.github.state.reruns == []
    assert story.judge().code == 1


def test_an_edited_acceptance_is_gone(story: Story) -> None:
    story.say("/gate accept F1 known")
    asked = next(each for each in story.github.comments(NUMBER) if each.body.startswith("/gate"))
    story.github.state.edit(asked.id, "/gate accept F1 never mind")
    assert story.judge().code == 1
    assert story.check[0] == "failure"


@pytest.mark.parametrize(
    "other",
    [
        {"event": "pull_request"},
        {"event": "pull_request", "head_repository": FORK},
        {"event": "workflow_run", "head_repository": FORK},
    ],
)
def test_an_artifact_of_any_other_run_names_no_run_to_start(story: Story, other: dict[str, str]) -> None:
    """A pull request may upload under the same name; without the trusted one, the measuring run is started."""
    story.github.state.artifacts = {
        key: each for key, each in story.github.state.artifacts.items() if each.run == story.run.id
    }
    values = {**TRUSTED, **other}
    story.upload(story.github.add_run("main", story.request.base, values.pop("event"), **values))
    assert story.say("/gate accept F1 known").code == 0
    assert story.github.state.reruns == [story.run.id]
    ended = story.show()
    assert ended.code == 2, ended.out
    assert "no run of this pull request has left a verdict" in ended.err


def test_show_takes_the_verdict_of_the_trusted_run(story: Story) -> None:
    ended = story.show()
    assert ended.code == 0, ended.err
    assert ended.out.startswith("F1 newly-failing (error)")
    story.open(author=OCTOCAT, head_sha="c" * 40)
    assert "the pull request is at ccccccc now" in story.show().err


def test_what_can_not_be_read_or_is_about_something_else_is_passed_over(story: Story) -> None:
    verdict = json.loads((story.checkout / ".gate/verdict.json").read_text("utf-8"))
    other = {**verdict, "provenance": {**verdict["provenance"], "pull_request": NUMBER + 1}}
    for files in (
        b"no zip",
        {"verdict.json": b"<script>"},
        {"verdict.json": json.dumps(other).encode()},
        {"verdict.json": json.dumps(verdict).encode(), "run.sh": b"#!/bin/sh\n"},
        {"verdict.json": json.dumps(verdict).encode(), "../verdict.json": b""},
        {"comment.md": b""},
    ):
        later = story.github.add_run("main", story.request.base, "workflow_run", **TRUSTED)
        story.github.add_artifact("robustness-gate-fork", later, files)
    expired = story.github.add_run("main", story.request.base, "workflow_run", **TRUSTED)
    story.upload(expired, expired=True)
    assert story.show().out.startswith("F1 newly-failing (error)")
    assert story.say("/gate accept F1 known").code == 0
    assert story.github.state.reruns == [story.trusted.id]


def test_a_further_suite_has_a_folder_of_its_own(story: Story) -> None:
    story.github.state.artifacts.clear()
    story.upload(story.trusted, "default/")
    assert story.show().out.startswith("F1 newly-failing (error)")
