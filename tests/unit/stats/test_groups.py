"""Suites of single runs: by hand, and on pairs of real reports."""

from __future__ import annotations

import csv
from itertools import product

import pytest

from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.stats.groups import Pair, PairedDecision, decide_pairs, explained_by_noise
from gate.stats.mcnemar import exact_one_sided
from gate.stats.refusal import TooLittle
from tests.support.corpus import corpus


def pairs(broke: int, fixed: int, same: int, *groups: tuple[str, str]) -> list[Pair]:
    """Pairs of one group; half of those that stay the same pass."""
    stay = [Pair(bool(at % 2), bool(at % 2), groups) for at in range(same)]
    return [Pair(True, False, groups)] * broke + [Pair(False, True, groups)] * fixed + stay


def file(name: str) -> tuple[str, str]:
    return ("file", f"tests/{name}.py")


def decided(given: list[Pair], share: float = 0.05) -> PairedDecision:
    found = decide_pairs(given, share)
    assert isinstance(found, PairedDecision)
    return found


def names(found: PairedDecision) -> list[str]:
    return [each.label or each.kind for each in found.fell]


def test_without_groups_the_suite_has_the_whole_share() -> None:
    found = decided(pairs(12, 3, 100))
    assert found.whole.level == found.whole.adjusted == exact_one_sided(12, 3)
    assert (found.whole.broke, found.whole.fixed, found.whole.pairs, found.whole.fell) == (12, 3, 115, True)
    assert found.whole.effect.estimate == pytest.approx(-9 / 115)
    assert (found.groups, found.untested) == ((), 0)


def test_a_group_that_falls_is_found_where_the_suite_stays() -> None:
    noise = [pair for at in range(10) for pair in pairs(8, 8, 50, file(f"test_{at}"))]
    found = decided(noise + pairs(14, 0, 50, file("test_tone")))
    assert names(found) == ["tests/test_tone.py"]
    assert found.groups[0].level == pytest.approx(0.5**14)
    assert found.groups[0].adjusted == pytest.approx(0.5**14 / (0.5 / 11))
    assert not found.whole.fell


def test_a_drop_that_no_group_shows_is_found_in_the_suite() -> None:
    found = decided([pair for at in range(20) for pair in pairs(4, 1, 50, file(f"test_{at}"))])
    assert names(found) == ["suite"]


def test_groups_with_too_few_changed_tests_cost_nothing() -> None:
    large = pairs(20, 4, 50, file("large")) + pairs(4, 16, 50, file("other"))
    single = [pair for at in range(500) for pair in pairs(at % 2, 1 - at % 2, 3, file(f"test_{at}"))]
    found = decided(large + single)
    assert [each.label for each in found.groups] == ["tests/large.py", "tests/other.py"]
    assert found.untested == 500
    assert found.groups[0].adjusted == pytest.approx(exact_one_sided(20, 4) / 0.25)


def test_groups_of_the_same_changed_tests_are_one_test_under_several_names() -> None:
    both = pairs(9, 0, 20, file("test_tone"), ("class", "TestTone"))
    found = decided(both + pairs(6, 6, 40, file("test_else")))
    assert [(each.kind, each.fell) for each in found.groups[:2]] == [("class", True), ("file", True)]
    assert found.groups[0].adjusted == found.groups[1].adjusted == pytest.approx(0.5**9 / 0.25)


def test_one_group_that_is_the_suite_shares_nothing() -> None:
    found = decided(pairs(7, 1, 30, file("only")) + pairs(0, 0, 10, file("quiet")))
    assert found.whole.adjusted == exact_one_sided(7, 1)
    assert [each.adjusted for each in found.groups] == [exact_one_sided(7, 1)]


def test_a_test_named_twice_in_one_group_counts_once() -> None:
    assert decided([Pair(True, False, (file("a"), file("a")))] * 9).groups[0].broke == 9


def test_nothing_changed_is_a_decision_and_no_pair_is_a_refusal() -> None:
    found = decided(pairs(0, 0, 40, file("a")))
    assert (found.whole.level, found.whole.fell, found.smallest_drop, found.fell) == (1.0, False, None, ())
    assert found.whole.effect.interval.low < 0 < found.whole.effect.interval.high
    assert isinstance(decide_pairs([], 0.05), TooLittle)


def test_smallest_drop_is_the_first_that_would_be_found() -> None:
    for changed in (4, 5, 12, 40):
        found = decided(pairs(0, changed, 60))
        drops = [
            (2 * broke - changed) / (60 + changed)
            for broke in range(changed + 1)
            if decided(pairs(broke, changed - broke, 60)).whole.fell
        ]
        assert found.smallest_drop == (min(drops) if drops else None)


def test_noise_is_in_both_directions_without_preference() -> None:
    assert explained_by_noise(102, 116) is True
    assert explained_by_noise(23, 178) is False
    assert explained_by_noise(9, 0) is False
    assert explained_by_noise(0, 9) is False
    assert explained_by_noise(1, 5) is True
    refused = explained_by_noise(1, 4)
    assert isinstance(refused, TooLittle)
    assert not refused


@pytest.mark.parametrize(("broke", "fixed"), list(product(range(6), repeat=2)))
def test_few_changed_tests_are_never_called_noise(broke: int, fixed: int) -> None:
    if broke + fixed < 6:
        assert not explained_by_noise(broke, fixed)


def test_arguments_out_of_range_are_refused() -> None:
    for share in (0, 1):
        with pytest.raises(ValueError, match="share lies"):
            decide_pairs([], share)
    with pytest.raises(ValueError, match="confidence lies"):
        decide_pairs(pairs(1, 1, 1), 0.05, confidence=0)
    with pytest.raises(ValueError, match="level lies"):
        explained_by_noise(1, 1, level=1)
    with pytest.raises(ValueError, match="at least 0"):
        explained_by_noise(-1, 1)


def real_pairs(row: int) -> list[Pair]:
    folder = corpus()
    with (folder / "PAIRS.tsv").open(encoding="utf-8") as lines:
        names = list(csv.DictReader(lines, delimiter="\t"))[row]
    before, after = (
        {case.id: case.outcome for case in read_report((folder / names[side]).read_bytes(), side).cases}
        for side in ("baseline", "candidate")
    )
    spoken = {Outcome.PASSED: True, Outcome.FAILED: False}
    return [
        Pair(spoken[before[name]], spoken[after[name]], (("file", name.partition("::")[0]),))
        for name in before
        if before[name] in spoken and after.get(name) in spoken
    ]


@pytest.mark.parametrize(
    ("row", "counts", "noise", "fell"),
    [(0, (102, 116), True, 0), (2, (23, 178), False, 0)],
    ids=["same-code-twice", "many-fixed"],
)
def test_two_runs_of_a_real_suite_of_2000_single_runs(
    row: int, counts: tuple[int, int], noise: bool, fell: int
) -> None:
    found = decided(real_pairs(row))
    assert (found.whole.broke, found.whole.fixed) == counts
    assert explained_by_noise(*counts) is noise
    assert len(found.fell) == fell
    assert found.whole.effect.interval.low < found.whole.effect.estimate < found.whole.effect.interval.high


def test_a_real_suite_read_backwards_fell() -> None:
    backwards = [Pair(pair.after, pair.before, pair.groups) for pair in real_pairs(2)]
    found = decided(backwards)
    assert found.whole.fell
    assert found.whole.effect.interval.high < 0
