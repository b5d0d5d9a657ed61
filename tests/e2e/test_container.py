"""The action's container on real pull requests: red, green and undecided, as the runner sees it."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.support import container
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.github.state import READ_ONLY
from tests.support.repository import Repository

SUITE = """
import pytest
from model import right

@pytest.mark.parametrize("number", range(100))
def test_number(number):
    assert right(number)

def test_predictions(robustness):
    robustness.predictions(
        "numbers", ids=range(50), expected=["yes"] * 50, predicted=["yes" if right(n) else "no" for n in range(50)]
    )
"""


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    """A repository whose main has a model, a suite and a baseline made by the gate itself."""
    repository = Repository(tmp_path / "origin")
    files = {
        "model.py": "def right(number):\n    return True\n",
        "tests/test_model.py": SUITE,
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n",
    }
    repository.commit(files, "model")
    baseline(repository)
    return repository


def baseline(repository: Repository, runs: int = 1) -> None:
    from gate.cli import exit_code_of

    here = Path.cwd()
    try:
        import os

        os.chdir(repository.path)
        assert exit_code_of(["--quiet", "baseline", "create", "--runs", str(runs), "--", "-p", "no:cacheprovider"]) == 0
    finally:
        os.chdir(here)
    shutil.rmtree(repository.path / ".gate")
    repository.commit({}, "baseline")


def gate(
    engine: Engine, origin: Repository, tmp_path: Path, branch: str, github: GitHubServer, name: str = "run", **more
) -> container.Ended:
    head, base = origin.git("rev-parse", branch), origin.git("rev-parse", "main")
    workspace = container.checkout(origin, tmp_path / name, "main", branch)
    github.add_pull_request(1, head, base)
    event = container.pull_request_event(base, head)
    return container.run_action(engine, workspace, event, tmp_path / f"{name}-files", api=github.url, **more)


def test_red_green_red_with_one_comment(engine: Engine, origin: Repository, tmp_path: Path) -> None:
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        origin.branch("change")
        origin.commit({"model.py": "def right(number):\n    return number != 7\n"}, "worse")
        origin.checkout("main")
        origin.commit({"README.md": "main moved on\n"}, "elsewhere")
        worse = gate(engine, origin, tmp_path, "change", github, "worse")
        assert worse.exit_code == 1, worse.log
        assert worse.outputs["verdict"] == "regression"
        assert worse.outputs["exit-code"] == "1"
        assert worse.outputs["findings"] == "2"
        assert worse.outputs["report"] == ".gate/verdict.json"
        assert {finding["rule"] for finding in worse.verdict["findings"]} == {"newly-failing", "negative-flip"}
        assert "test_number[7]" in worse.summary
        assert "::error" in worse.log
        assert container.TOKEN not in worse.log.replace(f"::add-mask::{container.TOKEN}", "")

        origin.checkout("change")
        origin.commit({"model.py": "def right(number):\n    return 1 == 1\n"}, "mended")
        unchanged = gate(engine, origin, tmp_path, "change", github, "unchanged")
        assert unchanged.exit_code == 0, unchanged.log
        assert unchanged.outputs["verdict"] == "holds"

        origin.checkout("change")
        origin.commit({"tests/test_model.py": "import os\ndef test_end():\n    os._exit(3)\n"}, "crash")
        crashed = gate(engine, origin, tmp_path, "change", github, "crashed")
        assert crashed.exit_code == 3, crashed.log
        assert crashed.outputs["verdict"] == "undecided"
        assert "test_end" in crashed.comment

        comments = github.comments(1)
        assert len(comments) == 1
        posted = comments[0].body.splitlines()
        assert posted[0] == crashed.comment.splitlines()[0]  # the marker: it speaks of this head and run
        assert posted[1].startswith("### ❔ Could not decide")
        assert crashed.outputs["comment-url"]


def test_files_are_handed_back_and_the_time_is_told(engine: Engine, origin: Repository, tmp_path: Path) -> None:
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        origin.branch("change")
        origin.commit({"README.md": "nothing\n"}, "nothing")
        start = time.monotonic()
        ended = gate(engine, origin, tmp_path, "change", github)
        seconds = time.monotonic() - start
    assert ended.exit_code == 0, ended.log
    owners = {path.lstat().st_uid for path in ended.workspace.rglob("*")}
    assert owners == {container.RUNNER_UID}
    size = int(engine.docker("image", "inspect", container.IMAGE, "--format", "{{.Size}}").stdout)
    base = int(engine.docker("image", "inspect", "python:3.13-slim", "--format", "{{.Size}}").stdout)
    told = {"bench": "container", "image_mb": size // 10**6, "base_mb": base // 10**6, "seconds_101_tests": seconds}
    sys.stderr.write(json.dumps(told) + "\n")


def test_a_token_that_may_only_read_leaves_summary_and_verdict(
    engine: Engine, origin: Repository, tmp_path: Path
) -> None:
    with GitHubServer(tokens={container.TOKEN: READ_ONLY}) as github:
        origin.branch("change")
        origin.commit({"model.py": "def right(number):\n    return number != 7\n"}, "worse")
        ended = gate(engine, origin, tmp_path, "change", github)
        assert ended.exit_code == 1, ended.log
        assert github.comments(1) == []
    assert "no comment" in ended.summary
    assert ended.outputs["comment-url"] == ""
