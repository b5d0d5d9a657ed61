"""The candidate of several producers: without a suite of pytest it says how the settings name what there is."""

from __future__ import annotations

from gate.record.joined import joined_candidate
from gate.settings import Settings
from tests.support.reports import encoded, entry

NONE = encoded(exitcode=5, summary={"total": 0, "collected": 0})
SWEEP = encoded(entry("sweep"))


def test_a_suite_without_tests_beside_other_reports_is_told_of_report() -> None:
    found = joined_candidate(Settings(reports=("sweep.json",)), NONE, "", 5, lambda name: SWEEP)
    assert any("set `report` in place of `reports`" in each for each in found.completeness.reasons)
    alone = joined_candidate(Settings(), NONE, "", 5, lambda name: SWEEP)
    assert "no tests were collected (exit code 5)" in alone.completeness.reasons
    whole = joined_candidate(Settings(reports=("sweep.json",)), encoded(entry()), "", 0, lambda name: SWEEP)
    assert whole.completeness.complete
