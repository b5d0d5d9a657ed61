"""Diffs below the table of a terminal: what changed is seen at once, and never more than a screen of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate import render
from gate.render.terminal_diff import MOST_DIFFS, MOST_LINES, diffs
from gate.render.width import width
from gate.schema.evidence import Block, BlockKind
from gate.schema.verdict import Finding, Level
from tests.support import verdicts


def with_diff(number: int, *bodies: str) -> Finding:
    blocks = tuple(Block(BlockKind.DIFF, "Request", body) for body in bodies)
    return verdicts.failing(number, f"test_{number}", "", evidence=blocks)


def test_the_first_lines_of_the_first_diff() -> None:
    body = "\n".join(["--- recorded", "+++ asked", "@@ -1 +1 @@", *(f"+line {n}" for n in range(MOST_LINES + 2))])
    lines = diffs([with_diff(1, body, "-x")], 100)
    assert lines[:3] == ["", "F1 Request", "  +line 0"]
    assert lines[-2:] == [f"  +line {MOST_LINES - 1}", "  and 2 more lines and 1 more difference: gate show F1"]


def test_few_findings_and_how_many_more() -> None:
    lines = diffs([with_diff(number, "-a\n+b") for number in range(1, MOST_DIFFS + 3)], 100)
    assert [line for line in lines if line.startswith("F")] == ["F1 Request", "F2 Request", "F3 Request"]
    assert lines[-1] == "and 2 more differences: gate show ID"


def test_other_evidence_and_what_does_not_fail_are_not_shown() -> None:
    assert diffs([verdicts.failing(1, "test_a", "", evidence=(Block(BlockKind.TEXT, "t", "b"),))], 100) == []
    warning = replace(verdicts.stale().findings[0], level=Level.WARNING)
    assert "asks for it!" not in render.terminal(replace(verdicts.stale(), findings=(warning,)))
    assert "asks for it!" in render.terminal(verdicts.stale())


@pytest.mark.parametrize("words", verdicts.HOSTILE_TEXTS)
def test_no_line_is_obeyed_or_too_wide(words: str) -> None:
    for line in diffs([with_diff(1, words, words)], 40):
        assert width(line) <= 40
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "\x1b" not in line
