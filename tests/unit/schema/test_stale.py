"""What a report says of its recordings: written, read back, and refused in any other shape or size."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.ingest.join import join
from gate.schema.report import Report
from gate.schema.stale import (
    LONGEST_CASE,
    LONGEST_DIFF,
    LONGEST_TEXT,
    MOST_CALLS,
    MOST_ENTRIES,
    Recordings,
    Stale,
    recordings_from_json,
    recordings_to_json,
)
from tests.support.reports import encoded, entry

CHANGED = Stale("changed", "t.py::a", 1, "a request changed", "-a\n+b")
OLD = Stale("old", "", 3, "3 answers, the oldest of 2020-01-01")
ENTRY = {"reason": "old", "case": "c", "count": 1, "text": "t"}


@pytest.mark.parametrize(
    "found", [Recordings(), Recordings((CHANGED, OLD), 7), Recordings(unjudged="3 of the tests were deselected")]
)
def test_what_is_written_is_read(found: Recordings) -> None:
    data = json.loads(json.dumps(recordings_to_json(found)))
    assert recordings_from_json(data, "x") == found
    report = read_report(encoded(entry(), gate={"schema": 1, "recordings": data | {"unused": []}}), "c.json")
    assert report.recordings == found
    assert read_report(encoded(entry(), gate={"schema": 1}), "c.json").recordings is None


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ([], "x"),
        ({"other": 1}, "x"),
        ({"stale": {}}, "x/stale"),
        ({"stale": [ENTRY] * (MOST_ENTRIES + 1)}, "x/stale"),
        ({"stale": [[]]}, "x/stale/0"),
        ({"stale": [ENTRY | {"other": 1}]}, "x/stale/0"),
        ({"stale": [ENTRY | {"reason": "bad"}]}, "x/stale/0/reason"),
        ({"stale": [ENTRY | {"reason": ["old"]}]}, "x/stale/0/reason"),
        ({"stale": [ENTRY | {"case": None}]}, "x/stale/0/case"),
        ({"stale": [ENTRY | {"case": "c" * (LONGEST_CASE + 1)}]}, "x/stale/0/case"),
        ({"stale": [ENTRY | {"count": -1}]}, "x/stale/0/count"),
        ({"stale": [ENTRY | {"count": True}]}, "x/stale/0/count"),
        ({"stale": [ENTRY | {"text": "t" * (LONGEST_TEXT + 1)}]}, "x/stale/0/text"),
        ({"stale": [ENTRY | {"diff": "d" * (LONGEST_DIFF + 1)}]}, "x/stale/0/diff"),
        ({"more": 1.5}, "x/more"),
        ({"unjudged": 1}, "x/unjudged"),
        ({"unused": {}}, "x/unused"),
        ({"unused": [0] * (MOST_CALLS + 1)}, "x/unused"),
    ],
)
def test_other_shapes_and_sizes_are_refused_with_their_place(data: Any, place: str) -> None:
    with pytest.raises(ReportError) as caught:
        recordings_from_json(data, "x")
    assert caught.value.where == place


def test_the_candidate_of_several_runs_says_what_each_says() -> None:
    one, two = Report((), recordings=Recordings((CHANGED,), 1, "one")), Report((), recordings=Recordings((OLD,)))
    assert join([one, Report(()), two], "s").recordings == Recordings((CHANGED, OLD), 1, "one")
    assert join([Report(())], "s").recordings is None
    many = Recordings((OLD,) * MOST_ENTRIES)
    assert (many + Recordings((CHANGED,))).more == 1
    assert len((many + many).stale) == MOST_ENTRIES
