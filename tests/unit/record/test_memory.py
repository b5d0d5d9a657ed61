"""What one run tells the next: the first sample of a content counts, and what could not be made stays so."""

from __future__ import annotations

import json

from gate.record.memory import Key, confirmed_lines, ended_line, read_earlier

KEY: Key = ("t.py::a", "f1", "b" * 40)


def confirmed(base: str, head: str, key: Key = KEY) -> bytes:
    return confirmed_lines({key[0]: key}, {key[0]: {"trials": [base, head]}})


def test_the_first_sample_of_a_content_counts_and_one_that_went_on_from_it() -> None:
    history = confirmed("11", "000111") + confirmed("1111", "000111000111") + confirmed("0000", "111111111111")
    assert read_earlier(history).confirmed == {KEY: ("1111", "000111000111")}


def test_another_content_or_base_is_another_confirmation() -> None:
    other, moved = (KEY[0], "f2", KEY[2]), (KEY[0], KEY[1], "c" * 40)
    found = read_earlier(confirmed("1", "0") + confirmed("1", "1", other) + confirmed("0", "1", moved))
    assert found.confirmed == {KEY: ("1", "0"), other: ("1", "1"), moved: ("0", "1")}


def test_why_a_confirmation_came_to_nothing_is_remembered() -> None:
    found = read_earlier(confirmed_lines({KEY[0]: KEY}, {KEY[0]: {"void": "the base's files are not whole"}}))
    assert (found.void, found.confirmed) == ({KEY: "the base's files are not whole"}, {})


def test_a_case_without_a_fingerprint_leaves_nothing() -> None:
    assert confirmed("1", "0", (KEY[0], "", KEY[2])) == b""


def test_undecided_cases_are_counted_over_runs_in_a_row() -> None:
    history = ended_line("1", ["a", "b"]) + ended_line("2", ["a", "b"]) + ended_line("3", ["a"])
    assert read_earlier(history).undecided == {"a": 3}
    assert read_earlier(history + ended_line("4", [])).undecided == {}


def test_what_is_damaged_is_as_if_it_were_not_there() -> None:
    damaged = [
        {"confirmed": KEY[0], "trials": ["12", "1"]},
        {"confirmed": KEY[0], "trials": ["1"]},
        {"confirmed": KEY[0], "trials": "11"},
        {"confirmed": KEY[0]},
        {"ended": True, "undecided": "a"},
    ]
    lines = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in damaged).encode()
    found = read_earlier(lines + b'{"confirmed":"x"\n')
    assert (found.confirmed, found.void, found.undecided, found.trouble) == ({}, {}, {}, "")
    assert "can't be used" in read_earlier(b'{"case": 1}\n').trouble
