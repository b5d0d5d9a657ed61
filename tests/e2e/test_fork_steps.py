"""A fork's two steps, each in processes of its own: what the first leaves is all that the second gets of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.answering import AnsweringModel, project, prompt
from tests.support.command_line import Ended, call
from tests.support.engine.daemon import Engine
from tests.support.fork_run import FORK, ForkRun
from tests.support.github.server import GitHubServer
from tests.support.github.state import Run, person
from tests.support.jobs.play import Played
from tests.support.jobs.story import PLACE, Story, in_container

NUMBER = 1
ARTIFACT = f"robustness-gate-default-pr-{NUMBER}"
MAINTAINER, STRANGER = person("mona", 2), person("stranger", 3)
SETTINGS = 'fork-step = "measure"\nmode = "auto"\n'
WORSE = "def test_one(): pass\ndef test_two(): assert 1 == 2\n"
LEAVES_A_VERDICT = """
import atexit, pathlib
def lie():
    pathlib.Path(".gate/verdict.json").write_text('{"exit": "holds", "exit_code": 0}')
atexit.register(lie)
"""
UPLOADED = ("candidate.json", "missing.jsonl", "trials.jsonl", "verdict.json")
"""As the workflow names them."""


@pytest.fixture
def story(tmp_path: Path) -> Iterator[ForkRun]:
    made = ForkRun(
        tmp_path,
        call,
        change={"test_a.py": WORSE, "conftest.py": LEAVES_A_VERDICT, "gate.toml": "observe = true\n"},
        main={"gate.toml": SETTINGS},
    )
    with made.github:
        yield made


def first_step(story: ForkRun, name: str, run: Run) -> Ended:
    """`gate ci` on the fork's pull request, without a token, and the upload of what it left."""
    payload = json.loads(story.request.event.read_text("utf-8"))
    payload["pull_request"]["head"]["repo"] = {"full_name": FORK}
    story.request.event.write_text(json.dumps(payload), "utf-8")
    checkout = story.request.checkout(name)
    ended = call("ci", cwd=checkout, **story.request.variables(story.github.url))
    left = {each: path.read_bytes() for each in UPLOADED if (path := checkout / ".gate" / each).is_file()}
    story.leave(left, run=run)
    return ended


def test_both_steps_and_a_forged_artifact(story: ForkRun) -> None:
    ended = first_step(story, "fork", story.run)
    assert ended.code == 0, ended.out + ended.err
    assert "decides nothing" in story.request.step().summary
    assert story.comment == ""
    ended = story.judge()
    assert ended.code == 1, ended.out + ended.err
    conclusion, text = story.check
    assert conclusion == "failure"
    for shown in (text, story.comment, story.request.step().summary):
        assert "test_two" in shown
    assert not (story.checkout / "conftest.py").exists()
    forged = story.add_run()
    story.leave({"candidate.json": b"[" * 100_000, "run.sh": b"exit 0"}, run=forged)
    ended = story.judge(run=forged)
    assert ended.code == 3, ended.out + ended.err
    assert story.check[0] == "action_required"
    assert "does not belong there" in story.comment


def test_both_steps_with_the_container(jobs: Engine, tmp_path: Path) -> None:
    """The fork's own run in the container, whose token may only read, then `fork.yml`; and a forged artifact."""
    with AnsweringModel() as model, GitHubServer(()) as github:
        origin = project(tmp_path / "origin", model, settings='fork-step = "measure"\n')
        story = Story(jobs, origin, github, tmp_path)
        story.origin.branch("change")
        head = story.origin.commit({"prompt.txt": prompt("free"), "gate.toml": "observe = true\n"}, "worse")
        story.open(NUMBER, "change", author=STRANGER, head_repository=FORK)
        played = story.gate(NUMBER, in_container(story.workflow("robustness")))
        assert played.code == 0, played.log[-6000:]
        assert "decides nothing" in played.log
        assert (story.comments(NUMBER), github.state.checks) == ([], {})
        assert list(played.artifacts[ARTIFACT]) == ["candidate.json"], "no verdict"

        measured, asked = story.runs, model.count
        played = verdict_of(story, measured)
        trusted = story.runs
        assert played.code, played.log[-6000:]
        (check,) = github.state.checks.values()
        assert (check.name, check.head, check.conclusion) == ("Robustness Gate (default)", head, "failure")
        (comment,) = story.comments(NUMBER)
        for shown in (comment, f"{check.title}\n{check.summary}".replace("**", "")):
            assert "2 negative flips" in shown
        github.state.permissions.update(mona="write", stranger="write")
        for who, reruns in ((STRANGER, []), (MAINTAINER, [trusted])):
            played = story.say(NUMBER, "/gate accept F1 these words are too common", who)
            assert github.state.reruns == reruns, played.log[-6000:]
        played = verdict_of(story, measured, run=trusted, attempt=2)
        assert played.code == 0, played.log[-6000:]
        (check,) = github.state.checks.values()
        assert (check.head, check.conclusion) == (head, "success")
        assert model.count == asked, "nothing of the fork was run"

        forged = github.add_run("change", head, head_repository=FORK, actor="stranger", id=measured + 50)
        held = json.dumps({"exit": "holds", "exit_code": 0}).encode()
        files = {"candidate.json": b"[" * 100_000, "verdict.json": held, "run.sh": b"exit 0"}
        github.add_artifact(ARTIFACT, forged, files, id=90_000)
        played = verdict_of(story, forged.id)
        assert played.code, played.log[-6000:]
        (check,) = github.state.checks.values()
        assert check.conclusion == "action_required"
        (comment,) = story.comments(NUMBER)
        assert "does not belong there" in comment


def verdict_of(story: Story, measured: int, **more: int) -> Played:
    """`fork.yml`, which GitHub starts on the default branch when a fork's run has ended."""
    started = {"id": measured, "event": "pull_request", "pull_requests": []}
    payload = {"action": "completed", "workflow_run": started, "repository": PLACE}
    return story.on_branch("workflow_run", payload, story.workflow("fork"), **more)
