"""What is left out while reading is what nobody reads, and the collector of cycles is as before."""

from __future__ import annotations

import gc
import json

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.ingest.lean import LEAN, LEFT_OUT
from tests.support.reports import document, encoded, entry


def test_stages_that_passed_keywords_and_collected_items_are_left_out() -> None:
    item = {"nodeid": "a", "type": "Function", "lineno": 1}
    collectors = [{"nodeid": "m", "outcome": "passed", "result": [item]}]
    failed = {"duration": 0.1, "outcome": "failed", "longrepr": "x"}
    value = LEAN.decode(json.dumps(document(entry(call=failed), collectors=collectors)))
    assert value["tests"] == [{"nodeid": entry()["nodeid"], "lineno": 4, "outcome": "passed", "call": failed}]
    assert value["collectors"] == [{"nodeid": "m", "outcome": "passed"}]
    assert LEAN.decode(json.dumps(item)) is LEFT_OUT


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_of_cycles_is_left_as_it_was(was_on: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if was_on else gc.disable)()
        read_report(encoded(entry()), "r")
        assert gc.isenabled() is was_on
        with pytest.raises(ReportError):
            read_report(b"{", "r")
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()
