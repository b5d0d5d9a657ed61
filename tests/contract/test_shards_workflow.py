"""The workflow of shards against the one for a single machine: what both do, they do alike."""

from __future__ import annotations

from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.support import readme

TEMPLATES = readme.ROOT / "gate/cli/templates"


@pytest.fixture(scope="module")
def shards() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load((TEMPLATES / "shards.yml").read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def single() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load((TEMPLATES / "robustness.yml").read_text(encoding="utf-8"))
    return loaded


def test_it_stands_in_the_place_of_the_other(shards: dict[str, Any], single: dict[str, Any]) -> None:
    assert {key: shards[key] for key in shards if key != "jobs"} == {
        key: single[key] for key in single if key != "jobs"
    }
    assert set(shards["jobs"]) == {"shard", "gate"}, "the required check keeps its name"


def test_only_the_job_that_judges_writes_and_it_always_runs(shards: dict[str, Any], single: dict[str, Any]) -> None:
    jobs = shards["jobs"]
    assert jobs["gate"]["permissions"] == single["jobs"]["gate"]["permissions"]
    assert set(jobs["shard"]["permissions"].values()) == {"read"}
    assert (jobs["gate"]["needs"], jobs["gate"]["if"]) == ("shard", "always()")


def test_the_matrix_says_how_many_it_has(shards: dict[str, Any]) -> None:
    strategy = shards["jobs"]["shard"]["strategy"]
    numbers = strategy["matrix"]["number"]
    assert numbers == list(range(1, len(numbers) + 1))
    assert strategy["matrix"]["of"] == [len(numbers)]
    assert strategy["fail-fast"] is False


def test_what_a_shard_uploads_the_gate_downloads_and_merges(shards: dict[str, Any]) -> None:
    measuring, judging = (shards["jobs"][name]["steps"] for name in ("shard", "gate"))
    (upload,) = [step for step in measuring if "upload-artifact" in step.get("uses", "")]
    (download,) = [step["with"] for step in judging if "download-artifact" in step.get("uses", "")]
    assert upload["if"] == "always()"
    place = next(at for at, step in enumerate(judging) if "download-artifact" in step.get("uses", ""))
    cleared = judging[place - 1]["run"].split(" #")[0]
    assert cleared == f"rm -rf {download['path'].rstrip('/')} .gate", (
        "a committed file can't stand for a shard that is missing"
    )
    assert upload["with"]["name"].startswith(download["pattern"].removesuffix("*"))
    runs = [step["run"] for step in judging if "run" in step]
    merged, judged = runs[-2:]
    assert merged.startswith(f"gate merge {download['path']}*/")
    assert merged.split()[-1] == judged.split()[-1] == ".gate/candidate.json"
    (merging,) = [step for step in judging if step.get("run") == merged]
    assert merging["continue-on-error"] is True, "a part that is missing is told on the pull request"


def test_it_leaves_what_the_other_leaves(shards: dict[str, Any], single: dict[str, Any]) -> None:
    def left(workflow: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        steps = workflow["jobs"]["gate"]["steps"]
        return [(step["if"], step["with"]) for step in steps if "upload-artifact" in step.get("uses", "")]

    assert left(shards) == left(single)


def test_a_step_of_an_action_is_a_gate_so_neither_can_be_a_shard(shards: dict[str, Any]) -> None:
    for action in ("action.yml", "composite/action.yml"):
        inputs = YAML(typ="safe").load((readme.ROOT / action).read_text(encoding="utf-8"))["inputs"]
        assert not {"shard", "merged"} & set(inputs)
    for job in shards["jobs"].values():
        installs = [step["run"] for step in job["steps"] if "pip install" in step.get("run", "")]
        assert [each.split(" #")[0] for each in installs] == [
            "python -m pip install robustness-gate",
            "python -m pip install -r requirements.txt",
        ], "both jobs run the suite"
        assert not [step for step in job["steps"] if "robustness-gate" in step.get("uses", "")]
    documented = " ".join((readme.ROOT / "docs" / "shards.md").read_text(encoding="utf-8").split())
    assert "neither action has them as an input" in documented
