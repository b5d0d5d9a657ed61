"""What the setting `volatile` names, and what it then makes of a request's key."""

from __future__ import annotations

import pytest

from gate.errors import SettingsError
from gate.record.recordings import canonical
from gate.record.recordings.exchange import Request
from gate.record.recordings.volatile import PLACEHOLDER, Volatile, read_volatile

JSON = ("content-type", "application/json")


def test_each_kind_of_part() -> None:
    found = read_volatile(["header:X-Id", "query:t", "json: a.b ", r"pattern:run-\d+", r"pattern:at \d+ => at some"])
    assert found == Volatile(("X-Id",), ("t",), ("a.b",), ((r"run-\d+", PLACEHOLDER), (r"at \d+", "at some")))
    assert read_volatile([]) == Volatile()


@pytest.mark.parametrize(
    ("part", "one", "other"),
    [
        ("query:t", ("?t=1", "x"), ("?t=2", "x")),
        ("json:text", ("", "x"), ("", "y")),
        (r"pattern:run-\d+", ("?r=run-1", "in run-1"), ("?r=run-22", "in run-22")),
    ],
)
def test_what_it_names_does_not_count(part: str, one: tuple[str, str], other: tuple[str, str]) -> None:
    requests = [
        Request("POST", f"https://api.example.org/v1/x{query}", (JSON,), b'{"text": "%b"}' % text.encode())
        for query, text in (one, other)
    ]
    declared = [canonical.key(request, read_volatile([part])).digest for request in requests]
    plain = [canonical.key(request).digest for request in requests]
    assert declared[0] == declared[1]
    assert plain[0] != plain[1]


@pytest.mark.parametrize("part", ["x", "cookie:a", "json:", "pattern:(", r"pattern:a => \2"])
def test_any_other_part_is_refused(part: str) -> None:
    with pytest.raises(SettingsError):
        read_volatile([part])
