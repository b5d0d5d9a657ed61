"""A limit of time ends a sweep with what was covered, which never passes."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pandas")

from gate.errors import UndecidedError
from gate.schema.symbols import UNKNOWN
from gate.suites.perturbation import worst_case
from gate.suites.perturbation.models import asking
from gate.suites.perturbation.time_limit import TimeLimit
from tests.support.swept import ROWS, of_epsilon, people, swept


def ticks(seconds: float) -> TimeLimit:
    """A limit on a clock that goes on by one second each time that it is read."""
    now = iter(range(10**6))
    return TimeLimit(seconds, lambda: float(next(now)))


def test_without_a_limit_nothing_is_said() -> None:
    assert not swept(people(), limit=ticks(10**5)).errors


def test_the_smallest_epsilons_are_covered_and_the_others_named() -> None:
    found = swept(people(), limit=ticks(30), worst_case=False, epsilons=[0.1, 0.01, 0.05])
    (error,) = found.errors
    assert [step.epsilon for step in found.steps] == [0.01]
    assert error.startswith("the time limit of 30 s ended the sweep: covered are ε = 0.01 on 120 rows")
    assert error.endswith("nothing at ε = 0.05, 0.1; the noise at ε=0.05 came to 2 of 25 draws")
    assert found.status is None
    assert of_epsilon(found, 0.01) == of_epsilon(swept(people(), worst_case=False), 0.01)


def test_a_search_that_was_cut_off_says_how_many_rows_it_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worst_case, "ROWS_AT_ONCE", 50)
    whole = swept(people(), epsilons=[0.1])
    found = swept(people(), epsilons=[0.1], limit=ticks(26.5))
    (error,) = found.errors
    assert "the worst case at ε=0.1 on the first 50 only" in error
    cut, full = (next(each.flipped for each in one.attacks if "worst" in each.name) for one in (found, whole))
    assert cut == full[:50] + UNKNOWN * (ROWS - 50)
    (step,) = found.steps
    assert step.robust is not None
    assert step.robust.known == 50


def test_before_anything_was_covered_nothing_can_be_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LARGEST_BATCH", 50)
    with pytest.raises(UndecidedError, match=r"before any ε was covered; the noise at ε=0\.01 came to 0 of 25 draws"):
        swept(people(), limit=ticks(2))
    with pytest.raises(UndecidedError, match="before any ε was covered"):
        swept(people(), limit=ticks(0.5))
