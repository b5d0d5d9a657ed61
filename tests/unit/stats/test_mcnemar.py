"""McNemar's tests against SciPy, and the sequential one against paths that are counted one by one."""

from __future__ import annotations

import itertools
from math import exp, fsum, log

import pytest
from scipy import stats

from gate.stats.mcnemar import (
    CAP,
    TILTS,
    SequentialMcNemar,
    crossing,
    exact_one_sided,
    exact_two_sided,
    log_evidence,
    mid_p_one_sided,
    mid_p_two_sided,
    sequential,
    smallest_breakage,
)
from gate.stats.refusal import TooLittle

COUNTS = [(0, 0), (1, 0), (0, 6), (6, 0), (3, 11), (11, 3), (102, 116), (23, 178), (5_000, 4_800)]


def design(share: float, cap: int = CAP) -> SequentialMcNemar:
    found = sequential(share, cap)
    assert isinstance(found, SequentialMcNemar)
    return found


@pytest.mark.parametrize(("broke", "fixed"), COUNTS)
def test_fixed_tests_are_binomial(broke: int, fixed: int) -> None:
    changed = broke + fixed
    assert exact_one_sided(broke, fixed) == pytest.approx(stats.binom.sf(broke - 1, changed, 0.5), rel=1e-9)
    if changed:
        assert exact_two_sided(broke, fixed) == pytest.approx(stats.binomtest(broke, changed).pvalue, rel=1e-9)
    mid = stats.binom.sf(broke, changed, 0.5) + stats.binom.pmf(broke, changed, 0.5) / 2
    assert mid_p_one_sided(broke, fixed) == pytest.approx(mid, rel=1e-9)
    assert mid_p_two_sided(broke, fixed) == pytest.approx(min(1, 2 * min(mid, 1 - mid)), rel=1e-9)


def test_nothing_changed_is_no_evidence() -> None:
    assert exact_one_sided(0, 0) == exact_two_sided(0, 0) == mid_p_two_sided(0, 0) == 1.0
    assert mid_p_one_sided(0, 0) == 0.5
    assert log_evidence(0, 0) == 0.0


def test_evidence_is_the_mixture_of_its_formula_and_a_martingale() -> None:
    for broke, fixed in itertools.product(range(8), repeat=2):
        whole = fsum((2 * psi) ** broke * (2 - 2 * psi) ** fixed for psi in TILTS) / len(TILTS)
        assert log_evidence(broke, fixed) == pytest.approx(log(whole), abs=1e-12)
        after = (exp(log_evidence(broke + 1, fixed)) + exp(log_evidence(broke, fixed + 1))) / 2
        assert after == pytest.approx(whole)
    assert log_evidence(60_000, 20_000) == pytest.approx(60_000 * log(1.6) + 20_000 * log(0.4) - log(3))


@pytest.mark.parametrize("psi", [0.5, 0.8])
def test_crossing_is_what_all_paths_add_up_to(psi: float) -> None:
    cap, threshold = 12, 1.2
    chance = mean = 0.0
    for path in itertools.product((0, 1), repeat=cap):
        weight = psi ** sum(path) * (1 - psi) ** (cap - sum(path))
        at = [log_evidence(sum(path[:n]), n - sum(path[:n])) for n in range(cap + 1)]
        first = next((n for n, evidence in enumerate(at) if evidence >= threshold), None)
        chance += weight * (first is not None)
        mean += weight * (cap if first is None else first)
    assert crossing(threshold, cap, psi) == pytest.approx((chance, mean))
    assert crossing(0.0, cap, psi) == (1.0, 0.0)


def test_the_threshold_is_the_smallest_that_keeps_to_the_share() -> None:
    for share, cap in ((0.05, 30), (0.01, 200), (0.05 / 12, 200)):
        found = design(share, cap)
        assert found.size == crossing(found.threshold, cap, 0.5)[0] <= share
        lattice = (log_evidence(broke, n - broke) for n in range(cap + 1) for broke in range(n + 1))
        below = max(evidence for evidence in lattice if evidence < found.threshold - 1e-9)
        assert crossing(below, cap, 0.5)[0] > share


def test_it_stops_at_the_threshold_and_not_before() -> None:
    found = design(0.05)
    run = next(broke for broke in range(CAP) if found.regression(broke, 0))
    assert log_evidence(run, 0) >= found.threshold > log_evidence(run - 1, 0)
    assert not found.regression(100, 100)
    assert not found.regression(CAP + 1, 0)


def test_reachable_looks_at_the_best_that_can_still_come() -> None:
    found = design(0.05, 20)
    assert found.reachable(0, 0)
    assert found.reachable(12, 3)
    assert not found.reachable(0, 19)
    assert not found.reachable(0, 8)
    assert found.reachable(12, 8) == found.regression(12, 8)


def test_the_attained_level_is_at_most_the_share_exactly_when_it_rejects() -> None:
    found = design(0.05 / 12)
    for broke, fixed in itertools.product(range(0, 30, 4), repeat=2):
        assert (found.level(broke, fixed) <= found.share) == found.regression(broke, fixed)
    assert found.level(0, 0) == 1.0


def test_a_cap_that_is_too_small_is_said() -> None:
    refused = sequential(0.01, 6)
    assert isinstance(refused, TooLittle)
    assert "7 would" in refused.reason
    assert isinstance(sequential(0.01, 7), SequentialMcNemar)


def test_smallest_breakage_is_the_first_that_counts() -> None:
    for changed, share in ((0, 0.05), (4, 0.05), (5, 0.05), (20, 0.01), (218, 0.025), (4_001, 0.001)):
        found = smallest_breakage(changed, share)
        counts = [broke for broke in range(changed + 1) if exact_one_sided(broke, changed - broke) <= share]
        assert found == (min(counts) if counts else None)


def test_arguments_out_of_range_are_refused() -> None:
    for ask in (exact_one_sided, exact_two_sided, mid_p_one_sided, mid_p_two_sided, log_evidence):
        with pytest.raises(ValueError, match="at least 0"):
            ask(-1, 2)
    for share, cap in ((0, 9), (1, 9), (0.1, 0)):
        with pytest.raises(ValueError, match="strictly between"):
            sequential(share, cap)
    with pytest.raises(ValueError, match="psi lies"):
        crossing(1, 9, 1.1)
    with pytest.raises(ValueError, match="strictly between"):
        smallest_breakage(3, 0)
