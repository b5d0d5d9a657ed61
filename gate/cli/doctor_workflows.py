"""What `gate doctor` asks of the files below .github/workflows: permissions, depth, filters, unsafe events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gate.cli.doctor_check import Check
from gate.errors import GateError, UsageError

if TYPE_CHECKING:
    from gate.settings import Settings

FOLDER = Path(".github/workflows")
LARGEST = 1 << 20
_JUDGES = re.compile(r"(?:^|[\s/;&|(])gate ci\b", re.MULTILINE)
_MEASURES = re.compile(r"(?:^|[\s/;&|(])gate ci\b[^\n]*--shard\b", re.MULTILINE)
_OTHERS: Mapping[Kind, re.Pattern[str]] = {
    "watches": re.compile(r"(?:^|[\s/;&|(])gate nightly\b", re.MULTILINE),
    "proposes": re.compile(r"(?:^|[\s/;&|(])gate baseline refresh\b", re.MULTILINE),
    "answers": re.compile(r"(?:^|[\s/;&|(])gate command\b", re.MULTILINE),
    "decides": re.compile(r"(?:^|[\s/;&|(])gate fork-verdict\b", re.MULTILINE),
}
ACTION = re.compile(r"(?:[\w.-]+/robustness-gate(?:/composite)?)@|\./(?:composite)?$")
Kind = Literal["judges", "measures", "watches", "proposes", "answers", "decides"]
NEEDS: Mapping[Kind, Mapping[str, str]] = {
    "judges": {"contents": "read", "pull-requests": "write"},
    "measures": {"contents": "read"},
    "watches": {"contents": "read", "issues": "write"},
    "proposes": {"contents": "write", "pull-requests": "write"},
    "answers": {"actions": "write", "contents": "read", "pull-requests": "write"},
    "decides": {"actions": "read", "checks": "write", "contents": "read", "pull-requests": "write"},
}
_LEVELS = ("none", "read", "write")
_ALWAYS = "always()"
_CHECKOUT = "actions/checkout@"
_Table = dict[Any, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One job that runs the gate.

    Attributes:
        where: the file, relative to the repository.
        workflow, job: as they stand there.
        name: under which GitHub shows its check.
        kind: `judges` runs `gate ci` or the action; `measures` is a shard; `watches` is the night's run of main;
            `proposes` refreshes the baseline; `answers` comments; `decides` about what forks measured.
    """

    where: str
    workflow: _Table
    job: _Table
    name: str
    kind: Kind

    @property
    def runs(self) -> str:
        """What its steps run."""
        return "\n".join(str(step.get("run", "")) for step in self.steps)

    @property
    def events(self) -> dict[str, Any]:
        """What starts the workflow, by event, each with its filters or None."""
        on = self.workflow.get("on", self.workflow.get(True))  # YAML 1.1 reads the word `on` as true
        if isinstance(on, str):
            return {on: None}
        return dict(on) if isinstance(on, dict) else dict.fromkeys(on or ())

    @property
    def steps(self) -> list[_Table]:
        return [step for step in self.job.get("steps") or () if isinstance(step, dict)]


def find_jobs(root: Path) -> tuple[list[Job], list[Check]]:
    """The jobs of the repository that run the gate, and what kept a file from being read."""
    jobs: list[Job] = []
    checks: list[Check] = []
    folder = root / FOLDER
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    for name in names:
        if not name.endswith((".yml", ".yaml")):
            continue
        where = (FOLDER / name).as_posix()
        try:
            jobs += _jobs(_load(folder / name), where)
        except UsageError:
            what = "workflows can't be read without PyYAML"
            return [], [Check("workflows", "skipped", what, "python -m pip install pyyaml", where)]
        except GateError as error:
            checks.append(Check("workflows", "problem", error.message, error.remedy, where))
        except (OSError, ValueError) as error:
            checks.append(Check("workflows", "problem", f"it can't be read: {error}", "mend it", where))
    return jobs, checks


def _load(path: Path) -> Any:
    from gate.record.recordings.safe_yaml import load

    if path.stat().st_size > LARGEST:
        raise ValueError("larger than 1 MiB")
    return load(path.read_bytes(), str(path))


def _jobs(workflow: Any, where: str) -> Iterator[Job]:
    if not isinstance(workflow, dict) or not isinstance(workflow.get("jobs"), dict):
        return
    for key, job in workflow["jobs"].items():
        if not isinstance(job, dict):
            continue
        found = Job(where, workflow, job, str(job.get("name") or key), "judges")
        kind = _kind(found)
        if kind is not None:
            yield replace(found, kind=kind)


def _kind(job: Job) -> Kind | None:
    """What a job does for the gate; None for nothing."""
    measuring = bool(_MEASURES.search(job.runs))
    uses = any(ACTION.match(str(step.get("uses", ""))) for step in job.steps)
    if uses or (_JUDGES.search(job.runs) and not measuring):
        return "judges"
    if measuring:
        return "measures"
    return next((kind for kind, pattern in _OTHERS.items() if pattern.search(job.runs)), None)


def workflow_checks(root: Path, required: frozenset[str] | None, settings: Settings | None = None) -> Iterator[Check]:
    """Everything that the files of the workflows show.

    Args:
        required: names of the checks that a pull request must pass; None where that is not known.
        settings: those of the checkout; None asks nothing that depends on them.
    """
    from gate.cli.doctor_jobs import night_checks, shard_checks, team_checks

    jobs, unread = find_jobs(root)
    yield from unread
    judging = [job for job in jobs if job.kind == "judges"]
    if not judging and not unread:
        yield Check("workflows", "problem", "no workflow runs the gate", "gate init", FOLDER.as_posix())
    for job in judging:
        yield from _of_judging(job, required)
    for job in jobs:
        if job.kind != "judges":
            yield _permissions(job, NEEDS[job.kind])
    yield from shard_checks(jobs)
    yield from night_checks(jobs, settings)
    yield from team_checks(jobs, settings)
    if required is not None and judging:
        yield required_check(judging, required)


def _of_judging(job: Job, required: frozenset[str] | None) -> Iterator[Check]:
    yield _permissions(job, NEEDS["judges"])
    yield depth(job)
    yield from credentials(job)
    yield _events(job)
    yield from _skippable(job, required is not None and job.name in required)


def _permissions(job: Job, needed: Mapping[str, str]) -> Check:
    granted = job.job.get("permissions", job.workflow.get("permissions"))
    if granted is None:
        lines = ", ".join(f"{name}: {level}" for name, level in needed.items())
        what = f"the job `{job.name}` has whatever the repository grants by default"
        return Check("permissions", "warning", what, f"add `permissions: {{{lines}}}` to the job", job.where)
    lacking = {name: level for name, level in needed.items() if level_of(granted, name) < _LEVELS.index(level)}
    if lacking:
        lines = ", ".join(f"{name}: {level}" for name, level in lacking.items())
        fix = f"add to its permissions: {lines}"
        return Check("permissions", "problem", f"the job `{job.name}` lacks {lines}", fix, job.where)
    return Check("permissions", "fine", f"the job `{job.name}` may do what it must", where=job.where)


def level_of(granted: Any, name: str) -> int:
    if isinstance(granted, str):
        return {"read-all": 1, "write-all": 2}.get(granted, 0)
    said = granted.get(name, "none") if isinstance(granted, dict) else "none"
    return _LEVELS.index(said) if said in _LEVELS else 0


def _checkouts(job: Job) -> list[_Table]:
    found = [step for step in job.steps if str(step.get("uses", "")).startswith(_CHECKOUT)]
    return [given if isinstance(given := step.get("with"), dict) else {} for step in found]


def depth(job: Job) -> Check:
    checkouts = _checkouts(job)
    if not checkouts:
        what = f"the job `{job.name}` checks nothing out"
        return Check("fetch-depth", "problem", what, "add a step with actions/checkout and `fetch-depth: 2`", job.where)
    for given in checkouts:
        depth = str(given.get("fetch-depth", 1))
        least = "0" if "head" in str(given.get("ref", "")) else "2"
        enough = depth == "0" or (least == "2" and depth.isdecimal() and int(depth) >= 2)
        if not enough:
            what = f"the job `{job.name}` checks out {depth} commit{'s' * (depth != '1')}, without the base"
            return Check("fetch-depth", "problem", what, f"give actions/checkout `fetch-depth: {least}`", job.where)
    return Check("fetch-depth", "fine", f"the checkout of the job `{job.name}` has the base", where=job.where)


def credentials(job: Job) -> Iterator[Check]:
    if any(str(given.get("persist-credentials", True)).lower() != "false" for given in _checkouts(job)):
        what = f"the checkout of the job `{job.name}` leaves the token where the suite can read it"
        yield Check("credentials", "warning", what, "give actions/checkout `persist-credentials: false`", job.where)


def _events(job: Job) -> Check:
    if "pull_request_target" in job.events:
        what = f"the job `{job.name}` runs on pull_request_target, where code of a stranger would run beside secrets"
        return Check("events", "problem", what, "use `pull_request` (docs/security.md)", job.where)
    if "pull_request" not in job.events:
        what = f"the job `{job.name}` does not run on pull requests"
        return Check("events", "problem", what, "add `pull_request:` to the events", job.where)
    return Check("events", "fine", f"the job `{job.name}` runs on pull requests", where=job.where)


def _skippable(job: Job, required: bool) -> Iterator[Check]:
    state: Literal["problem", "warning"] = "problem" if required else "warning"
    filters = job.events.get("pull_request") or {}
    named = [name for name in ("paths", "paths-ignore") if isinstance(filters, dict) and name in filters]
    if named:
        what = (
            f"`{named[0]}` keeps the job `{job.name}` from starting, and a required check then stays pending for ever"
        )
        fix = f"remove `{named[0]}`: an unchanged suite passes"
        yield Check("skipped-check", state, what, fix, job.where)
    if str(job.job.get("if", _ALWAYS)).strip("${ }") != _ALWAYS:
        what = f"`if` can skip the job `{job.name}`, and a skipped job passes as a required check"
        yield Check("skipped-check", state, what, "remove `if`", job.where)


def required_check(jobs: Iterable[Job], required: frozenset[str]) -> Check:
    """Whether a pull request must pass one of these jobs."""
    names = sorted({job.name for job in jobs})
    # the check of a matrix is called after its job, with the values in brackets
    if any(check == name or check.startswith(f"{name} (") for check in required for name in names):
        return Check("required-check", "fine", "a pull request must pass the gate")
    fix = f"in Settings, Rules, require the status check `{names[0]}` for the default branch"
    return Check("required-check", "warning", "a red gate keeps nobody from merging: its check is not required", fix)
