"""Pauses between attempts: by the provider's word, else growing, and bounded either way."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from gate.record.plugin.pauses import LONGEST, TOGETHER, Pauses, asked_for

NOW = dt.datetime(2026, 1, 31, 12, 0, 0, tzinfo=dt.UTC)


class RefusedError(Exception):
    """An error of a client library.

    Args:
        headers: of the answer, on the error itself or on its `response`.
    """

    def __init__(self, headers: Any, *, on_response: bool = True) -> None:
        super().__init__("429")
        holder = type("Response", (), {"headers": headers})()
        if on_response:
            self.response = holder
        else:
            self.headers = headers


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Sat, 31 Jan 2026 12:00:20 GMT"}, 20.0),
        ({"retry-after": "Sat, 31 Jan 2026 11:00:00 GMT"}, 0.0),  # it has passed
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "٣"}, None),  # no ASCII digit
        ({"retry-after": ""}, None),
        ({}, None),
        (None, None),
        ("retry-after: 3", None),
    ],
)
@pytest.mark.parametrize("on_response", [True, False])
def test_what_the_provider_asks_for(headers: Any, seconds: float | None, on_response: bool) -> None:
    assert asked_for(RefusedError(headers, on_response=on_response), lambda: NOW) == seconds


def test_of_several_errors_the_longest_counts() -> None:
    group = ExceptionGroup(
        "all", [RefusedError({"retry-after": "1"}), RefusedError({}), RefusedError({"retry-after": "4"})]
    )
    assert asked_for(group) == 4.0
    assert asked_for(ConnectionResetError("gone")) is None


def test_pauses_grow_until_an_answer() -> None:
    waits: list[float] = []
    pauses = Pauses(waits.append)
    for _ in range(3):
        pauses.refused(None)
    pauses.refused(2.0)
    pauses.answered()
    pauses.refused(None)
    assert waits == [0.5, 1.0, 2.0, 2.0, 0.5]


def test_pauses_are_bounded_one_by_one_and_together() -> None:
    waits: list[float] = []
    pauses = Pauses(waits.append)
    for _ in range(20):
        pauses.refused(86_400.0)
    assert waits == [LONGEST] * int(TOGETHER / LONGEST)
    pauses.answered()
    pauses.refused(0.0)
    pauses.refused(None)
    assert waits[4:] == [1.0]
