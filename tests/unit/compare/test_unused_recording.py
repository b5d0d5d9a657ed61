"""Recordings that nothing asked for: a note, which the settings can make fail, and which main's own excuse."""

from __future__ import annotations

from gate.compare import compare
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report
from gate.schema.stale import Recordings, Stale
from gate.schema.verdict import ExitCode, Level, RuleName
from gate.settings import Settings

BASE = Report((Case("t.py::a", outcome=Outcome.PASSED),))
LEFT = (
    Stale("unused", "t.py::gone", 2, "2 answers that nothing asked for"),
    Stale("unused", "", 1, "1 answer that nothing asked for"),
)


def here(*stale: Stale, unjudged: str = "") -> Report:
    return Report(BASE.cases, recordings=Recordings(stale, 0, unjudged))


def test_one_note_with_a_list_of_the_tests() -> None:
    verdict = compare(BASE, here(*LEFT), Settings())
    (found,) = verdict.findings
    assert (found.rule, found.level, found.amount) == (RuleName.UNUSED_RECORDING, Level.NOTE, 3)
    assert found.what == "hold 3 answers of 2 tests that nothing asked for"
    assert [row[0] for row in found.evidence[0].rows] == ["t.py::gone", "(outside of a test)"]
    assert "prune" in found.command
    assert verdict.exit_code is ExitCode.HOLDS


def test_it_can_fail_and_be_off() -> None:
    failing = Settings.model_validate({"rules": {"unused-recording": "error"}})
    assert compare(BASE, here(*LEFT), failing).exit_code is ExitCode.REGRESSION
    silent = Settings.model_validate({"rules": {"unused-recording": "off"}})
    assert compare(BASE, here(*LEFT), silent).findings == ()


def test_nothing_is_said_without_any_or_without_judging() -> None:
    other = Stale("old", "t.py::a", 1, "1 answer, the oldest of 2020-01-01")
    for candidate in (BASE, here(), here(unjudged="3 of the tests were deselected"), here(other)):
        rules = [each.rule for each in compare(BASE, candidate, Settings()).findings]
        assert RuleName.UNUSED_RECORDING not in rules


def test_what_main_leaves_unused_too_is_not_this_pull_requests() -> None:
    failing = Settings.model_validate({"rules": {"unused-recording": "error"}})
    assert compare(BASE, here(*LEFT), failing, on_base=here(*LEFT)).exit_code is ExitCode.HOLDS
    more = (*LEFT, Stale("unused", "t.py::b", 1, "1 answer that nothing asked for"))
    assert compare(BASE, here(*more), failing, on_base=here(*LEFT)).exit_code is ExitCode.REGRESSION
