"""One pull request of the demo as a person sees it: the comment, its exit code, and where to look closer."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.cli.demo_repository import DemoRun
    from gate.schema.verdict import Verdict

_REMEDY = "please report this; `gate demo --keep DIR` keeps the repository to look into"


def show_run(console: Console, run: DemoRun, expected: int, kept: Path) -> None:
    """Print the comment of a run, and insist on the exit code.

    Args:
        kept: path without an ending, of the page and the verdict that stay when the repository is gone.

    Raises:
        GateError: another exit code, or no verdict.
    """
    from gate.cli.files import read_verdict_file
    from gate.cli.verdict_text import verdict_text
    from gate.render.escape import terminal

    what = f"the {kept.name} pull request"
    insist(what, run.exit_code, expected, run.said)
    if not run.verdict.is_file():
        raise GateError(f"{what} left no verdict; the gate said:\n{run.said}", where="gate demo", remedy=_REMEDY)
    verdict = _of_this_machine(read_verdict_file(run.verdict))
    page, stored = kept.with_suffix(".html"), kept.with_suffix(".json")
    page.write_text(verdict_text(verdict, "html", console), encoding="utf-8")
    stored.write_text(verdict_text(verdict, "json", console), encoding="utf-8")
    console.result(verdict_text(verdict, "text", console))
    console.result(f"Exit code {run.exit_code}, as expected. The same as a page: {terminal(str(page))}")
    if verdict.findings:
        shown = f"gate show {verdict.findings[0].id} --verdict {shlex.quote(str(stored))}"
        console.result(f"Look closer, here: {terminal(shown)}")
    console.result("")


def insist(what: str, code: int, expected: int, said: str) -> None:
    """Refuse to go on where a step of the demo ended otherwise than its story tells.

    Raises:
        GateError: it did.
    """
    if code != expected:
        told = f"{what} ended with {code} instead of {expected}; the gate said:\n{said}"
        raise GateError(told, where="gate demo", remedy=_REMEDY)


def _of_this_machine(verdict: Verdict) -> Verdict:
    """Without the pull request's number and the address of its run: there is no GitHub that knows them."""
    return replace(verdict, provenance=replace(verdict.provenance, pull_request=None, report_url=""))
