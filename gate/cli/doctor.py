"""`gate doctor`: everything around the gate that would keep it from working, each with the fix."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.doctor_check import Check
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, GateError

_SIGNS = {"fine": "ok", "warning": "warning", "problem": "PROBLEM", "skipped": "skipped"}


@click.command(epilog="Example: gate doctor --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--offline", is_flag=True, help="Ask nothing of GitHub.")
@click.option("--repository", default=None, metavar="OWNER/NAME", help="On GitHub; by default that of `origin`.")
@click.pass_obj
def doctor(console: Console, as_json: bool, offline: bool, repository: str | None) -> int:
    """Look at versions, the checkout, settings, baseline, recordings, workflows and GitHub's settings.

    GitHub is asked with GITHUB_TOKEN or GH_TOKEN; without one that part is skipped. Run it where gate.toml stands.

    Exit codes: 0 nothing keeps the gate from working; 1 there is a problem; each is printed with its fix.
    """
    checks = examine(Path.cwd(), os.environ, offline=offline, repository=repository)
    if as_json:
        console.result(json.dumps({"checks": [asdict(check) for check in checks]}, indent=2, ensure_ascii=False))
    else:
        console.result("\n".join(_lines(checks)))
    return EXIT_REGRESSION if any(check.state == "problem" for check in checks) else EXIT_HOLDS


def examine(
    folder: Path, environ: Mapping[str, str], *, offline: bool = False, repository: str | None = None
) -> list[Check]:
    """Everything that can be looked at from a folder, in the order in which it matters.

    Args:
        folder: where the settings stand.
        offline: ask nothing of GitHub.
        repository: owner and name on GitHub; None takes that of the remote `origin`.
    """
    from gate.cli.doctor_machine import machine_checks
    from gate.cli.doctor_repository import repository_checks, settings_check
    from gate.cli.doctor_workflows import workflow_checks

    settings, first = settings_check(folder)
    checks = [*machine_checks(settings), first, *repository_checks(folder, settings, environ, time.time())]
    asked, required = ([], None) if offline else _asked(folder, environ, repository)
    return [*checks, *workflow_checks(_top(folder), required, settings), *asked]


def _asked(
    folder: Path, environ: Mapping[str, str], repository: str | None
) -> tuple[list[Check], frozenset[str] | None]:
    from gate.baselines.base import default_branch
    from gate.baselines.git import Git
    from gate.cli.doctor_github import github_checks, github_of

    try:
        github = github_of(folder, environ, repository)
        branch = default_branch(Git(folder)) or "main"
    except GateError as error:
        return [Check("github", "skipped", error.message, error.remedy)], None
    return github_checks(github, branch)


def _top(folder: Path) -> Path:
    """The root of the repository, where workflows stand."""
    from gate.baselines.git import Git

    try:
        return Git(folder).top
    except GateError:
        return folder


def _lines(checks: list[Check]) -> list[str]:
    from gate.render.escape import terminal
    from gate.render.words import plural

    lines = []
    for check in checks:
        place = f"{check.where}: " if check.where else ""
        lines.append(terminal(f"{_SIGNS[check.state]:8} {check.name}: {place}{check.what}"))
        if check.fix and check.state != "fine":
            lines.append(terminal(f"{'':8}   fix: {check.fix}"))
    problems = sum(check.state == "problem" for check in checks)
    warnings = sum(check.state == "warning" for check in checks)
    return [*lines, "", f"{plural(problems, 'problem')}, {plural(warnings, 'warning')}"]
