"""What a run would do, before any trial: its mutants, and the calls that they may take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gate.record.plugin.mutation.described import described
from gate.record.plugin.mutation.marker import Wanted
from gate.record.plugin.mutation.prepare import Prepared, Prompted
from gate.trials.designs import first_answer
from gate.trials.floor import floor_for

if TYPE_CHECKING:
    from gate.record.recordings.store import Store
    from gate.trials.loop import DesignLike
    from gate.trials.plan import Plan

Json = dict[str, Any]


def preview(prepared: Prepared, plan: Plan, stored: Mapping[str, float]) -> Json:
    """The mutants of a run without a baseline, and its calls at most and as expected.

    Args:
        plan: how many trials a test without mutants has.
        stored: calls of one trial of a test, where recordings tell; one where they don't.

    Returns:
        `targets` as `described` has them, and `calls` with `most` and `expected`. Expected is the mean of a mutant
        that its first test notices each time and of one that no test ever does.
    """
    todo: Json = {
        spec: {case: "suppressed" if case in each.suppressed else "first" for case in each.mutants}
        for spec, each in prepared.targets.items()
    }
    most, expected = _calls(prepared, plan, stored)
    return {
        "gate_mutants_preview": 1,
        **described(prepared, {}, todo),
        "calls": {
            "most": most,
            "expected": expected,
            "assumed": sorted(test for test in prepared.items if test not in stored),
        },
    }


def calls_of_a_trial(store: Store, tests: Mapping[str, Any]) -> dict[str, float]:
    """Calls of one trial of each test, as far as they are recorded."""
    found: dict[str, Counter[int]] = {}
    for head in store.heads(list(tests)):
        if not head.failed:
            found.setdefault(head.case, Counter())[head.trial] += 1
    return {test: sum(trials.values()) / len(trials) for test, trials in found.items()}


def _calls(prepared: Prepared, plan: Plan, stored: Mapping[str, float]) -> tuple[int, int]:
    """At most, and expected: pass rates, empty prompts, trials of every pair, and samples of what is killed."""
    count = plan.fixed or plan.estimate
    among = max(prepared.pairs(), 1)
    most = expected = 0.0
    once: set[str] = set()
    designs: dict[Any, Any] = {}
    for prompted in prepared.targets.values():
        for test in prompted.tests:
            wanted = next(tries[test] for tries in prompted.tries.values() if test in tries)
            alone = 1 + (0 if test in once or wanted.p0 is not None or test in plan.asks else count)
            once.add(test)
            most += alone * stored.get(test, 1.0)
            expected += alone * stored.get(test, 1.0)
        for case in prompted.mutants:
            if case not in prompted.suppressed:
                at_most, usual = _of_mutant(prompted, case, plan, count, among, stored, designs)
                most, expected = most + at_most, expected + usual
    return round(most), round(expected)


def _of_mutant(
    prompted: Prompted,
    case: str,
    plan: Plan,
    count: int,
    among: int,
    stored: Mapping[str, float],
    designs: dict[Any, Any],
) -> tuple[float, float]:
    """Calls of one mutant: at most, and the mean of one that its first test notices and one that none does."""
    tries = prompted.tries[case]
    sample = plan.fixed or 0
    most = noticed = unnoticed = 0.0
    for place, (test, wanted) in enumerate(tries.items()):
        price = stored.get(test, 1.0)
        rule = _rule(wanted, count, wanted.alpha / among, designs)
        most += price * wanted.max_trials
        unnoticed += price * _length(rule, count, wanted, "1")
        if place == 0:
            noticed = price * (_length(rule, count, wanted, "0") + sample)
    dearest = max((stored.get(test, 1.0) for test in tries), default=1.0)
    return most + sample * dearest, (noticed + unnoticed) / 2


def _rule(wanted: Wanted, count: int, share: float, designs: dict[Any, Any]) -> DesignLike:
    if wanted.p0 is not None:
        return floor_for(wanted.p0, wanted.max_trials, share, delta=wanted.delta, power=wanted.power)
    from gate.stats.design import Question, design_for

    return design_for(Question(count, wanted.max_trials, share, wanted.delta, wanted.power), designs)


def _length(rule: DesignLike, count: int, wanted: Wanted, outcome: str) -> int:
    """Trials until an answer, when all end the same way and the test never failed without a mutant."""
    for made in range(1, wanted.max_trials):
        if first_answer(rule, count, outcome * made) != "more":
            return made
    return wanted.max_trials
