"""What one run tells the next: the first sample of a content counts, and what could not be made stays so."""

from __future__ import annotations

import json

from gate.record.memory import Key, confirmed_lines, content_of, ended_line, read_earlier, read_lines
from gate.trials.carry import Carried, Entry, Inputs, entry_line, inputs_line

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
    history = (
        ended_line("1", {"a": "x", "b": "x"}) + ended_line("2", {"a": "y", "b": "y"}) + ended_line("3", {"a": "z"})
    )
    assert read_earlier(history).undecided == {"a": frozenset("xyz")}
    assert read_earlier(history + ended_line("4", {})).undecided == {}


def test_runs_of_one_content_count_once_and_without_a_fingerprint_each_commit_is_one() -> None:
    assert read_earlier(ended_line("1", {"a": "x"}) + ended_line("2", {"a": "x"})).undecided == {"a": frozenset("x")}
    assert content_of("x", "1") == content_of("x", "2")
    assert content_of("", "1") != content_of("", "2")


def trials_of(name: str, uses: str = "i") -> bytes:
    return entry_line(Entry(name, Carried(f"f-{name}", "0101")), uses).encode()


def test_one_bad_line_takes_no_other_with_it() -> None:
    lists, orphan = inputs_line("i", Inputs(("t.py",))).encode(), trials_of("c", "nowhere")
    bad = [b'{"case": 1}\n', b"no object\n", b'{"inputs":"j","modules":1}\n', b'{"confirmed":"x"}\n', b"[1]\n", orphan]
    good = [lists, trials_of("a"), confirmed("1", "0"), trials_of("b"), ended_line("h", {"a": "x"})]
    history = b"".join([bad[0], good[0], bad[1], good[1], bad[2], good[2], bad[3], good[3], bad[4], bad[5], good[4]])
    found = read_earlier(history)
    assert set(found.carried) == {"a", "b"}
    assert (found.confirmed, set(found.undecided)) == ({KEY: ("1", "0")}, {"a"})
    assert found.kept == b"".join(good)
    assert found.trouble == "6 lines of the trials of earlier runs can't be used and were left out"
    assert read_earlier(found.kept).trouble == ""


def test_the_lines_of_the_suite_are_told_from_the_gates_own() -> None:
    lists = inputs_line("i", Inputs()).encode()
    found = read_lines(lists + trials_of("a") + confirmed("1", "0") + ended_line("h", {}))
    assert found.trials == lists + trials_of("a")
    assert [entry.case for entry in found.entries] == ["a"]
    assert (len(found.own), found.bad) == (2, 0)


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
    assert (found.confirmed, found.void, found.undecided, found.kept) == ({}, {}, {}, b"")
    assert found.trouble.startswith("6 lines of")
    assert read_earlier(b'{"case": 1}\n').trouble.endswith("can't be used and was left out")
