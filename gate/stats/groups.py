"""Suites of single runs: every test ran once on main and once now, and some outcomes differ by noise alone.

The tests are paired items. Whether the suite, or one of its groups (a file, a class, a parameter), got worse is
McNemar's question; the whole and the groups share one budget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gate.stats.intervals import Effect, paired_difference
from gate.stats.mcnemar import exact_one_sided, exact_two_sided, smallest_breakage
from gate.stats.multiplicity import holm
from gate.stats.refusal import TooLittle

Name = tuple[str, str]
SUITE: Name = ("suite", "")
_WHOLE = 0.5
"""The part of the budget that the suite as a whole gets at first; its groups share the rest."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One test on both sides.

    Attributes:
        before, after: whether it passed on main, and now.
        groups: (kind, label) of every group it belongs to, for example ("file", "tests/test_tone.py").
    """

    before: bool
    after: bool
    groups: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class Tested:
    """The suite or one group of it.

    Attributes:
        kind, label: which group; `SUITE` for the whole.
        pairs: tests with an outcome on both sides.
        broke, fixed: tests that passed before and fail now, and the reverse.
        level: exact one-sided level of "it got worse" (McNemar 1947).
        adjusted: the same after Holm's adjustment over the suite and its groups; compare it with the share.
        fell: whether the adjusted level is at most the share.
        effect: change of the pass rate, a fraction, with its interval (not adjusted for looking at many groups).
    """

    kind: str
    label: str
    pairs: int
    broke: int
    fixed: int
    level: float
    adjusted: float
    fell: bool
    effect: Effect


@dataclass(frozen=True, slots=True)
class PairedDecision:
    """What a suite of single runs says.

    Attributes:
        whole: the suite.
        groups: every group with enough changed tests to be able to fall, the most significant first.
        untested: how many groups had too few.
        share: the part of the false-alarm budget that the suite and its groups spend together.
        smallest_drop: the smallest net drop of the suite's pass rate, with as many changed tests as now, that would
            have been found without any group; None when not even all of them breaking would.
    """

    whole: Tested
    groups: tuple[Tested, ...]
    untested: int
    share: float
    smallest_drop: float | None

    @property
    def fell(self) -> tuple[Tested, ...]:
        """The suite and the groups that got worse; a regression when there is any."""
        return tuple(each for each in (self.whole, *self.groups) if each.fell)


def decide_pairs(pairs: Sequence[Pair], share: float, *, confidence: float = 0.95) -> PairedDecision | TooLittle:
    """Decide a suite of single runs.

    The chance that noise makes the suite or any group fall is at most `share`: exact one-sided McNemar tests under
    Holm's procedure (Holm 1979), where the suite weighs as much as all groups together. A group whose changed tests
    could not reach its part even if all had broken takes no part of the budget (Tarone 1990): the number of changed
    tests says nothing about their direction. Groups with the same changed tests are one test under several names.

    Args:
        pairs: the tests that passed or failed on both sides. Skipped tests and errors are no outcomes.
        share: the suite's part of alpha.
        confidence: of the intervals of the effects.

    Raises:
        ValueError: share or confidence outside (0, 1).
    """
    if not 0 < share < 1:
        raise ValueError("share lies strictly between 0 and 1")
    members: dict[Name, list[int]] = defaultdict(list)
    for at, pair in enumerate(pairs):
        for name in dict.fromkeys(pair.groups):
            members[name].append(at)
    changed = {
        name: frozenset(at for at in inside if pairs[at].before != pairs[at].after)
        for name, inside in {**members, SUITE: range(len(pairs))}.items()
    }
    family = _family(changed, share)
    levels = {each: exact_one_sided(*_directions(pairs, each)) for each in family}
    adjusted = dict(zip(levels, holm(list(levels.values()), list(family.values())), strict=True))

    def tested(name: Name, size: int) -> Tested | TooLittle:
        broke, fixed = _directions(pairs, changed[name])
        level, corrected = levels[changed[name]], adjusted[changed[name]]
        effect = paired_difference(broke, fixed, size, confidence)
        if isinstance(effect, TooLittle):
            return effect
        return Tested(*name, size, broke, fixed, level, corrected, corrected <= share, effect)

    whole = tested(SUITE, len(pairs))
    if isinstance(whole, TooLittle):
        return whole
    found = [tested(name, len(inside)) for name, inside in members.items() if changed[name] in family]
    groups = sorted((each for each in found if isinstance(each, Tested)), key=_rank)
    drop = _smallest_drop(len(changed[SUITE]), len(pairs), share * family[changed[SUITE]] / sum(family.values()))
    return PairedDecision(whole, tuple(groups), len(members) - len(groups), share, drop)


def explained_by_noise(broke: int, fixed: int, *, level: float = 0.05) -> bool | TooLittle:
    """Whether outcomes that changed in both directions look like noise.

    They do when both directions occur and the exact two-sided McNemar test finds no preference at `level`. With so few
    changed tests that it never could, the answer is a refusal.

    Args:
        broke, fixed: tests that passed before and fail now, and the reverse.

    Raises:
        ValueError: a negative count, or level outside (0, 1).
    """
    if not 0 < level < 1:
        raise ValueError("level lies strictly between 0 and 1")
    found = exact_two_sided(broke, fixed)
    if not broke or not fixed:
        return False
    if exact_two_sided(broke + fixed, 0) > level:
        return TooLittle(f"{broke + fixed} changed tests are too few to tell noise from a change")
    return found > level


def _family(changed: Mapping[Name, frozenset[int]], share: float) -> dict[frozenset[int], float]:
    """The distinct tests that could reject, with their weights; the suite is always one."""
    whole = changed[SUITE]
    sizes = {each: len(each) for each in changed.values() if each != whole}
    testable = _testable(sizes, share * (1 - _WHOLE))
    if not testable:
        return {whole: 1.0}
    return {whole: _WHOLE} | dict.fromkeys(testable, (1 - _WHOLE) / len(testable))


def _testable(sizes: Mapping[frozenset[int], int], share: float) -> list[frozenset[int]]:
    """Tarone's set: for the smallest K that is enough, those that could reach share/K; at most K of them."""
    for count in range(1, len(sizes) + 1):
        able = [each for each, size in sizes.items() if 0.5**size <= share / count]
        if len(able) <= count:
            return able
    return []


def _directions(pairs: Sequence[Pair], changed: Collection[int]) -> tuple[int, int]:
    broke = sum(pairs[at].before for at in changed)
    return broke, len(changed) - broke


def _smallest_drop(changed: int, pairs: int, share: float) -> float | None:
    need = smallest_breakage(changed, share)
    return None if need is None else (2 * need - changed) / pairs


def _rank(tested: Tested) -> tuple[float, float, str, str]:
    return tested.adjusted, tested.level, tested.kind, tested.label
