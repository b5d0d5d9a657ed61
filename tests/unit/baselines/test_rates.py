"""Pass rates before and after, for whoever reads a refresh."""

from __future__ import annotations

from gate.baselines.rates import Rate, rates, rates_markdown, rates_text
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials


def report(session: str, **outcomes: str) -> Report:
    return Report(
        cases=tuple(
            Case(f"t.py::{name}", outcome=Outcome.PASSED, stochastic=True, trials=Trials((Session(session, made),)))
            for name, made in outcomes.items()
        )
    )


MAIN = report("a", steady="1" * 30, fell="1" * 30, less="1" * 30, gone="1", rose="0" * 30)


def test_what_fell_comes_first_and_then_the_largest_drop() -> None:
    now = report("b", steady="1" * 10, less="1" * 9 + "0", fell="0" * 10, rose="1" * 10, new="10")
    found = rates(MAIN, now)
    assert [(each.id.partition("::")[2], each.before, each.now, each.moved) for each in found] == [
        ("fell", (30, 30), (0, 10), "fell"),
        ("rose", (0, 30), (10, 10), "rose"),
        ("less", (30, 30), (9, 10), ""),
        ("new", (0, 0), (1, 2), ""),
        ("steady", (30, 30), (10, 10), ""),
    ]


def test_without_a_baseline_and_without_trials() -> None:
    assert rates(None, report("b", new="1")) == (Rate("t.py::new", (0, 0), (1, 1)),)
    assert rates(MAIN, Report(cases=(Case("t.py::plain", outcome=Outcome.PASSED),))) == ()
    assert rates_markdown(()) == rates_text(()) == ""


def test_both_forms_are_escaped_and_bounded() -> None:
    hostile = [Rate(f"t.py::{number}|`<b>\n::error::x", (3, 4), (1, 4), "fell") for number in range(3)]
    table = rates_markdown(hostile, limit=2)
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert [row.count("|") for row in rows] == [5, 5, 5], "a head and two rows of four cells"
    assert "3/4 (75%) | 1/4 (25%) | fell" in rows[1]
    assert "<b>" not in table
    assert table.endswith("… and 1 more")
    text = rates_text(hostile, limit=2)
    assert len(text.splitlines()) == 4
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert text.endswith("… and 1 more")
