"""The action without a container: its own steps on GitHub's merge commit, against a GitHub that checks requests."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gate import __version__
from gate.cli.composite import ALL, take_inputs
from gate.errors import UsageError
from tests.support import composite, container
from tests.support.github.server import GitHubServer
from tests.support.repository import Repository

SUITE = """
from model import right

def test_seven():
    assert right(7)

def test_eight():
    assert right(8)
"""
BASELINE = """{"gate_baseline":1}
{"id":"tests/test_model.py::test_eight","outcome":"passed"}
{"id":"tests/test_model.py::test_seven","outcome":"passed"}
"""
WORKING = 'a folder; echo "x" $(id) `id` \' é'
SEES = """
import os
from pathlib import Path

def test_what_it_sees():
    seen = [name for name, value in os.environ.items() if "INPUT" in name or "ghs_" in value]
    seen += [name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY") if name in os.environ]
    assert seen == []
"""
SEEN = f"""{{"gate_baseline":1}}
{json.dumps({"id": f"{WORKING}/tests/test_sees.py::test_what_it_sees", "outcome": "passed"})}
"""


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "origin")
    files = {
        "model.py": "def right(number):\n    return True\n",
        "tests/test_model.py": SUITE,
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n",
        ".gitignore": "/.gate/\n__pycache__/\n",
        "baselines/default.jsonl": BASELINE,
    }
    repository.commit(files, "model")
    repository.branch("worse")
    repository.commit({"model.py": "def right(number):\n    return number != 7\n"}, "worse")
    repository.checkout("main")
    return repository


def run(origin: Repository, folder: Path, branch: str, github: GitHubServer, **more: Any) -> composite.Ended:
    head, base = origin.git("rev-parse", branch), origin.git("rev-parse", "main")
    workspace = container.checkout(origin, folder / "workspace", "main", branch)
    github.add_pull_request(1, head, base)
    event = container.pull_request_event(base, head)
    return composite.run_composite(workspace, event, folder / "files", token=container.TOKEN, api=github.url, **more)


def test_a_worse_pull_request_gets_its_comment_outputs_and_exit_code(origin: Repository, tmp_path: Path) -> None:
    install = 'test -z "$GITHUB_TOKEN$INPUT_ALL$INPUT_TOKEN" && echo "installed by ${PIP_CACHE_DIR##*/}" && touch done'
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        inputs = {"install": install, "cache": ".cache"}
        ended = run(origin, tmp_path, "worse", github, inputs=inputs)
        (comment,) = github.comments(1)
    assert ended.exit_code == 1, ended.log
    assert "test_seven" in comment.body
    expected = {"verdict": "regression", "exit-code": "1", "findings": "1", "report": ".gate/verdict.json"}
    assert {**ended.outputs, "comment-url": ""} == {**expected, "comment-url": ""}
    assert ended.outputs["comment-url"].endswith(f"#issuecomment-{comment.id}")
    assert f"robustness-gate {__version__} is installed already" in ended.log
    assert "installed by pip" in ended.log
    assert (tmp_path / "workspace/done").is_file()
    assert "test_seven" in ended.summary
    assert container.TOKEN not in ended.log.replace(f"::add-mask::{container.TOKEN}", "")


def test_the_suite_sees_neither_token_nor_inputs_and_text_is_never_code(origin: Repository, tmp_path: Path) -> None:
    origin.commit({f"{WORKING}/tests/test_sees.py": SEES, "baselines/sees.jsonl": SEEN}, "sees")
    origin.branch("change")
    origin.commit({"README.md": "x"}, "nothing")
    inputs = {"working-directory": WORKING, "suite": "sees", "arguments": "tests -p no:cacheprovider"}
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        ended = run(origin, tmp_path, "change", github, inputs=inputs)
    verdict = json.loads((tmp_path / "workspace/.gate/verdict.json").read_text(encoding="utf-8"))
    assert (ended.exit_code, verdict["findings"]) == (0, []), ended.log
    assert "1 passed" in ended.log
    assert "uid=" not in ended.log


def test_the_comment_goes_through_the_proxy_of_the_job(origin: Repository, tmp_path: Path) -> None:
    """The name of the API can't be looked up here, so that nothing but the proxy reaches it."""
    origin.branch("change")
    origin.commit({"README.md": "x"}, "nothing")
    head, base = origin.git("rev-parse", "change"), origin.git("rev-parse", "main")
    workspace = container.checkout(origin, tmp_path / "workspace", "main", "change")
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        github.add_pull_request(1, head, base)
        ended = composite.run_composite(
            workspace,
            container.pull_request_event(base, head),
            tmp_path / "files",
            token=container.TOKEN,
            api="http://github.invalid",
            environ={"http_proxy": github.root, "HTTP_PROXY": github.root, "no_proxy": "", "NO_PROXY": ""},
        )
        assert ended.exit_code == 0, ended.log
        assert len(github.comments(1)) == 1, ended.log


def test_an_install_command_that_fails_could_not_decide(origin: Repository, tmp_path: Path) -> None:
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        ended = run(origin, tmp_path, "worse", github, inputs={"install": "echo 'no such package'; false; touch done"})
    assert ended.exit_code == 3
    assert ended.outputs["verdict"] == "undecided"
    assert "the install command ended with exit code 1: no such package" in ended.summary
    assert not (tmp_path / "workspace/done").exists()


@pytest.mark.parametrize("given", ["[]", "{", '{"suite": 1}', "null"])
def test_inputs_that_are_no_object_of_texts_are_refused(given: str) -> None:
    environ = {ALL: given, "INPUT_SUITE": "another"}
    with pytest.raises(UsageError, match="no JSON object"):
        take_inputs(environ)
    assert environ == {}


def test_inputs_stand_where_those_of_a_container_stand_and_no_other_does() -> None:
    environ = {ALL: '{"working-directory": "a", "token": "t"}', "INPUT_SUITE": "left by another", "PATH": "/bin"}
    take_inputs(environ)
    assert environ == {"INPUT_WORKING-DIRECTORY": "a", "INPUT_TOKEN": "t", "PATH": "/bin"}


@pytest.fixture(scope="module")
def prepare() -> ModuleType:
    spec = importlib.util.spec_from_file_location("composite_prepare", composite.FOLDER / "prepare.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_wheelhouse_gives_the_wheel_of_this_version_and_anything_else_the_checkout(prepare: ModuleType) -> None:
    version = prepare.own_version(composite.PROJECT)
    assert version == __version__
    for said in ("1", "true", "yes"):
        assert prepare.source(version, composite.PROJECT, {"PIP_NO_INDEX": said}) == f"robustness-gate=={version}"
    for said in ("", "0", "false"):
        assert prepare.source(version, composite.PROJECT, {"PIP_NO_INDEX": said}) == str(composite.PROJECT)


def test_it_installs_another_version_with_pip_and_says_when_that_fails(
    prepare: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[list[str]] = []
    codes = iter((0, 1))

    def pip(command: list[str], *, check: bool) -> subprocess.CompletedProcess[bytes]:
        called.append(command)
        return subprocess.CompletedProcess(command, next(codes))

    monkeypatch.setattr(prepare, "installed", lambda: "0.0.1")
    monkeypatch.setattr(prepare.subprocess, "run", pip)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert (prepare.main(), prepare.main()) == (0, 2)
    assert called[0][:5] == [sys.executable, "-P", "-m", "pip", "install"]
    assert called[0][-1] == f"robustness-gate=={__version__}"
    assert "::error::pip could not install" in capsys.readouterr().out


def test_a_python_that_is_too_old_is_told_so(
    prepare: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prepare, "LEAST", (99, 0))
    assert prepare.main() == 2
    assert "too old" in capsys.readouterr().out
