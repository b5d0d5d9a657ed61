"""The same test files under both plugins, each as it is run by hand: calls counted at the model, and time between two.

Twelve tests guard one prompt each, of one rule. The marker is Clastogen's, which the gate reads where that plugin is
absent. The fake model passes a test at .90; a mutant either changes nothing or always fails it. The gate has a plan as
`gate ci` writes one, from a baseline with 50 trials of each test and the mutants of main, of which the pull request has
changed every rule; Clastogen has no baseline. The calls are all that reached the model: the run of the tests
themselves, pass rates, empty prompts, and trials.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.mutation import projects
from benchmarks.mutation.exact import OF_CALLS
from benchmarks.stats.line import Line
from gate.compare.asks import known_of
from gate.ingest import read_report
from gate.schema.mutation import DECIDED
from gate.trials.plan import Ask, Known, Plan, plan_to_text

TESTS, RATE, SERIES = 12, 0.90, 20
MUTANTS, REPEATS = 60, 5
AGENT = """
from model import draw
RATE, NOTICED = {rate}, {noticed!r}
ORIGINALS = {originals!r}
{prompts}

def ask(number, prompt):
    chance = draw()
    if not prompt:
        return False
    if prompt == ORIGINALS[number] or NOTICED is None:
        return chance < RATE
    return chance >= NOTICED
"""
ONE = """
@pytest.mark.clastogen(target="agent:P{number:02}", max_mutants=1)
def test_{number:02}():
    assert agent.ask({number}, agent.P{number:02})
"""
STAMPED = """
import agent, pytest, time
STAMPS = []

@pytest.mark.clastogen(target="agent:PROMPT", max_mutants={mutants})
def test_stamps():
    STAMPS.append((time.process_time(), agent.PROMPT))
    assert agent.PROMPT
"""
FIXTURES = """
import agent, pytest, time
STAMPS = []

@pytest.fixture
def first(): return {{}}

@pytest.fixture
def second(first):
    yield [first]
"""
STAMPED_WITH = """
@pytest.mark.clastogen(target="agent:PROMPT", max_mutants={mutants})
def test_stamps(second):
    STAMPS.append((time.process_time(), agent.PROMPT))
    assert agent.PROMPT
"""
CONFTEST = """
import json, pathlib, statistics, sys

def pytest_unconfigure(config):
    stamps = getattr(sys.modules.get("test_stamps"), "STAMPS", [])
    pairs = list(zip(stamps, stamps[1:]))
    found = {"trial": [b[0] - a[0] for a, b in pairs if a[1] == b[1]],
             "mutant": [b[0] - a[0] for a, b in pairs if a[1] != b[1]]}
    text = json.dumps({name: 1e6 * statistics.median(gaps) for name, gaps in found.items() if gaps})
    pathlib.Path("found.json").write_text(text)
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """One run: calls at the model, those of them that verdicts took, and verdicts by status in small letters."""

    calls: int
    own: int
    verdicts: Mapping[str, int]


def lines(python: str) -> Iterator[Line]:
    """`python` has Clastogen, or is empty."""
    for what, noticed in (("survives", None), ("killed", 1.0)):
        with tempfile.TemporaryDirectory(prefix="mutation-beside-") as name:
            folder = Path(name)
            known = _main(folder, noticed, what)
            _suite(folder, noticed)
            ours = [_ours(folder, f"{what} {seed}", known) for seed in range(SERIES)]
            theirs = [_theirs(folder, python, f"{what} {seed}") for seed in range(SERIES)] if python else []
        yield _calls(what, ours, theirs)
    yield from _overhead(python)


def _calls(what: str, ours: list[Ended], theirs: list[Ended]) -> Line:
    share = OF_CALLS[what]
    own = {name: _calls_of(ours, name) for name in ("own", "calls")}
    there = {name: _calls_of(theirs, name) for name in own} if theirs else None
    limit = None if there is None else {name: share * calls for name, calls in there.items()}
    return Line(
        6,
        f"calls of a verdict on a mutant that {what if what == 'survives' else 'is killed'}, through pytest, tests at "
        f"{RATE:g}, at most {share:g} of Clastogen's: pass rates and trials; and all calls, with those of the tests "
        "themselves and of empty prompts, where each test has one mutant",
        own | {"verdicts": _verdicts(ours)},
        limit,
        limit is None or all(own[name] <= calls for name, calls in limit.items()),
        there | {"verdicts": _verdicts(theirs)} if there else None,
    )


def _calls_of(runs: list[Ended], name: str) -> float:
    return float(sum(getattr(run, name) for run in runs)) / max(sum(sum(run.verdicts.values()) for run in runs), 1)


def _verdicts(runs: list[Ended]) -> dict[str, int]:
    names = sorted({name for run in runs for name in run.verdicts})
    return {name: sum(run.verdicts.get(name, 0) for run in runs) for name in names}


def _overhead(python: str) -> Iterator[Line]:
    """Processor time between two calls of a test that does nothing, without fixtures and with two of its own."""
    for what, text in (("without fixtures", STAMPED), ("with two fixtures", FIXTURES + STAMPED_WITH)):
        with tempfile.TemporaryDirectory(prefix="mutation-overhead-") as name:
            folder = Path(name)
            prompt = "\\n".join(projects.rules_of(MUTANTS))
            projects.write(folder, "agent.py", f'PROMPT = "{prompt}"\n')
            projects.write(folder, "test_stamps.py", text.format(mutants=MUTANTS))
            projects.write(folder, "conftest.py", CONFTEST)
            projects.write(folder, "pytest.ini", "[pytest]\n")
            own = [sys.executable, *_PYTEST, "-p", "gate", "--gate-report", "report.json", "--gate-mutate"]
            other = [python, *_PYTEST, "-p", "clastogen.plugin", "--clastogen"] if python else []
            ours, theirs = _stamped(folder, own, other)
        yield Line(
            6,
            "overhead, µs of one processor, at most Clastogen's: from one trial of a mutant to its next, and to the "
            f"first of the next mutant, of a test {what}",
            ours,
            theirs,
            theirs is None or all(ours[name] <= theirs[name] for name in theirs),
            theirs,
        )


_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


def _main(folder: Path, noticed: float | None, seed: str) -> Mapping[str, Known]:
    """What the committed baseline knows of the mutants of main, whose prompts have other rules."""
    _suite(folder, noticed, TESTS)
    _ours(folder, f"main {seed}", {})
    return known_of(read_report((folder / "report.json").read_bytes(), "report.json"))


def _suite(folder: Path, noticed: float | None, after: int = 0) -> None:
    """The project; the rules of its prompts are those behind so many others."""
    originals = [f"You are a guard.\n{rule}" for rule in projects.rules_of(after + TESTS)[after:]]
    prompts = "\n".join(f"P{number:02} = ORIGINALS[{number}]" for number in range(TESTS))
    text = AGENT.format(rate=RATE, noticed=noticed, originals=originals, prompts=prompts)
    projects.write(folder, "model.py", projects.MODEL)
    projects.write(folder, "agent.py", text)
    tests = "".join(ONE.format(number=number) for number in range(TESTS))
    projects.write(folder, "test_agent.py", f"import agent, pytest\n{tests}")
    projects.write(folder, "pytest.ini", "[pytest]\n")


def _ours(folder: Path, seed: str, known: Mapping[str, Known]) -> Ended:
    asks = {}
    for number in range(TESTS):
        trials = projects.outcomes(f"{seed}:{number}", RATE)
        asks[f"test_agent.py::test_{number:02}"] = Ask(trials.count, trials.passes, 60, 0.05 / TESTS, 0.3, 0.9)
    projects.write(folder, "plan.json", plan_to_text(Plan(asks=asks, known=known)))
    options = ["--gate-plan", "plan.json", "--gate-report", "report.json", "--gate-mutate", "--gate-mutate-json=m.json"]
    calls = _run(folder, [sys.executable, *_PYTEST, *options], seed)
    cases = json.loads((folder / "report.json").read_text(encoding="utf-8"))["gate"]["cases"]
    found = _counted(case["mutation"]["status"] for case in cases if "mutation" in case)
    told = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    empty = [
        each for target in told["targets"] for each in target["canaries"] if each["state"] in ("notices", "vacuous")
    ]
    return Ended(calls, calls - TESTS - len(empty), found)


def _theirs(folder: Path, python: str, seed: str) -> Ended:
    calls = _run(folder, [python, *_PYTEST, "--clastogen", "--clastogen-json", "found.json"], seed)
    report = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    found = _counted(each["status"].lower().replace("inconclusive", "undecided") for each in report["results"])
    own = report["calls"] + sum(each["runs"] for each in report["baselines"] if each["stable"])
    return Ended(calls, own, found)


def _counted(statuses: Iterable[str]) -> dict[str, int]:
    return dict(Counter(status for status in statuses if status in DECIDED))


def _run(folder: Path, command: list[str], seed: str, **more: str) -> int:
    counted = folder / "calls"
    counted.write_bytes(b"")
    environ = _environ(counted, seed) | more
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"pytest ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-500:]}")
    return counted.stat().st_size


def _stamped(folder: Path, ours: list[str], theirs: list[str]) -> tuple[dict[str, float], dict[str, float] | None]:
    """Medians of several runs of each, in turns, so that what else the machine does is in both; without other plugins,
    of which the two environments have different ones."""
    found: dict[str, list[dict[str, float]]] = {"ours": [], "theirs": []}
    for _ in range(REPEATS):
        for whose, command in (("ours", ours), ("theirs", theirs)):
            if command:
                _run(folder, command, "", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
                found[whose].append(json.loads((folder / "found.json").read_text(encoding="utf-8")))
    return _medians(found["ours"]), _medians(found["theirs"]) if theirs else None


def _medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(each[name] for each in runs) for name in ("trial", "mutant")}


def _environ(counted: Path, seed: str) -> dict[str, Any]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "GATE_", "COV_"))}
    return {**kept, "MODEL_CALLS": str(counted), "MODEL_SEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}
