"""A pull request can't loosen its own gate: what its files, its branch, its event or its runner say sets nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.deliver import patience
from tests.support.command_line import BASELINE, HELD, NUMBER, PullRequest, Shell, candidate, findings, refused
from tests.support.repository import Repository

CLOSED = "http://127.0.0.1:9"
NAME = "r.json"
WORSE = {"test_a.py": "def test_one(): assert 0\ndef test_two(): pass\n"}
FINE = "def test_one(): pass\ndef test_two(): pass\n"
IMPORTED = "[pytest]\naddopts = --import-mode=importlib\n"
LOOSE = "observe = true\n[rules.newly-failing]\nlevel = 'off'\n"
FAILS = candidate({**HELD, "test_a.py::test_two": "failed"})


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def with_report(folder: Path) -> Path:
    """A report of a run made elsewhere in which one test newly fails."""
    (folder / NAME).write_text(json.dumps(FAILS), encoding="utf-8")
    return folder


def found_by(rule: str, folder: Path) -> list[dict[str, Any]]:
    verdict = json.loads((folder / ".gate" / "verdict.json").read_text("utf-8"))
    return [finding for finding in verdict["findings"] if finding["rule"] == rule]


def payload(pull: PullRequest, event: str) -> Path:
    """What GitHub sends with other events than `pull_request`: most say nothing of a pull request."""
    full: dict[str, Any] = json.loads(pull.event.read_text("utf-8"))
    if not event.startswith("pull_request"):
        del full["pull_request"], full["number"]
    if event == "issue_comment":
        full["issue"] = {"number": NUMBER, "pull_request": {"url": "https://api.example/pulls/7"}}
    path = pull.folder / f"{event}.json"
    path.write_text(json.dumps(full), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("settings", "files"),
    [
        ("report = 'fake.json'\n", {"fake.json": json.dumps(candidate())}),
        ("working-directory = 'frozen'\n", {"frozen/test_a.py": FINE, "frozen/pytest.ini": "[pytest]\n"}),
        ("arguments = '--rootdir=frozen frozen'\n", {"frozen/test_a.py": FINE, "frozen/pytest.ini": "[pytest]\n"}),
        ("suite = 'mine'\n", {"baselines/mine.jsonl": BASELINE.replace('"passed"', '"failed"')}),
        ("comment = 'never'\nannotations = false\ntimeout = 0.001\n", {}),
        (LOOSE, {}),
    ],
    ids=lambda value: value.partition("\n")[0] if isinstance(value, str) else "",
)
def test_the_heads_settings_file_sets_nothing(
    gate: Shell, tmp_path: Path, settings: str, files: dict[str, str | bytes | None]
) -> None:
    """The suite runs, in the base's manner, and its failing test is found; what the file would change is told."""
    pull = PullRequest(tmp_path, {**WORSE, "gate.toml": settings, **files}, {"pytest.ini": IMPORTED})
    folder = pull.checkout("work")
    ended = gate("ci", cwd=folder, **pull.variables(CLOSED))
    assert ended.code == 1, ended.err
    assert ("newly-failing", "newly fails") in findings(folder)
    changed = [each for each in found_by("settings-changed", folder) if settings.partition(" ")[0] in json.dumps(each)]
    assert [each["why"] for each in changed] == ["main's decides"]
    assert "::error " in ended.out


def test_the_bases_settings_file_does(gate: Shell, tmp_path: Path) -> None:
    """What the others lack: the same keys count once they are on main."""
    main: dict[str, str | bytes | None] = {
        "gate.toml": "working-directory = 'frozen'\n",
        "frozen/test_a.py": FINE,
        "frozen/pytest.ini": "[pytest]\n",
    }
    pull = PullRequest(tmp_path, WORSE, main)
    ended = gate("ci", cwd=pull.checkout("work"), **pull.variables(CLOSED))
    assert ended.code == 0, ended.err


def test_a_token_in_the_heads_file_is_refused(gate: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "illness_wait", lambda attempt: 0.0)
    pull = PullRequest(tmp_path, {"gate.toml": "token = 'ghs_of_the_author'\n"})
    folder = with_report(pull.checkout("work"))
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED, GITHUB_TOKEN="ghs_of_the_workflow"))
    refused(ended, 2, "gate.toml:1: `token` may not stand in a file", advice="take it out")
    step = pull.told("usage", 2, folder)
    assert "ghs_of_the" not in step.summary + ended.out + ended.err


@pytest.mark.parametrize("event", ["push", "workflow_dispatch", "issue_comment", "schedule", "release", "tomorrow"])
@pytest.mark.parametrize("ref", ["change", f"refs/pull/{NUMBER}/merge"])
def test_in_a_shallow_clone_no_event_lets_the_head_judge_itself(
    gate: Shell, tmp_path: Path, event: str, ref: str
) -> None:
    pull = PullRequest(tmp_path, {"gate.toml": LOOSE})
    folder = with_report(pull.checkout("work", depth=2, ref=ref))
    head = Repository(folder).head
    named = {"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(payload(pull, event))}
    for runner in ({"GITHUB_SHA": head, "GITHUB_REF": "refs/heads/change"}, {"GITHUB_REF": "refs/heads/main"}):
        variables = pull.variables(CLOSED, **{"GITHUB_SHA": pull.base, **named, **runner})
        ended = gate("ci", "--report", NAME, cwd=folder, **variables)
        refused(ended, 2, "it can't decide about itself", advice="`fetch-depth: 0`")
        pull.told("usage", 2, folder)


@pytest.mark.parametrize("event", ["push", "issue_comment", "pull_request_review", "workflow_dispatch"])
def test_with_the_history_the_base_decides_whatever_the_event(gate: Shell, tmp_path: Path, event: str) -> None:
    pull = PullRequest(tmp_path, {"gate.toml": LOOSE})
    folder = with_report(pull.checkout("work", depth=None, ref="change"))
    variables = pull.variables(
        CLOSED, GITHUB_EVENT_NAME=event, GITHUB_EVENT_PATH=str(payload(pull, event)), GITHUB_REF="refs/heads/change"
    )
    ended = gate("ci", "--report", NAME, cwd=folder, **variables)
    assert ended.code == 1, ended.err


def test_a_push_to_main_is_judged_by_what_main_says(gate: Shell, tmp_path: Path) -> None:
    pull = PullRequest(tmp_path, {"x.txt": "x"}, {"gate.toml": LOOSE})
    folder = with_report(pull.checkout("work", depth=1, ref="main"))
    event = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(payload(pull, "push"))}
    variables = pull.variables(CLOSED, **event, GITHUB_SHA=pull.base, GITHUB_REF="refs/heads/main")
    assert gate("ci", "--report", NAME, cwd=folder, **variables).code == 0


@pytest.mark.parametrize("how", ["GATE_SUITE", "--suite"])
def test_a_suite_renamed_by_the_workflow_has_no_baseline_of_the_heads_choice(
    gate: Shell, tmp_path: Path, how: str
) -> None:
    mine = BASELINE.replace('"passed"', '"failed"')
    pull = PullRequest(tmp_path, {"baselines/robust.jsonl": mine})
    folder = with_report(pull.checkout("work"))
    renamed = ["--suite", "robust"] if how == "--suite" else []
    variables = pull.variables(CLOSED, **({} if renamed else {"GATE_SUITE": "robust"}))
    ended = gate("ci", "--report", NAME, *renamed, cwd=folder, **variables)
    refused(ended, 3, "the base has baselines of `default`, none of the suite `robust`", advice="default branch")
    pull.told("undecided", 3, folder)


def test_a_branch_that_is_older_than_a_stricter_rule_does_not_escape_it(gate: Shell, tmp_path: Path) -> None:
    pull = PullRequest(tmp_path, {"x.txt": "x"}, {"gate.toml": LOOSE})
    pull.origin.checkout("main")
    pull.origin.commit({"gate.toml": "alpha = 0.05\n"})
    folder = with_report(pull.checkout("work", depth=None, ref="change"))
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED))
    assert ended.code == 1, ended.err
    assert [rule for rule, _ in findings(folder)] == ["newly-failing"], "the head itself changed no setting"


@pytest.mark.parametrize("runner", [{"GITHUB_ACTIONS": "True"}, {"GITHUB_ACTIONS": ""}, {"GITHUB_ACTIONS": "yes"}])
def test_a_runner_that_spells_it_otherwise_is_no_shell(gate: Shell, tmp_path: Path, runner: dict[str, str]) -> None:
    pull = PullRequest(tmp_path, {"gate.toml": LOOSE})
    folder = with_report(pull.checkout("work"))
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED, **runner))
    assert ended.code == 1, ended.err
    assert pull.step().outputs["verdict"] == "regression"
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED, GITHUB_EVENT_NAME="", **runner))
    if runner["GITHUB_ACTIONS"]:
        refused(ended, 2, "`GITHUB_EVENT_NAME` is not set")


def test_a_proposal_of_any_event_can_not_name_what_excuses_it(gate: Shell, tmp_path: Path) -> None:
    pull = PullRequest(tmp_path, {"x.txt": "x"})
    folder = with_report(pull.checkout("work", depth=None, ref="change"))
    event = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(payload(pull, "push"))}
    ended = gate("ci", "--report", NAME, "--main-report", NAME, cwd=folder, **pull.variables(CLOSED, **event))
    refused(ended, 2, "a pull request can't name the report of main's own run")


def test_a_suite_may_only_be_called_what_a_comment_can_carry(gate: Shell, tmp_path: Path) -> None:
    pull = PullRequest(tmp_path, {"x.txt": "x"}, {"gate.toml": "suite = 'हिन्दी'\n"})
    folder = with_report(pull.checkout("work"))
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED))
    refused(ended, 2, "gate.toml:1: `suite` can't be 'हिन्दी'")
    pull.told("usage", 2, folder)
