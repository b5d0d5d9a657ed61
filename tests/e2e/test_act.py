"""A real runner (nektos/act) runs a real workflow with the real container against the validated GitHub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support import container
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.repository import Repository

PROJECT = container.PROJECT
EXAMPLE = "examples/credit_model"
WORKFLOW = Path(__file__).with_name("container_workflow.yml")


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """This project as a repository of its own, whose suite is that of the example, with its baseline on main."""
    repository = Repository(tmp_path_factory.mktemp("act") / "origin")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if name.startswith(("gate/", "requirements/", EXAMPLE)) or "/" not in name:
            target = repository.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, target)
    repository.commit({".github/workflows/robustness.yml": WORKFLOW.read_text(encoding="utf-8")}, "project")
    environ = {**os.environ, "GATE_WORKING_DIRECTORY": EXAMPLE}
    subprocess.run(
        [sys.executable, "-m", "gate", "--quiet", "baseline", "create", "--runs", "1", "--", "-p", "no:cacheprovider"],
        cwd=repository.path,
        env=environ,
        check=True,
        capture_output=True,
    )
    shutil.rmtree(repository.path / ".gate")
    repository.commit({}, "baseline")
    repository.branch("unchanged")
    repository.commit({"NOTES.md": "nothing\n"}, "notes")
    repository.checkout("main")
    repository.branch("worse")
    repository.git("apply", f"--directory={EXAMPLE}", f"{EXAMPLE}/worse.patch")
    repository.commit({}, "simplify")
    repository.checkout("main")
    repository.branch("crash")
    repository.commit({f"{EXAMPLE}/tests/test_end.py": "import os\ndef test_end():\n    os._exit(0)\n"}, "crash")
    repository.checkout("main")
    repository.commit({"ELSEWHERE.md": "main moved on\n"}, "elsewhere")
    return repository


def act(engine: Engine, origin: Repository, folder: Path, branch: str, github: GitHubServer) -> tuple[int, str, Path]:
    """Run the workflow on GitHub's merge commit of a branch; gives exit code, log and workspace."""
    head, base = origin.git("rev-parse", branch), origin.git("rev-parse", "main")
    workspace = container.checkout(origin, folder / "workspace", "main", branch)
    github.add_pull_request(1, head, base)
    event = folder / "event.json"
    event.write_text(json.dumps(container.pull_request_event(base, head)), encoding="utf-8")
    merge = Repository(workspace).head
    Repository(workspace).git("remote", "set-url", "origin", "https://github.com/octo/model.git")
    command = [
        str(Path(sys.executable).with_name("act")),
        "pull_request",
        *("-P", "ubuntu-latest=python:3.13-slim"),
        "--pull=false",
        *("-e", str(event)),
        *("-s", f"GITHUB_TOKEN={container.TOKEN}"),
        *("--env", f"GITHUB_API_URL={github.url}"),
        *("--env", "GITHUB_REPOSITORY=octo/model"),
        *("--env", f"GITHUB_SHA={merge}"),
        *("--container-daemon-socket", engine.host),
        "--rm",
        *("-W", ".github/workflows/robustness.yml"),
    ]
    result = subprocess.run(
        command,
        cwd=workspace,
        env={**os.environ, "DOCKER_HOST": engine.host, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return result.returncode, result.stdout + result.stderr, workspace


def independent(origin: Repository, tmp_path: Path) -> dict[str, Any]:
    """What a script of its own says about both models."""
    for name in ("main", "worse"):
        (tmp_path / f"{name}.py").write_text(origin.git("show", f"{name}:{EXAMPLE}/model.py"), encoding="utf-8")
    script = PROJECT / "tests/support/two_models.py"
    result = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "main.py"), str(tmp_path / "worse.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_red_green_red_and_one_comment(engine: Engine, origin: Repository, tmp_path: Path) -> None:
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        bodies = []
        for branch, word, code in (
            ("worse", "regression", "1"),
            ("unchanged", "holds", "0"),
            ("crash", "undecided", "3"),
        ):
            (tmp_path / branch).mkdir()
            exit_code, log, _ = act(engine, origin, tmp_path / branch, branch, github)
            assert (exit_code == 0) is (code == "0"), log[-6000:]
            assert f"OUTPUT verdict={word} exit={code}" in log, log[-6000:]
            comments = github.comments(1)
            assert len(comments) == 1
            bodies.append(comments[0].body)
    assert "Less robust" in bodies[0]
    assert "As robust as main" in bodies[1]
    assert "test_end" in bodies[2]
    truth = independent(origin, tmp_path)
    plain = bodies[0].replace("*", "").replace("`", "")
    assert f"{len(truth['all patients']['negative'])} negative flips" in plain
    assert f"{len(truth['noisy']['negative'])} negative flips" in plain
    assert f"{len(truth['adversarial']['gaussian ε=0.2'])} adversarial regressions" in plain


def test_two_runs_at_once_leave_one_comment(engine: Engine, origin: Repository, tmp_path: Path) -> None:
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        logs: list[str] = []

        def run(name: str) -> None:
            logs.append(act(engine, copies[name], tmp_path / name, "unchanged", github)[1])

        copies = {}
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            shutil.copytree(origin.path, tmp_path / name / "origin", symlinks=True)
            copies[name] = Repository(tmp_path / name / "origin")
        threads = [threading.Thread(target=run, args=(name,)) for name in copies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(github.comments(1)) == 1, "\n".join(log[-3000:] for log in logs)
