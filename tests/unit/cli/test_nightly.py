"""Main judged by itself at night: one issue over red, red and green, and only for what a second run confirms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
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


class InTurn:
    """Nights of which each confirms the one before; every run leaves its verdict as the workflow uploads it."""

    def __init__(self, night: Nights) -> None:
        self.night = night

    def __call__(self, outcomes: dict[str, str] | None, *, leaves: bool = True, **run: str) -> Ended:
        github, number = self.night.github, self.night.number + 1
        made = github.add_run("main", self.night.pull.base, id=number, event="schedule", status="in_progress")
        ended = self.night(outcomes, GATE_NIGHTLY_CONFIRM="two-nights")
        github.add_run("main", self.night.pull.base, **{"id": number, "event": "schedule", **run})
        if leaves:
            left = (self.night.checkout / ".gate/verdict.json").read_bytes()
            github.add_artifact("robustness-gate-default-nightly", made, {"verdict.json": left})
        return ended


def test_two_red_nights_in_a_row_confirm_each_other(night: Nights) -> None:
    in_turn = InTurn(night)
    first = in_turn(WORSE)
    assert (first.code, night.issues) == (0, []), first.err
    assert "the run before this one left no verdict: a second such run in a row will tell of it" in first.out
    second = in_turn(WORSE)
    assert (second.code, "issue opened: " in second.out) == (1, True), second.err
    assert "issue updated: " in in_turn(WORSE).out
    assert "issue closed: " in in_turn(HELD).out
    again = in_turn(WORSE)
    assert (again.code, "the run before did not show it" in again.out) == (0, True)
    other = in_turn(OTHER)
    assert (other.code, "the run before did not show it" in other.out) == (0, True)
    assert night.issues == [("closed", ("robustness-regression",))]


def test_a_night_that_was_not_judged_confirms_no_regression_and_one_that_was_cancelled_is_passed_over(
    night: Nights,
) -> None:
    in_turn = InTurn(night)
    assert in_turn(None).code == 3
    assert (in_turn(WORSE).code, night.issues) == (0, [])
    in_turn(WORSE, leaves=False, conclusion="cancelled")
    assert night.issues == [("open", ("robustness-regression",))]


@pytest.mark.parametrize(
    "run", [{"event": "pull_request"}, {"branch": "other"}, {"head_repository": "eve/model"}], ids=str
)
def test_a_run_that_is_not_mains_confirms_nothing(night: Nights, run: dict[str, str]) -> None:
    in_turn = InTurn(night)
    in_turn(WORSE)
    (before,) = night.github.state.runs.values()
    night.github.state.runs[before.id] = replace(before, **run)  # type: ignore[arg-type]
    assert (in_turn(WORSE).code, night.issues) == (0, [])


def test_a_run_before_that_can_t_be_read_is_said_and_red(night: Nights) -> None:
    in_turn = InTurn(night)
    before = in_turn(WORSE, leaves=False)
    assert before.code == 0
    (run,) = night.github.state.runs.values()
    night.github.add_artifact("robustness-gate-default-nightly", run, {"verdict.json": b"{}"})
    ended = in_turn(WORSE)
    assert (ended.code, night.issues) == (3, [])
    assert "holds no verdict" in ended.err
    without = night(WORSE, GATE_NIGHTLY_CONFIRM="two-nights", GITHUB_TOKEN="")
    assert (without.code, "`actions: read`" in without.err) == (3, True)


def test_a_folder_without_git_is_told_once(gate: Shell, tmp_path: Path) -> None:
    ended = gate("nightly", "--report", "first.json", "--again", "first.json", cwd=tmp_path)
    assert ended.code == 2
    assert "running once more" not in ended.out + ended.err
    assert ended.err.count("not a git repository") == 1, ended.err
