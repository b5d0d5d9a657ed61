"""Whole runs of `gate ci` on pull requests whose tests ask a seeded fake model, for `stats_end_to_end.py`.

Each pytest is forked from a process that has imported pytest, NumPy and the gate: to start it anew takes twenty times
as long. A forked process has its own folder, environment and search path, as a new one would.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import io
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a forked process has no threads of its parent

CASES, SESSIONS, TRIALS = 12, 5, 10
BROKEN_CASE = 3
TESTS = f"""
import pytest
from model import ask

@pytest.mark.stochastic
@pytest.mark.parametrize("case", range({CASES}))
def test_case(case):
    assert ask(case)
"""
MODEL = """
import hashlib, os
RATES = {rates!r}

def ask(case):
    with open(os.environ["MODEL_CALLS"], "ab") as stream:
        number = stream.tell()
        stream.write(b".")
    text = "%s:%d" % (os.environ["MODEL_SEED"], number)
    draw = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    return draw / 2**64 < RATES.get(case, {rate!r})
"""
OPTIONS = "-p no:cacheprovider --tb=line -W ignore:Module.already"


@dataclass(frozen=True, slots=True)
class Task:
    """One pull request.

    Attributes:
        seed: of the model and of the baseline.
        rate: of every test on main.
        broken: the rate of one test in the pull request; None for an unchanged one.
        confirm: setting of the base.
        commits: empty commits that follow, each with a run of its own.
    """

    seed: str
    rate: float
    broken: float | None = None
    confirm: str = "fresh"
    commits: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """How one run ended.

    Attributes:
        code: exit code.
        failing: ids of what has an error.
        told, counted: calls by the verdict, and at the model.
        answers: of the stochastic cases, with the counts that led to them.
    """

    code: int
    failing: tuple[str, ...]
    told: int
    counted: int
    answers: tuple[tuple[str, str, tuple[int, int]], ...] = field(repr=False)


class Place:
    """A repository and its model's count, in which one task follows another."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.count = folder / "calls"
        self.root.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")

    def runs(self, task: Task) -> list[Run]:
        """The first run of a pull request, then one for each empty commit."""
        self._prepare(task)
        found = [self._run(task)]
        for _ in range(task.commits):
            self._git("commit", "--quiet", "--allow-empty", "-m", "empty")
            found.append(self._run(task))
        return found

    def _prepare(self, task: Task) -> None:
        shutil.rmtree(self.root / ".gate", ignore_errors=True)
        self.count.write_bytes(b"")
        if self._git("branch", "--list", "main"):
            self._git("checkout", "--quiet", "--force", "main")
        self._write("model.py", MODEL.format(rates={}, rate=task.rate))
        self._write("tests/test_model.py", TESTS)
        self._write("pytest.ini", "[pytest]\n")
        self._write("gate.toml", f'confirm = "{task.confirm}"\n')
        self._write(".gitignore", "/.gate/\n__pycache__/\n")
        self._write("baselines/default.jsonl", "".join(f"{line}\n" for line in baseline(task)))
        self._git("add", "--all")
        self._git("commit", "--quiet", "-m", task.seed)
        self._git("checkout", "--quiet", "-B", "change")
        if task.broken is not None:
            self._write("model.py", MODEL.format(rates={BROKEN_CASE: task.broken}, rate=task.rate))
        self._git("commit", "--quiet", "--allow-empty", "--all", "-m", "change")

    def _run(self, task: Task) -> Run:
        from gate.cli.console import Console
        from gate.cli.tools import local_tools
        from gate.collaborators import Request
        from gate.pipeline import gate_pull_request

        environ = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ},
            "MODEL_CALLS": str(self.count),
            "MODEL_SEED": task.seed,
            "PYTEST_ADDOPTS": OPTIONS,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        before = self.count.stat().st_size
        console = Console(quiet=True, colour=False, out=io.StringIO(), err=io.StringIO())
        outcome = gate_pull_request(
            Request(self.root, environ, base="main"), local_tools(console, python=sys.executable)
        )
        verdict = outcome.verdict
        return Run(
            code=outcome.exit_code,
            failing=tuple(str(each.case_id or each.subject) for each in verdict.findings if each.level == "error"),
            told=verdict.budget.made if verdict.budget is not None else -1,
            counted=self.count.stat().st_size - before,
            answers=tuple((each.case_id, each.answer, each.candidate) for each in verdict.decisions),
        )

    def _write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"]
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout


def baseline(task: Task) -> Iterator[str]:
    """Lines of a baseline that is drawn from the model, whose calls for it are not the pull request's."""
    yield '{"gate_baseline":1}'
    for case in range(CASES):
        draws = [draw(f"{task.seed}:main:{case}:{number}") < task.rate for number in range(SESSIONS * TRIALS)]
        outcomes = "".join("1" if passed else "0" for passed in draws)
        sessions = [
            {"session": f"s{at // TRIALS}", "outcomes": outcomes[at : at + TRIALS]}
            for at in range(0, len(outcomes), TRIALS)
        ]
        trials = {"sessions": sessions, "asked": {"delta": "0.3", "max_trials": "60", "power": "0.9"}}
        yield json.dumps({"id": name(case), "outcome": "passed", "stochastic": True, "trials": trials})


def name(case: int) -> str:
    return f"tests/test_model.py::test_case[{case}]"


def draw(text: str) -> float:
    """As the fake model draws: uniform in [0, 1)."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") / 2**64


def forked(command: Sequence[str], *, world: Any, timeout: float, echo: object = None) -> Any:
    """In the place of `gate.record.run.run_command`: pytest in a fork of this process."""
    from gate.record.run import Ended

    with tempfile.TemporaryFile() as printed:
        child = os.fork()
        if child == 0:
            _become_pytest(command[3:], world.cwd, world.environ, printed.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        printed.seek(0)
        tail = printed.read()[-10_000:].decode("utf-8", "replace")
    return Ended(code if code >= 0 else None, -code if code < 0 else None, tail=tail)


def _become_pytest(arguments: Sequence[str], folder: Path, environ: Mapping[str, str], output: int) -> None:
    code = 70
    try:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environ)
        sys.dont_write_bytecode = True  # the model of two pull requests may have one size and one second
        given = [entry for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
        sys.path[:0] = [str(folder), *given]
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        import pytest

        code = int(pytest.main(list(arguments)))
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


_place: list[Place] = []
"""Of this process, once it is prepared."""


def prepare(folder: str) -> None:
    """Import once what every run needs, and let pytest fork from here.

    Args:
        folder: in which this process makes its own.
    """
    import _pytest.junitxml
    import _pytest.unittest
    import numpy
    import pytest

    import gate.record.plugin
    import gate.record.run
    import gate.stats.arms
    import gate.trials.question
    from gate.cli.ready import import_all

    import_all()
    for module in pkgutil.iter_modules(gate.record.plugin.__path__, "gate.record.plugin."):
        importlib.import_module(module.name)
    assert numpy and pytest and _pytest
    gc.freeze()  # a collection in a fork leaves alone what it shares with this process
    gate.record.run.run_command = forked
    own = Path(folder) / str(os.getpid())
    own.mkdir()
    _place.append(Place(own))


def runs_of(task: Task) -> list[Run]:
    """All runs of one pull request, in a process that is prepared."""
    return _place[0].runs(task)
