"""Main judged by itself at night: one issue over red, red and green, and only for what a second run confirms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import BASELINE, HELD, REPOSITORY, Ended, PullRequest, Shell, candidate
from tests.support.github.fixture import TOKEN, serve
from tests.support.github.server import GitHubServer

WORSE = {**HELD, "test_a.py::test_two": "failed"}
OTHER = {**HELD, "test_a.py::test_one": "failed"}


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with serve() as server:
        yield server


class Nights:
    """Main of a repository, judged night after night by a schedule."""

    def __init__(self, folder: Path, gate: Shell, github: GitHubServer) -> None:
        self.pull = PullRequest(folder, {"x.txt": "x"})
        self.checkout = self.pull.checkout("night", depth=1, ref="refs/heads/main")
        self.gate = gate
        self.github = github
        self.number = 10
        place = {"full_name": REPOSITORY, "default_branch": "main"}
        self.pull.event.write_text(json.dumps({"schedule": "0 3 * * *", "repository": place}), encoding="utf-8")

    def __call__(self, first: dict[str, str] | None, again: dict[str, str] | None = None, **more: str) -> Ended:
        """One night; the second run shows the same unless it is given."""
        self.number += 1
        for name, outcomes in (("first.json", first), ("again.json", again or first)):
            text = "{" if outcomes is None else json.dumps(candidate(outcomes))
            self.checkout.joinpath(name).write_text(text, encoding="utf-8")
        variables = {
            "GITHUB_EVENT_NAME": "schedule",
            "GITHUB_SHA": self.pull.base,
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_RUN_ID": str(self.number),
            "GITHUB_TOKEN": TOKEN,
            **more,
        }
        reports = "--report", "first.json", "--again", "again.json"
        return self.gate("nightly", *reports, cwd=self.checkout, **self.pull.variables(self.github.url, **variables))

    @property
    def issues(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(issue.state, issue.labels) for issue in self.github.state.issues.values()]


@pytest.fixture
def night(tmp_path: Path, gate: Shell, github: GitHubServer) -> Nights:
    return Nights(tmp_path, gate, github)


def test_red_red_and_green_nights_are_one_issue(night: Nights) -> None:
    first = night(WORSE)
    assert first.code == 1, first.err
    assert "issue opened: " in first.out
    assert night.issues == [("open", ("robustness-regression",))]
    (issue,) = night.github.state.issues.values()
    assert "test_a.py::test_two" in issue.body
    assert "issue updated: " in night(WORSE).out
    green = night(HELD)
    assert (green.code, "issue closed: " in green.out) == (0, True)
    assert night.issues == [("closed", ("robustness-regression",))]
    assert len(night.github.state.comments) == 1
    assert (night.checkout / "baselines/default.jsonl").read_text("utf-8") == BASELINE, "nothing is refreshed"


def test_what_a_second_run_does_not_show_is_not_told(night: Nights) -> None:
    for again, code in ((HELD, 0), (OTHER, 3)):
        ended = night(WORSE, again)
        assert (ended.code, night.issues) == (code, [])
        assert "not again in the same way" in ended.out


def test_what_could_not_be_judged_is_no_regression(night: Nights) -> None:
    ended = night(None)
    assert ended.code == 3, ended.err
    assert night.issues == [("open", ("robustness-infrastructure",))]


def test_a_pull_request_is_refused(night: Nights) -> None:
    ended = night(HELD, GITHUB_EVENT_NAME="merge_group", GITHUB_SHA=night.pull.merge)
    assert ended.code == 2
    assert night.issues == []


def test_without_a_token_it_is_said(night: Nights) -> None:
    ended = night(WORSE, GITHUB_TOKEN="")
    assert (ended.code, night.issues) == (1, [])
    assert "no issue: there is no token" in ended.err
