"""The table in a terminal: aligned by columns, coloured only when asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate import render
from gate.render.width import width, wrap
from gate.schema.verdict import Finding, Level, RuleName, Verdict
from tests.support import verdicts


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    for make in verdicts.ALL.values():
        for line in render.terminal(make(), width=columns).split("\n"):
            if not line.startswith(("report: ", "rules: ")):
                assert width(line) <= columns, line


def test_columns_stay_aligned_with_wide_characters() -> None:
    wide = verdicts.failing(1, "test_日本語", "", "t.py")
    narrow = verdicts.failing(2, "test_plain", "", "t.py")
    verdict = replace(verdicts.worse(), findings=(wide, narrow))
    lines = [line for line in render.terminal(verdict, width=120).split("\n") if "newly fails" in line]
    places = [width(line[: line.index("passed")]) for line in lines]
    assert len(places) == 2
    assert places[0] == places[1]


def test_words_are_kept_whole_where_they_can_be() -> None:
    marked = Finding(
        RuleName.SETTINGS_CHANGED,
        Level.WARNING,
        "tests/test_tone.py::test_no_advice_is_ever_given",
        "tests/test_tone.py::test_no_advice_is_ever_given",
        "marker stochastic",
        "not marked",
        "marked stochastic",
        "main's decides",
        "F1",
    )
    other = verdicts.failing(2, f"test_{'long_' * 20}", "AssertionError: a long message that takes its room as well")
    for columns in (80, 100, 120):
        lines = render.terminal(Verdict(findings=(other, marked)), width=columns).split("\n")
        words = {word for line in lines for word in line.split()}
        assert {"marked", "stochastic", "AssertionError:"} <= words


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("marked stochastic", 16, ["marked", "stochastic"]),
        ("a stochastic mark", 10, ["a", "stochastic", "mark"]),
        ("tests/test_schema.py::t", 14, ["tests/test_", "schema.py::t"]),
        ("one two", 7, ["one two"]),
        ("", 4, [""]),
    ],
)
def test_lines_are_broken_between_words(text: str, columns: int, lines: list[str]) -> None:
    assert wrap(text, columns) == lines


def test_colour_only_when_asked() -> None:
    assert "\x1b" not in render.terminal(verdicts.worse())
    coloured = render.terminal(verdicts.worse(), colour=True)
    assert coloured.startswith("\x1b[1;31m✗ Less robust than main")
    assert "\x1b[31mF1" in coloured


def test_many_findings_are_counted() -> None:
    assert "and 2,942 more findings: gate show ID" in render.terminal(verdicts.huge())
