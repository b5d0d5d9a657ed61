"""What `gate doctor` asks of GitHub: required checks, and whether Actions may open pull requests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gate.cli.doctor_check import Check
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.deliver.client import GitHub

PATIENCE = 20.0
"""Seconds that GitHub may take in all."""


def github_of(folder: Path, environ: Mapping[str, str], named: str | None) -> GitHub:
    """The repository of a checkout, with the token of the environment.

    Raises:
        GateError: no repository of GitHub, or no token.
    """
    from gate.cli.remote import find_remote, find_token
    from gate.deliver.client import GitHub

    remote = find_remote(environ, folder, named)
    return GitHub(remote.api_url, remote.repository, find_token(environ), patience=PATIENCE)


def github_checks(github: GitHub, branch: str) -> tuple[list[Check], frozenset[str] | None]:
    """What GitHub's settings show, and the names of the required checks; None where the token may not see them.

    Args:
        branch: the one that pull requests go into.
    """
    checks = [opens_pull_requests(github)]
    try:
        return checks, required_checks(github, branch)
    except GateError as error:
        checks.append(Check("required-check", "skipped", error.message, error.remedy))
        return checks, None


def opens_pull_requests(github: GitHub) -> Check:
    """Whether the workflow of the baseline may open its pull request."""
    name = "open-pull-requests"
    fix = "in Settings, Actions, General, tick `Allow GitHub Actions to create and approve pull requests`"
    try:
        value = github.read("/actions/permissions/workflow")
    except GateError as error:
        hint = "a token that may administer the repository can see it; or look yourself: " + fix
        return Check(name, "skipped", f"the setting can't be read: {error.message}", hint)
    allowed = value.get("can_approve_pull_request_reviews") if isinstance(value, dict) else None
    if allowed is True:
        return Check(name, "fine", "Actions may open pull requests")
    return Check(name, "problem", "Actions may not open pull requests, so no baseline is proposed", fix)


def required_checks(github: GitHub, branch: str) -> frozenset[str]:
    """Names of the checks that rulesets and branch protection demand.

    Raises:
        GateError: GitHub refuses or can't be reached.
    """
    where = quote(branch, safe="")
    found: set[str] = set()
    for page in github.read_pages(f"/rules/branches/{where}"):
        for rule in page if isinstance(page, list) else ():
            found |= set(_contexts(rule.get("parameters"), "required_status_checks"))
    protected = github.read(f"/branches/{where}")
    protection = protected.get("protection") if isinstance(protected, dict) else None
    status = protection.get("required_status_checks") if isinstance(protection, dict) else None
    found |= set(_contexts(status, "checks"))
    if isinstance(status, dict):
        found |= {str(name) for name in status.get("contexts") or ()}
    return frozenset(found)


def _contexts(value: Any, key: str) -> list[str]:
    entries = value.get(key) if isinstance(value, dict) else None
    return [str(entry["context"]) for entry in entries or () if isinstance(entry, dict) and "context" in entry]
