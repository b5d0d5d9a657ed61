"""`gate plan`: what the trials on main can show, what a pull request costs, and how many trials would be enough."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED, BaselineError, UsageError

if TYPE_CHECKING:
    from gate.render.plan_text import Sheet
    from gate.schema.report import Case, Report
    from gate.settings import Settings

RATES = (1.0, 0.95, 0.90, 0.75)
CAP = 60
_NAMED = 5
_BY_HAND = ("n0", "cases", "cap", "rates")
_MARK = "mark tests that vary with `@pytest.mark.stochastic` and refresh the baseline; or plan by hand with --n0"


@click.command(epilog="Example: gate plan --n0 10 --cases 12")
@click.argument("case", required=False)
@click.option("--n0", type=int, default=None, metavar="N", help="By hand: trials of each case on main.")
@click.option("--cases", type=int, default=None, metavar="N", help="By hand: stochastic cases of the suite; default 1.")
@click.option("--cap", type=int, default=None, metavar="N", help=f"By hand: most trials here a case; default {CAP}.")
@click.option("--rates", default=None, metavar="LIST", help="By hand: true pass rates; default 1,.95,.9,.75.")
@click.option("--delta", type=float, default=None, help="Drop that must be found; by default the settings' (.3).")
@click.option("--alpha", type=float, default=None, help="False alarms a pull request; by default the settings' (.05).")
@click.option("--power", type=float, default=None, help="Chance to find the drop; by default the settings' (.9).")
@click.option("--price", type=float, default=None, help="Price of a call; by default the settings' (0).")
@click.option("--suite", default=None, help="Suite whose baseline is planned; by default the settings' own.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def plan(console: Console, /, case: str | None, as_json: bool, **options: Any) -> int:
    """Say what the trials on main can show: for the baseline of this checkout, for one CASE of it, or by hand.

    For each kind of case: how often a drop of --delta is found, the smallest drop that is found reliably, the calls
    that a pull request makes, unchanged and with that drop, and how many trials on main would be enough. CASE is an
    id, or the end of one. What the test code asks for in its marker counts before the settings and options.

    A power counts as attained from 2.5 points below it on, as in the comment, where it is called nearly attainable.
    Exit codes: 0 it is attained; 3 it is not, and what would be enough is said; by hand main's trials alone count, else
    the way that the settings choose.
    """
    by_hand = [f"--{name}" for name in _BY_HAND if options[name] is not None]
    if by_hand and (case is not None or options["suite"] is not None):
        raise UsageError(
            f"{by_hand[0]} plans by hand, and a case or suite is planned from the baseline",
            remedy=f"leave out either {' '.join(by_hand)} or the case and --suite",
        )
    if by_hand and options["n0"] is None:
        raise UsageError(f"{by_hand[0]} plans by hand, which needs --n0", remedy="add --n0, the trials of main")
    sheet = _by_hand(options) if by_hand else _of_baseline(case, options)
    reached = all(row.alone.reached if by_hand else row.reached for row in sheet.rows)
    console.result(_json(sheet) if as_json else _text(sheet, one=case is not None))
    return EXIT_HOLDS if reached else EXIT_UNDECIDED


def _by_hand(options: dict[str, Any]) -> Sheet:
    from gate.cli.planning import Figures, sheet_by_hand

    _check_fractions(options)
    figures = Figures(
        n0=_least("--n0", options["n0"], 0),
        cases=_least("--cases", 1 if options["cases"] is None else options["cases"], 1),
        delta=0.30 if options["delta"] is None else options["delta"],
        alpha=0.05 if options["alpha"] is None else options["alpha"],
        power=0.90 if options["power"] is None else options["power"],
        cap=_least("--cap", CAP if options["cap"] is None else options["cap"], 1),
        price=options["price"] or 0.0,
        rates=_rates(options["rates"]),
    )
    try:
        return sheet_by_hand(figures)
    except ValueError as error:
        raise UsageError(str(error), remedy="give smaller numbers of trials") from None


def _of_baseline(name: str | None, options: dict[str, Any]) -> Sheet:
    from gate.baselines.places import BASELINES
    from gate.cli.files import local_settings, require_own_settings
    from gate.cli.planning import sheet_of, sheet_of_case
    from gate.compare.ledger import budget_of, declares

    folder = Path.cwd()
    require_own_settings(folder, "gate plan" if name is None else f"gate plan {name}")
    _check_fractions(options)
    chosen = {key: options[key] for key in ("suite", "delta", "alpha", "power", "price")}
    settings = local_settings(folder, chosen)
    if options["alpha"] is not None and settings.false_alarms:
        settings = settings.model_copy(update={"false_alarms": "", "runs": ""})
    baseline, path = _baseline(settings)
    suites = {each.name for each in (folder / BASELINES).glob("*.jsonl")} | {path.name}
    budget = budget_of(baseline, settings, suites=len(suites))
    case = None if name is None else _named(name, baseline.cases, str(path))
    if not any(declares(each) for each in baseline.cases):
        raise BaselineError("no case of the baseline is stochastic", where=str(path), remedy=_MARK)
    if not any(declares(each) and each.trials is not None and each.trials.count for each in baseline.cases):
        raise BaselineError(
            "no stochastic case of the baseline has trials",
            where=str(path),
            remedy="`gate run` and `gate baseline refresh` on main bring them",
        )
    if case is None:
        return sheet_of(baseline.cases, settings, budget)
    return sheet_of_case(baseline.cases, case, settings, budget)


def _baseline(settings: Settings) -> tuple[Report, Path]:
    from gate.baselines.places import baseline_path
    from gate.cli.files import read_report_file

    path = Path(baseline_path(settings))
    if not path.exists():
        raise BaselineError(
            "there is no baseline to plan with",
            where=str(path),
            remedy="`gate baseline create` makes one; or plan by hand, such as `gate plan --n0 10 --cases 12`",
        )
    return read_report_file(path, settings.max_report_bytes), path


def _named(name: str, cases: Sequence[Case], where: str) -> Case:
    """The stochastic case with trials that an id, or the end of one, names.

    Raises:
        UsageError: no case, several, or one that can't be planned.
    """
    from gate.compare.ledger import declares

    found = _matching(name, cases)
    if not found:
        raise UsageError(f"no case is called `{name:.200}`", where=where, remedy=_nearest(name, cases))
    if len(found) > 1:
        some = ", ".join(f"`{case.id:.200}`" for case in found[:_NAMED])
        more = f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
        raise UsageError(f"{len(found)} cases end with `{name:.200}`", where=where, remedy=f"name one: {some}{more}")
    case = found[0]
    if not declares(case):
        raise UsageError(
            f"`{case.id:.200}` is not stochastic: one run decides it, so there is nothing to plan",
            where=where,
            remedy="if it varies, mark it with `@pytest.mark.stochastic` and refresh the baseline",
        )
    if case.trials is None or not case.trials.count:
        raise UsageError(
            f"`{case.id:.200}` has no trials on main yet",
            where=where,
            remedy="`gate run` and `gate baseline refresh` on main bring them; or plan by hand with --n0",
        )
    return case


def _matching(name: str, cases: Sequence[Case]) -> list[Case]:
    """The case of that id; else those that end with it at a joint of an id; else those that do without parameters."""
    exact = [case for case in cases if case.id == name]
    ends = [case for case in cases if case.id.endswith((f"::{name}", f"/{name}"))]
    bare = [case for case in cases if f"::{case.id.partition('[')[0]}".endswith((f"::{name}", f"/{name}"))]
    return exact or ends or bare


def _nearest(name: str, cases: Sequence[Case]) -> str:
    short = {case.id.rpartition("::")[2]: case.id for case in cases}
    known = [*short, *short.values()]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean `{short.get(close[0], close[0]):.200}`?" if close else "`gate baseline show` lists the cases"


def _check_fractions(options: dict[str, Any]) -> None:
    for key in ("delta", "alpha", "power"):
        value = options[key]
        if value is not None and not 0 < value < 1:
            raise UsageError(
                f"--{key} lies strictly between 0 and 1, not at {value:g}", remedy=f"write --{key} .3 for 30 in 100"
            )
    price = options["price"]
    if price is not None and not 0 <= price < float("inf"):
        raise UsageError(f"--price is 0 or more, not {price:g}", remedy="give what one call costs")


def _least(option: str, value: int, least: int) -> int:
    if value < least:
        raise UsageError(f"{option} is at least {least}, not {value}", remedy=f"give {option} {max(least, 10)}")
    return value


def _rates(text: str | None) -> tuple[float, ...]:
    if text is None:
        return RATES
    try:
        rates = tuple(float(part) for part in text.split(","))
    except ValueError:
        rates = (-1.0,)
    if not all(0 <= rate <= 1 for rate in rates):
        raise UsageError(
            f"--rates are numbers from 0 to 1 with commas between them, not {text!r:.80}",
            remedy="write --rates 1,.95,.9,.75",
        )
    return tuple(dict.fromkeys(rates))


def _json(sheet: Sheet) -> str:
    from gate.cli.planning import as_json

    return json.dumps(as_json(sheet), indent=2, ensure_ascii=False)


def _text(sheet: Sheet, *, one: bool) -> str:
    from gate.render.plan_text import case_text, plan_text

    return case_text(sheet, sheet.rows[0]) if one else plan_text(sheet)
