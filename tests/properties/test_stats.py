"""What holds for all data: answers in range, no NaN, no zero width, and more evidence never counts for less."""

from __future__ import annotations

from math import isfinite

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats.correlation import Correlation, session_correlation
from gate.stats.fisher import boschloo_one_sided, fisher_one_sided
from gate.stats.groups import Pair, PairedDecision, decide_pairs
from gate.stats.intervals import Interval, clopper_pearson, paired_difference, wilson
from gate.stats.mcnemar import exact_one_sided, exact_two_sided, log_evidence, mid_p_one_sided
from gate.stats.multiplicity import benjamini_hochberg, holm
from gate.stats.pass_at_k import pass_at_k, pass_hat_k
from gate.stats.permutation import permutation_level
from gate.stats.refusal import TooLittle
from gate.stats.scores import ScoreDecision, decide_scores
from gate.stats.suite_level import Stratum, SuiteLevel, suite_level

LEVELS = st.lists(st.floats(0, 1), max_size=12)
CONFIDENCE = st.floats(0.01, 0.999999)
SCORES = st.lists(st.floats(0, 1), max_size=12)


@st.composite
def sample(draw: st.DrawFn, most: int = 40, least: int = 0) -> tuple[int, int]:
    count = draw(st.integers(least, most))
    return draw(st.integers(0, count)), count


@st.composite
def stratum(draw: st.DrawFn) -> Stratum:
    return Stratum(*draw(sample()), *draw(sample(5)))


def sound(interval: Interval) -> bool:
    return isfinite(interval.low) and isfinite(interval.high) and -1 <= interval.low < interval.high <= 1


@given(sample(100_000), CONFIDENCE)
def test_intervals_hold_the_estimate_and_mirror(given_sample: tuple[int, int], confidence: float) -> None:
    passes, trials = given_sample
    for ask in (wilson, clopper_pearson):
        found, mirrored = ask(passes, trials, confidence), ask(trials - passes, trials, confidence)
        if not trials:
            assert isinstance(found, TooLittle)
            continue
        assert isinstance(found, Interval)
        assert isinstance(mirrored, Interval)
        assert sound(found)
        assert 0 <= found.low <= passes / trials <= found.high
        assert abs(found.low - (1 - mirrored.high)) < 1e-12


@given(sample(300), sample(300), CONFIDENCE)
def test_paired_difference_is_sound(broke: tuple[int, int], rest: tuple[int, int], confidence: float) -> None:
    found = paired_difference(broke[0], rest[0], broke[1] + rest[1], confidence)
    if isinstance(found, TooLittle):
        assert broke[1] + rest[1] == 0
    else:
        assert sound(found.interval)
        assert found.interval.low <= found.estimate <= found.interval.high


@settings(deadline=None)
@given(sample(25, 1), sample(15, 1))
def test_fewer_passes_are_more_evidence(before: tuple[int, int], now: tuple[int, int]) -> None:
    for test in (fisher_one_sided, boschloo_one_sided):
        level = test(*before, *now)
        assert 0 < level <= 1
        if now[0]:
            assert test(*before, now[0] - 1, now[1]) <= level * (1 + 1e-6)
    assert boschloo_one_sided(*before, *now) <= fisher_one_sided(*before, *now)


@given(st.integers(0, 3_000), st.integers(0, 3_000))
def test_more_breakage_is_more_evidence(broke: int, fixed: int) -> None:
    for test in (exact_one_sided, mid_p_one_sided):
        assert 0 <= test(broke + 1, fixed) <= test(broke, fixed) <= 1
    assert 0 <= exact_two_sided(broke, fixed) <= 1
    assert exact_two_sided(broke, fixed) == exact_two_sided(fixed, broke)
    assert log_evidence(broke + 1, fixed) > log_evidence(broke, fixed) > log_evidence(broke, fixed + 1)


@given(LEVELS)
def test_adjusted_levels_keep_their_order_and_are_never_smaller(levels: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        found = adjust(levels)
        assert all(level <= adjusted + 1e-15 and adjusted <= 1 for level, adjusted in zip(levels, found, strict=True))
        order = sorted(range(len(levels)), key=lambda at: levels[at])
        assert [found[at] for at in order] == sorted(found)
        assert adjust(levels[::-1]) == found[::-1]
    assert all(less <= more + 1e-12 for less, more in zip(benjamini_hochberg(levels), holm(levels), strict=True))


@given(st.lists(stratum(), max_size=12))
def test_the_suite_level_is_sound_whatever_the_cases(strata: list[Stratum]) -> None:
    found = suite_level(strata)
    if isinstance(found, TooLittle):
        assert not any(each.speaks for each in strata)
        return
    assert isinstance(found, SuiteLevel)
    assert 0 < found.level <= 1
    assert 0 < found.speaking <= found.cases <= len(strata)
    assert sound(found.effect.interval)
    assert found.effect.interval.low <= found.effect.estimate <= found.effect.interval.high
    assert abs(suite_level(strata[::-1]).level - found.level) < 1e-12  # type: ignore[union-attr]


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 3), st.integers(0, 2)), max_size=60))
def test_paired_decisions_are_sound_whatever_the_groups(tests: list[tuple[bool, bool, int, int]]) -> None:
    pairs = [Pair(before, after, (("file", f"f{f}"), ("class", f"c{c}"))) for before, after, f, c in tests]
    found = decide_pairs(pairs, 0.05)
    if not pairs:
        assert isinstance(found, TooLittle)
        return
    assert isinstance(found, PairedDecision)
    for each in (found.whole, *found.groups):
        assert 0 < each.level <= each.adjusted <= 1
        assert each.fell == (each.adjusted <= 0.05)
        assert sound(each.effect.interval)
    shuffled = decide_pairs(pairs[::-1], 0.05)
    assert isinstance(shuffled, PairedDecision)
    assert [(each.label, each.fell) for each in shuffled.groups] == [(each.label, each.fell) for each in found.groups]


@settings(deadline=None)
@given(SCORES, SCORES, st.floats(0.001, 0.5), st.floats(0.01, 0.9))
def test_scores_are_sound_whatever_they_are(
    baseline: list[float], candidate: list[float], share: float, delta: float
) -> None:
    assert 0 <= permutation_level(baseline, candidate) <= 1
    found = decide_scores(baseline, candidate, share, delta=delta)
    if isinstance(found, ScoreDecision):
        assert 0 <= found.level <= 1
        assert (found.verdict == "regression") == (found.level <= share)
        assert 1 <= found.count <= len(candidate)
        assert sound(found.effect.interval)
    else:
        assert isinstance(found, TooLittle)


@given(st.lists(st.lists(sample(12), max_size=5), max_size=12))
def test_the_session_correlation_is_sound_whatever_the_sessions(cases: list[list[tuple[int, int]]]) -> None:
    found = session_correlation(cases)
    if isinstance(found, Correlation):
        assert sound(found.interval)
        assert isfinite(found.estimate)
        assert found.error > 0
        assert found.estimate <= 1 + 1e-12
    else:
        assert isinstance(found, TooLittle)


@given(sample(200, 1), st.integers(1, 200))
def test_passes_at_k_are_chances_in_order(task: tuple[int, int], k: int) -> None:
    passes, tries = task
    one, every = pass_at_k(tries, passes, k), pass_hat_k(tries, passes, k)
    if k > tries:
        assert isinstance(one, TooLittle)
        assert isinstance(every, TooLittle)
    else:
        assert not isinstance(one, TooLittle)
        assert not isinstance(every, TooLittle)
        assert 0 <= every <= passes / tries + 1e-12 <= one + 2e-12 <= 1 + 3e-12
