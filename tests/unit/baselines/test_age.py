"""Ages in words."""

from __future__ import annotations

import pytest

from gate.baselines.age import in_words


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just made"),
        (-500, "just made"),
        (59, "just made"),
        (60, "1 minute old"),
        (7200, "2 hours old"),
        (86_399, "23 hours old"),
        (2 * 86_400, "2 days old"),
        (61 * 86_400, "2 months old"),
        (800 * 86_400, "2 years old"),
    ],
)
def test_age(seconds: int, said: str) -> None:
    assert in_words(1_700_000_000, 1_700_000_000.5 + seconds) == said


def test_unknown() -> None:
    assert in_words(None, 1.0) == ""
