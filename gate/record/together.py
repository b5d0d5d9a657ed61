"""Fresh trials of all stochastic tests on both sides: whether a fall of the whole suite shows beside main's own code.

Main's baseline was measured on another day. A hosted model that drifted since lowers both arms alike, so a fall against
the baseline alone says nothing about the pull request. Every test gets the same few trials on each side, whatever they
show: the exact test needs a number that does not depend on their outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from gate.compare.align import Pair
from gate.compare.decisions import decide_pairs
from gate.compare.whole_suite import committed_strata, together
from gate.record.arms import Arm, Turn, run_arms
from gate.record.memory import Earlier, Key, confirmed_lines
from gate.schema.fresh import Fresh, Suspect
from gate.schema.verdict import Budget
from gate.settings import Settings
from gate.stats.fisher import fisher_one_sided
from gate.stats.suite_level import FIRST

_BROKEN = 0.01
"""Level, over all tests, at which a base of which a test passes no trial is no longer the main that was measured."""
_WHO = "all stochastic tests together"
Known = Mapping[str, tuple[int, int]]
"""Passes and trials of the baselines, by the head's id."""


@dataclass(frozen=True, slots=True)
class ConfirmedSuite:
    """What became of a fall of the whole suite against main's baseline.

    Attributes:
        suite: trials of base and head by the head's id; empty where the fall could not be confirmed.
        calls: trials that were made, also where they came to nothing.
        lines: for later runs.
        notice: one sentence for a reviewer.
    """

    suite: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    calls: int = 0
    lines: bytes = b""
    notice: str = ""


def fallen(pairs: Sequence[Pair], settings: Settings, budget: Budget, fresh: Fresh | None) -> bool:
    """Whether all stochastic tests together pass less often than in main's baseline.

    Args:
        fresh: trials that decide suspects; those that fell by themselves must not be all that fell.
    """
    if not budget.for_suite:
        return False
    decisions = decide_pairs(pairs, settings, budget, fresh)
    strata = committed_strata(pairs, decisions, settings, budget)
    return together(strata, decisions, budget.for_suite).falls


def confirm_suite(
    tests: Sequence[Suspect],
    known: Known,
    falls: Callable[[Collection[str]], bool],
    run: Callable[[Arm, Sequence[str], int], Turn] | None,
    keys: Mapping[str, Key],
    earlier: Earlier,
) -> ConfirmedSuite:
    """Make `FIRST` fresh trials of every test on both sides in one turn, unless an earlier run made them.

    Args:
        tests: those of which trials can be made.
        falls: whether these tests alone, by the head's ids, show the fall against main's baseline.
        run: makes trials of one arm; None where that can't be done.
        keys: of the tests, by the head's id.
        earlier: what earlier runs left.
    """
    void = next((earlier.suite_void[key] for key in keys.values() if key in earlier.suite_void), "")
    if void:
        return _unconfirmed(f"{void} (so it was in an earlier run of the same content)")
    if run is None:
        return _unconfirmed("the base can't be run here")
    if not falls([each.head for each in tests]):
        return _unconfirmed("the tests that can be run again do not show it alone")
    before = {name: earlier.suite[key] for name, key in keys.items() if _whole(earlier.suite.get(key, ("", "")))}
    both = run_arms(tests, run, lambda base, head: True, fresh=FIRST, ratio=1, turn=FIRST, earlier=before)
    cost = f"; that took {both.calls:,} fresh trials" if both.calls else ""
    if both.voids and not (both.trials and falls(both.trials)):
        return _unconfirmed(next(iter(both.voids.values())).reason + cost, both.calls)
    broken = _broken_base(tests, known, both.trials)
    if broken is not None:
        void = _no_main(broken, known)
        # a head that passes shows that no service was away; to draw again then would be to choose a sample
        told = {broken.head: {"suite": True, "void": void}} if "1" in both.trials[broken.head][1] else {}
        return _unconfirmed(void + cost, both.calls, confirmed_lines(keys, told))
    made = {name: {"suite": True, "trials": list(each)} for name, each in both.trials.items()}
    notice = f"{_WHO} were checked against main in the same session{cost}"
    return ConfirmedSuite(both.trials, both.calls, confirmed_lines(keys, made), notice)


def _unconfirmed(why: str, calls: int = 0, lines: bytes = b"") -> ConfirmedSuite:
    told = f"{_WHO} pass less often than in main's baseline, and that could not be confirmed: {why}"
    return ConfirmedSuite({}, calls, lines, told)


def _whole(trials: tuple[str, str]) -> bool:
    return all(len(each) == FIRST for each in trials)


def _broken_base(tests: Sequence[Suspect], known: Known, trials: Mapping[str, tuple[str, str]]) -> Suspect | None:
    """A test of which the base passes no trial, which main's baseline does not explain, at a level over all tests."""
    for each in tests:
        (passes, count), (base, _) = known[each.head], trials.get(each.head, ("1", ""))
        if "1" not in base and fisher_one_sided(passes, count, 0, len(base)) <= _BROKEN / len(tests):
            return each
    return None


def _no_main(broken: Suspect, known: Known) -> str:
    """Why the base's trials say nothing of main."""
    passes, count = known[broken.head]
    return (
        f"none of main's own {FIRST} fresh trials of {broken.base} passes, against {passes:,} of {count:,} in its "
        "baseline: its files may lack what git does not track, or a service is away"
    )
