"""One run of one workflow: the runner's command, the token that its permissions make, and what it left."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.support.engine.daemon import Engine
from tests.support.github.server import GitHubServer
from tests.support.github.state import Token
from tests.support.jobs.stand_ins import IMAGE, replaced
from tests.support.repository import Repository

_SECONDS = 300
_NOTHING = Token(issues="none", pull_requests="none", contents="none", actions="none")
_STRONGER = {"none": 0, "read": 1, "write": 2}


@dataclass(frozen=True, slots=True)
class Played:
    """How a run ended.

    Attributes:
        artifacts: what was uploaded, by name and file.
        proposed: options and values of `gh pr create`; empty where it was not called.
    """

    code: int
    log: str
    artifacts: dict[str, dict[str, bytes]]
    proposed: dict[str, str]


def play(
    engine: Engine,
    github: GitHubServer,
    folder: Path,
    *,
    workflow: str,
    event: str,
    payload: Mapping[str, Any],
    origin: Repository,
    clone: Repository,
    variables: Mapping[str, str],
    read_only: bool = False,
) -> Played:
    """Run a workflow on a clone, as actions/checkout would have left it.

    Args:
        folder: a new one.
        workflow: its text.
        origin: what `git fetch` and `git push` of the jobs reach.
        variables: of the runner, beside those that are the same in every run.
        read_only: the token may only read, as that of a fork's pull request.
    """
    shared = folder / "shared"
    (shared / "artifacts").mkdir(parents=True)
    path, told = folder / "workflow.yml", folder / "event.json"
    path.write_text(named(workflow, f"{folder.name} {os.getpid()}"), encoding="utf-8")
    told.write_text(json.dumps(payload), encoding="utf-8")
    clone.git("remote", "set-url", "origin", "file:///shared/origin")
    token = token_of(github, workflow, read_only=read_only)
    given = {
        "GITHUB_API_URL": github.url,
        "GITHUB_REPOSITORY": github.state.repository,
        "GITHUB_SHA": clone.head,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
        **variables,
    }
    command = [
        str(Path(sys.executable).with_name("act")),
        event,
        *("-P", f"ubuntu-latest={IMAGE}"),
        "--pull=false",
        *("-e", str(told)),
        *("-s", f"GITHUB_TOKEN={token}"),
        *(part for name, value in given.items() for part in ("--env", f"{name}={value}")),
        *("--container-options", f"--volume {shared}:/shared --volume {origin.path}:/shared/origin"),
        *("--container-daemon-socket", engine.host),
        *replaced(workflow, folder / "actions"),
        "--rm",
        *("-W", str(path)),
    ]
    result = subprocess.run(
        command,
        cwd=clone.path,
        env={**os.environ, "DOCKER_HOST": engine.host, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    shutil.rmtree(folder / "cache", ignore_errors=True)
    asked = shared / "proposed.json"
    proposed = json.loads(asked.read_text("utf-8")) if asked.exists() else {}
    return Played(result.returncode, result.stdout, _left(shared / "artifacts"), proposed)


def named(workflow: str, more: str) -> str:
    """A workflow under a name of its own, by which the runner names containers: runs at once must not meet."""
    first, _, rest = workflow.partition("\n")
    assert first.startswith("name: ")
    return f"{first} {more}\n{rest}"


def token_of(github: GitHubServer, workflow: str, *, read_only: bool = False) -> str:
    """A token that may do what the jobs of a workflow name, and nothing else."""
    granted: dict[str, str] = {}
    for job in YAML(typ="safe").load(workflow)["jobs"].values():
        for name, access in job["permissions"].items():
            known, given = name.replace("-", "_"), "read" if read_only else access
            granted[known] = max(granted.get(known, "none"), given, key=_STRONGER.__getitem__)
    value = "ghs_" + hashlib.sha256(json.dumps(granted, sort_keys=True).encode()).hexdigest()[:36]
    with github.state.lock:
        github.state.tokens[value] = replace(_NOTHING, **granted)
    return value


def _left(folder: Path) -> dict[str, dict[str, bytes]]:
    return {
        place.name: {
            str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()
        }
        for place in sorted(folder.iterdir())
    }
