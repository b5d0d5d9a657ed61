"""`gate baseline floor`: what an honest retrain flips, so that only more than that counts against a change."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.baseline_files import chosen, previous, write_baseline
from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, BaselineError

if TYPE_CHECKING:
    from gate.baselines.floors import Measured
    from gate.schema.report import Report
    from gate.settings import Settings


@click.command(
    short_help="Measure what an honest retrain flips.",
    epilog="Example: gate baseline floor --reseeds 5 -- tests/robustness",
)
@click.option("--reseeds", type=click.IntRange(min=5, max=50), default=5, show_default=True, help="Runs of the suite.")
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Configuration of a `gate sweep` whose model is trained anew too; may be given more than once.",
)
@click.option("--python", default=sys.executable, help="Interpreter of the suite; by default this one.")
@click.option("--suite", default=None, help="Name of the suite; by default the settings' own.")
@click.option("--output", type=click.Path(path_type=Path), default=None, help="Where the baseline is.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def floor(
    console: Console,
    reseeds: int,
    sweeps: tuple[Path, ...],
    python: str,
    suite: str | None,
    output: Path | None,
    arguments: tuple[str, ...],
) -> int:
    """Run the suite several times with another `robustness.reseed`, and store how many examples flip.

    The suite trains with that number as its seed, or resamples its training rows by it: 1, 2, … here, and 0 in every
    other run. From then on `negative-flip` allows a pull request as many negative flips as an honest retrain makes, by
    an upper tolerance bound (97.5 % of retrains, with 90 % confidence), over the same examples. The base's decides.

    With --sweep the module of a sweep's model is imported anew each time, and reads the number from GATE_RESEED.
    """
    from gate.baselines.distill import dump_baseline
    from gate.baselines.floors import measure_floors
    from gate.cli.files import commit_here

    settings, path = chosen("floor", suite, output, arguments)
    _, found = previous(path, settings)
    if found is None:
        raise BaselineError("there is no baseline", where=str(path), remedy="`gate baseline create` makes the first")
    commit = commit_here(Path.cwd(), os.environ)
    runs = []
    for number in range(1, reseeds + 1):
        console.say(f"reseed {number} of {reseeds}")
        runs.append(_reseeded(settings, python, number, commit, sweeps))
    changed, measured = measure_floors(found, runs)
    write_baseline(console, path, dump_baseline(changed))
    console.result(_told(measured))
    if not any(negative for each in measured for negative in each.floor.negatives):
        console.warn("no run flipped anything: does the suite train with `robustness.reseed`?")
    return EXIT_HOLDS


def _reseeded(settings: Settings, python: str, number: int, commit: str, sweeps: tuple[Path, ...]) -> Report:
    """One retrain: the suite, unless the settings name a report that comes from elsewhere, and the sweeps."""
    from gate.cli.files import OUTPUT
    from gate.cli.suite import run_for_baseline
    from gate.cli.sweep_reseeded import reseeded_sweep
    from gate.ingest.join import join

    reports = [
        reseeded_sweep(config, OUTPUT / f"reseed-{number}-sweep-{place}.json", number, settings.max_report_bytes)
        for place, config in enumerate(sweeps, 1)
    ]
    if not (sweeps and settings.report):
        report = OUTPUT / f"reseed-{number}.json"
        reports.insert(0, run_for_baseline(settings, python, report, commit, name=f"reseed {number}", reseed=number))
    return reports[0] if len(reports) == 1 else join(reports, settings.suite)


def _told(measured: tuple[Measured, ...]) -> str:
    """One line a set of predictions, escaped for a terminal."""
    from gate.render.escape import terminal

    lines = []
    for each in measured:
        flips = ", ".join(f"{count:,}" for count in each.floor.negatives)
        told = f"{flips} negative flips of {each.floor.total:,}; at most {each.floor.bound:,} pass"
        lines.append(f"{terminal(each.case)}, {terminal(each.name)}: {told}")
        for name, under in sorted(each.floor.attacks.items()):
            broken = ", ".join(f"{count:,}" for count in under.negatives)
            lines.append(f"  {terminal(name)}: {broken} adversarial regressions; at most {under.bound:,} pass")
    return "\n".join(lines)
