"""What a release builds, by the steps of its workflow: the wheel, the list of its parts, the suite on the wheel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

PROJECT = Path(__file__).resolve().parents[2]
FOLDERS = ("benchmarks", "docs", "examples", "gate", "release", "requirements", "tests")
_PLUGIN = "tests/plugin/test_plugin_endings.py::test_x_says_that_it_stopped"
SMOKE = f"tests/unit/cli/test_explain.py tests/unit/compare/test_flips.py {_PLUGIN}"
"""A part of the suite; the workflow runs all of it."""


def steps() -> dict[str, str]:
    """The scripts of the job that builds the wheel, by name."""
    loaded: dict[str, Any] = YAML(typ="safe").load((PROJECT / ".github/workflows/release.yml").read_text("utf-8"))
    return {step["name"]: step["run"] for step in loaded["jobs"]["wheel"]["steps"] if "name" in step}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this project in which the scripts ran; its development environment is this one."""
    folder = tmp_path_factory.mktemp("release") / "project"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if ("/" not in name or name.split("/")[0] in FOLDERS) and (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)
    venv = Path(sys.executable).parents[1]
    # the development environment is there already: its marker is newer than what it depends on
    for variable in ("build", "list what it brings along", "run the suite on the wheel"):
        script = steps()[variable].replace("PYTHON=python", f"PYTHON={sys.executable}")
        ended = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", f"touch {venv}/ready && {script} VENV={venv} TESTS='{SMOKE}'"],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith(("GATE_", "MAKE"))},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-6000:]
    return folder


def test_the_wheel_has_its_documents_templates_and_examples(built: Path) -> None:
    (wheel,) = (built / "dist").glob("*.whl")
    (archive,) = (built / "dist").glob("*.tar.gz")
    assert wheel.name.split("-")[1] == archive.name.removesuffix(".tar.gz").split("-")[1]
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"gate/_docs/rules.md", "gate/cli/templates/robustness.yml", "gate/py.typed"} <= names
    assert any(name.startswith("gate/_demo/tumour_model/") for name in names)
    assert not any(name.startswith(("tests/", "release/", "benchmarks/")) for name in names)


def test_the_command_of_the_wheel_explains_a_rule_without_the_checkout(built: Path, tmp_path: Path) -> None:
    ended = subprocess.run(
        [built / ".venv-wheel/bin/gate", "explain", "negative-flip"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("## negative-flip\n")


def test_the_list_of_parts_names_the_gate_and_what_it_needs(built: Path) -> None:
    listed = json.loads((built / "dist/robustness-gate.cdx.json").read_text(encoding="utf-8"))
    assert listed["bomFormat"] == "CycloneDX"
    assert listed["metadata"]["component"]["name"] == "robustness-gate"
    parts = {part["name"].lower() for part in listed["components"]}
    assert {"click", "numpy", "pydantic", "pytest", "requests"} <= parts
    assert not parts & {"hypothesis", "mypy", "ruff"}
