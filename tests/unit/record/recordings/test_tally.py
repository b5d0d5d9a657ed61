"""What is asked of a tally changes nothing in it."""

from __future__ import annotations

from pathlib import Path

from gate.record.recordings.exchange import Scope
from tests.support.recorded_calls import CASE, opened, recorded, replayed


def test_a_case_that_was_only_asked_about_made_no_calls(tmp_path: Path) -> None:
    recorded(tmp_path, ("a", Scope(CASE)))
    session = opened(tmp_path, "replay")
    session.same_answers("t.py::other")
    session.counts("t.py::other")
    session.noted(Scope("t.py::other"))
    session.ended("t.py::other")
    assert session.cases() == ()
    replayed(session, ("a", Scope(CASE)))
    assert session.cases() == (CASE,)
