"""Runs the steps of composite/action.yml as a runner does: expressions filled in, bash, the runner's own files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "composite"
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_OUTPUT = re.compile(r"^(?P<name>[\w-]+)<<(?P<end>\S+)\n(?P<value>.*?)\n(?P=end)$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the action ended."""

    exit_code: int
    log: str
    outputs: dict[str, str]
    summary: str


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load((FOLDER / "action.yml").read_text(encoding="utf-8"))
    return loaded


def run_composite(
    workspace: Path,
    event: Mapping[str, Any],
    files: Path,
    *,
    token: str,
    api: str,
    inputs: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    python: Path = Path(sys.executable),
) -> Ended:
    """Run all steps until one fails.

    Args:
        workspace: the checkout.
        files: a new folder for event, outputs and scripts.
        inputs: what the workflow gives; the others have their defaults.
        environ: further variables of the job, as `env:` sets them.
        python: the job's own, first on its PATH.
    """
    described = action()
    files.mkdir(parents=True)
    given = {key: str(entry.get("default", "")) for key, entry in described["inputs"].items()} | dict(inputs or {})
    given = {key: _filled(value, {"github.token": token}) for key, value in given.items()}
    variables = _job(workspace, event, files, api, python) | dict(environ or {})
    log, code = "", 0
    for number, step in enumerate(described["runs"]["steps"]):
        assert step["shell"] == "bash"
        known = {"toJSON(inputs)": json.dumps(given, indent=2)}
        own = {name: _filled(value, known) for name, value in step.get("env", {}).items()}
        script = files / f"step-{number}.sh"
        script.write_text(step["run"], encoding="utf-8")
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        result = subprocess.run(
            command,
            cwd=workspace,
            env={**variables, **own},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        log, code = log + result.stdout, result.returncode
        if code:
            break
    left = {match["name"]: match["value"] for match in _OUTPUT.finditer((files / "output").read_text(encoding="utf-8"))}
    steps = {f"steps.gate.outputs.{name}": value for name, value in left.items()}
    outputs = {name: _filled(entry["value"], steps, absent="") for name, entry in described["outputs"].items()}
    return Ended(code, log, outputs, (files / "summary").read_text(encoding="utf-8"))


def _job(workspace: Path, event: Mapping[str, Any], files: Path, api: str, python: Path) -> dict[str, str]:
    for name in ("output", "summary", "env", "path", "state"):
        (files / name).touch()
    (files / "event.json").write_text(json.dumps(event), encoding="utf-8")
    programs = files / "bin"
    programs.mkdir()
    (programs / "python").write_text(f'#!/bin/sh\nexec "{python}" "$@"\n', encoding="utf-8")
    (programs / "python").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GATE_", "GITHUB_", "INPUT_"))}
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=workspace, capture_output=True, text=True, check=True)
    return {
        **kept,
        "PATH": f"{programs}{os.pathsep}{kept.get('PATH', os.defpath)}",
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(FOLDER),
        "GITHUB_API_URL": api,
        "GITHUB_ENV": str(files / "env"),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(files / "event.json"),
        "GITHUB_OUTPUT": str(files / "output"),
        "GITHUB_PATH": str(files / "path"),
        "GITHUB_REPOSITORY": event["repository"]["full_name"],
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_RUN_ID": "7",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_SHA": head.stdout.strip(),
        "GITHUB_STATE": str(files / "state"),
        "GITHUB_STEP_SUMMARY": str(files / "summary"),
        "GITHUB_WORKSPACE": str(workspace),
    }


def _filled(text: str, known: Mapping[str, str], absent: str | None = None) -> str:
    """The text with its expressions replaced; one that is not known fails the test, unless it may be absent."""
    return _EXPRESSION.sub(lambda match: known[match[1]] if absent is None else known.get(match[1], absent), text)
