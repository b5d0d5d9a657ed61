"""`gate doctor` on what only some have: a suite in shards, a night's run of main, a team that accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.cli.doctor_check import Check
from gate.cli.doctor_workflows import workflow_checks
from gate.cli.init import workflows
from gate.settings import Settings

FOLDER = ".github/workflows"
FURTHER = frozenset({"nightly", "shards"})
TWO_NIGHTS = Settings(nightly_confirm="two-nights")
TEAM = Settings(accept_team="octo/leads")
REQUIRED = frozenset({"gate"})


def checks(
    folder: Path, changed: str = "", old: str = "", new: str = "", settings: Settings | None = None
) -> list[Check]:
    """What is said of the workflows of `gate init --with nightly,shards`, one of them changed."""
    texts = workflows(FURTHER)
    if changed:
        assert old in texts[changed], "the change would change nothing"
        texts[changed] = texts[changed].replace(old, new)
    (folder / FOLDER).mkdir(parents=True)
    for name, text in texts.items():
        (folder / FOLDER / name).write_text(text, encoding="utf-8")
    return list(workflow_checks(folder, REQUIRED, settings))


def bad(found: list[Check]) -> list[Check]:
    return [check for check in found if check.state in ("problem", "warning")]


def test_what_init_writes_is_fine(tmp_path: Path) -> None:
    found = checks(tmp_path, settings=TWO_NIGHTS)
    assert bad(found) == []
    assert {check.name for check in found} >= {"shards", "nightly", "required-check"}


CHANGES = (
    ("robustness.yml", "    if: always()\n", "", "shards", "add `if: always()`"),
    ("robustness.yml", "gate ci --merged", "gate ci --report", "shards", "`gate ci --merged`"),
    ("robustness.yml", "        run: gate merge", "        run: echo merge", "shards", "`gate init --with shards`"),
    ("robustness.yml", "persist-credentials: false", "clean: true", "credentials", "`persist-credentials: false`"),
    ("robustness.yml", "fetch-depth: 2 # the", "fetch-depth: 1 # the", "fetch-depth", "`fetch-depth: 2`"),
    ("nightly.yml", "      issues: write", "      issues: read", "permissions", "issues: write"),
    (
        "nightly.yml",
        '  schedule:\n    - cron: "23 3 * * *"\n  workflow_dispatch:',
        "  issues:",
        "nightly",
        "`schedule:`",
    ),
    ("nightly.yml", "      actions: read", "      checks: read", "nightly", "`actions: read`"),
    ("nightly.yml", "actions/upload-artifact@", "actions/upload-nothing@", "nightly", "its last step"),
    ("commands.yml", "      actions: write # what", "      actions: read # what", "permissions", "actions: write"),
    ("fork.yml", "      checks: write", "      checks: read", "permissions", "checks: write"),
)


@pytest.mark.parametrize(("file", "old", "new", "name", "fix"), CHANGES, ids=lambda value: str(value).strip()[:24])
def test_a_workflow_that_lacks_something(tmp_path: Path, file: str, old: str, new: str, name: str, fix: str) -> None:
    found = bad(checks(tmp_path, file, old, new, TWO_NIGHTS))
    assert {check.name for check in found} == {name}
    assert fix in found[0].fix
    assert {check.where for check in found} == {f"{FOLDER}/{file}"}


def test_a_single_run_needs_no_artifact_of_the_night_before(tmp_path: Path) -> None:
    assert bad(checks(tmp_path, "nightly.yml", "      actions: read", "      checks: read", Settings())) == []


def test_a_team_needs_a_token_that_sees_its_members(tmp_path: Path) -> None:
    found = bad(checks(tmp_path, settings=TEAM))
    assert {check.name for check in found} == {"accept-team"}
    asking = {f"{FOLDER}/{name}.yml" for name in ("commands", "fork", "robustness")}
    assert {check.where for check in found} == asking, "a shard and the night ask nobody"
    assert all("octo/leads" in check.what and "nobody can" in check.what for check in found)
    assert all("members: read" in check.fix for check in found)


@pytest.mark.parametrize(
    ("job", "own"),
    [
        ("steps: [{run: gate command, env: {GITHUB_TOKEN: '${{ steps.app.outputs.token }}'}}]", False),
        ("steps: [{run: gate command, env: {GITHUB_TOKEN: '${{ github.token }}'}}]", True),
        ("env: {GITHUB_TOKEN: '${{ secrets.GITHUB_TOKEN }}'}\n    steps: [{run: gate command}]", True),
        ("steps: [{uses: me/robustness-gate@v1}]", True),
        ("steps: [{uses: me/robustness-gate@v1, with: {token: '${{ steps.app.outputs.token }}'}}]", False),
    ],
)
def test_whose_token_a_step_has(tmp_path: Path, job: str, own: bool) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "a.yml").write_text(f"on: pull_request\njobs:\n  a:\n    {job}\n", encoding="utf-8")
    found = [check.state for check in workflow_checks(tmp_path, None, TEAM) if check.name == "accept-team"]
    assert found == (["problem"] if own else ["fine"])
