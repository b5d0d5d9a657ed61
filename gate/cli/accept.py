"""`gate accept`: a waiver written by hand on main, for a finding that is known and shall not fail pull requests."""

from __future__ import annotations

import contextlib
import datetime as dt
import difflib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.cli.files import require_own_settings
from gate.errors import EXIT_HOLDS, BaselineError, GateError, UsageError

if TYPE_CHECKING:
    from gate.schema.acceptance import Waiver
    from gate.schema.verdict import Finding

_MOST_COMPARED = 2_000


@click.command(epilog='Example: gate accept newly-failing tests/test_a.py::test_b --reason "#7" --owner ann')
@click.argument("rule")
@click.argument("case", default="")
@click.option("--reason", required=True, help="Why it is accepted.")
@click.option("--owner", required=True, help="Who will see to it.")
@click.option("--until", default="", metavar="YYYY-MM-DD", help="Last day on which it holds; by default it has none.")
@click.option("--amount", type=click.FloatRange(min=0), default=1, show_default=True, help="How much worse it may be.")
@click.option("--who", default="", help="Who accepts it; by default git's `user.name`.")
@click.pass_obj
def accept(
    console: Console, /, rule: str, case: str, reason: str, owner: str, until: str, amount: float, who: str
) -> int:
    """Waive what RULE finds of CASE, up to an amount and until a day, in baselines/waivers.toml.

    Run it on main, and commit the file: a pull request is judged by the file of its base. Once the last day is over,
    the finding fails again. `gate baseline refresh` removes a waiver of what the new baseline holds.

    Exit codes: 0 written; 2 wrong usage; 3 the file can't be used.
    """
    from gate.baselines.waivers import PATH, read_waivers, write_waivers
    from gate.cli.waived import waivers_here, write_here
    from gate.schema.acceptance import Waiver

    require_own_settings(Path.cwd(), "gate accept")
    if not case:
        number = rule if re.fullmatch(r"[Ff]\d{1,6}", rule) else "F1"
        raise UsageError(
            "a rule and a case are expected", remedy=f"`gate show {number}` prints the command of a finding"
        )
    known = waivers_here()
    again = next((each for each in known if (each.rule, each.case_id) == (rule, case)), None)
    if again is not None:
        raise UsageError(
            f"`{rule}` is waived for this case already",
            where=f"{PATH}:{again.line}",
            remedy="change it there, or remove it first",
        )
    _refuse_past(until)
    waiver = Waiver(rule, case, amount, reason.strip(), who or _name(), owner.strip(), until)
    try:
        read_waivers(write_waivers([waiver]))  # the one place that knows what a waiver may be
    except BaselineError as error:
        raise UsageError(error.message, where="gate accept", remedy=error.remedy) from None
    write_here((*known, waiver))
    _warn(console, waiver)
    console.say(f"written: {PATH}; commit it on main")
    return EXIT_HOLDS


def _warn(console: Console, waiver: Waiver) -> None:
    """Say where it may excuse nothing: less than the last verdict here found, or a case that nothing here knows."""
    from gate.cli.files import VERDICT, read_verdict_file

    findings: tuple[Finding, ...] = ()
    if VERDICT.is_file():
        with contextlib.suppress(UsageError):
            findings = read_verdict_file(VERDICT).findings
    for each in findings:
        if (each.rule.value, each.case_id) == (waiver.rule, waiver.case_id):
            if each.amount > waiver.amount:
                console.warn(f"it covers {waiver.amount:g}, and the last verdict here found {each.amount:g}: --amount")
            return
    cases = _known_cases()
    if not any(waiver.case_id == case or waiver.case_id.startswith(f"{case}#") for case in cases):
        close = difflib.get_close_matches(waiver.case_id, sorted(cases)[:_MOST_COMPARED], n=1)
        near = f"; did you mean {close[0]:.200}?" if close else ""
        console.warn(f"neither a baseline here nor the last verdict knows this case{near}")


def _known_cases() -> set[str]:
    """The ids of all cases of the baselines of this folder; of one that can't be read, none."""
    from gate.baselines.places import BASELINES, baseline_path
    from gate.cli.files import local_settings, read_report_file

    settings = local_settings(Path.cwd())
    found: set[str] = set()
    for path in {Path(baseline_path(settings)), *Path(BASELINES).glob("*.jsonl")}:
        with contextlib.suppress(GateError):
            found |= {case.id for case in read_report_file(path, settings.max_report_bytes).cases}
    return found


def _refuse_past(until: str) -> None:
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = dt.datetime.fromtimestamp(int(given), tz=dt.UTC) if given.isdecimal() else dt.datetime.now(dt.UTC)
    if until and until < now.date().isoformat():
        raise UsageError(f"{until:.20} is over already", where="--until", remedy="name a day to come")


def _name() -> str:
    from gate.baselines.git import Git
    from gate.errors import RepositoryError

    try:
        return Git(Path.cwd()).setting("user.name")
    except RepositoryError:
        return ""
