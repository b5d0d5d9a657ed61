"""In which order tests try a mutant."""

from __future__ import annotations

import pytest

from gate.record.plugin.mutation.verdicts import killer_first


@pytest.mark.parametrize(
    ("killer", "expected"),
    [("c", ["c", "a", "b"]), ("a", ["a", "b", "c"]), ("", ["a", "b", "c"]), ("gone", ["a", "b", "c"])],
)
def test_the_test_that_killed_it_on_main_tries_it_first(killer: str, expected: list[str]) -> None:
    assert killer_first(["a", "b", "c"], killer) == expected
