"""Entries that hold, and entries that are refused with their line."""

from __future__ import annotations

import datetime
import hashlib

import pytest

from gate.errors import SettingsError
from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.prompt import parse
from gate.suites.mutation.suppressions import clastogen_ids, matched, parse_suppressions

TODAY = datetime.date(2030, 6, 15)
ONE = '[[suppressions]]\nmutant = "0123456789ab"\nreason = "the model refuses by itself"\n'


def read(text: str) -> object:
    return parse_suppressions(text, where="gate.toml", today=TODAY)


def test_an_entry_with_an_end_date() -> None:
    (one,) = parse_suppressions(f"# why\n\n{ONE}until = 2030-06-15\n", where="s.toml", today=TODAY)
    assert (one.mutant, one.until, one.where) == ("0123456789ab", TODAY, "s.toml:3")


@pytest.mark.parametrize("text", ["", "alpha = 0.1\n", "suppressions = []\n"])
def test_no_entries(text: str) -> None:
    assert read(text) == ()


def test_a_date_may_be_quoted_and_entries_may_stand_in_one_list() -> None:
    text = '\nsuppressions = [{mutant = "0123456789ab", reason = "r", until = "2031-01-01"}]\n'
    (one,) = parse_suppressions(text, where="s.toml", today=TODAY)
    assert (one.until, one.where) == (datetime.date(2031, 1, 1), "s.toml:2")


def test_the_file_of_the_other_tool_is_understood() -> None:
    text = ONE.replace("mutant =", "mutant_id =")
    assert parse_suppressions(text, where=".clastogen/suppressions.toml", today=TODAY)[0].mutant == "0123456789ab"


@pytest.mark.parametrize(
    ("text", "told", "line"),
    [
        (ONE + "until = 2030-06-14\n", "expired on 2030-06-14", 1),
        (ONE + "\n" + ONE, "suppressed twice, first at gate.toml:1", 5),
        ("\n" + ONE.replace("0123456789ab", "xyz"), "12 hexadecimal digits, found 'xyz'", 2),
        ('[[suppressions]]\nreason = "r"\n', "found nothing", 1),
        ('[[suppressions]]\nmutant = "0123456789ab"\n', "has no reason", 1),
        (ONE.replace("the model refuses by itself", " "), "has no reason", 1),
        (ONE + 'why = "x"\n', "no `why`", 1),
        (ONE + 'until = "soon"\n', "no date: 'soon'", 1),
        (ONE + "until = 2030-06-15T10:00:00\n", "no date", 1),
        (ONE + 'mutant_id = "0123456789ab"\n', "names its mutant twice", 1),
        ("\n\nsuppressions = 3\n", "no list of tables", 3),
        ("suppressions = [1]\n", "no list of tables", 1),
    ],
)
def test_what_is_refused_is_named_with_its_line(text: str, told: str, line: int) -> None:
    with pytest.raises(SettingsError) as caught:
        read(text)
    assert told in caught.value.message
    assert caught.value.where == f"gate.toml:{line}"
    assert caught.value.remedy


def test_a_malformed_file_names_the_line() -> None:
    with pytest.raises(SettingsError, match="line 2"):
        read("[[suppressions]]\nmutant = \n")


def test_a_stale_entry_is_refused() -> None:
    with pytest.raises(SettingsError, match="no mutant has the id 0123456789ab") as caught:
        matched(parse_suppressions(ONE, where="s.toml", today=TODAY), mutants_of(parse("Never lie.")).mutants)
    assert caught.value.where == "s.toml:1"


def test_an_entry_is_matched_with_its_mutant() -> None:
    mutant = mutants_of(parse("Never lie.")).mutants[0]
    entries = parse_suppressions(ONE.replace("0123456789ab", mutant.id), where="s.toml", today=TODAY)
    assert matched(entries, mutants_of(parse("Never lie.")).mutants) == {mutant.id: entries[0]}


@pytest.mark.parametrize(
    ("operator", "their_operator", "after"),
    [
        ("delete-constraint", "delete_constraint", "[DELETED]"),
        ("change-threshold", "change_threshold", "You must never pay more than $500"),
        ("flip-comparator", "flip_comparator", "You must never pay LESS THAN $50"),
    ],
)
def test_ids_of_the_other_tool_are_found_again(operator: str, their_operator: str, after: str) -> None:
    prompt = parse("You must never pay more than $50.")
    found = mutants_of(prompt)
    key = f"{their_operator}:app.agent:PROMPT:You must never pay more than $50->{after}"
    theirs = hashlib.sha256(key.encode()).hexdigest()[:12]
    known = clastogen_ids(prompt, found.mutants, "app.agent:PROMPT")
    (mutant,) = [one for one in found.mutants if one.operator == operator]
    entries = parse_suppressions(ONE.replace("0123456789ab", theirs), where="s.toml", today=TODAY)
    assert matched(entries, found.mutants, earlier_ids=known) == {mutant.id: entries[0]}


def test_two_entries_for_one_mutant_under_two_ids_are_refused() -> None:
    prompt = parse("Never lie.")
    (mutant,) = mutants_of(prompt, operators=["delete-constraint"]).mutants
    theirs, *_ = clastogen_ids(prompt, [mutant], "a:B")
    text = ONE.replace("0123456789ab", mutant.id) + ONE.replace("0123456789ab", theirs)
    with pytest.raises(SettingsError, match="suppressed twice"):
        matched(parse_suppressions(text, where="s.toml", today=TODAY), [mutant], earlier_ids={theirs: mutant.id})
