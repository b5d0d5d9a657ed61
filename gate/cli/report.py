"""`gate report`: the last verdict, rendered again."""

from __future__ import annotations

from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.files import VERDICT, read_verdict_file
from gate.cli.report_page import whole_page
from gate.cli.verdict_text import ALL_FORMATS, verdict_text


@click.command(epilog="Example: gate report --format html --output report.html")
@click.option(
    "--verdict", "path", type=click.Path(path_type=Path), default=VERDICT, show_default=True, help="Which one."
)
@click.option("--format", "form", type=click.Choice(ALL_FORMATS), default="text", help="How to render it.")
@click.option("--output", type=click.Path(path_type=Path), default=None, help="A file instead of the terminal.")
@click.pass_obj
def report(console: Console, path: Path, form: str, output: Path | None) -> None:
    """Render the verdict that `gate ci` left, without running or comparing anything.

    The page (`html`) also shows the kill matrix and the calls of the candidate beside the verdict, and how main's last
    refreshes went, as far as git knows them here.
    """
    verdict = read_verdict_file(path)
    text = whole_page(verdict, path, Path.cwd()) if form == "html" else verdict_text(verdict, form, console)
    if output is None:
        console.result(text)
        return
    from gate.baselines.write import write_atomically

    write_atomically(output, (text.rstrip("\n") + "\n").encode("utf-8"))
    console.say(f"written: {output}")
