"""Agents that really run in a cell, for tests."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gate.record.probes.agents.agent import Agent, Task
from gate.record.probes.chosen import chosen_agent, opened_agent, providers_of, setup_of
from gate.record.probes.runner import Mode
from gate.sandbox.cell import Cell, SandboxError, opening
from gate.settings import Settings
from gate.suites.probes.answer import Answer
from tests.support.probe_runs import probe_of

PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else os.path.realpath(sys.executable)


@contextlib.contextmanager
def held_cell() -> Iterator[Cell]:
    """A cell, or a skipped test where this machine holds no untrusted code."""
    with contextlib.ExitStack() as stack:
        try:
            cell = stack.enter_context(opening.open_cell())
        except SandboxError as error:
            pytest.skip(f"this machine holds no untrusted code: {error.message}")
        yield cell


def share(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every command of this process work in one cell, since each would open its own; an unsafe one is its own."""
    real = opening.open_cell

    @contextlib.contextmanager
    def opened(*, unsafe: bool = False, **options: Any) -> Iterator[Cell]:
        if not unsafe:
            yield cell
            return
        with real(unsafe=True, **options) as own:
            yield own

    monkeypatch.setattr(opening, "open_cell", opened)


@contextlib.contextmanager
def agent_in(
    root: Path, cell: Cell, mode: Mode = "live", environ: Mapping[str, str] | None = None, **settings: Any
) -> Iterator[Agent]:
    """The agent of some settings in a folder; what it recorded is put on the disk at the end."""
    found = Settings.model_validate({"agent_timeout": 20.0, **settings})
    surroundings = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", **(environ or {})}
    chosen = chosen_agent(found, root)
    assert chosen is not None
    providers = providers_of(
        chosen, found, root=root, environ=surroundings, mode=mode, today=lambda: dt.date(2026, 11, 30)
    )
    setup = setup_of(chosen, found, root=root, environ=surroundings)
    yield opened_agent(chosen, setup, found, cell=cell, providers=providers)
    providers.finish()


def asked(
    root: Path, cell: Cell, script: str, prompt: str = "Do it.", files: Mapping[str, str] | None = None, **options: Any
) -> Answer:
    """What a script of Python answers as an agent; `{…}` of a command come behind it."""
    (root / "agent.py").write_text(script, encoding="utf-8")
    behind = options.pop("behind", "")
    setup = options.pop("setup", {})
    with agent_in(root, cell, agent_cmd=f"{PYTHON} -I agent.py {behind}", **options) as agent:
        return agent.ask(Task(replace_setup(setup), 0, 1, prompt, files or {}))


def replace_setup(setup: Mapping[str, str]) -> Any:
    """A probe whose working folder holds these files."""
    return probe_of("task", setup=dict(setup))
