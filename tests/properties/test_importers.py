"""Whatever stands in the place of any part of another tool's file, it is read or refused, and never ends in a crash."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.errors import GateError
from gate.ingest import read_report
from tests.unit.ingest.test_inspect_log import document as inspect
from tests.unit.ingest.test_inspect_log import sample
from tests.unit.ingest.test_other_tools import evalplus, glassalpha, mutant, mutmut, stryker
from tests.unit.ingest.test_promptfoo import document as promptfoo
from tests.unit.ingest.test_promptfoo import error, result

SCORES = {"name": "match", "metrics": {"accuracy": {"value": 0.5}, "stderr": {"value": 0.1}}}
DOCUMENTS: dict[str, Any] = {
    "promptfoo": promptfoo(result(0), error(1), result(1, passed=False)),
    "inspect": inspect(sample(), sample(2, {"a": 1}), results={"total_samples": 2, "scores": [SCORES]}),
    "evalplus": evalplus("success", "failed"),
    "stryker": stryker(mutant("Killed", killedBy=["1"]), mutant("Survived", 2), path="/a/b.js")
    | {"testFiles": {"t.js": {"tests": [{"id": "1", "name": "adds"}]}}},
    "mutmut": mutmut(),
    "glassalpha": glassalpha(),
}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield from places(value[key], (*path, key))


@pytest.mark.parametrize("tool", DOCUMENTS)
@given(data=st.data(), put=values)
@settings(max_examples=150, deadline=None)
def test_a_part_of_another_shape_is_read_or_refused(tool: str, data: st.DataObject, put: object) -> None:
    document = copy.deepcopy(DOCUMENTS[tool])
    path = data.draw(st.sampled_from(list(places(document))))
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = put
    try:
        report = read_report(json.dumps(document).encode(), "file.json")
    except GateError as refused:
        assert refused.where
    else:
        assert report.cases or not report.completeness.complete
        assert all(metric.value is None or metric.value == metric.value for c in report.cases for metric in c.metrics)
