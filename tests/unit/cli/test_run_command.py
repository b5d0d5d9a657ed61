"""`gate run`: fixed samples, questions against a baseline, suspects beside a base, and how a run may end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gate.ingest import read_report
from gate.schema.report import Report, Session, Trials
from tests.support.command_line import Shell, refused
from tests.support.repository import Repository

CANDIDATE = Path(".gate/candidate.json")
SUITE = """
import random, pytest
from model import RATE
draws = random.Random(5)

@pytest.mark.stochastic
def test_s(): assert draws.random() < RATE

def test_d(): pass
"""
ASKED = '{"delta":"0.3","max_trials":"60","power":"0.9"}'
BASELINE = (
    '{"gate_baseline":1,"suite":"default"}\n'
    '{"id":"test_a.py::test_d","outcome":"passed"}\n'
    '{"id":"test_a.py::test_s","outcome":"passed","stochastic":true,"trials":{"sessions":'
    f'[{{"session":"main.1","outcomes":"{"1" * 50}"}}],"asked":{ASKED}}}}}\n'
)
QUIET = ["--", "-q", "-p", "no:cacheprovider"]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "project")
    files = {"test_a.py": SUITE, "model.py": "RATE = 1.0\n", "baselines/default.jsonl": BASELINE}
    found.commit({**files, ".gitignore": "/.gate/\n__pycache__/\n"})
    return found


def report(folder: Path, path: Path = CANDIDATE) -> Report:
    return read_report((folder / path).read_bytes(), str(path))


def measured(folder: Path, path: Path = CANDIDATE) -> dict[str, list[Session]]:
    return {case.id: list((case.trials or Trials(())).sessions) for case in report(folder, path).cases}


def test_a_run_makes_a_fixed_sample_that_a_refresh_counts(repository: Repository, shell: Shell) -> None:
    found = []
    for _ in range(2):
        assert shell("run", *QUIET, cwd=repository.path, GATE_BASELINE_TRIALS="4").code == 0
        (session,) = measured(repository.path)["test_a.py::test_s"]
        assert (session.outcomes, session.fixed) == ("1111", True)
        assert re.fullmatch(f"{repository.head[:7]}\\.[0-9a-f]{{6}}", session.id)
        found.append(session.id)
        said = shell("baseline", "refresh", str(CANDIDATE), cwd=repository.path, GATE_BASELINE_SESSIONS="2")
        assert said.code == 0
    assert found[0] != found[1], "a second run of a commit counts beside the first"
    assert [path.name for path in (repository.path / ".gate").iterdir()] == ["candidate.json"]
    kept = measured(repository.path, Path("baselines/default.jsonl"))
    assert [each.id for each in kept["test_a.py::test_s"]] == found
    assert kept["test_a.py::test_d"] == []


def test_a_time_out_of_a_trial_is_the_settings_own(repository: Repository, shell: Shell) -> None:
    slow = "import time, pytest\n@pytest.mark.stochastic\ndef test_s(): time.sleep(9)\n"
    (repository.path / "test_a.py").write_text(slow, encoding="utf-8")
    limits = {"GATE_BASELINE_TRIALS": "2", "GATE_TRIAL_TIMEOUT": "0.05"}
    assert shell("run", *QUIET, cwd=repository.path, **limits).code == 0
    assert [each.outcomes for each in measured(repository.path)["test_a.py::test_s"]] == ["00"]


def test_against_the_checkouts_own_baseline(repository: Repository, shell: Shell) -> None:
    first = shell("run", "--against", *QUIET, cwd=repository.path)
    assert first.code == 0
    assert "holds: 7/7 here, 50/50 on main" in first.out
    assert "  - test_a.py::test_s" in first.out
    (session,) = measured(repository.path)["test_a.py::test_s"]
    assert (session.outcomes, session.fixed) == ("1" * 7, False)
    assert sorted(path.name for path in (repository.path / ".gate").iterdir()) == ["candidate.json", "trials.jsonl"]
    again = shell("run", "--against", *QUIET, cwd=repository.path)
    assert again.out == first.out
    (case,) = (each for each in report(repository.path).cases if each.trials is not None)
    assert case.trials is not None
    assert case.trials.carried == 7, "the same content is not drawn again"
    refreshed = shell("baseline", "refresh", str(CANDIDATE), cwd=repository.path)
    assert "not counted: 1" in refreshed.out
    assert (repository.path / "baselines" / "default.jsonl").read_text() == BASELINE


@pytest.mark.parametrize("committed", [True, False])
def test_confirm_runs_the_base_beside(repository: Repository, shell: Shell, *, committed: bool) -> None:
    worse = "RATE = 0.0\n"
    if committed:
        repository.branch("worse")
        repository.commit({"model.py": worse})
    else:
        (repository.path / "model.py").write_text(worse, encoding="utf-8")
    ended = shell("run", "--confirm", *([] if committed else ["HEAD"]), *QUIET, cwd=repository.path)
    assert ended.code == 0, "it judges nothing"
    found = re.search(r"newly fails \(both arms\): 0/(\d+) here, (\d+)/(\d+) on main", ended.out)
    assert found is not None, ended.out + ended.err
    assert found.group(2) == found.group(3), "the base itself never fails"
    assert "1 suspect of the first look was checked against main in the same session" in ended.err
    lines = [json.loads(line) for line in (repository.path / ".gate" / "trials.jsonl").read_text().splitlines()]
    assert [each["confirmed"] for each in lines if "confirmed" in each] == ["test_a.py::test_s"]


def test_nothing_beside_which_to_run_is_said(repository: Repository, shell: Shell) -> None:
    ended = shell("run", "--confirm", *QUIET, cwd=repository.path)
    assert ended.code == 0
    assert "suspects can't be confirmed: the base is what is checked out" in ended.err
    assert "holds: 7/7 here" in ended.out


def test_a_baseline_that_counts_nothing_asks_nothing(repository: Repository, shell: Shell) -> None:
    plain = BASELINE.splitlines(keepends=True)
    (repository.path / "other.jsonl").write_text("".join(plain[:2]), encoding="utf-8")
    ended = shell("run", "--against", "other.jsonl", *QUIET, cwd=repository.path)
    assert ended.code == 0
    assert "the baseline counts no stochastic test" in ended.err
    assert [len(each.outcomes) for each in measured(repository.path)["test_a.py::test_s"]] == [10]


def test_wrong_names_are_refused(repository: Repository, shell: Shell) -> None:
    ended = shell("run", "--against", "none.jsonl", cwd=repository.path)
    refused(ended, 3, "none.jsonl", "there is no baseline to ask against", advice="gate baseline create")
    refused(shell("run", "--confirm", "nosuch", cwd=repository.path), 2, "no commit is called `nosuch`")


@pytest.mark.parametrize("command", [["run"], ["run", "--against"], ["baseline", "create", "--replace", "--runs", "1"]])
def test_a_process_that_ends_otherwise_than_its_report_says(
    repository: Repository, shell: Shell, command: list[str]
) -> None:
    limit = "def pytest_sessionfinish(session): session.exitstatus = 1\n"
    repository.commit({"conftest.py": limit})
    ended = shell(*command, *QUIET, cwd=repository.path)
    assert ended.code == 3
    assert "the process of the suite ended with exit code 1, its report says 0" in ended.err


def test_gate_ci_sees_it_too(repository: Repository, shell: Shell) -> None:
    repository.branch("worse")
    repository.commit({"conftest.py": "def pytest_sessionfinish(): raise RuntimeError('no quota left')\n"})
    ended = shell("ci", *QUIET, cwd=repository.path)
    assert ended.code == 3
    verdict = json.loads((repository.path / ".gate" / "verdict.json").read_text("utf-8"))
    (finding,) = [each for each in verdict["findings"] if each["rule"] == "incomplete-run"]
    assert "the process of the suite ended with exit code 1, its report says 0" in finding["what"]


def test_a_crash_against_a_baseline_is_a_reason(repository: Repository, shell: Shell) -> None:
    (repository.path / "conftest.py").write_text("import os\nos._exit(9)\n", encoding="utf-8")
    refused(shell("run", "--against", *QUIET, cwd=repository.path), 3, "exit code 9 and left no report")
