"""What `gate doctor` asks of what only some have: a suite in shards, a night's run of main, a team that accepts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gate.cli.doctor_check import Check
from gate.cli.doctor_workflows import ACTION, Job, credentials, depth, level_of

if TYPE_CHECKING:
    from gate.settings import Settings

_MERGES = re.compile(r"(?:^|[\s/;&|(])gate merge\b", re.MULTILINE)
_COMPARES = re.compile(r"(?:^|[\s/;&|(])gate ci\b[^\n]*--report\b", re.MULTILINE)
_ALWAYS = "always()", "!cancelled()"
_UPLOADS = "actions/upload-artifact@"
_ASKS = re.compile(r"(?:^|[\s/;&|(])gate (?:command|ci|fork-verdict)\b(?![^\n]*--shard\b)", re.MULTILINE)
_OWN = re.compile(r"\b(?:secrets\.GITHUB_TOKEN|github\.token)\b")
_OF_AN_APP = (
    "make a token of a GitHub App that may read members (`members: read`) with actions/create-github-app-token, and "
    "give it to that step as GITHUB_TOKEN (docs/accept.md)"
)


def shard_checks(jobs: Sequence[Job]) -> Iterator[Check]:
    """Of each workflow with shards: what they need, and that a job judges them whatever became of them."""
    measuring = [job for job in jobs if job.kind == "measures"]
    for job in measuring:
        yield depth(job)
        yield from credentials(job)
        judge = next((each for each in jobs if each.where == job.where and _MERGES.search(each.runs)), None)
        yield _judged(job, judge)


def _judged(job: Job, judge: Job | None) -> Check:
    name = "shards"
    if judge is None or judge.kind != "judges":
        what = f"the job `{job.name}` measures shards, and no job of this workflow judges them"
        return Check(name, "problem", what, "add the job `gate` of `gate init --with shards`", job.where)
    if _COMPARES.search(judge.runs):
        what = f"the job `{judge.name}` compares only, so it can't confirm what shards suspect"
        return Check(name, "problem", what, "run `gate ci --merged` in place of `gate ci --report`", judge.where)
    if str(judge.job.get("if", "")).strip("${ }") not in _ALWAYS:
        what = f"the job `{judge.name}` is skipped where a shard fails, and a skipped job passes as a required check"
        return Check(name, "problem", what, "add `if: always()` to it", judge.where)
    return Check(name, "fine", f"the job `{judge.name}` judges the shards", where=judge.where)


def night_checks(jobs: Sequence[Job], settings: Settings | None) -> Iterator[Check]:
    """Of each run of main: that something starts it, and that it can read what confirms it."""
    for job in jobs:
        if job.kind != "watches":
            continue
        if not {"schedule", "push", "workflow_dispatch"} & set(job.events):
            what = f"nothing starts the job `{job.name}` on main"
            yield Check("nightly", "problem", what, "add `schedule:` with a `cron` to the events", job.where)
            continue
        found = _unread(job) if settings is not None and settings.nightly_confirm == "two-nights" else ""
        if found:
            what = f"two nights are to confirm each other, and the job `{job.name}` {found}"
            fix = "take over nightly.yml of `gate init --with nightly`: `actions: read`, and its last step"
            yield Check("nightly", "problem", what, fix, job.where)
        else:
            yield Check("nightly", "fine", f"the job `{job.name}` judges main", where=job.where)


def _unread(job: Job) -> str:
    """Why the next run can't read what this one says."""
    granted = job.job.get("permissions", job.workflow.get("permissions"))
    if granted is not None and level_of(granted, "actions") < 1:
        return "may not read the run before"
    uploads = any(str(step.get("uses", "")).startswith(_UPLOADS) for step in job.steps)
    return "" if uploads else "leaves no verdict for the next run"


def team_checks(jobs: Sequence[Job], settings: Settings | None) -> Iterator[Check]:
    """Whether each step that asks who accepts has another token than the workflow's own, where a team alone may."""
    team = settings.accept_team if settings is not None else ""
    if not team:
        return
    blind = [job for job in jobs if any(_is_own(job, step) for step in job.steps)]
    for job in blind:
        what = f"only members of `{team}` may accept, and the own token of the job `{job.name}` can't see who they are"
        yield Check("accept-team", "problem", f"{what}, so nobody can", _OF_AN_APP, job.where)
    if jobs and not blind:
        yield Check("accept-team", "fine", f"members of `{team}` may accept, and no job asks with its own token")


def _is_own(job: Job, step: dict[Any, Any]) -> bool:
    """Whether a step asks with the workflow's own token: the action's default, or by the nearest environment."""
    if ACTION.match(str(step.get("uses", ""))):
        inputs = step.get("with")
        return bool(
            _OWN.search(str(inputs.get("token", "github.token") if isinstance(inputs, dict) else "github.token"))
        )
    if not _ASKS.search(str(step.get("run", ""))):
        return False
    places = [each.get("env") for each in (step, job.job, job.workflow)]
    given = next((each["GITHUB_TOKEN"] for each in places if isinstance(each, dict) and "GITHUB_TOKEN" in each), "")
    return bool(_OWN.search(str(given)))
