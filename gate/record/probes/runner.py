"""Asks the agent for every item of a plan that is not on the record, and grades each in its own cell."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from gate.errors import BudgetExhaustedError
from gate.record.probes.agents.agent import Agent, Identity, Task
from gate.record.probes.calls import KeyRefusedError
from gate.record.probes.discreet import without_secrets
from gate.record.probes.journal import Journal
from gate.record.probes.pace import RETRIES, Progress, Rate, pause_before
from gate.record.probes.plan import NOT_ASKED, NOT_RECORDED, Item, Sampled, unmeasured
from gate.record.probes.stored import Kept, Key
from gate.suites.probes.answer import Answer, Ended
from gate.suites.probes.graded import Graded
from gate.suites.probes.probe import Probe

Mode = Literal["live", "record", "replay", "auto"]
MOST_ROUNDS = 3
_TICK = 0.5


class Judge(Protocol):
    """Grades answers, and says what is asked next; called from several threads."""

    def first_prompt(self, probe: Probe) -> str:
        """What the agent is given first."""

    def grade(self, probe: Probe, answers: Sequence[Answer], sample: int) -> Graded:
        """What the checks make of the answers of all rounds."""

    def next_prompt(self, probe: Probe, answers: Sequence[Answer], graded: Graded) -> str | None:
        """What the agent is given after them; None where there is nothing more to ask."""


@dataclass(frozen=True, slots=True)
class Pacing:
    """How fast a run goes, and how it waits.

    Attributes:
        jobs: how many items at the same time.
        rate: before each call.
        sleep: waits for some seconds.
        retries: of a call that failed for reasons of infrastructure.
    """

    jobs: int
    rate: Rate
    sleep: Callable[[float], object]
    retries: int = RETRIES


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    Attributes:
        sampled: one an item, in the order of the plan.
        stopped: why not everything was asked; empty where it was.
        asked: calls of the agent that this run made.
        cost: USD of these calls, as far as it is known.
        unpriced: how many of them have no known cost.
    """

    sampled: tuple[Sampled, ...]
    stopped: str = ""
    asked: int = 0
    cost: float = 0.0
    unpriced: int = 0


class Runner:
    """One run.

    Args:
        agent: None in a replay.
        identity: whose answers count.
        mode: `live` and `record` ask for all that a run that was broken off does not have; `auto` for all that no run
            has; `replay` asks for nothing.
        secrets: values that must not be kept.
        max_cost: USD of this run, from which on nothing more is asked; None for no limit.
        progress: told of each item.
    """

    def __init__(  # noqa: PLR0913  who is asked, where it is kept, how it is graded, and how fast
        self,
        agent: Agent | None,
        identity: Identity,
        journal: Journal,
        judge: Judge,
        *,
        mode: Mode,
        pacing: Pacing,
        progress: Progress,
        secrets: Sequence[str] = (),
        max_cost: float | None = None,
    ) -> None:
        self._agent = agent
        self._identity = identity
        self._journal = journal
        self._judge = judge
        self._mode = mode
        self._pacing = pacing
        self._progress = progress
        self._secrets = tuple(secrets)
        self._max_cost = max_cost
        self._turn = threading.Lock()
        self._stopped = ""
        self._asked = 0
        self._cost = 0.0
        self._unpriced = 0

    def run(self, items: Sequence[Item]) -> Outcome:
        """All items.

        Raises:
            GateError: the record can't be written, or the cell failed; what was answered before is kept.
            KeyboardInterrupt: likewise.
        """
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        ended: queue.SimpleQueue[tuple[int, Sampled | BaseException, bool]] = queue.SimpleQueue()
        for place in range(len(items)):
            waiting.put(place)
        for _ in range(min(self._pacing.jobs, len(items))):
            threading.Thread(target=self._work, args=(items, waiting, ended), daemon=True).start()
        found: dict[int, Sampled] = {}
        try:
            while len(found) < len(items):
                try:
                    place, result, asked = ended.get(timeout=_TICK)
                except queue.Empty:
                    continue  # the wait has an end so that an interrupt is heard
                if isinstance(result, BaseException):
                    raise result
                found[place] = result
                self._progress.step(asked=asked)
        except BaseException:
            self._stop("interrupted")
            raise
        sampled = tuple(found[place] for place in range(len(items)))
        return Outcome(sampled, self._stopped, self._asked, round(self._cost, 9), self._unpriced)

    def _work(
        self,
        items: Sequence[Item],
        waiting: queue.SimpleQueue[int],
        ended: queue.SimpleQueue[tuple[int, Sampled | BaseException, bool]],
    ) -> None:
        while True:
            try:
                place = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                ended.put((place, *self._one(items[place])))
            except BaseException as error:
                ended.put((place, error, False))
                return

    def _one(self, item: Item) -> tuple[Sampled, bool]:
        """What comes of an item, and whether the agent was asked for it."""
        probe = item.entry.probe
        prompt: str | None = self._judge.first_prompt(probe)
        answers: list[Answer] = []
        graded: Graded | None = None
        asked = False
        while prompt is not None and len(answers) < MOST_ROUNDS:
            task = Task(probe, item.sample, len(answers) + 1, prompt)
            answer, new = self._answer(item, task)
            asked |= new
            if isinstance(answer, str):
                return unmeasured(item, answer), asked
            answers.append(answer)
            graded = self._judge.grade(probe, answers, item.sample)
            prompt = self._judge.next_prompt(probe, answers, graded)
        if graded is None:
            return unmeasured(item, NOT_ASKED), asked
        return Sampled(item, tuple(answers), graded), asked

    def _answer(self, item: Item, task: Task) -> tuple[Answer | str, bool]:
        """The kept answer, else a new one, or why there is none in words; and whether the agent was asked."""
        key = Key(task.probe.id, item.entry.digest, self._identity.digest, task.sample, task.round)
        kept = self._journal.get(key, any_run=self._mode in ("replay", "auto"))
        outage = kept is not None and kept.answer.ended is Ended.INFRASTRUCTURE  # it says nothing of the agent
        if kept is not None and not (outage and self._mode == "auto"):
            return kept.answer, False
        if self._agent is None or self._mode == "replay":
            return NOT_RECORDED, False
        if self._stopped:
            return f"{NOT_ASKED}: {self._stopped}", False
        try:
            answer = self._asked_until_it_answers(self._agent, task)
        except (BudgetExhaustedError, KeyRefusedError) as error:
            self._stop(error.message)
            return f"{NOT_ASKED}: {error.message}", True
        answer = without_secrets(replace(answer, round=task.round), self._secrets)
        self._journal.add(Kept(key, answer))
        return answer, True

    def _asked_until_it_answers(self, agent: Agent, task: Task) -> Answer:
        for attempt in range(1, self._pacing.retries + 2):
            self._pacing.rate.wait()
            answer = agent.ask(task)
            self._count(answer)
            if answer.ended is not Ended.INFRASTRUCTURE or self._stopped:
                break
            if attempt <= self._pacing.retries:
                self._pacing.sleep(pause_before(attempt))
        return answer

    def _count(self, answer: Answer) -> None:
        with self._turn:
            self._asked += 1
            self._cost += answer.cost or 0.0
            self._unpriced += answer.cost is None
            if self._max_cost is not None and self._cost >= self._max_cost:
                self._stop(f"the limit of ${self._max_cost:,.2f} is reached")

    def _stop(self, reason: str) -> None:
        self._stopped = self._stopped or reason
