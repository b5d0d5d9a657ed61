"""The second step of a fork's pull request: whose run it is, what it left, and what the trusted side says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.deliver import checks, sticky
from tests.support.command_line import HELD, NUMBER, Shell, refused
from tests.support.fork_run import ARTIFACT, FORK, WORSE, ForkRun, report
from tests.support.github.fixture import TOKEN
from tests.support.github.runner import commands
from tests.support.github.state import Token

Make = Callable[..., ForkRun]
MOVED = "c" * 40
HOSTILE = "test_a.py::test_two[](javascript:x)<script>alert(1)</script>\n::error::owned @octocat"


@pytest.fixture
def fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Make]:
    """Makes the story; leaving it fails the test if an exchange broke GitHub's description."""
    made: list[ForkRun] = []
    for module in (checks, sticky):
        monkeypatch.setattr(module, "_SETTLE_SECONDS", 0.0)

    def make(**more: Any) -> ForkRun:
        made.append(ForkRun(tmp_path, Shell(monkeypatch, capsys), **more))
        made[0].github.__enter__()
        return made[0]

    yield make
    made[0].github.__exit__(None, None, None)


def test_what_holds_and_what_is_worse_in_a_later_run(fork: Make) -> None:
    story = fork()
    story.leave({"candidate.json": report()})
    ended = story.judge()
    assert ended.code == 0, ended.out + ended.err
    assert story.check[0] == "success"
    assert "As robust as main" in story.check[1]
    assert "As robust as main" in story.comment
    assert story.request.step().outputs["verdict"] == "holds"
    later = story.add_run()
    story.leave({"candidate.json": report(WORSE), "missing.jsonl": b""}, run=later)
    ended = story.judge(run=later)
    assert ended.code == 1
    conclusion, text = story.check
    assert conclusion == "failure"
    assert "test_two" in text
    assert "test_two" in story.comment
    outputs = story.request.step().outputs
    assert (outputs["verdict"], outputs["exit-code"], outputs["findings"]) == ("regression", "1", "1")
    # the first run again, late: the newer one has spoken
    assert story.judge().code == 0
    assert story.check[0] == "failure"
    assert "test_two" in story.comment


def test_only_the_base_decides(fork: Make) -> None:
    """The head's settings and baseline set nothing, and what it changed of them is shown; nothing of it is run."""
    story = fork(
        main={"gate.toml": 'mode = "replay"\n'},
        change={
            "gate.toml": 'observe = true\n[rules]\nnewly-failing = "off"\n',
            "baselines/default.jsonl": '{"gate_baseline":1}\n',
            "conftest.py": "import pathlib\npathlib.Path('ran').touch()\nraise SystemExit(0)\n",
            ".gitattributes": "* filter=evil\n",
        },
    )
    story.leave({"candidate.json": report(WORSE), "verdict.json": b'{"exit": "holds", "exit_code": 0}'})
    assert story.judge(GATE_OBSERVE="true").code == 1
    assert story.check[0] == "failure"
    for rule in ("baselines/default.jsonl", "observe"):
        assert rule in story.comment
    present = {path.name for path in story.checkout.iterdir()}
    assert not {"ran", "conftest.py", ".gitattributes"} & present
    assert story.checkout.joinpath("gate.toml").read_text() == 'mode = "replay"\n'


def test_forged_artifacts_decide_nothing(fork: Make) -> None:
    """More of them stand in the tests of what reads an artifact."""
    story = fork()
    for files, reason in (
        ({"verdict.json": b'{"exit": "holds", "exit_code": 0}'}, "holds no"),
        ({"candidate.json": report(), "run.sh": b"#!/bin/sh\n"}, "does not belong there"),
        ({"candidate.json": report(suite="other")}, "of the suite"),
    ):
        run = story.add_run()
        story.leave(files, run=run)
        ended = story.judge(run=run)
        assert ended.code == 3, (reason, ended.out + ended.err)
        assert story.check[0] == "action_required", reason
        assert reason in story.check[1]
        assert reason in story.comment
        assert story.request.step().outputs["verdict"] == "undecided"


def test_names_are_escaped_wherever_they_land(fork: Make) -> None:
    story = fork()
    story.leave({"candidate.json": report({**HELD, HOSTILE: "failed"})})
    ended = story.judge()
    for text in (story.check[1], story.comment, story.request.step().summary):
        assert "<script>" not in text
        assert "](javascript" not in text
        assert "@octocat" not in text.replace("`@octocat", "")
    assert [each for each in commands(ended.out) if "owned" in each[1]] == []


def test_artifacts_of_something_else(fork: Make) -> None:
    """Another pull request's number, another run's, twice, expired: none of them is what this run left."""
    story = fork()
    other = story.add_run()
    story.leave({"candidate.json": report()}, ARTIFACT.replace(str(NUMBER), "8"))
    story.leave({"candidate.json": report()}, run=other)
    assert story.judge().code == 3
    assert "there is none" in story.check[1]
    story.leave({"candidate.json": report()}, run=other)
    assert story.judge(run=other).code == 3
    assert "the run left it 2 times" in story.check[1]
    old = story.add_run()
    story.leave({"candidate.json": report()}, run=old, expired=True)
    assert story.judge(run=old).code == 3
    assert "has expired" in story.check[1]


def test_runs_that_are_not_judged(fork: Make) -> None:
    story = fork()
    story.leave({"candidate.json": report()})
    for values, word in (
        ({"event": "push"}, "not for a pull request"),
        ({"head_repository": ""}, "its own job judges"),
        ({"status": "in_progress"}, "another attempt"),
        ({"conclusion": "action_required"}, "approves"),
        ({"commit": MOVED}, "newer commit"),
        ({"branch": "other"}, "no open pull request"),
        ({"head_repository": "another/model"}, "no open pull request"),
    ):
        ended = story.judge(run=story.add_run(**values))
        assert (ended.code, word in ended.err) == (0, True), (values, ended.err)
    refused(story.judge(run=story.add_run(path=".github/workflows/evil.yml")), 2, "evil.yml", advice="--workflow")
    story.open(state="closed")
    assert story.judge().code == 0
    story.open(head_sha=MOVED)
    assert story.judge().code == 0
    assert story.github.state.checks == {}
    assert story.comment == ""


def test_runs_of_the_repository_itself_are_told_as_they_ended(fork: Make) -> None:
    """So that one check can be required of every pull request and in the merge queue."""
    story = fork()
    for values, conclusion in (
        ({"conclusion": "success"}, "success"),
        ({"conclusion": "cancelled"}, "failure"),
        ({"conclusion": "success", "event": "merge_group"}, "success"),
    ):
        run = story.add_run(head_repository="", **values)
        assert story.judge("--mirror", run=run).code == 0
        assert story.check[0] == conclusion
    (check,) = story.github.state.checks.values()
    assert check.details_url == ""
    for values in ({}, {"event": "merge_group"}, {"event": "push", "head_repository": ""}):
        story.judge("--mirror", run=story.add_run(branch="gone", **{"conclusion": "failure", **values}))
    assert story.check[0] == "success"
    assert story.comment == ""


def test_a_push_between_looking_and_judging(fork: Make) -> None:
    story = fork()
    story.leave({"candidate.json": report()})
    story.request.origin.git("update-ref", f"refs/pull/{NUMBER}/head", story.request.base)
    ended = story.judge()
    assert ended.code == 3, ended.err
    assert story.check[0] == "action_required"
    assert "is not" in story.check[1]


def test_a_deleted_fork_and_two_pull_requests_of_one_head(fork: Make) -> None:
    story = fork()
    story.open(head_repository=None)
    run = story.add_run(head_repository=None)
    story.leave({"candidate.json": report()}, run=run)
    assert story.judge(run=run).code == 0
    assert story.check[0] == "success"
    story.open()
    story.github.add_pull_request(8, story.head, head_repository=FORK, head_ref="change", base_ref="next")
    refused(story.judge(), 3, "#8, #7")
    assert story.check[0] == "success"  # of the newer run


def test_a_job_of_the_fork_that_is_called_as_the_check_is_made_visible(fork: Make) -> None:
    story = fork()
    story.github.state.check(story.head, "Robustness Gate (default)", conclusion="success", title="a job of the fork")
    story.leave({"candidate.json": report(WORSE)})
    ended = story.judge()
    assert ended.code == 1
    assert story.check[0] == "failure"
    for text in (ended.err, story.comment):
        assert "not ours" in text


def test_by_hand(fork: Make) -> None:
    story = fork()
    story.leave({"candidate.json": report(WORSE)})
    environ = {"GITHUB_API_URL": story.github.url, "GITHUB_REPOSITORY": "octo/model", "GH_TOKEN": TOKEN}
    ended = story.shell("fork-verdict", "--run", str(story.run.id), cwd=story.checkout, **environ)
    assert ended.code == 1, ended.err
    assert story.check[0] == "failure"
    assert "test_two" in story.comment
    refused(story.shell("fork-verdict", cwd=story.checkout, **environ), 2, "names no run", advice="--run")


def test_dependabot(fork: Make) -> None:
    story = fork()
    story.open(head_repository="")
    run = story.add_run(head_repository="", actor="dependabot[bot]")
    story.leave({"candidate.json": report(WORSE)}, run=run)
    assert story.judge(run=run).code == 1
    assert story.check[0] == "failure"


def test_a_base_without_merge_commit_and_reports_that_are_joined(fork: Make) -> None:
    story = fork(main={"gate.toml": 'reports = ["more.json"]\n', "more.json": report().decode()})
    story.request.origin.git("update-ref", "-d", f"refs/pull/{NUMBER}/merge")
    story.leave({"candidate.json": report()})
    ended = story.judge()
    assert ended.code == 3
    assert "merge base with `main`" in ended.err
    assert "another one" in story.check[1]


def test_settings_of_the_base_that_cannot_be_used(fork: Make) -> None:
    """Why nothing was judged is told where the verdict would be."""
    story = fork(main={"gate.toml": "alhpa = 0.1\n"})
    story.leave({"candidate.json": report()})
    refused(story.judge(), 2, "alhpa")
    assert story.check[0] == "action_required"
    assert "alhpa" in story.check[1]
    assert "alhpa" in story.comment


def test_a_token_that_may_not_write_checks(fork: Make) -> None:
    story = fork()
    story.github.state.tokens[TOKEN] = Token()
    story.leave({"candidate.json": report(WORSE)})
    ended = story.judge()
    assert ended.code == 1
    assert "checks: write" in ended.err
    assert "test_two" in story.comment
