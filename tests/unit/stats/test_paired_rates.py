"""The sequential test of two rates: its chances by enumeration, its level for any number of changed pairs."""

from __future__ import annotations

from itertools import product

import pytest

from gate.stats.paired_rates import PairTest, independent_difference, pair_test
from gate.stats.refusal import TooLittle

DESIGNS = [
    (0.3, 0.05, 0.05, 60),
    (0.3, 0.05, 0.05, 30),
    (0.2, 0.01, 0.05, 40),
    (0.1, 0.10, 0.10, 50),
    (0.6, 0.05, 0.05, 5),
]


def made(tolerance: float, alpha: float, beta: float, cap: int) -> PairTest:
    test = pair_test(tolerance, alpha=alpha, beta=beta, cap=cap)
    assert isinstance(test, PairTest)
    return test


def outcome(test: PairTest, sequence: tuple[int, ...]) -> tuple[str, int, int, int]:
    """Of pairs that are 1 (broke), -1 (fixed) or 0: the answer, and the counts at that time."""
    broke = fixed = 0
    for pairs, change in enumerate(sequence, start=1):
        broke += change == 1
        fixed += change == -1
        answer = test.answer(broke, fixed, pairs)
        if answer is not None:
            return answer, broke, fixed, pairs
    raise AssertionError("no answer at the cap")


@pytest.mark.parametrize("chances", [(0.0, 0.0), (0.09, 0.09), (0.5, 0.1), (1.0, 0.0), (0.5, 0.5)])
def test_the_chances_are_those_of_all_sequences(chances: tuple[float, float]) -> None:
    test = made(0.6, 0.05, 0.10, 8)
    weights = {1: chances[0], -1: chances[1], 0: 1 - sum(chances)}
    found, mean = {"regression": 0.0, "holds": 0.0, "undecided": 0.0}, 0.0
    for sequence in product((1, 0, -1), repeat=test.cap):
        weight = 1.0
        for change in sequence:
            weight *= weights[change]
        answer, _, _, pairs = outcome(test, sequence)
        found[answer] += weight
        mean += weight * pairs
    exact = test.operating(*chances)
    assert (exact.regression, exact.holds, exact.undecided) == pytest.approx(tuple(found.values()), abs=1e-12)
    assert exact.pairs == pytest.approx(mean)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_given_any_number_of_changed_pairs_the_level_is_kept(alpha: float) -> None:
    """All tosses of a fair coin; where pairs that don't differ stand between them makes no difference to the limits."""
    test = made(0.3, alpha, 0.05, 14)
    for changed in range(1, 14):
        rejected = 0
        for tosses in product((1, -1), repeat=changed):
            broke = [sum(toss == 1 for toss in tosses[:number]) for number in range(1, changed + 1)]
            early = any(count >= test.early[number] for number, count in enumerate(broke, start=1))
            rejected += early or broke[-1] >= test.last[changed]
        assert rejected / 2**changed <= alpha
    assert sum(limit <= d for d, limit in enumerate(test.last)) > 3


@pytest.mark.parametrize("design", DESIGNS)
def test_both_errors_are_kept(design: tuple[float, float, float, int]) -> None:
    test = made(*design)
    for differ in (0.02, 0.1, 0.18, 0.32, 0.5, 0.8, 1.0):
        assert test.operating(differ / 2, differ / 2).regression <= test.alpha
        assert test.operating(differ / 3, differ * 2 / 3).regression <= test.alpha
    for share in (0.0, 0.1, 0.3, 0.6, 1.0):
        fixes = share * (1 - test.tolerance) / 2
        assert test.operating(test.tolerance + fixes, fixes).holds <= test.beta


@pytest.mark.parametrize("design", DESIGNS)
def test_an_early_undecided_can_not_become_a_regression(design: tuple[float, float, float, int]) -> None:
    test = made(*design)
    for pairs in range(1, test.cap):
        for broke in range(pairs + 1):
            for fixed in range(pairs - broke + 1):
                if test.answer(broke, fixed, pairs) != "undecided":
                    continue
                left = test.cap - pairs
                assert all(broke + more < test.last[broke + more + fixed] for more in range(left + 1))


@pytest.mark.parametrize("design", [DESIGNS[1], DESIGNS[2], DESIGNS[4]])
def test_the_level_and_the_answer_agree_wherever_the_test_stops(design: tuple[float, float, float, int]) -> None:
    test = made(*design)
    going = {(0, 0)}
    for pairs in range(1, test.cap + 1):
        reached = {state for b, f in going for state in ((b + 1, f), (b, f + 1), (b, f))}
        going = {(b, f) for b, f in reached if test.answer(b, f, pairs) is None}
        for broke, fixed in reached - going:
            regressed = test.answer(broke, fixed, pairs) == "regression"
            assert regressed == (test.level(broke, fixed) <= test.alpha), (broke, fixed, pairs)


def test_the_level_by_hand() -> None:
    """Six broken of six: (1/2)^6. No limit can be reached before, so five of six is the plain binomial tail."""
    test = made(0.3, 0.05, 0.05, 60)
    assert test.early[:7] == (1, 2, 3, 4, 5, 6, 6)
    assert test.level(6, 0) == pytest.approx(1 / 64)
    assert test.level(0, 0) == 1
    assert test.level(0, 4) == 1
    assert test.level(5, 1) == pytest.approx(7 / 64)
    with pytest.raises(ValueError, match="more changed pairs"):
        test.level(61, 0)


def test_the_default_in_figures() -> None:
    """A baseline of .90 against candidates of .90, .80, .70, .50 and .40, called independently."""
    test = made(0.3, 0.05, 0.05, 60)
    found = [test.operating(0.9 * (1 - q), 0.1 * q) for q in (0.90, 0.80, 0.70, 0.50, 0.40)]
    assert [round(at.regression, 4) for at in found] == [0.0174, 0.2723, 0.6927, 0.9866, 0.9982]
    assert [round(2 * at.pairs, 2) for at in found] == [33.86, 56.27, 58.63, 33.71, 25.97]


def test_rates_of_zero_and_one() -> None:
    test = made(0.3, 0.05, 0.05, 60)
    assert outcome(test, (0,) * 60)[::3] == ("holds", 12)
    assert outcome(test, (1,) * 60)[::3] == ("regression", 6)
    assert outcome(test, (-1,) * 60)[::3] == ("holds", 4)


@pytest.mark.parametrize(("alpha", "need"), [(0.05, 5), (0.01, 7), (0.001, 10), (0.25, 2)])
def test_too_few_pairs_are_refused_and_enough_are_not(alpha: float, need: int) -> None:
    assert made(0.9, alpha, 0.05, need).operating(1.0, 0.0).regression == 1
    refused = pair_test(0.9, alpha=alpha, beta=0.05, cap=need - 1)
    assert isinstance(refused, TooLittle)
    assert f"{need} would be" in refused.reason


@pytest.mark.parametrize(
    "wrong",
    [(0.0, 0.05, 0.05, 60), (1.0, 0.05, 0.05, 60), (0.3, 0.0, 0.05, 60), (0.3, 0.05, 0.5, 60), (0.3, 0.05, 0.05, 0)],
)
def test_values_outside_their_ranges_are_refused(wrong: tuple[float, float, float, int]) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        made(*wrong)


@pytest.mark.parametrize("wrong", [(-0.1, 0.1), (0.1, -0.1), (0.6, 0.5)])
def test_chances_of_a_pair_are_chances(wrong: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="at most 1 together"):
        made(0.3, 0.05, 0.05, 10).operating(*wrong)


def test_the_interval_of_a_difference_is_newcombes() -> None:
    """His example (1998, table II): 56/70 against 48/80 is .0524 to .3339; here candidate minus baseline."""
    effect = independent_difference((48, 80), (56, 70))
    assert not isinstance(effect, TooLittle)
    assert effect.estimate == pytest.approx(0.2)
    assert (effect.interval.low, effect.interval.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_the_interval_has_a_width_at_the_edges_and_needs_data() -> None:
    same = independent_difference((10, 10), (10, 10))
    assert not isinstance(same, TooLittle)
    assert same.interval.low < 0 < same.interval.high
    assert isinstance(independent_difference((0, 0), (1, 1)), TooLittle)
    assert isinstance(independent_difference((1, 1), (0, 0)), TooLittle)
