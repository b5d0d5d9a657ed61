"""A real runner (nektos/act) runs a real workflow with the real container against the validated GitHub."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.support import container
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.repository import Repository

PROJECT = container.PROJECT
EXAMPLE = "examples/tumour_model"
WORKFLOW = Path(__file__).with_name("container_workflow.yml")


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """This project as a repository of its own, whose suite is that of the example, with its baseline on main."""
    repository = Repository(tmp_path_factory.mktemp("act") / "origin")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if name.startswith(("docs/", "gate/", "requirements/", "examples/")) or "/" not in name:
            target = repository.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, target)
    workflow = WORKFLOW.read_text(encoding="utf-8").replace("scikit-learn pandas", pinned())
    repository.commit({".github/workflows/robustness.yml": workflow}, "project")
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
    # act names its containers by the workflow and the job: runs at once need names of their own
    workflow = folder / "workflow.yml"
    text = (workspace / ".github/workflows/robustness.yml").read_text(encoding="utf-8")
    assert text.startswith("name: robustness\n")
    workflow.write_text(text.replace("\n", f" {folder.name} {os.getpid()}\n", 1), encoding="utf-8")
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
        *("-W", str(workflow)),
    ]
    # the same arithmetic as here, where the script of its own runs
    for name in sorted(os.environ):
        if name.startswith(("OPENBLAS_", "OMP_")):
            command += ["--env", f"{name}={os.environ[name]}"]
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


def independent(engine: Engine, origin: Repository, folder: Path) -> dict[str, Any]:
    """What a script of its own says about both models, on the same Python and packages, without the gate."""
    folder.mkdir()
    for name in ("main", "worse"):
        (folder / f"{name}.py").write_text(origin.git("show", f"{name}:{EXAMPLE}/model.py"), encoding="utf-8")
    shutil.copy(PROJECT / "tests/support/two_models.py", folder)
    install = f"python -m venv /tmp/own && /tmp/own/bin/pip install --quiet {pinned()}"
    script = f"{install} && /tmp/own/bin/python /own/two_models.py /own/main.py /own/worse.py"
    result = engine.docker(
        *("run", "--rm", "--volume", f"{folder}:/own:ro", "--entrypoint", "/bin/sh", container.IMAGE, "-c", script)
    )
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def pinned() -> str:
    """The versions of this environment: an ill-conditioned model answers differently on others."""
    return " ".join(f"{name}=={version(name)}" for name in ("numpy", "scipy", "scikit-learn", "pandas"))


def keys(names: list[str]) -> set[str]:
    """The keys under which a comment shows examples, computed as docs/reports.md says."""
    made = (hashlib.blake2b(name.encode(), digest_size=8, key=b"default").digest() for name in names)
    return {base64.b32encode(key).decode("ascii").rstrip("=").lower() for key in made}


def same_as(truth: dict[str, Any], body: str) -> None:
    """Every count and every example that the comment names is what the script found."""
    plain = body.replace("*", "").replace("`", "")
    found = dict(
        re.findall(r"^\| (F\d+) \| (\d+ (?:negative flips?|adversarial regressions?), .*?) \|", plain, re.MULTILINE)
    )
    expected = {}
    for name in ("all patients", "noisy"):
        flips = truth[name]
        text = f"{len(flips['negative'])} negative flips, {len(flips['positive'])} positive in {name}"
        expected[text] = keys(flips["negative"])
    for attack, hit in truth["adversarial"].items():
        before, after = truth["robust"][attack]
        if hit:
            what = "adversarial regression" if len(hit) == 1 else "adversarial regressions"
            expected[f"{len(hit)} {what}, {attack} in noisy"] = keys(hit)
            assert f"({before}/228)" in plain
            assert f"({after}/228)" in plain
    assert set(found.values()) == set(expected), plain
    for finding, text in found.items():
        shown = set(re.findall(rf"^\| {finding} \| (\w{{13}}) \|", plain, re.MULTILINE))
        assert shown
        assert shown <= expected[text]


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
    same_as(independent(engine, origin, tmp_path / "own"), bodies[0])


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
        told = "\n".join(log[-3000:] for log in logs)
        assert [log.count("OUTPUT verdict=holds exit=0") for log in logs] == [1, 1], told
        assert len(github.comments(1)) == 1, told
