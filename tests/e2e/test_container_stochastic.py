"""Stochastic tests in the container: trials under a plan, suspects confirmed by fresh trials of base and head."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.test_container import baseline, gate
from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.repository import Repository

SUITE = """
import random
import pytest
from model import RATES

@pytest.mark.stochastic
@pytest.mark.parametrize("number", range(6))
def test_case(number):
    assert random.random() < RATES[number]
"""


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "origin")
    files = {
        "model.py": "RATES = [1.0] * 6\n",
        "tests/test_model.py": SUITE,
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n",
    }
    repository.commit(files, "model")
    baseline(repository, runs=5)
    return repository


def test_a_broken_test_is_confirmed_beside_the_base_and_an_unchanged_one_holds(
    engine: Engine, origin: Repository, tmp_path: Path
) -> None:
    with GitHubServer() as github:
        origin.branch("change")
        origin.commit({"NOTES.md": "nothing\n"}, "notes")
        origin.checkout("main")
        same = gate(engine, origin, tmp_path, "change", github, "same")
        assert same.exit_code == 0, same.log
        assert {each["answer"] for each in same.verdict["decisions"]} == {"holds"}
        assert (same.workspace / ".gate" / "trials.jsonl").stat().st_uid != 0

        origin.checkout("change")
        origin.commit({"model.py": "RATES = [1.0] * 5 + [0.0]\n"}, "worse")
        origin.checkout("main")
        worse = gate(engine, origin, tmp_path, "change", github, "worse")
        assert worse.exit_code == 1, worse.log
        (broken,) = [each for each in worse.verdict["decisions"] if each["answer"] == "regression"]
        assert broken["case_id"] == "tests/test_model.py::test_case[5]"
        assert broken["how"] == "both arms"
        assert broken["baseline"][0] == broken["baseline"][1] > 0
        assert broken["candidate"][0] == 0
