"""`gate show`: findings whole, of the last verdict here or of a pull request, with what only this machine knows."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.cli.files import LOCAL, VERDICT, local_settings, read_verdict_file
from gate.errors import GateError, UsageError

if TYPE_CHECKING:
    from gate.deliver.client import GitHub
    from gate.deliver.earlier import LatestVerdict
    from gate.schema.verdict import Finding, Verdict


@click.command(epilog="Example: gate show F3 F4 --pr 412")
@click.argument("ids", nargs=-1, required=True)
@click.option("--pr", "number", type=click.IntRange(min=1), default=None, help="Take the verdict of this pull request.")
@click.option("--suite", default=None, help="Suite of the pull request's verdict; by default the settings' own.")
@click.option("--repository", metavar="OWNER/NAME", default=None, help="By default the one of the remote `origin`.")
@click.option("--verdict", "path", type=click.Path(path_type=Path), default=None, help=f"By default {VERDICT}.")
@click.option("--local", type=click.Path(path_type=Path), default=None, help=f"Table of keyed ids, by default {LOCAL}.")
@click.pass_obj
def show(
    console: Console,
    ids: tuple[str, ...],
    number: int | None,
    suite: str | None,
    repository: str | None,
    path: Path | None,
    local: Path | None,
) -> None:
    """Show the findings IDS (F1, F2, …) of a verdict with everything that is known of them.

    With --pr, the verdict is the one that the pull request's latest run uploaded; GITHUB_TOKEN or GH_TOKEN must be able
    to read it. Reports carry keyed ids only: where a run on this machine left its own table of ids, they are joined.
    """
    from gate.render import show as show_finding

    if number is None:
        if suite or repository:
            raise UsageError("only a pull request's verdict is looked for on GitHub", remedy="add --pr NUMBER")
        verdict = read_verdict_file(path or VERDICT)
    elif path is not None:
        raise UsageError("--pr and --verdict name two verdicts", remedy="leave one of them out")
    else:
        verdict = _verdict_of(console, number, suite, repository)
    if local is not None and not local.is_file():
        raise UsageError("there is no such table of ids", where=str(local), remedy="leave out --local")
    known = _local_data(local or LOCAL)
    texts = []
    for finding_id in (part for each in ids for part in each.split(",") if part.strip()):
        shown = show_finding(verdict, finding_id, names=known.names, colour=console.colour_on())
        finding = next(each for each in verdict.findings if each.id.upper() == finding_id.strip().upper())
        texts.append("\n".join([shown, *_waiving(finding), *_moves(finding, known)]))
    console.result("\n\n".join(texts))


def _verdict_of(console: Console, number: int, suite: str | None, repository: str | None) -> Verdict:
    from gate.cli.remote import find_remote, find_token
    from gate.deliver.client import GitHub
    from gate.render import verdict_from_json

    suite = local_settings(Path.cwd(), {"suite": suite}).suite
    remote = find_remote(os.environ, Path.cwd(), repository)
    place = f"{remote.repository}#{number}"
    found = _latest(GitHub(remote.api_url, remote.repository, find_token(os.environ)), suite, number, place)
    verdict = verdict_from_json(found.data.decode("utf-8", "replace"))
    if verdict.provenance.suite != suite or verdict.provenance.pull_request not in (None, number):
        raise UsageError("the verdict that was uploaded there is of something else", where=place, remedy=_UPLOAD)
    if found.commit != found.head:
        console.warn(
            f"{place}: this is the verdict of {found.commit[:7]}, and the pull request is at {found.head[:7]} now"
        )
    return verdict


_UPLOAD = "compare its workflow with the one that `gate init` writes"


def _latest(github: GitHub, suite: str, number: int, place: str) -> LatestVerdict:
    from gate.deliver.artifacts import may_not_read
    from gate.deliver.earlier import latest_verdict
    from gate.deliver.problems import ApiError

    try:
        found = latest_verdict(github, suite, number)
    except ApiError as error:
        if error.status == 404 and error.where.endswith(f"/pulls/{number}"):
            raise UsageError(
                "there is no such pull request, or the token may not see it",
                where=place,
                remedy="check the number and --repository",
            ) from None
        remedy = "give a token that may read actions" if may_not_read(error) else "try again later"
        raise UsageError(error.message, where=place, remedy=remedy) from None
    except GateError as error:
        raise UsageError(f"{error.where} {error.message}", where=place, remedy=error.remedy) from None
    if found is None:
        raise UsageError(
            f"no run of this pull request has left a verdict of the suite `{suite}`",
            where=place,
            remedy=f"wait for its check to end, name the suite with --suite, or {_UPLOAD}",
        )
    return found


@dataclass(frozen=True, slots=True)
class _Local:
    """What only this machine knows of examples, by keyed id: the suite's own ids, and moves in its own units."""

    names: dict[str, str] = field(default_factory=dict)
    moves: dict[str, dict[str, str]] = field(default_factory=dict)


def _local_data(path: Path) -> _Local:
    known = _Local()
    if not path.is_file():
        return known
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
            key = str(entry["key"])
            known.names[key] = str(entry["id"])
            known.moves[key] = {str(attack): str(move) for attack, move in entry.get("moves", {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            continue  # a half-written last line of a killed run
    return known


def _waiving(finding: Finding) -> list[str]:
    """The command that waives it on main; nothing where it fails no check, or nobody may accept it."""
    from gate.compare.acceptance import acceptable
    from gate.render.escape import terminal

    if finding.accepted is not None or not acceptable(finding):
        return []
    amount = "" if finding.amount == 1 else f" --amount {finding.amount!r}"
    command = f"gate accept {finding.rule.value} {shlex.quote(finding.case_id)}{amount} --reason WHY --owner WHO"
    return ["", f"to waive it on main: {terminal(command, 5_000)}"]


def _moves(finding: Finding, known: _Local) -> list[str]:
    """Lines that say how far the inputs of a finding's examples moved under its attack, in the user's own units."""
    from gate.render.escape import terminal

    # `test#predictions#attack` there, `predictions, attack` in the local table
    subject = finding.case_id.replace("#", ", ")
    lines = [
        f"  {terminal(known.names[example.id], 200)}  {terminal(move, 2_000)}"
        for example in finding.examples
        for label, move in known.moves.get(example.id, {}).items()
        if subject.endswith(f", {label}")
    ]
    return ["", "moves in the suite's own units", *lines] if lines else []
