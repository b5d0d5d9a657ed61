"""The demo's last part: two scripted coding agents, replayed, and the pull request that takes the fragile one."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from gate.cli.console import Console
from gate.cli.demo_repository import GATE, DemoRepository, project
from gate.cli.demo_shown import insist, show_run
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION

PROJECT = "coding_agent"
_NEEDED = {"yaml": "pyyaml", "bandit": "bandit"}
_RUN = ["probes", "run", "--date", "2026-11-30"]
_MAIN = ".gate/main"
"""Where what main's agent did stays."""
_STORY = "somebody takes another coding agent, since it answers faster"
_HEAD = "## Critical Failures"
"""Where the part of the report ends that is shown."""


def show_probes(console: Console, folder: Path, kept: Path) -> bool:
    """Probe both agents from recordings, and gate the pull request that changes from one to the other.

    Args:
        folder: of the repository, which doesn't exist yet.
        kept: path without an ending, of the page and the verdict that stay.

    Returns:
        Whether it was shown.

    Raises:
        GateError: a step ended otherwise than it should.
    """
    missing = [package for module, package in _NEEDED.items() if find_spec(module) is None]
    if missing:
        console.say(
            f"demo: left out: probes of two coding agents, which need {' and '.join(missing)} "
            f"(`{Path(sys.executable).name} -m pip install {' '.join(missing)}`)"
        )
        return False
    repository = DemoRepository(folder, project(PROJECT), say=console.detail)
    console.say("demo: a coding agent in eight dimensions, its recorded answers graded in a sandbox; nobody is asked")
    repository.start("A careful agent and its probes")
    console.result(_probe(repository, "--output", _MAIN).partition(_HEAD)[0].rstrip() + "\n")
    repository.checked([*GATE, "baseline", "adopt", f"{_MAIN}/candidate.json"])
    repository.commit("The first baseline")
    repository.make_worse("Take the quicker agent")
    console.say(f"demo: pull request `agent`: {_STORY}; `gate probes run`, then `gate ci`")
    repository.merge("worse")
    _probe(repository)
    show_run(console, repository.gate("worse"), EXIT_REGRESSION, kept)
    return True


def _probe(repository: DemoRepository, *options: str) -> str:
    """Grade what is recorded of the agent of the settings; gives the report."""
    run = repository.ended([*GATE, *_RUN, *options])
    insist("the run of the probes", run.returncode, EXIT_HOLDS, run.stdout + run.stderr)
    folder = options[-1] if options else ".gate/probes"
    return (repository.path / folder / "report.md").read_text(encoding="utf-8")
