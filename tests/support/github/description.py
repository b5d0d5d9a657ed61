"""GitHub's own OpenAPI description, fetched once from npm and cut down to the paths that the server has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

PACKAGE = "@octokit/openapi"
VERSION = "23.0.2"
PUBLIC = "api.github.com"
ENTERPRISE = "ghes-3.19"
COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"
CONTENTS = "/repos/{owner}/{repo}/contents/{path}"
PERMISSION = "/repos/{owner}/{repo}/collaborators/{username}/permission"
COMMIT = "/repos/{owner}/{repo}/commits/{ref}"
USER = "/user"
ARTIFACTS = "/repos/{owner}/{repo}/actions/artifacts"
ARCHIVE = "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}"
RUN = "/repos/{owner}/{repo}/actions/runs/{run_id}"
RUNS = "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs"
COMPARE = "/repos/{owner}/{repo}/compare/{basehead}"
REACTIONS = "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"
RERUN = "/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs"
DISPATCH = "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches"
MEMBERSHIP = "/orgs/{org}/teams/{team_slug}/memberships/{username}"
REVIEW = (REACTIONS, RERUN, DISPATCH, MEMBERSHIP)
PULLS = "/repos/{owner}/{repo}/pulls"
PULLS_OF_COMMIT = "/repos/{owner}/{repo}/commits/{commit_sha}/pulls"
RUN_ARTIFACTS = "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts"
CHECKS = "/repos/{owner}/{repo}/check-runs"
CHECK = "/repos/{owner}/{repo}/check-runs/{check_run_id}"
CHECKS_OF_COMMIT = "/repos/{owner}/{repo}/commits/{ref}/check-runs"
WORKFLOW_PERMISSIONS = "/repos/{owner}/{repo}/actions/permissions/workflow"
BRANCH_RULES = "/repos/{owner}/{repo}/rules/branches/{branch}"
BRANCH = "/repos/{owner}/{repo}/branches/{branch}"
ISSUES = "/repos/{owner}/{repo}/issues"
ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
SET_UP = (WORKFLOW_PERMISSIONS, BRANCH_RULES, BRANCH)
PATHS = (
    *(COMMENTS, COMMENT, PULL, CONTENTS, PERMISSION, COMMIT, USER, ARTIFACTS, ARCHIVE, RUN, RUNS, COMPARE),
    *REVIEW,
    *SET_UP,
    *(ISSUES, ISSUE),
    *(PULLS, PULLS_OF_COMMIT, RUN_ARTIFACTS, CHECKS, CHECK, CHECKS_OF_COMMIT),
)
CACHE = Path(__file__).resolve().parents[3] / ".cache" / f"github-description-{VERSION}"

Description = dict[str, dict[str, Any]]


class DescriptionAbsentError(Exception):
    """npm is not on this machine, so that the description can't be had."""


def description(name: str = PUBLIC) -> Description:
    """Operations by path template and method, of github.com or of an enterprise server.

    Raises:
        DescriptionAbsentError: it is not cached and npm is absent. That npm fails is an error of its own.
    """
    cached = CACHE / f"{name}.json"
    if not cached.is_file() or not set(PATHS) <= set(_read(cached)):
        _fetch()
    return _read(cached)


def _read(cached: Path) -> Description:
    loaded: Description = json.loads(cached.read_text("utf-8"))
    return loaded


def _fetch() -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise DescriptionAbsentError(f"npm is absent, so {PACKAGE} {VERSION} can't be fetched")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        environ = {**os.environ, "npm_config_update_notifier": "false"}
        subprocess.run(
            [npm, "pack", "--silent", "--ignore-scripts", f"{PACKAGE}@{VERSION}"],
            cwd=folder,
            env=environ,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=300,
        )
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as members:
            for name in (PUBLIC, ENTERPRISE):
                member = members.extractfile(f"package/generated/{name}.deref.json")
                assert member is not None, f"{PACKAGE} {VERSION} has no {name}"
                paths = json.load(member)["paths"]
                _keep(Path(folder), name, {path: paths[path] for path in PATHS})


def _keep(folder: Path, name: str, trimmed: Description) -> None:
    """Atomic, since several test processes may do this at once."""
    made = folder / f"{name}.json"
    made.write_text(json.dumps(trimmed, sort_keys=True), "utf-8")
    made.replace(CACHE / made.name)
