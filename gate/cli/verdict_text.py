"""A verdict in the format that a command was asked for."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console
from gate.cli.files import VERDICT

if TYPE_CHECKING:
    from gate.schema.verdict import Verdict

FORMATS = ("text", "markdown", "json")
EXPORTS = ("sarif", "junit", "csv")
ALL_FORMATS = (*FORMATS, "html", *EXPORTS)


def tell_where(console: Console, verdict: Verdict, path: Path) -> None:
    """Say how `gate show` finds a verdict that is kept elsewhere than where it looks."""
    if path != VERDICT and verdict.findings:
        console.say(f"look closer: gate show {verdict.findings[0].id} --verdict {shlex.quote(str(path))}")


def verdict_text(verdict: Verdict, form: str, console: Console) -> str:
    """Text of a verdict; `form` is one of `ALL_FORMATS`."""
    from gate import render

    if form == "markdown":
        return render.comment(verdict)
    if form == "json":
        return render.verdict_json(verdict)
    if form == "html":
        return render.page(verdict)
    if form in EXPORTS:
        from gate.render import exports

        made = {"sarif": exports.verdict_sarif, "junit": exports.verdict_junit, "csv": exports.verdict_csv}
        return made[form](verdict)
    width = shutil.get_terminal_size(fallback=(120, 40)).columns
    return render.terminal(verdict, colour=console.colour_on(), width=width)
