"""The action's own image, run as GitHub runs it: workspace, event, runner's files and inputs as it mounts them."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.engine.base_image import ensure_base
from tests.support.engine.daemon import Engine
from tests.support.repository import Repository

IMAGE = "robustness-gate:e2e"
PROJECT = Path(__file__).resolve().parents[2]
RUNNER_UID = 1001
TOKEN = "ghs_0123456789abcdefTOKEN"
_OUTPUT = re.compile(r"^(?P<name>[\w-]+)<<(?P<end>\S+)\n(?P<value>.*?)\n(?P=end)$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the action ended."""

    exit_code: int
    log: str
    outputs: dict[str, str]
    summary: str
    workspace: Path

    @property
    def verdict(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.workspace / ".gate/verdict.json").read_text(encoding="utf-8"))
        return loaded

    @property
    def comment(self) -> str:
        return (self.workspace / ".gate/comment.md").read_text(encoding="utf-8")


def build(engine: Engine) -> None:
    """Build the project's Dockerfile, unchanged."""
    ensure_base(engine)
    engine.docker("build", "--quiet", "--tag", IMAGE, str(PROJECT))


def pull_request_event(base: str, head: str, number: int = 1, repository: str = "octo/model") -> dict[str, Any]:
    """A payload of `pull_request`, as far as it matters."""
    place = {"full_name": repository, "name": repository.partition("/")[2], "default_branch": "main", "fork": False}
    return {
        "action": "synchronize",
        "number": number,
        "repository": place,
        "sender": {"login": "author", "type": "User"},
        "pull_request": {
            "number": number,
            "base": {"ref": "main", "sha": base, "repo": place},
            "head": {"ref": "change", "sha": head, "repo": place},
            "user": {"login": "author", "type": "User"},
        },
    }


def checkout(origin: Repository, folder: Path, base: str, branch: str, number: int = 1) -> Path:
    """A shallow clone of GitHub's merge commit, detached, as actions/checkout leaves it at depth 2."""
    origin.merge_like_github(base, branch, number)
    origin.checkout("main")
    return origin.clone(folder, depth=2, ref=f"refs/pull/{number}/merge").path


def run_action(
    engine: Engine,
    workspace: Path,
    event: Mapping[str, Any],
    files: Path,
    *,
    api: str = "http://127.0.0.1:9",
    inputs: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Ended:
    """Run the image on a checkout that belongs to the runner's user."""
    if files.exists():
        shutil.rmtree(files)
    files.mkdir(parents=True)
    for name in ("output", "summary", "env", "path", "state"):
        (files / name).touch()
    (files / "event.json").write_text(json.dumps(event), encoding="utf-8")
    _give(workspace, RUNNER_UID)
    _give(files, RUNNER_UID)
    head = Repository(workspace).head
    variables = {
        "GITHUB_ACTIONS": "true",
        "CI": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": "/github/files/event.json",
        "GITHUB_REPOSITORY": event["repository"]["full_name"],
        "GITHUB_SHA": head,
        "GITHUB_API_URL": api,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_RUN_ID": "7",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_WORKSPACE": "/github/workspace",
        "GITHUB_OUTPUT": "/github/files/output",
        "GITHUB_STEP_SUMMARY": "/github/files/summary",
        "GITHUB_ENV": "/github/files/env",
        "GITHUB_PATH": "/github/files/path",
        "GITHUB_STATE": "/github/files/state",
        "INPUT_TOKEN": TOKEN,
        **{f"INPUT_{name.upper()}": value for name, value in (inputs or {}).items()},
        **(environ or {}),
    }
    options = [part for name, value in variables.items() for part in ("--env", f"{name}={value}")]
    mounts = ["-v", f"{workspace}:/github/workspace", "-v", f"{files}:/github/files"]
    command = ["run", "--rm", "--network", "host", "--workdir", "/github/workspace", *mounts, *options, IMAGE]
    result = engine.docker(*command, check=False)
    output = (files / "output").read_text(encoding="utf-8")
    return Ended(
        exit_code=result.returncode,
        log=(result.stdout + result.stderr).decode("utf-8", "replace"),
        outputs={match["name"]: match["value"] for match in _OUTPUT.finditer(output)},
        summary=(files / "summary").read_text(encoding="utf-8"),
        workspace=workspace,
    )


def _give(root: Path, uid: int) -> None:
    for folder, folders, names in os.walk(root):
        for name in (*folders, *names):
            os.lchown(Path(folder) / name, uid, uid)
    os.chown(root, uid, uid)
