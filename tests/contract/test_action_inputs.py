"""action.yml, the settings and the outputs that the gate writes say the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gate.deliver import publish
from gate.settings import Settings, describe, inputs

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load((PROJECT / "action.yml").read_text(encoding="utf-8"))
    return loaded


def test_inputs_are_those_of_the_settings_in_their_order(action: dict[str, Any]) -> None:
    assert list(action["inputs"]) == list(inputs())


@pytest.mark.parametrize("key", inputs())
def test_an_input_says_what_its_setting_says(action: dict[str, Any], key: str) -> None:
    entry = action["inputs"][key]
    default = Settings.model_fields[key.replace("-", "_")].default
    written = str(default).lower() if isinstance(default, bool) else str(default)
    assert entry["description"] == describe(key) + (f" (default: {written})" if written else "")
    assert entry["required"] is False


def test_no_default_hides_what_a_file_says(action: dict[str, Any]) -> None:
    """GitHub hands a default over like a value, and an input counts more than the settings of the base."""
    defaults = {key: entry["default"] for key, entry in action["inputs"].items() if "default" in entry}
    assert defaults == {"token": "${{ github.token }}"}


def test_outputs_are_those_of_the_design(action: dict[str, Any]) -> None:
    assert list(action["outputs"]) == ["verdict", "exit-code", "findings", "report", "comment-url"]
    source = Path(publish.__file__).read_text(encoding="utf-8")
    assert all(f'"{name}"' in source for name in action["outputs"])


def test_every_verdict_is_named_in_the_outputs_description(action: dict[str, Any]) -> None:
    described = action["outputs"]["verdict"]["description"]
    assert all(word in described for word in publish.VERDICTS.values())


def test_the_image_is_this_projects_dockerfile(action: dict[str, Any]) -> None:
    assert action["runs"] == {"using": "docker", "image": "Dockerfile"}
    assert 'ENTRYPOINT ["/opt/gate/bin/python", "-I", "-m", "gate.cli.action"]' in (PROJECT / "Dockerfile").read_text(
        encoding="utf-8"
    )
