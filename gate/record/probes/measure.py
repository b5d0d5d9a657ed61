"""One run of probes from its plan to its candidate: asked, graded, confirmed, scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gate.compare.probes import to_confirm
from gate.record.probes.agents.agent import Identity
from gate.record.probes.candidate import Earlier, Measured, Scoring, measured
from gate.record.probes.journal import Journal
from gate.record.probes.plan import Item
from gate.record.probes.runner import MOST_ROUNDS, Mode, Outcome
from gate.record.probes.stored import Key
from gate.schema.probes import SUMMARY, case_id
from gate.schema.report import Report
from gate.suites.probes.answer import Answer
from gate.suites.probes.catalog import Entry
from gate.suites.probes.graded import Graded

Run = Callable[[Sequence[Item]], Outcome]


@dataclass(frozen=True, slots=True)
class Main:
    """What is known of main.

    Attributes:
        baseline: None where there is none.
    """

    baseline: Report | None = None

    @property
    def agent(self) -> str:
        """Digest of its agent's identity; empty where it isn't known."""
        return "" if self.baseline is None else self.baseline.fingerprints.get("agent", "")

    @property
    def scores(self) -> dict[str, float]:
        """Values of its summaries, by the ids of their cases."""
        return {
            case.id: metric.value
            for case in (self.baseline.cases if self.baseline else ())
            for metric in case.metrics
            if case.id.startswith(SUMMARY) and metric.value is not None
        }


def earlier_answers(journal: Journal, items: Sequence[Item], main: Main, identity: Identity) -> Earlier:
    """What main's agent answered to the same probes, as far as it is on the record; nothing where it is this agent."""
    if not main.agent or main.agent == identity.digest:
        return {}
    found: dict[tuple[str, int], list[Answer]] = {}
    for item in items:
        probe = item.entry.probe.id
        for number in range(1, MOST_ROUNDS + 1):
            kept = journal.get(Key(probe, item.entry.digest, main.agent, item.sample, number), any_run=True)
            if kept is not None:
                found.setdefault((probe, item.sample), []).append(kept.answer)
    return found


def _further(items: Sequence[Item], cases: Sequence[str], answers: int) -> tuple[Item, ...]:
    """So many further samples of each of these cases."""
    samples: dict[str, int] = {}
    entries: dict[str, Entry] = {}
    for item in items:
        case = case_id(item.entry.probe.id)
        samples[case] = max(samples.get(case, 0), item.sample + 1)
        entries[case] = item.entry
    return tuple(Item(entries[case], samples[case] + number) for case in cases for number in range(answers))


def measure(
    items: Sequence[Item],
    run: Run,
    *,
    identity: Identity,
    journal: Journal,
    main: Main,
    scoring: Scoring,
    mode: Mode,
    confirm: int,
) -> tuple[Measured, Outcome]:
    """Ask and grade all items, confirm what is newly insecure, and score.

    Args:
        confirm: further answers to a probe whose output is newly insecure, of an agent that does not answer alike.
            They are no part of its score.
    """
    outcome = run(items)
    earlier = earlier_answers(journal, items, main, identity)
    found = measured(outcome.sampled, scoring, mode, earlier=earlier)
    suspects = to_confirm(main.baseline, found.cases) if main.baseline is not None else ()
    further = _further(items, suspects, confirm)
    if not further or outcome.stopped:
        return found, outcome
    second = run(further)
    fresh: dict[str, list[Graded]] = {}
    for each in second.sampled:
        fresh.setdefault(each.graded.probe, []).append(each.graded)
    both = Outcome(
        outcome.sampled,
        second.stopped,
        outcome.asked + second.asked,
        outcome.cost + second.cost,
        outcome.unpriced + second.unpriced,
    )
    return measured(outcome.sampled, scoring, mode, fresh=fresh, earlier=earlier), both
