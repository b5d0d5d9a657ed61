"""The action without a container decides as the one with it: the bytes of verdict.json are the same.

What runs is composite/action.yml's own steps in a fresh Python, into which they install the gate from a wheelhouse.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_container import SUITE, baseline
from tests.support import composite, container
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.repository import Repository

TESTS = SUITE.replace("range(100)", "range(20)")


@pytest.fixture(scope="module")
def wheelhouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout and all that it needs."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--wheel-dir", str(folder), str(composite.PROJECT)], check=True)
    return folder


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python that has nothing yet."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "job")], check=True)
    return tmp_path / "job/bin/python"


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "origin")
    files = {
        "model.py": "def right(number):\n    return True\n",
        "tests/test_model.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n",
        ".gitignore": "__pycache__/\n/.gate/\n",
    }
    repository.commit(files, "model")
    baseline(repository)
    repository.branch("worse")
    repository.commit({"model.py": "def right(number):\n    return number != 7\n"}, "worse")
    repository.checkout("main")
    repository.branch("same")
    repository.commit({"README.md": "nothing\n"}, "nothing")
    repository.checkout("main")
    return repository


def here(
    origin: Repository, folder: Path, branch: str, github: GitHubServer, wheelhouse: Path, python: Path
) -> tuple[composite.Ended, bytes]:
    """Run the composite's steps with no index, only the wheelhouse; gives how it ended, and its verdict."""
    base, head = origin.git("rev-parse", "main"), origin.git("rev-parse", branch)
    workspace = container.checkout(origin, folder / "workspace", "main", branch)
    github.add_pull_request(1, head, base)
    environ = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheelhouse), "PIP_CONFIG_FILE": "/dev/null"}
    ended = composite.run_composite(
        workspace,
        container.pull_request_event(base, head),
        folder / "files",
        token=container.TOKEN,
        api=github.url,
        environ=environ,
        python=python,
    )
    return ended, (workspace / ".gate/verdict.json").read_bytes()


def test_from_a_wheelhouse_without_an_engine(
    origin: Repository, tmp_path: Path, wheelhouse: Path, python: Path
) -> None:
    for branch, code, verdict in (("worse", 1, "regression"), ("same", 0, "holds")):
        with GitHubServer(tokens=(container.TOKEN,)) as github:
            ended, _ = here(origin, tmp_path / branch, branch, github, wheelhouse, python)
            assert (ended.exit_code, ended.outputs["verdict"]) == (code, verdict), ended.log
            assert len(github.comments(1)) == 1


@pytest.mark.parametrize("branch", ["worse", "same"])
def test_the_same_verdict_bytes_as_the_container(
    engine: Engine, origin: Repository, tmp_path: Path, wheelhouse: Path, python: Path, branch: str
) -> None:
    base, head = origin.git("rev-parse", "main"), origin.git("rev-parse", branch)
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        ended, own = here(origin, tmp_path / "here", branch, github, wheelhouse, python)
        workspace = container.checkout(origin, tmp_path / "there", "main", branch)
        event = container.pull_request_event(base, head)
        other = container.run_action(engine, workspace, event, tmp_path / "there-files", api=github.url)
    assert ended.exit_code == other.exit_code, ended.log + other.log
    assert own == (other.workspace / ".gate/verdict.json").read_bytes()
    assert {**ended.outputs, "comment-url": ""} == {**other.outputs, "comment-url": ""}
