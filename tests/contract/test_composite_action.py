"""Both actions, in the container and in the job's own Python, say the same; and no step lets text into a script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

PROJECT = Path(__file__).resolve().parents[2]


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load((PROJECT / name).read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def container() -> dict[str, Any]:
    return load("action.yml")


@pytest.fixture(scope="module")
def composite() -> dict[str, Any]:
    return load("composite/action.yml")


def test_inputs_are_the_same_in_order_with_defaults_and_descriptions(
    container: dict[str, Any], composite: dict[str, Any]
) -> None:
    assert list(composite["inputs"].items()) == list(container["inputs"].items())


def test_outputs_are_the_same_and_each_is_what_the_gate_sets(
    container: dict[str, Any], composite: dict[str, Any]
) -> None:
    values = {name: entry.pop("value") for name, entry in load("composite/action.yml")["outputs"].items()}
    told = {name: {"description": entry["description"]} for name, entry in composite["outputs"].items()}
    assert list(told.items()) == list(container["outputs"].items())
    assert values == {name: f"${{{{ steps.gate.outputs.{name} }}}}" for name in container["outputs"]}


def test_description_and_author_are_the_same(container: dict[str, Any], composite: dict[str, Any]) -> None:
    assert (composite["description"], composite["author"]) == (container["description"], container["author"])


def test_no_script_holds_an_expression(composite: dict[str, Any]) -> None:
    steps = composite["runs"]["steps"]
    assert all("${{" not in step["run"] for step in steps)
    assert [step.get("env") for step in steps] == [None, {"INPUT_ALL": "${{ toJSON(inputs) }}"}]


def test_what_installs_sees_no_token(composite: dict[str, Any]) -> None:
    first = composite["runs"]["steps"][0]
    assert "prepare.py" in first["run"]
    assert not re.search("token|INPUT_|secrets", repr(first), re.IGNORECASE)
