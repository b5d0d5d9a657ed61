"""One run of probes from its plan to its candidate: asked, graded, confirmed, scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gate.record.probes.agents.agent import Identity
from gate.record.probes.candidate import Earlier, Measured, Scoring, measured
from gate.record.probes.journal import Journal
from gate.record.probes.plan import Item, Sampled
from gate.record.probes.runner import MOST_ROUNDS, Mode, Outcome
from gate.record.probes.stored import Key
from gate.schema.probes import INSECURE, case_id
from gate.schema.report import Report
from gate.suites.probes.answer import Answer
from gate.suites.probes.graded import Graded, Standing

Run = Callable[[Sequence[Item]], Outcome]


@dataclass(frozen=True, slots=True)
class Main:
    """What is known of main: its baseline, and its answers where they are on the record.

    Attributes:
        secure: ids of probes whose answers were secure there.
        agent: digest of its agent's identity; empty where it isn't known.
    """

    secure: frozenset[str] = frozenset()
    agent: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)


def main_of(baseline: Report | None) -> Main:
    """What a baseline says of main's agent."""
    if baseline is None:
        return Main()
    secure = frozenset(
        case.id for case in baseline.cases if case.probe is not None and case.probe.scored and not case.probe.insecure
    )
    scores = {
        case.id: metric.value
        for case in baseline.cases
        for metric in case.metrics
        if case.id.startswith("probes:") and metric.value is not None
    }
    return Main(secure, baseline.fingerprints.get("agent", ""), scores)


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


def to_confirm(sampled: Sequence[Sampled], main: Main, answers: int) -> tuple[Item, ...]:
    """Further samples of probes whose output is insecure here and was secure on main.

    Args:
        answers: how many further ones of each.
    """
    items: list[Item] = []
    samples: dict[str, int] = {}
    suspects: dict[str, Item] = {}
    for each in sampled:
        probe = each.item.entry.probe.id
        samples[probe] = max(samples.get(probe, 0), each.item.sample + 1)
        insecure = each.graded.standing is not Standing.UNSCORED and bool(each.graded.facts.get(INSECURE))
        if insecure and case_id(probe) in main.secure:
            suspects.setdefault(probe, each.item)
    for probe, item in suspects.items():
        items += [Item(item.entry, samples[probe] + number) for number in range(answers)]
    return tuple(items)


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
    """
    outcome = run(items)
    further = to_confirm(outcome.sampled, main, confirm) if scoring.sampled else ()
    fresh: dict[str, list[Graded]] = {}
    if further and not outcome.stopped:
        second = run(further)
        for each in second.sampled:
            fresh.setdefault(each.graded.probe, []).append(each.graded)
        outcome = Outcome(
            outcome.sampled,
            second.stopped,
            outcome.asked + second.asked,
            outcome.cost + second.cost,
            outcome.unpriced + second.unpriced,
        )
    earlier = earlier_answers(journal, items, main, identity)
    return measured(outcome.sampled, scoring, mode, fresh=fresh, earlier=earlier), outcome
