"""`gate doctor` on repositories that lack one thing each: it names the thing, its file and the fix."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gate.cli import exit_code_of
from gate.cli.doctor import examine
from gate.cli.doctor_check import Check
from gate.cli.doctor_github import github_checks
from gate.cli.doctor_machine import CONFLICTS, machine_checks, network_check
from gate.cli.doctor_repository import OLD_DAYS, recordings_check, repository_checks
from gate.cli.doctor_workflows import workflow_checks
from gate.cli.init import workflows
from gate.deliver.client import GitHub
from gate.errors import RepositoryError
from gate.sandbox.network.guard import Guard
from gate.settings import Settings
from tests.support.github.server import GitHubServer
from tests.support.github.state import Token
from tests.support.repository import Repository

BASELINE = '{"gate_baseline":1}\n{"id":"tests/test_a.py::test_one","outcome":"passed"}\n'
FILES = {
    "baselines/default.jsonl": BASELINE,
    "gate.toml": 'suite = "default"\n',
    **{f".github/workflows/{name}": text for name, text in workflows().items()},
}
ROBUSTNESS = ".github/workflows/robustness.yml"
COMMITTED = 1_700_000_060
"""Unix time of the first commit of tests."""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "project")
    made.commit(dict(FILES), "all")
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The same files, without a repository around them."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def bad(checks: list[Check]) -> list[Check]:
    return [check for check in checks if check.state in ("problem", "warning")]


def one(checks: list[Check], name: str) -> Check:
    (found,) = bad([check for check in checks if check.name == name])
    return found


def of_workflows(project: Path, old: str, new: str, required: frozenset[str] | None = None) -> list[Check]:
    text = workflows()["robustness.yml"]
    assert old in text
    (project / ROBUSTNESS).write_text(text.replace(old, new, 1), encoding="utf-8")
    return list(workflow_checks(project, required))


def test_what_init_writes_is_fine(project: Path) -> None:
    checks = list(workflow_checks(project, frozenset({"gate"})))
    assert bad(checks) == []
    assert {check.name for check in checks} == {"permissions", "fetch-depth", "events", "required-check"}
    assert {check.where for check in checks} == {""} | {
        f".github/workflows/{name}.yml" for name in ("robustness", "baseline", "commands", "fork")
    }


CHANGES = (
    ("      pull-requests: write", "      pull-requests: read", "permissions", "problem", "pull-requests: write"),
    ("      contents: read #", "      packages: read #", "permissions", "problem", "contents: read"),
    ("fetch-depth: 2", "fetch-depth: 1", "fetch-depth", "problem", "`fetch-depth: 2`"),
    ("fetch-depth: 2", "fetch-tags: true", "fetch-depth", "problem", "`fetch-depth: 2`"),
    ("fetch-depth: 2", "ref: ${{ github.head_ref }}", "fetch-depth", "problem", "`fetch-depth: 0`"),
    ("persist-credentials: false", "clean: true", "credentials", "warning", "`persist-credentials: false`"),
    ("  pull_request:\n", "  pull_request_target:\n", "events", "problem", "use `pull_request`"),
    ("  pull_request:\n", "  push:\n", "events", "problem", "add `pull_request:`"),
    ("  pull_request:\n", "  pull_request:\n    paths: [src/**]\n", "skipped-check", "warning", "remove `paths`"),
    ("  pull_request:\n", "  pull_request:\n    paths-ignore: [docs]\n", "skipped-check", "warning", "`paths-ignore`"),
    ("    runs-on", "    if: github.actor != 'x'\n    runs-on", "skipped-check", "warning", "remove `if`"),
)


@pytest.mark.parametrize(("old", "new", "name", "state", "fix"), CHANGES, ids=lambda value: str(value)[:20])
def test_a_workflow_that_lacks_something(project: Path, old: str, new: str, name: str, state: str, fix: str) -> None:
    checks = of_workflows(project, old, new)
    found = one(checks, name)
    assert (found.state, found.where) == (state, ROBUSTNESS)
    assert fix in found.fix
    assert bad(checks) == [found]


def test_a_job_without_permissions_is_told_what_to_write(project: Path) -> None:
    text = "on: pull_request\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v5\n        with:\n"
    text += "          {fetch-depth: 0, persist-credentials: false}\n      - uses: me/robustness-gate/composite@v1\n"
    (project / ROBUSTNESS).write_text(text, encoding="utf-8")
    found = one(list(workflow_checks(project, None)), "permissions")
    assert found.fix == "add `permissions: {contents: read, pull-requests: write}` to the job"


def test_a_filter_is_a_problem_once_the_check_is_required(project: Path) -> None:
    checks = of_workflows(project, "  pull_request:\n", "  pull_request:\n    paths: [a]\n", frozenset({"gate"}))
    assert one(checks, "skipped-check").state == "problem"


def test_a_check_that_nobody_requires_is_told(project: Path) -> None:
    found = one(list(workflow_checks(project, frozenset({"lint"}))), "required-check")
    assert (found.state, "`gate`" in found.fix) == ("warning", True)
    assert bad(list(workflow_checks(project, frozenset({"gate (3.13)"})))) == []


def test_no_workflow_and_one_that_can_not_be_read(tmp_path: Path) -> None:
    assert one(list(workflow_checks(tmp_path, None)), "workflows").fix == "gate init"
    (tmp_path / ".github/workflows").mkdir(parents=True)
    for text in (b"on: [", b"\xff\xfe\x00", b"!!python/object:os.system {}", b"a: &a [*a]", b"[" * 5000):
        (tmp_path / ROBUSTNESS).write_bytes(text)
        assert one(list(workflow_checks(tmp_path, None)), "workflows").where == ROBUSTNESS
    for text in (b"", b"- a", b"jobs: 3", b"jobs: {a: 1, b: {steps: [1, {run: 2}]}}"):
        (tmp_path / ROBUSTNESS).write_bytes(text)
        assert one(list(workflow_checks(tmp_path, None)), "workflows").what == "no workflow runs the gate"


def test_without_a_reader_of_yaml_the_workflows_are_skipped(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    (check,) = workflow_checks(project, None)
    assert (check.state, check.fix) == ("skipped", "python -m pip install pyyaml")


def of_repository(repository: Repository, now: float = COMMITTED + 86_400 * 3) -> list[Check]:
    return list(repository_checks(repository.path, Settings(), {}, now))


def test_the_age_of_the_baseline(repository: Repository) -> None:
    checks = {check.name: check for check in of_repository(repository)}
    assert bad(list(checks.values())) == []
    assert checks["baseline"].what == "1 case, 3 days old"
    old = one(of_repository(repository, COMMITTED + 86_400 * (OLD_DAYS + 1)), "baseline")
    assert (old.state, old.what) == ("warning", "1 case, 6 months old")


def test_a_baseline_that_is_absent_damaged_or_not_committed(repository: Repository) -> None:
    repository.write({"baselines/default.jsonl": '{"gate_baseline":1}\n{"id":'})
    assert one(of_repository(repository), "baseline").state == "problem"
    repository.write({"baselines/default.jsonl": None})
    assert "gate baseline create" in one(of_repository(repository), "baseline").fix
    repository.commit({}, "removed")
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.git("rm", "--quiet", "-r", "--cached", ".")
    repository.write({"baselines/default.jsonl": BASELINE})
    repository.git("add", "gate.toml")
    repository.git("commit", "--quiet", "-m", "other")
    assert one(of_repository(repository), "baseline").fix == "git add baselines/default.jsonl, and commit it"


def test_a_shallow_clone_of_a_branch_lacks_its_base(repository: Repository, tmp_path: Path) -> None:
    repository.branch("feature")
    repository.commit({"a": "1"})
    copy = repository.clone(tmp_path / "copy", depth=1, ref="feature")
    found = one(of_repository(copy), "fetch-depth")
    assert found.state == "problem"
    assert found.fix


def test_git_that_does_not_trust_the_owner(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> str:
        raise RepositoryError(
            "git refuses this repository because another user owns it",
            remedy="`git config --global --add safe.directory /project`",
        )

    monkeypatch.setattr("gate.baselines.git.Git.head", refuse)
    assert "safe.directory" in one(of_repository(repository), "safe-directory").fix


def test_recordings_that_are_missing_or_hold_a_secret(tmp_path: Path) -> None:
    replay = Settings(mode="replay")
    assert recordings_check(tmp_path, Settings()).state == "fine"
    assert recordings_check(tmp_path, replay).fix == "gate run --mode record"
    (tmp_path / "recordings").mkdir()
    (tmp_path / "recordings/a.jsonl").write_text("<<<<<<< HEAD\n", encoding="utf-8")
    found = recordings_check(tmp_path, replay)
    assert (found.state, found.where) == ("problem", "recordings/a.jsonl:1")


def test_versions_and_plugins() -> None:
    there = {"pytest": "7.4.0", "pytest-randomly": "3.15", "clastogen": "0.10.0"}
    checks = list(machine_checks(Settings(), there.get))
    assert one(checks, "pytest").what == "pytest 7.4.0 is older than 8"
    conflicts = [check for check in bad(checks) if check.name == "plugins"]
    assert [check.what.split()[0] for check in conflicts] == [name for name in CONFLICTS if name in there]
    assert one(list(machine_checks(Settings(), {}.get)), "pytest").what == "this Python has no pytest"
    assert bad(list(machine_checks(Settings(), {"pytest": "9.0"}.get))) == []


def test_an_extra_that_the_settings_need() -> None:
    there = {"pytest": "9.0", "pyyaml": "6.0"}
    found = one(list(machine_checks(Settings(mutate=True, agent_cmd="x"), there.get)), "extras")
    assert (found.state, "markdown-it-py" in found.what) == ("problem", True)
    assert "robustness-gate[mutation]" in found.fix
    assert bad(list(machine_checks(Settings(mutate=True), {**there, "markdown-it-py": "4"}.get))) == []
    assert "[probes]" in one(list(machine_checks(Settings(agent_cmd="x"), {"pytest": "9.0"}.get)), "extras").fix


def test_a_guard_that_can_not_be_had_matters_in_a_replay() -> None:
    none = Guard("none", failed=("seccomp: only Linux has it",))
    found = network_check(Settings(mode="replay"), none)
    assert (found.state, "seccomp: only Linux has it" in found.what) == ("warning", True)
    assert network_check(Settings(mode="replay"), Guard("seccomp")).state == "fine"
    assert network_check(Settings(), none).state == "fine"


def test_what_github_is_asked() -> None:
    with GitHubServer(tokens={"admin": Token(administers=True), "job": Token(contents="none")}) as server:
        admin = GitHub(server.url, "octo/model", "admin")
        checks, required = github_checks(admin, "main")
        assert required == frozenset()
        assert "Allow GitHub Actions to create" in one(checks, "open-pull-requests").fix
        server.state.opens_pull_requests = True
        server.state.required_by_rules, server.state.required_by_protection = ("gate",), ("lint", "test")
        checks, required = github_checks(admin, "main")
        assert (bad(checks), required) == ([], {"gate", "lint", "test"})
        checks, required = github_checks(GitHub(server.url, "octo/model", "job"), "main")
        assert required is None
        assert [check.state for check in checks] == ["skipped", "skipped"]
        assert all(check.fix for check in checks)


def test_the_command(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.path)
    for name in ("GITHUB_ACTIONS", "GITHUB_EVENT_NAME"):
        monkeypatch.delenv(name, raising=False)
    assert exit_code_of(["doctor", "--offline"]) == 0
    assert "0 problems" in capsys.readouterr().out
    repository.write({"gate.toml": "alhpa = 1\n", "baselines/default.jsonl": None})
    assert exit_code_of(["doctor", "--offline", "--json"]) == 1
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    problems = {check["name"]: SimpleNamespace(**check) for check in told["checks"] if check["state"] == "problem"}
    assert set(problems) == {"settings", "baseline"}
    assert problems["settings"].fix == "did you mean `alpha`?"


def test_outside_of_a_repository_it_still_says_what_it_can(tmp_path: Path) -> None:
    names = {check.name for check in examine(tmp_path, {}) if check.state == "problem"}
    assert names == {"repository", "baseline", "workflows"}
