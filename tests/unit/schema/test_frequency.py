"""Frequencies as people write them."""

from __future__ import annotations

import pytest

from gate.schema.frequency import parse_frequency


@pytest.mark.parametrize(
    ("text", "a_day"),
    [
        ("1 a day", 1.0),
        ("14 per week", 2.0),
        ("1 a month", 12 / 365.25),
        (" 2.5/year ", 2.5 / 365.25),
        ("3 a Quarters", 12 / 365.25),
    ],
)
def test_a_frequency_is_events_a_day(text: str, a_day: float) -> None:
    assert parse_frequency(text).a_day == pytest.approx(a_day)


@pytest.mark.parametrize("text", ["", "often", "0 a month", "-1 a day", "1 a fortnight", "one a month", "1 month"])
def test_another_shape_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="1 a month"):
        parse_frequency(text)
