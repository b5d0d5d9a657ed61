"""The action in the mode `replay`: recorded answers decide, nobody is asked, and a changed prompt decides nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import container
from tests.support.command_line import call
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.repository import Repository

SUITE = """
import json, os, urllib.request
import pytest
from prompts import GREETING

def ask(text):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)
    request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]

@pytest.mark.stochastic
@pytest.mark.parametrize("number", range(2))
def test_varies(number):
    assert ask(f"number {number}")

def test_greets():
    assert ask(GREETING)
"""
PROMPTS = 'GREETING = "say hello"\n'
FILES = {
    "prompts.py": PROMPTS,
    "tests/test_model.py": SUITE,
    "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n",
    ".gitignore": "/.gate/\n__pycache__/\n",
}


@dataclass
class Project:
    """A repository with recordings of a server, and that server, which may be gone."""

    origin: Repository
    model: ModelServer


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    origin = Repository(tmp_path / "origin")
    origin.commit(FILES, "suite")
    with ModelServer() as model:
        recorded = call("run", cwd=origin.path, GATE_MODE="record", OPENAI_BASE_URL=model.base_url)
        assert recorded.code == 0, recorded.err
        asked = len(model.requests)
        assert asked == 2 * 10 + 1
        made = call(
            *("baseline", "create", "--runs", "1"), cwd=origin.path, GATE_MODE="replay", OPENAI_BASE_URL=model.base_url
        )
        assert made.code == 0, made.err
        assert len(model.requests) == asked
        shutil.rmtree(origin.path / ".gate")
        origin.commit({}, "recordings and baseline")
        yield Project(origin, model)


def gate(engine: Engine, project: Project, tmp_path: Path, name: str) -> container.Ended:
    origin = project.origin
    head, base = origin.git("rev-parse", "change"), origin.git("rev-parse", "main")
    workspace = container.checkout(origin, tmp_path / name, "main", "change")
    with GitHubServer(tokens=(container.TOKEN,)) as github:
        github.add_pull_request(1, head, base)
        return container.run_action(
            engine,
            workspace,
            container.pull_request_event(base, head),
            tmp_path / f"{name}-files",
            api=github.url,
            inputs={"mode": "replay"},
            environ={"OPENAI_BASE_URL": project.model.base_url},
        )


def test_a_replay_asks_nobody_and_an_edited_prompt_is_undecided(
    engine: Engine, project: Project, tmp_path: Path
) -> None:
    asked, connections = len(project.model.requests), project.model.connections
    project.origin.branch("change")
    project.origin.commit({"README.md": "nothing\n"}, "nothing")
    same = gate(engine, project, tmp_path, "same")
    assert same.exit_code == 0, same.log
    assert same.verdict["provenance"]["mode"] == "replay"
    assert "network guard:" in same.summary
    assert not (same.workspace / ".gate/missing.jsonl").exists()

    project.origin.checkout("change")
    project.origin.commit({"prompts.py": PROMPTS.replace("hello", "hello, warmly")}, "prompt")
    edited = gate(engine, project, tmp_path, "edited")
    assert edited.exit_code == 3, edited.log
    errors = [each for each in edited.verdict["findings"] if each["level"] == "error"]
    assert [(each["rule"], each["case_id"]) for each in errors] == [
        ("stale-recording", "tests/test_model.py::test_greets")
    ]
    missing = (edited.workspace / ".gate/missing.jsonl").read_text(encoding="utf-8").splitlines()
    assert "hello, warmly" in missing[-1]
    assert all(json.loads(line) for line in missing)
    assert (edited.workspace / ".gate/missing.jsonl").stat().st_uid == container.RUNNER_UID
    assert (len(project.model.requests), project.model.connections) == (asked, connections)
