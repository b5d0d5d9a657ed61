"""The sequential test of scores: what it decides, when, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from gate.stats.permutation import permutation_level
from gate.stats.refusal import TooLittle
from gate.stats.scores import LOOKS, ScoreDecision, betting_evidence, decide_scores

BASELINE = np.round(np.random.default_rng(3).beta(8, 2, 50), 2).tolist()
GOOD = np.round(np.random.default_rng(4).beta(8, 2, 60), 2).tolist()


def decided(candidate: list[float], share: float = 0.05, delta: float = 0.2, **more: object) -> ScoreDecision:
    found = decide_scores(BASELINE, candidate, share, delta=delta, **more)  # type: ignore[arg-type]
    assert isinstance(found, ScoreDecision)
    return found


def test_a_collapse_is_found_at_the_first_look() -> None:
    found = decided([0.0] * 60)
    assert (found.verdict, found.count, found.done) == ("regression", 5, True)
    assert found.level == pytest.approx(permutation_level(BASELINE, [0.0] * 5) / 0.1)


def test_an_unchanged_candidate_holds_and_more_scores_change_nothing() -> None:
    found = decided(GOOD)
    assert found.verdict == "holds"
    assert 5 < found.count < 60
    assert decided(GOOD[: found.count]) == found
    assert decided(GOOD[: found.count - 1]).verdict == "undecided"


def test_asking_after_every_score_ends_as_asking_once() -> None:
    for candidate in (GOOD, [score * 0.75 for score in GOOD], [score * 0.85 for score in GOOD]):
        whole = decided(candidate)
        steps = [decided(candidate[:count]) for count in range(1, whole.count + 1)]
        assert steps[-1] == whole
        assert not any(step.done for step in steps[:-1])


def test_the_end_is_undecided_and_done() -> None:
    between = [score * 0.9 for score in GOOD]
    found = decided(between, share=1e-6, delta=0.05)
    assert (found.verdict, found.count, found.done) == ("undecided", 60, True)
    assert not decided(between[:59], share=1e-6, delta=0.05).done


def test_level_is_the_smallest_of_the_looks() -> None:
    candidate = [score * 0.9 for score in GOOD]
    found = decided(candidate, share=1e-6, delta=0.05)
    levels = [permutation_level(BASELINE, candidate[:count]) / part for count, part in LOOKS]
    assert found.level == pytest.approx(min(1.0, *levels))
    assert decided(candidate[:4]).level == 1.0


def test_effect_is_the_change_of_means() -> None:
    found = decided([0.5, 0.7, 0.6])
    assert found.effect.estimate == pytest.approx(0.6 - np.mean(BASELINE))
    assert -1 <= found.effect.interval.low < found.effect.estimate < found.effect.interval.high <= 1


def test_equal_scores_have_no_zero_width() -> None:
    found = decide_scores([1.0] * 50, [1.0] * 9, 0.05, delta=0.3)
    assert isinstance(found, ScoreDecision)
    assert found.effect.interval.low < 0 < found.effect.interval.high


def test_a_mean_that_cannot_fall_by_delta_holds() -> None:
    found = decide_scores([0.05] * 50, [0.0], 0.05, delta=0.3)
    assert isinstance(found, ScoreDecision)
    assert found.verdict == "holds"


def test_evidence_is_the_mean_of_its_bets() -> None:
    scores, null = [0.9, 0.4, 1.0], 0.6
    bets = [k / (21 * null) for k in range(1, 21)]
    expected = np.mean([np.prod([1 + bet * (score - null) for score in scores]) for bet in bets])
    assert betting_evidence(scores, null) == pytest.approx(expected)
    assert betting_evidence([], null) == 1.0
    assert betting_evidence([0.0] * 500, 1.0) >= 0


def test_evidence_is_a_martingale_at_the_null() -> None:
    before = betting_evidence([0.9, 0.2], 0.3)
    after = 0.3 * betting_evidence([0.9, 0.2, 1.0], 0.3) + 0.7 * betting_evidence([0.9, 0.2, 0.0], 0.3)
    assert after == pytest.approx(before)


@pytest.mark.parametrize(
    ("baseline", "candidate", "share", "reason"),
    [
        ([], [0.5], 0.05, "fewer than 2"),
        ([0.5], [0.5], 0.05, "fewer than 2"),
        ([0.5, 0.6], [0.5], 0.0001, "can't show any drop"),
        ([0.5] * 20, [], 0.05, "no score yet"),
    ],
)
def test_too_little_is_said(baseline: list[float], candidate: list[float], share: float, reason: str) -> None:
    refused = decide_scores(baseline, candidate, share, delta=0.2)
    assert isinstance(refused, TooLittle)
    assert reason in refused.reason


def test_arguments_out_of_range_are_refused() -> None:
    for wrong in ({"share": 0}, {"delta": 1.0}, {"power": 1.0}, {"confidence": 0.0}):
        with pytest.raises(ValueError, match="strictly between"):
            decided([0.5], **wrong)  # type: ignore[arg-type]
    for looks in ((), ((5, 0.5), (5, 0.1)), ((0, 0.5),), ((9, 0.1), (5, 0.1))):
        with pytest.raises(ValueError, match="looks are"):
            decided([0.5], looks=looks)
    for looks in (((5, 0.6), (6, 0.6)), ((5, 0.0),)):
        with pytest.raises(ValueError, match="parts of the looks"):
            decided([0.5], looks=looks)
    for candidate in ([1.5], [float("nan")], [0.5] * 70 + [-1.0]):
        with pytest.raises(ValueError, match="scores lie"):
            decided(candidate)
    with pytest.raises(ValueError, match="null lies"):
        betting_evidence([0.5], 0.0)
    with pytest.raises(ValueError, match="scores lie"):
        betting_evidence([1.5], 0.5)
