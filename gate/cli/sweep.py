"""`gate sweep`: how far a model's inputs must move before its answers flip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, EXIT_UNDECIDED

if TYPE_CHECKING:
    from gate.suites.perturbation.measured import Sweep


@click.command(epilog="Example: gate sweep --config sweep.toml --output .gate/sweep.json")
@click.option(
    "--config",
    "path",
    type=click.Path(path_type=Path),
    required=True,
    help="TOML of ours, or GlassAlpha's audit_config.yaml.",
)
@click.option("--model", "given", default=None, metavar="MODULE:ATTRIBUTE", help="The model, instead of the file's.")
@click.option("--trust-model", is_flag=True, help="Load a pickle or joblib file, which runs the code that is in it.")
@click.option("--strict", is_flag=True, help="Exit with 1 on WARNING too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=None, help="Write a candidate report that `gate ci` can join."
)
@click.option("--html", type=click.Path(path_type=Path), default=None, help="Write a page to print.")
@click.pass_obj
def sweep(
    console: Console,
    /,
    path: Path,
    given: str | None,
    trust_model: bool,
    strict: bool,
    as_json: bool,
    output: Path | None,
    html: Path | None,
) -> int:
    """Move the rows of a table a little, and say how many answers flip.

    For each ε of the configuration: Gaussian noise of ε times each column's scale, and a search for the worst case
    inside that distance. What the search finds is a lower bound: a row that it does not flip may still be flipped.

    Exit codes: 0 PASS or WARNING; 1 FAIL, with --strict WARNING too; 2 usage; 3 something was not measured.
    """
    from gate.baselines.write import write_atomically
    from gate.cli.sweep_inputs import swept
    from gate.cli.sweep_text import sweep_json, sweep_text

    found, ids = swept(console, path, given, trust=trust_model)
    if output is not None:
        from gate.cli.sweep_report import candidate

        write_atomically(output, candidate(found, ids, path))
        console.say(f"written: {output}")
    if html is not None:
        from gate.render.sweep_page import sweep_page

        write_atomically(html, sweep_page(sweep_json(found)).encode("utf-8"))
        console.say(f"written: {html}")
    for error in found.errors:
        console.error(f"not measured: {error}")
    console.result(_as_json(found) if as_json else sweep_text(found))
    return exit_code(found, strict=strict)


def exit_code(found: Sweep, *, strict: bool) -> int:
    """0 for PASS and WARNING, 1 for FAIL and for a strict WARNING, 3 where there is no status."""
    if found.status is None:
        return EXIT_UNDECIDED
    fails = found.status == "FAIL" or (strict and found.status == "WARNING")
    return EXIT_REGRESSION if fails else EXIT_HOLDS


def _as_json(found: Sweep) -> str:
    import json

    from gate.cli.sweep_text import sweep_json

    return json.dumps(sweep_json(found), indent=2, allow_nan=False)
