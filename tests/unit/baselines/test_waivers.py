"""The file of waivers: what it holds, and each fault by its line."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.baselines.waivers import read_waivers, write_waivers
from gate.errors import BaselineError
from gate.schema.acceptance import Waiver
from gate.schema.verdict import RuleName

GOOD = """
[[waiver]]
rule = "negative-flip"
case = "tests/test_model.py::test_rows"
amount = 3
reason = "the labels of these rows are wrong"
who = "ann"
owner = "data team"
until = 2027-01-31

[[waiver]]
rule = "newly-failing"
case = "tests/test_agent.py::test_refund"
reason = "known, see the issue"
owner = "bob"
"""


def refused(text: str) -> str:
    with pytest.raises(BaselineError) as caught:
        read_waivers(text.encode())
    return str(caught.value)


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_waivers_are_read_with_their_lines() -> None:
    first, second = read_waivers(GOOD.encode())
    assert (first.line, second.line) == (2, 11)
    assert (first.amount, first.until, first.owner, first.who) == (3.0, "2027-01-31", "data team", "ann")
    assert (second.amount, second.until, second.who) == (1.0, "", "")


def test_an_empty_file_waives_nothing() -> None:
    assert read_waivers(b"") == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[waiver", "no TOML"),
        ("waiver = 3", "tables `[[waiver]]` alone"),
        ("[settings]\nx = 1", "tables `[[waiver]]` alone"),
        (changed('rule = "negative-flip"', 'rule = "negative-flips"'), "waivers.toml:2: there is no rule"),
        (changed('rule = "negative-flip"', 'rule = "negative-flips"'), "did you mean `negative-flip`?"),
        (changed("amount = 3", "amount = -1"), "`amount` is a number"),
        (changed("amount = 3", "amount = nan"), "`amount` is a number"),
        (changed("amount = 3", "amount = true"), "`amount` is a number"),
        (changed("2027-01-31", '"soon"'), "`until` is a day"),
        (changed("2027-01-31", '"2027-13-01"'), "`until` is a day"),
        (changed('owner = "bob"', ""), "waivers.toml:11: a waiver needs a `owner`"),
        (changed('reason = "known, see the issue"', 'reason = " "'), "needs a `reason`"),
        (changed('who = "ann"', 'whom = "ann"'), "did you mean `who`?"),
        (GOOD + GOOD, "is waived twice, first in line 2"),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, says: str) -> None:
    assert says in refused(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(BaselineError, match="no UTF-8 at byte 0"):
        read_waivers(b"\xff")


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(
    lambda text: bool(text.strip())
)
waivers = st.builds(
    Waiver,
    rule=st.sampled_from([rule.value for rule in RuleName]),
    case_id=texts,
    amount=st.integers(0, 10**6).map(float) | st.floats(0, 1e6),
    reason=texts,
    who=texts | st.just(""),
    owner=texts,
    until=st.dates().map(lambda day: day.isoformat()) | st.just(""),
)


@settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(waivers, max_size=4, unique_by=lambda each: (each.rule, each.case_id)))
def test_what_is_written_is_read_again(given_: list[Waiver]) -> None:
    from dataclasses import replace

    back = [replace(each, line=0) for each in read_waivers(write_waivers(given_))]
    assert back == sorted(given_, key=lambda each: (each.rule, each.case_id))
    assert write_waivers(back) == write_waivers(given_)
