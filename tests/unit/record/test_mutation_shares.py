"""How alpha is spread over the mutants of a run, and what a kill hands on."""

from __future__ import annotations

import itertools

import pytest

from gate.record.plugin.mutation.shares import Shares
from gate.stats.design import Question, design_for

ALPHA = frozenset({0.05})


def shares(*tests: int, alphas: list[frozenset[float]] | None = None) -> Shares:
    order = [(f"m{place}", count) for place, count in enumerate(tests)]
    return Shares(order, alphas or [ALPHA] * len(tests))


def test_each_mutant_has_a_part_by_its_tests() -> None:
    found = shares(1, 2, 1)
    assert found.among == 4
    assert [found.part(f"m{place}", lambda _: None) for place in range(3)] == [0.25] * 3
    assert found.part("unknown", lambda _: True) == 0.25


def test_a_kill_hands_its_part_and_what_it_was_handed_to_the_next() -> None:
    found = shares(1, 1, 1, 1)
    killed = {"m0": True, "m1": True, "m2": False}
    assert [round(4 * found.part(f"m{place}", killed.get)) for place in range(4)] == [1, 2, 3, 1]


def test_what_is_not_known_yet_hands_on_nothing() -> None:
    found = shares(1, 1, 1)
    assert 3 * found.part("m2", {"m0": True}.get) == pytest.approx(1)
    assert 3 * found.part("m2", {"m1": True}.get) == pytest.approx(2)


def test_a_part_is_handed_on_between_equal_alphas_only() -> None:
    found = shares(1, 1, alphas=[frozenset({0.05}), frozenset({0.01})])
    assert found.part("m1", lambda _: True) == 0.5


def test_the_parts_of_what_was_not_killed_and_the_last_handed_on_never_exceed_the_whole() -> None:
    """Whichever mutants are killed: those that are not spend no more than there is, so no more than alpha."""
    tests = (2, 1, 3, 1, 2, 1)
    found = shares(*tests)
    for pattern in itertools.product((True, False), repeat=len(tests)):
        killed = {f"m{place}": each for place, each in enumerate(pattern)}
        spent = sum(
            count * found.part(f"m{place}", killed.get)
            for place, (count, dead) in enumerate(zip(tests, pattern, strict=True))
            if not dead
        )
        assert spent <= 1 + 1e-9


@pytest.mark.parametrize("n0", [10, 50])
def test_what_a_smaller_share_kills_a_greater_one_kills_no_later(n0: int) -> None:
    """So that what is handed on makes a verdict earlier and never another one: the procedure needs that."""
    parts = [design_for(Question(n0, 60, 0.05 * times / 12), {}).regression for times in (1, 2, 3, 4, 6, 8, 12)]
    for less, more in itertools.pairwise(parts):
        assert all(
            late >= early for row, other in zip(less, more, strict=True) for late, early in zip(row, other, strict=True)
        )
