"""Which shard runs what: named rightly, balanced by durations, unmoved by new tests, together where it must be."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import BaselineError, UsageError
from gate.record.durations import durations_from_text, durations_to_text, rounded, updated, with_known
from gate.record.sharding import Shard, grouped, part_of, rendezvous, shard_from_text, split

NAMES = st.text("abcdefgh[]:é", min_size=1, max_size=8)
SECONDS = st.dictionaries(NAMES, st.sampled_from([0.05, 0.5, 2.0, 20.0]), max_size=30)


@pytest.mark.parametrize(
    "text", ["0/8", "9/8", "3/0", "x/y", "", "3", "3/8/1", "-1/8", "3/8 ", "٣/8", "1/100000", "9" * 40]
)
def test_what_names_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        shard_from_text(text)
    assert "such as 3/8" in error.value.remedy


def test_a_shard_is_read() -> None:
    assert shard_from_text("3/8") == Shard(3, 8)
    assert str(Shard(3, 8)) == "3/8"


def test_known_durations_are_balanced() -> None:
    seconds = {f"t{place}": 1.0 + place % 7 for place in range(200)}
    placed = split({name: [name] for name in seconds}, seconds, 8)
    loads: Counter[int] = Counter()
    for name, number in placed.items():
        loads[number] += seconds[name]  # type: ignore[assignment]
    assert set(loads) == set(range(1, 9))
    assert max(loads.values()) <= 1.05 * sum(loads.values()) / 8


def test_unknown_tests_are_spread() -> None:
    counts = Counter(rendezvous(f"tests/test_a.py::test[{place}]", 8) for place in range(4_000))
    assert set(counts) == set(range(1, 9))
    assert max(counts.values()) < 1.3 * 500


@given(NAMES, st.integers(2, 40))
def test_one_shard_more_moves_only_what_it_takes(name: str, count: int) -> None:
    assert rendezvous(name, count + 1) in (rendezvous(name, count), count + 1)


@given(st.sets(NAMES, max_size=30), SECONDS, NAMES, st.integers(1, 9))
def test_a_new_test_moves_no_other(names: set[str], seconds: dict[str, float], new: str, count: int) -> None:
    known = {name: each for name, each in seconds.items() if name != new}
    names |= {f"{place}" for place in range(40)}  # so many that hashing leaves no shard empty
    before = split({name: [name] for name in names - {new}}, known, count)
    after = split({name: [name] for name in names | {new}}, known, count)
    assert {name: after[name] for name in before} == before


@given(st.sets(NAMES, min_size=1, max_size=12), st.integers(1, 12))
def test_no_shard_is_empty_while_there_are_enough(names: set[str], count: int) -> None:
    placed = split({name: [name] for name in names}, {}, count)
    assert set(placed) == names
    assert len(set(placed.values())) == min(len(names), count)


@given(st.lists(st.tuples(NAMES, st.sampled_from("ABC")), max_size=30), SECONDS, st.integers(1, 9))
def test_the_parts_are_the_whole_and_say_the_same_of_it(
    tests: list[tuple[str, str]], seconds: dict[str, float], count: int
) -> None:
    tests = list(dict(tests).items())
    parts = [part_of(tests, seconds, Shard(number, count)) for number in range(1, count + 1)]
    assert sorted(name for part in parts for name in part.own) == sorted(name for name, _ in tests)
    assert len({(part.collected, part.whole, part.split) for part in parts}) == 1
    for unit in "ABC":
        owned = [{name for name, each in tests if each == unit} & set(part.own) for part in parts]
        assert sum(bool(each) for each in owned) <= 1


def test_another_collection_or_another_split_is_another_digest() -> None:
    tests = [("a", "a"), ("b", "b"), ("c", "c")]
    part = part_of(tests, {}, Shard(1, 2))
    assert part_of([*tests, ("d", "d")], {}, Shard(1, 2)).whole != part.whole
    slow = part_of(tests, {"a": 1.0, "b": 2.0, "c": 3.0}, Shard(1, 2))
    fast = part_of(tests, {"a": 3.0, "b": 2.0, "c": 1.0}, Shard(1, 2))
    assert slow.whole == fast.whole == part.whole
    assert slow.split != fast.split


def test_tests_that_share_something_are_together() -> None:
    assert grouped([("a",), ("b",), ("a", "c"), ("c",), ("d", "b")]) == ["a", "b", "a", "a", "b"]
    assert grouped([("a", "b"), ("b", "c"), ("c", "d")]) == ["a", "a", "a"]


@given(st.dictionaries(NAMES, st.sampled_from([0.05, 1.0, 200.0])))
def test_durations_come_back(seconds: dict[str, float]) -> None:
    assert durations_from_text(durations_to_text(seconds, "default"), "d") == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"gate_durations":2}',
        '{"gate_durations":1}\n{"id":"a"}',
        '{"gate_durations":1}\n{"id":"a","seconds":NaN}',
        '{"gate_durations":1}\n{"id":1,"seconds":1}',
        '{"gate_durations":1}\n{"id":"a","seconds":-1}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_of_durations_is_refused(text: str) -> None:
    with pytest.raises(BaselineError):
        durations_from_text(text, "d")


def test_seconds_are_rounded_and_change_only_when_they_matter() -> None:
    assert [rounded(each) for each in (0.06, 0.13, 1.2, 3.4, 8.0, 70.0)] == [0.05, 0.1, 1.0, 5.0, 10.0, 50.0]
    known = updated({}, {"a": 1.2, "b": 0.001, "c": 3.0})
    assert known == {"a": 1.0, "c": 2.0}
    assert updated(known, {"a": 1.9, "b": 0.02, "c": 1.1}) == known, "noise changes nothing"
    assert updated(known, {"a": 2.1, "c": 0.001}) == {"a": 2.0}
    assert updated(known, {"a": 0.0, "c": 0.0, "d": 0.0}) == known, "a replay knows no times"


def test_what_main_knows_is_balanced_before_a_duration_was_recorded() -> None:
    baseline = '{"gate_baseline":1}\n' + "".join(f'{{"id":"t{place}","outcome":"passed"}}\n' for place in range(13))
    seconds = with_known({}, baseline + "damaged\n[]\n")
    placed = split({name: [name] for name in seconds}, seconds, 3)
    assert sorted(Counter(placed.values()).values()) == [4, 4, 5]
    assert with_known({"t1": 2.0}, baseline) == {"t1": 2.0} | {f"t{at}": 0.01 for at in range(13) if at != 1}
