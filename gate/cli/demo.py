"""`gate demo`: a worse and an unchanged pull request of a real model, gated on this machine alone."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, GateError, UsageError

if TYPE_CHECKING:
    from gate.cli.demo_repository import DemoRepository
    from gate.schema.verdict import Verdict

_NEEDED = {"sklearn": "scikit-learn", "numpy": "numpy", "pandas": "pandas"}


@click.command(epilog="Example: gate demo --keep ../tumours")
@click.option("--keep", type=click.Path(path_type=Path), default=None, help="Keep the repository in this new folder.")
@click.option("--no-colour", is_flag=True, help="Print without colours.")
@click.pass_obj
def demo(console: Console, keep: Path | None, no_colour: bool) -> int:
    """Gate a worse and an unchanged pull request of a small real model. No network, no account.

    Makes a git repository with a scikit-learn model, its baseline and two branches, and runs `gate ci` on each as
    GitHub would. Then mutates the prompt of an agent, from recordings. Ends with 0 when the worse one fails, the
    unchanged one passes, and the mutants end as they must.
    """
    from gate.cli.demo_mutation import show_mutants
    from gate.cli.demo_repository import DemoRepository, project

    _require_packages()
    if no_colour:
        console = Console(quiet=console.quiet, verbose=console.verbose, colour=False)
    folder = _new_folder(keep)
    pages = Path(tempfile.mkdtemp(prefix="robustness-gate-demo-")) if keep is None else folder
    try:
        repository = DemoRepository(folder / "repository", project(), say=console.detail)
        console.say("demo: a repository with a model, its tests, and a baseline made by `gate baseline create`")
        repository.prepare()
        _show(console, repository, "worse", EXIT_REGRESSION, pages)
        _show(console, repository, "unchanged", EXIT_HOLDS, pages)
        show_mutants(console, folder)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if keep is not None:
        console.result(f"Repository: {folder / 'repository'}")
    return EXIT_HOLDS


def _show(console: Console, repository: DemoRepository, name: str, expected: int, pages: Path) -> None:
    """Gate one pull request, print its comment, and insist on the exit code."""
    from gate.cli.files import read_verdict_file
    from gate.cli.verdict_text import verdict_text
    from gate.render.escape import terminal

    console.say(f"demo: pull request `{name}`: {repository.story(name)}")
    run = repository.gate(name)
    if run.exit_code != expected or not run.verdict.is_file():
        raise GateError(
            f"the {name} pull request ended with {run.exit_code} instead of {expected}; the gate said:\n{run.said}",
            where="gate demo",
            remedy="please report this; `gate demo --keep DIR` keeps the repository to look into",
        )
    verdict = _of_this_machine(read_verdict_file(run.verdict))
    page, kept = pages / f"{name}.html", pages / f"{name}.json"
    page.write_text(verdict_text(verdict, "html", console), encoding="utf-8")
    kept.write_text(verdict_text(verdict, "json", console), encoding="utf-8")
    console.result(verdict_text(verdict, "text", console))
    console.result(f"Exit code {run.exit_code}, as expected. The same as a page: {terminal(str(page))}")
    if verdict.findings:
        shown = f"gate show {verdict.findings[0].id} --verdict {shlex.quote(str(kept))}"
        console.result(f"Look closer, here: {terminal(shown)}")
    console.result("")


def _of_this_machine(verdict: Verdict) -> Verdict:
    """Without the pull request's number and the address of its run: there is no GitHub that knows them."""
    return replace(verdict, provenance=replace(verdict.provenance, pull_request=None, report_url=""))


def _require_packages() -> None:
    missing = [package for module, package in _NEEDED.items() if find_spec(module) is None]
    if missing:
        raise UsageError(
            f"the demo trains a real model and needs {', '.join(missing)} beside the gate",
            where="gate demo",
            remedy=f"`{Path(sys.executable).name} -m pip install {' '.join(missing)}`, or `make demo` in a checkout",
        )


def _new_folder(keep: Path | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="robustness-gate-"))
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise UsageError("is not empty", where=str(keep), remedy="name a folder that doesn't exist yet")
    keep.mkdir(parents=True, exist_ok=True)
    return keep.resolve()
