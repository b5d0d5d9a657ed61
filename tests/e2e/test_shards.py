"""The workflow of shards that users copy, on a real runner: a matrix, artifacts, one comment, and a missing shard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.jobs.story import Story, template
from tests.support.repository import Repository

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


def test_three_shards_one_comment_and_one_of_them_missing(jobs: Engine, origin: Repository, tmp_path: Path) -> None:
    with GitHubServer(()) as github:
        story = Story(jobs, origin, github, tmp_path)
        story.open(1, "worse")
        played = story.gate(1, template("shards"))
        assert played.code != 0, played.log[-6000:]
        left = played.artifacts
        shards = [json.loads(left[f"robustness-gate-shard-{n}"]["candidate.json"]) for n in (1, 2, 3)]
        assert [len(each["tests"]) for each in shards] == [3, 3, 3], played.log[-6000:]
        verdict = json.loads(left["robustness-gate-default-pr-1"]["verdict.json"])
        assert [each["case_id"] for each in verdict["findings"]] == ["tests/test_model.py::test_answer[5]"]
        assert verdict["exit_code"] == 1
        (comment,) = story.comments(1)
        assert "Less robust" in comment

        story.open(1, "crash")
        played = story.gate(1, template("shards"))
        assert played.code != 0, played.log[-6000:]
        left = played.artifacts
        missing = [n for n in (1, 2, 3) if "candidate.json" not in left.get(f"robustness-gate-shard-{n}", {})]
        assert len(missing) == 1, played.log[-6000:]
        verdict = json.loads(left["robustness-gate-default-pr-1"]["verdict.json"])
        assert verdict["exit_code"] == 3
        (comment,) = story.comments(1)
        assert f"shard {missing[0]}/3 is missing" in comment
