"""A fork's stochastic tests: nobody can confirm its suspects later, so its run asks at each test's own share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import PullRequest, Shell
from tests.support.stochastic_project import FILES, SUITE, baseline, line, model, name, suite

CASES = 4
MAIN = {**FILES, SUITE: suite(CASES), "baselines/default.jsonl": baseline(*map(line, map(name, range(CASES))))}
SHARDS = "1/2", "2/2"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


class Fork:
    """A fork's pull request whose case 3 fails more often than not, in a checkout of its own."""

    def __init__(self, folder: Path) -> None:
        change = {"model.py": model(case3=0.4)}
        self._request = PullRequest(folder, change, {**MAIN, "gate.toml": 'fork-step = "measure"\n'})
        payload = json.loads(self._request.event.read_text(encoding="utf-8"))
        payload["pull_request"]["head"]["repo"] = {"full_name": "stranger/model"}
        self._request.event.write_text(json.dumps(payload), encoding="utf-8")
        (folder / "calls").mkdir()
        self.path = self._request.checkout("work")
        self.variables = {
            **self._request.variables("https://api.example.org"),
            "MODEL_CALLS": str(folder / "calls"),
            "MODEL_SEED": "7",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def judged(shell: Shell, fork: Fork, report: str) -> tuple[int, list[tuple[str, str]], dict[str, str]]:
    """What the trusted step makes of a report, under the base's settings and without a trial: code, errors, answers."""
    event = {key: value for key, value in fork.variables.items() if not key.startswith("GITHUB_")}
    ended = shell("ci", "--base", "HEAD^1", "--report", report, cwd=fork.path, **event)
    verdict = json.loads((fork.path / ".gate/verdict.json").read_text(encoding="utf-8"))
    errors = [(each["rule"], each["case_id"]) for each in verdict["findings"] if each["level"] == "error"]
    return ended.code, errors, {each["case_id"]: each["answer"] for each in verdict["decisions"]}


def test_a_fork_is_asked_so_that_its_report_alone_decides(shell: Shell, tmp_path: Path) -> None:
    fork = Fork(tmp_path)
    measured = shell("ci", cwd=fork.path, **fork.variables)
    assert measured.code == 0, measured.out + measured.err
    (fork.path / ".gate/candidate.json").rename(fork.path / "left.json")
    code, errors, answers = judged(shell, fork, "left.json")
    assert (code, errors) == (1, [("newly-failing", name(3))])
    assert set(answers.values()) == {"regression", "holds"}


def test_a_fork_in_shards_is_asked_likewise(shell: Shell, tmp_path: Path) -> None:
    fork = Fork(tmp_path)
    for shard in SHARDS:
        ended = shell("ci", "--shard", shard, "--output", f".gate/s{shard[0]}", cwd=fork.path, **fork.variables)
        assert ended.code == 0, ended.err
    assert shell("merge", ".gate/s1", ".gate/s2", "-o", "merged.json", cwd=fork.path).code == 0
    measured = shell("ci", "--merged", "merged.json", cwd=fork.path, **fork.variables)
    assert measured.code == 0, measured.out + measured.err
    code, errors, _ = judged(shell, fork, "merged.json")
    assert (code, errors) == (1, [("newly-failing", name(3))])
