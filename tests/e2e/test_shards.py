"""The workflow of shards that users copy, under a real runner: a matrix, artifacts, one comment, and a missing shard.

The runner has no network for actions, so three of them are replaced: checkout by the runner itself, setup-python by
the Python of the image, and the two of artifacts by copies to and from a folder that all jobs share. All else is the
template as it stands.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import container
from tests.support.engine.base_image import BASE, ensure_base
from tests.support.engine.daemon import Engine, EngineError, engine_here, start, stop
from tests.support.github.server import GitHubServer
from tests.support.repository import Repository

TEMPLATE = container.PROJECT / "gate/cli/templates/shards.yml"
COUNT = 9
SUITE = """
import pytest
from model import answer

@pytest.mark.parametrize("n", range({count}))
def test_answer(n):
    assert answer(n) == n
"""
CRASH = """

@pytest.fixture(autouse=True)
def ends(request):
    import os
    if "[4]" in request.node.name:
        os._exit(0)
"""
UPLOAD = """
name: stands in for actions/upload-artifact
inputs: {name: {required: true}, path: {required: true}}
runs:
  using: composite
  steps:
    - shell: sh
      env: {NAME: "${{ inputs.name }}", PATHS: "${{ inputs.path }}"}
      run: |
        mkdir -p "/shared/artifacts/$NAME"
        for path in $PATHS; do
          if test -d "$path"; then cp -R "$path/." "/shared/artifacts/$NAME/"
          elif test -e "$path"; then cp "$path" "/shared/artifacts/$NAME/"; fi
        done
        rmdir "/shared/artifacts/$NAME" 2>/dev/null || true
"""
DOWNLOAD = """
name: stands in for actions/download-artifact
inputs: {pattern: {required: true}, path: {required: true}}
runs:
  using: composite
  steps:
    - shell: sh
      env: {PATTERN: "${{ inputs.pattern }}", TARGET: "${{ inputs.path }}"}
      run: mkdir -p "$TARGET" && cd /shared/artifacts && cp -R $PATTERN "$GITHUB_WORKSPACE/$TARGET"
"""
NOTHING = """
name: stands in for actions/setup-python
runs: {using: composite, steps: [{shell: sh, run: python --version}]}
"""
STAND_INS = {"upload-artifact": UPLOAD, "download-artifact": DOWNLOAD, "setup-python": NOTHING}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """A container engine with the base image; jobs run in it, and the action's own image is not needed."""
    ran_before = engine_here() is not None
    try:
        if os.geteuid() != 0:
            raise EngineError("an engine of our own needs root")
        found = start()
    except EngineError as reason:
        pytest.skip(f"no container engine: {reason}")
    ensure_base(found)
    yield found
    if not ran_before:
        stop()


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A model and its suite with a baseline on main; a branch that is worse, and one that ends one shard's process."""
    repository = Repository(tmp_path_factory.mktemp("shards") / "origin")
    ids = [f"tests/test_model.py::test_answer[{n}]" for n in range(COUNT)]
    held = [{"gate_baseline": 1}, *({"id": name, "outcome": "passed"} for name in ids)]
    repository.commit(
        {
            "model.py": "def answer(n): return n\n",
            "conftest.py": "",
            "tests/test_model.py": SUITE.format(count=COUNT),
            "baselines/default.jsonl": "".join(json.dumps(each) + "\n" for each in held),
            "requirements.txt": "pytest\n",
            ".gitignore": "/.gate/\n__pycache__/\n",
        },
        "project",
    )
    repository.branch("worse")
    repository.commit({"model.py": "def answer(n): return n if n != 5 else 0\n"}, "simplify")
    repository.checkout("main")
    repository.branch("crash")
    repository.commit({"tests/test_model.py": SUITE.format(count=COUNT) + CRASH}, "crash")
    repository.checkout("main")
    return repository


def workflow(name: str) -> str:
    """The template, with the gate of this checkout in the place of a published one."""
    text = TEMPLATE.read_text(encoding="utf-8")
    assert text.count("pip install robustness-gate\n") == 2
    text = text.replace("pip install robustness-gate\n", "pip install --quiet /shared/wheel/*.whl\n")
    return text.replace("name: robustness\n", f"name: robustness {name} {os.getpid()}\n", 1)


def prepare(folder: Path) -> tuple[Path, list[str]]:
    """The folder that jobs share, with the wheel, and what the runner is told of the actions that are replaced."""
    shared = folder / "shared"
    (shared / "artifacts").mkdir(parents=True)
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    wheel += ["--wheel-dir", str(shared / "wheel"), str(container.PROJECT)]
    subprocess.run(wheel, check=True, capture_output=True)
    text, told = TEMPLATE.read_text(encoding="utf-8"), []
    for name, content in STAND_INS.items():
        action = folder / name
        action.mkdir()
        (action / "action.yml").write_text(content, encoding="utf-8")
        (ref,) = set(re.findall(rf"uses: actions/{name}@(\w+)", text))
        told += ["--local-repository", f"actions/{name}@{ref}={action}"]
    return shared, told


def act(engine: Engine, origin: Repository, folder: Path, branch: str, github: GitHubServer) -> tuple[int, str, Path]:
    """Run the whole workflow on GitHub's merge commit of a branch; gives exit code, log and what was uploaded."""
    folder.mkdir()
    shared, replaced = prepare(folder)
    head, base = origin.git("rev-parse", branch), origin.git("rev-parse", "main")
    workspace = container.checkout(origin, folder / "workspace", "main", branch)
    merge = Repository(workspace).head
    Repository(workspace).git("remote", "set-url", "origin", "https://github.com/octo/model.git")
    github.add_pull_request(1, head, base)
    event, path = folder / "event.json", folder / "workflow.yml"
    event.write_text(json.dumps(container.pull_request_event(base, head)), encoding="utf-8")
    path.write_text(workflow(branch), encoding="utf-8")
    result = subprocess.run(
        [
            str(Path(sys.executable).with_name("act")),
            "pull_request",
            *("-P", f"ubuntu-latest={BASE}"),
            "--pull=false",
            *("-e", str(event)),
            *("-s", f"GITHUB_TOKEN={container.TOKEN}"),
            *("--env", f"GITHUB_API_URL={github.url}"),
            *("--env", "GITHUB_REPOSITORY=octo/model"),
            *("--env", f"GITHUB_SHA={merge}"),
            *("--env", "PIP_CACHE_DIR=/shared/pip"),
            *("--env", "PIP_ROOT_USER_ACTION=ignore"),
            *("--container-options", f"--volume {shared}:/shared"),
            *("--container-daemon-socket", engine.host),
            *replaced,
            "--rm",
            *("-W", str(path)),
        ],
        cwd=workspace,
        env={**os.environ, "DOCKER_HOST": engine.host, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    return result.returncode, result.stdout + result.stderr, shared / "artifacts"


def test_three_shards_one_comment_and_one_of_them_missing(engine: Engine, origin: Repository, tmp_path: Path) -> None:
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        code, log, left = act(engine, origin, tmp_path / "worse", "worse", github)
        assert code != 0, log[-6000:]
        shards = [json.loads((left / f"robustness-gate-shard-{n}/candidate.json").read_text()) for n in (1, 2, 3)]
        assert [len(each["tests"]) for each in shards] == [3, 3, 3], log[-6000:]
        verdict = json.loads((left / "robustness-gate-default-pr-1/verdict.json").read_text())
        assert [each["case_id"] for each in verdict["findings"]] == ["tests/test_model.py::test_answer[5]"]
        assert verdict["exit_code"] == 1
        (comment,) = github.comments(1)
        assert "Less robust" in comment.body
        code, log, left = act(engine, origin, tmp_path / "crash", "crash", github)
        assert code != 0, log[-6000:]
        present = [n for n in (1, 2, 3) if (left / f"robustness-gate-shard-{n}/candidate.json").exists()]
        assert len(present) == 2, log[-6000:]
        (missing,) = {1, 2, 3} - set(present)
        verdict = json.loads((left / "robustness-gate-default-pr-1/verdict.json").read_text())
        assert verdict["exit_code"] == 3
        (comment,) = github.comments(1)
        assert f"shard {missing}/3 is missing" in comment.body
