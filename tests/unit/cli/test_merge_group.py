"""A merge queue, a repeated run and several suites: what each leaves, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.deliver import sticky
from gate.render.joined import sections_of
from tests.support.command_line import BASELINE, HELD, NUMBER, REPOSITORY, PullRequest, Shell, candidate, findings
from tests.support.github.fixture import TOKEN, serve
from tests.support.github.server import GitHubServer

WORSE = {**HELD, "test_a.py::test_two": "failed"}
NAME = "report.json"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setattr(sticky, "_SETTLE_SECONDS", 0.0)
    return Shell(monkeypatch, capsys)


def group(pull: PullRequest, base: str, head: str, api: str) -> dict[str, str]:
    """The variables of a merge group's run."""
    merge_group: dict[str, Any] = {"head_sha": head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-7-x"}
    merge_group |= {"base_sha": base, "base_ref": "refs/heads/main"}
    place = {"full_name": REPOSITORY, "default_branch": "main"}
    payload = {"action": "checks_requested", "merge_group": merge_group, "repository": place}
    pull.event.write_text(json.dumps(payload), encoding="utf-8")
    return pull.variables(api, GITHUB_EVENT_NAME="merge_group", GITHUB_SHA=head, GITHUB_TOKEN=TOKEN)


def put(checkout: Path, outcomes: dict[str, str]) -> None:
    checkout.joinpath(NAME).write_text(json.dumps(candidate(outcomes)), encoding="utf-8")


def test_a_group_is_compared_with_its_own_base_and_nothing_is_commented(tmp_path: Path, gate: Shell) -> None:
    pull = PullRequest(tmp_path, {"x.txt": "x"})
    checkout = pull.checkout("queue")
    with serve() as github:
        variables = group(pull, pull.base, pull.merge, github.url)
        for outcomes, code in ((WORSE, 1), (HELD, 0)):
            put(checkout, outcomes)
            ended = gate("ci", "--report", NAME, cwd=checkout, **variables)
            assert ended.code == code, ended.err
        assert "base of the merge group" in ended.err
        assert github.state.comments == {}
        assert github.count("POST") == 0
    step = pull.step()
    assert "newly fails" in step.summary
    assert "As robust as main" in step.summary
    assert (step.outputs["verdict"], step.outputs["comment-url"]) == ("holds", "")


def test_a_group_of_two_is_compared_with_the_base_of_both(tmp_path: Path, gate: Shell) -> None:
    """At the depth that the workflow has, the clone lacks that base: the contents API gives what is read of it."""
    pull = PullRequest(tmp_path, {"baselines/default.jsonl": BASELINE.replace('"passed"', '"failed"')})
    pull.origin.branch("second", pull.base)
    pull.origin.commit({"y.txt": "y"})
    both = pull.origin.merge_like_github(pull.merge, "second", 8)
    checkout = pull.origin.clone(tmp_path / "queue", depth=2, ref="refs/pull/8/merge").path
    put(checkout, WORSE)
    with serve() as github:
        github.add_file(pull.base, "baselines/default.jsonl", BASELINE.encode())
        ended = gate("ci", "--report", NAME, cwd=checkout, **group(pull, pull.base, both, github.url))
        assert ended.code == 1, ended.err
    assert ("newly-failing", "newly fails") in [(rule, what[-11:]) for rule, what in findings(checkout)]


def two_suites(tmp_path: Path) -> tuple[PullRequest, Path]:
    pull = PullRequest(tmp_path, {"x.txt": "x"}, {"baselines/slow.jsonl": BASELINE})
    return pull, pull.checkout("work")


def run(gate: Shell, pull: PullRequest, checkout: Path, github: GitHubServer, suite: str, **more: str) -> int:
    return gate(
        *("ci", "--report", NAME, "--suite", suite),
        cwd=checkout,
        **pull.variables(github.url, GITHUB_TOKEN=TOKEN, **more),
    ).code


@pytest.mark.parametrize("joined", [False, True])
def test_two_suites_and_a_repeated_run(tmp_path: Path, gate: Shell, joined: bool) -> None:
    pull, checkout = two_suites(tmp_path)
    more = {"GATE_COMMENT_JOIN": "true"} if joined else {}
    with serve() as github:
        github.add_pull_request(NUMBER, pull.head)
        put(checkout, WORSE)
        assert [run(gate, pull, checkout, github, suite, **more) for suite in ("default", "slow")] == [1, 1]
        put(checkout, HELD)
        assert run(gate, pull, checkout, github, "slow", GITHUB_RUN_ATTEMPT="2", **more) == 0
        texts = [comment.body for comment in github.comments(NUMBER)]
    if joined:
        (only,) = texts
        texts = [each.text for each in (sections_of(only) or {}).values()]
    assert [("newly fails" in text, "As robust as main" in text) for text in texts] == [(True, False), (False, True)]
    assert "attempt 2" in texts[1]
