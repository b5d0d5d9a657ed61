"""`gate show`: one finding whole, joined with what only this machine knows of its examples."""

from __future__ import annotations

import json
from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.files import LOCAL, VERDICT, read_verdict_file


@click.command(epilog="Example: gate show F3")
@click.argument("ids", nargs=-1, required=True)
@click.option("--verdict", "path", type=click.Path(path_type=Path), default=VERDICT, show_default=True)
@click.option("--local", type=click.Path(path_type=Path), default=LOCAL, show_default=True)
@click.pass_obj
def show(console: Console, ids: tuple[str, ...], path: Path, local: Path) -> None:
    """Show the findings IDS (F1, F2, …) of the last verdict with everything that is known of them.

    Reports carry keyed ids only. Where a run on this machine left its own table of ids, they are joined here.
    """
    from gate.render import show as show_finding

    verdict = read_verdict_file(path)
    names = _local_names(local)
    for finding_id in ids:
        console.result(show_finding(verdict, finding_id, names=names, colour=console.colour_on()))


def _local_names(path: Path) -> dict[str, str]:
    names: dict[str, str] = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
                names[str(entry["key"])] = str(entry["id"])
            except (ValueError, KeyError, TypeError):
                continue  # a half-written last line of a killed run
    return names
