"""Probes, agents and judges for tests of what runs them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gate.record.probes.agents.agent import Identity, Task
from gate.record.probes.journal import Journal
from gate.record.probes.pace import Progress, Rate
from gate.record.probes.plan import plan
from gate.record.probes.runner import Mode, Outcome, Pacing, Runner
from gate.schema.dimensions import Dimension
from gate.suites.probes.answer import Answer
from gate.suites.probes.catalog import Entry, digest_of
from gate.suites.probes.graded import Graded, Standing
from gate.suites.probes.probe import Probe

ME = Identity(command="agent {prompt}")


def probe_of(name: str, **fields: Any) -> Probe:
    """A probe that asks for `answer()` to be 42."""
    given = {
        "schema": 1,
        "id": name,
        "dimension": "adversarial-correctness",
        "title": "A number",
        "prompt": f"Write `answer()` for {name}.",
        "entry": "answer",
        "checks": {"cases": [{"expected": 42}]},
        "reference": {"text": "```python\ndef answer():\n    return 42\n```"},
        "bad": {"text": "```python\ndef answer():\n    return 41\n```", "cause": "wrong result"},
        **fields,
    }
    return Probe.model_validate(given)


def entry_of(name: str, **fields: Any) -> Entry:
    probe = probe_of(name, **fields)
    return Entry(probe, f"{name}.yaml", digest_of(probe))


def entries(count: int) -> tuple[Entry, ...]:
    return tuple(entry_of(f"probe-{number:03}") for number in range(count))


def write_probes(folder: Path, names: Sequence[str], **fields: Any) -> Path:
    """Probes as JSON files in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        content = probe_of(name, **fields).model_dump(mode="json", by_alias=True, exclude_defaults=True)
        (folder / f"{name}.json").write_text(json.dumps({"schema": 1, **content}), encoding="utf-8")
    return folder


class Scripted:
    """An agent that answers by a function, and counts."""

    def __init__(self, say: Callable[[Task], Answer] = lambda task: Answer(f"42 for {task.probe.id}")) -> None:
        self.identity = ME
        self.asked: list[tuple[str, int, int]] = []
        self._say = say
        self._turn = threading.Lock()

    def ask(self, task: Task) -> Answer:
        with self._turn:
            self.asked.append((task.probe.id, task.sample, task.round))
        return self._say(task)


class Words:
    """A judge that looks for 42, and asks up to three times in error recovery."""

    def first_prompt(self, probe: Probe) -> str:
        return probe.prompt

    def grade(self, probe: Probe, answers: Sequence[Answer], sample: int) -> Graded:
        good = "42" in answers[-1].text
        standing = Standing.PASSED if good else Standing.FAILED
        facts: Mapping[str, float] = {"adversarial_passed": good, "adversarial_total": 1}
        return Graded(probe.id, probe.dimension, sample, standing, "" if good else "wrong result", facts=facts)

    def next_prompt(self, probe: Probe, answers: Sequence[Answer], graded: Graded) -> str | None:
        again = probe.dimension is Dimension.RECOVERY and graded.standing is Standing.FAILED
        return f"again, round {len(answers) + 1}" if again else None


class Clock:
    """Seconds that pass only in sleep."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._turn = threading.Lock()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._turn:
            self.slept.append(seconds)
            self.now += seconds


def run(
    agent: Scripted | None,
    journal: Journal,
    found: Sequence[Entry],
    *,
    mode: Mode = "live",
    jobs: int = 1,
    clock: Clock | None = None,
    **options: Any,
) -> Outcome:
    """A whole run with `Words`; the journal is written, and ended where nothing stopped it."""
    clock = clock or Clock()
    pacing = Pacing(jobs, Rate(options.pop("rate", 0), clock=clock, sleep=clock.sleep), clock.sleep)
    items = plan(found, options.pop("samples", None))
    progress = Progress(len(items), say=lambda _: None, clock=clock)
    runner = Runner(agent, ME, journal, Words(), mode=mode, pacing=pacing, progress=progress, **options)
    if mode == "replay":
        return runner.run(items)
    with journal.writing(ME):
        outcome = runner.run(items)
        if not outcome.stopped:
            journal.ended(ME)
    return outcome
