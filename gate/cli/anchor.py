"""`gate anchor`: the tag that the total loss is measured from, set by a person and moved by nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.cli.files import local_settings, require_own_settings
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, BaselineError, UsageError

if TYPE_CHECKING:
    from gate.baselines.git import Git
    from gate.baselines.refresh import Prepared
    from gate.schema.report import Report
    from gate.settings import Settings

USUAL = "robustness-anchor"


@click.group(
    short_help="Set or show the anchor that the total loss is measured from.", epilog="Example: gate anchor show"
)
def anchor() -> None:
    """Set or show the anchor that the total loss is measured from."""


@anchor.command("set", short_help="Put the anchor at a commit.", epilog="Example: gate anchor set")
@click.argument("commit", default="HEAD")
@click.option("--push", is_flag=True, help="Publish it to `origin` first; where that is refused, nothing is moved.")
@click.pass_obj
def set_(console: Console, /, commit: str, push: bool) -> int:
    """Put the tag that the setting `anchor` names at COMMIT of main, and publish it or say how.

    From then on losses count from the baseline there; what was lost before is forgotten. A commit that is not in the
    default branch is named, since its baseline was never accepted.

    Exit codes: 0 set; 2 wrong usage, or it may not be published; 3 there is no baseline at that commit.
    """
    from gate.baselines.git import Git
    from gate.baselines.places import baseline_path

    require_own_settings(Path.cwd(), "gate anchor set")
    settings = local_settings(Path.cwd())
    name, git = settings.anchor or USUAL, Git(Path.cwd())
    found = git.resolve(commit)
    if found is None:
        raise UsageError(f"nothing is called `{commit:.100}` here", remedy="give a branch, a tag or a commit")
    path = git.prefix + baseline_path(settings)
    if git.entry(found, path) is None:
        raise BaselineError(
            f"{found[:7]} has no baseline to measure from", where=path, remedy="commit one: `gate baseline create`"
        )
    branch = _branch_without(git, found)
    if branch:
        console.warn(
            f"{found[:7]} is not in `{branch}`: losses count from a baseline that it never had; "
            f"`gate anchor set {branch}` takes its own"
        )
    if push:
        from gate.baselines.push import REMOTE, push_tag

        push_tag(Path.cwd(), name, found, os.environ)
    git.set_tag(name, found)
    then = f"published to {REMOTE}" if push else f"publish it: git push --force origin refs/tags/{name}"
    console.result(f"{name} is at {found[:7]}; {then}")
    if not settings.anchor:
        console.result(f'no setting names it yet; add to the settings of main: anchor = "{name}"')
    return EXIT_HOLDS


def _branch_without(git: Git, commit: str) -> str:
    """The default branch where a commit is not in its history, here or as `origin` has it; empty where it is."""
    from gate.baselines.base import default_branch

    branch = default_branch(git)
    tips = [git.resolve(f"{where}/{branch}") for where in ("refs/heads", "refs/remotes/origin")]
    known = [tip for tip in tips if tip is not None]
    return branch if known and not any(git.is_ancestor(commit, tip) for tip in known) else ""


@anchor.command(short_help="Show the anchor, and what was lost since.", epilog="Example: gate anchor show")
@click.pass_obj
def show(console: Console) -> int:
    """Show where the anchor is, how old its baseline is, and what the baseline here lost since beyond its limit.

    Exit codes: 0 within the limits; 1 more was lost; 2 wrong usage; 3 the anchor is gone, or there is no baseline.
    """
    from gate.baselines.places import baseline_path
    from gate.cli.baseline_files import previous

    require_own_settings(Path.cwd(), "gate anchor show")
    settings = local_settings(Path.cwd())
    if not settings.anchor:
        raise UsageError("no anchor is named", where="anchor", remedy=f'set `anchor = "{USUAL}"`, then gate anchor set')
    told, then = _anchored(settings)
    _, now = previous(Path(baseline_path(settings)), settings)
    if now is None:
        raise BaselineError("there is no baseline", remedy="`gate baseline create` or `gate baseline adopt REPORT`")
    console.result(f"anchor: {told}")
    lost = [] if then is None else _lost(then, now, settings)
    console.result(
        "\n".join(lost) or ("nothing to compare with" if then is None else "nothing was lost beyond its limit")
    )
    return EXIT_REGRESSION if lost else EXIT_HOLDS


class LossError(BaselineError):
    """A refresh would take in more loss than the anchor allows."""

    exit_code = EXIT_REGRESSION


def refuse_loss(console: Console, prepared: Prepared, path: Path, settings: Settings) -> None:
    """Refuse a new baseline that lost too much since the anchor; a folder without the setting has none.

    Raises:
        LossError: with each loss.
        BaselineError: the anchor is gone.
    """
    if not settings.anchor:
        return
    from gate.baselines.attached import attach
    from gate.ingest import read_report

    told, then = _anchored(settings)
    if then is None:
        console.warn(told)
        return

    def beside(name: str) -> bytes | None:
        return prepared.files.get(PurePosixPath(name).name)

    limit = settings.max_report_bytes
    new = read_report(attach(prepared.data, path.as_posix(), beside, limit=limit), str(path), limit=limit)
    lost = _lost(then, new, settings)
    if lost:
        raise LossError(
            f"too much was lost since the anchor {told}: " + "; ".join(lost[:5]),
            where="anchor-loss",
            remedy="win it back, or move the anchor knowingly: `gate anchor set`",
        )


def _anchored(settings: Settings) -> tuple[str, Report | None]:
    """What to say of the anchor, and the baseline there."""
    from gate.baselines.anchor import read_anchor
    from gate.baselines.git import Git
    from gate.ingest import read_report

    found = read_anchor(Git(Path.cwd()), settings, now=time.time())
    if found.data is None:
        return found.notice, None
    return found.told, read_report(found.data, found.name, limit=settings.max_report_bytes)


def _lost(then: Report, now: Report, settings: Settings) -> list[str]:
    from gate.compare.anchor import losses
    from gate.compare.rules.anchor_loss import RULE
    from gate.schema.verdict import Level

    if settings.level_of(RULE.name, RULE.level) is not Level.ERROR:
        return []
    found = losses(then, now, settings, {}, settings.tolerance_of(RULE.name, RULE.tolerance))
    return [f"{each.subject} {each.what}: {each.before} at the anchor, {each.after} now" for each in found]
