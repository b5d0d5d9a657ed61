"""Whole runs of `gate ci` on pull requests that change nothing, with 60 mutants that main killed.

Every run finds the base, reads its baseline and settings from its commit, lets pytest try the mutants, and confirms
suspects in both arms. The baseline is drawn anew for each run, 50 trials a mutant at the rate at which its test notices
it; its fingerprints are those of another content, so that no verdict carries over and every mutant is asked again.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks import pull_requests
from benchmarks.mutation import projects
from benchmarks.mutation.unchanged import BORDERLINE, KINDS
from benchmarks.pull_requests import Place, Run, Task
from benchmarks.stats.line import Line
from benchmarks.stats_end_to_end import most

TARGET, TEST = "agent:PROMPT", "tests/test_agent.py::test_agent"
NOTICED = [rate for rate, count in sorted(KINDS.items()) for _ in range(count)]
AGENT = """
from model import passes
RULES = {rules!r}
NOTICED = {noticed!r}
PROMPT = "\\n".join(RULES)

def ask():
    return passes(PROMPT, RULES, 1.0, NOTICED)
"""
TESTS = f"""
import agent, pytest

@pytest.mark.mutate_prompt(target="{TARGET}", operators="delete-constraint")
def test_agent():
    assert agent.ask()
"""


class Mutated(Place):
    """A repository whose one test guards a prompt of 60 rules."""

    def _prepare(self, task: Task) -> None:
        super()._prepare(task)
        self._git("checkout", "--quiet", "main")
        rules = projects.rules_of(len(NOTICED))
        prompt = "\n".join(rules)
        self._write("model.py", projects.MODEL)
        self._write("agent.py", AGENT.format(rules=rules, noticed=NOTICED))
        (self.root / "tests" / "test_model.py").unlink()
        self._write("tests/test_agent.py", TESTS)
        self._write("gate.toml", "mutate = true\n")
        cases = projects.killed_on_main(task.seed, TARGET, prompt, NOTICED, TEST)
        self._write("baselines/default.jsonl", projects.baseline([*cases, projects.plain_test(TEST)]))
        self._git("add", "--all")
        self._git("commit", "--quiet", "-m", "mutants")
        self._git("checkout", "--quiet", "-B", "change")
        self._git("commit", "--quiet", "--allow-empty", "-m", "change")


def prepare(folder: str) -> None:
    """A process from which runs of pytest are forked."""
    pull_requests.prepare(folder)
    own = Path(folder) / f"mutated-{os.getpid()}"
    own.mkdir()
    pull_requests._place[:] = [Mutated(own)]


def lines(runs: int) -> Iterator[Line]:
    """Red checks, and the calls that the model counted, those of confirmations included."""
    found: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="mutation-end-to-end-") as folder:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(os.cpu_count() or 1, 2), context, prepare, (folder,)) as pool:
            for each in pool.map(pull_requests.runs_of, (Task(f"mutants-{seed}", 1.0) for seed in range(runs))):
                found += each
    red = sum(run.code == 1 for run in found)
    calls = sum(run.counted for run in found) / len(found) / len(NOTICED)
    ours = {"red": red, "of": len(found), "exit codes": sorted({run.code for run in found}), "calls a mutant": calls}
    yield Line(
        7,
        f"red checks of unchanged pull requests at most, {len(NOTICED)} mutants of which {BORDERLINE} are borderline, "
        "through pytest",
        ours,
        most(runs),
        red <= most(runs) and {run.code for run in found} <= {0, 1},
    )
