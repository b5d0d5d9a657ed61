"""A candidate of probes with one hostile value is refused by name, or judged and shown like any other."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import render
from gate.baselines.distill import distill, dump_baseline
from gate.compare import compare
from gate.errors import GateError
from gate.ingest import read_report
from gate.schema.dimensions import Dimension
from gate.schema.report import Report
from gate.settings import Settings
from gate.suites.probes.answer import Answer
from gate.suites.probes.cases import Asked
from tests.support import probes
from tests.support.probes import grade, several

GRADED = [
    *several(Dimension.CONSISTENCY, "1011"),
    *several(Dimension.RECOVERY, "10"),
    grade("s", held=False),
    grade("s", held=True, sample=1),
]
ASKED = Asked(
    session="a",
    answers={("s", 0): [Answer("x")]},
    fresh={"s": [grade("s", held=False)]},
    places={"s": "probes/s.yaml"},
)
WHOLE = json.loads(probes.candidate(probes.cases(GRADED, ASKED, {"security": 2.0})))
VALUES = (
    *(None, True, 0, -1, 10**16, 10**308, -(10**308), 10**400, 1.7e308, 5e-324, 0.5),
    *("", "passed", "probe:s", "日日", "9" * 5_000, [], {}, [None], {"x": 1}),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


PLACES = [path for path in places(WHOLE) if path[:2] == ("gate", "cases")]


def changed(path: tuple[Any, ...], value: Any) -> bytes:
    data = copy.deepcopy(WHOLE)
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(data).encode("ascii")


def judged_and_shown(main: Report, here: Report) -> None:
    verdict = compare(main, here, Settings())
    assert render.verdict_from_json(render.verdict_json(verdict)) == verdict
    assert render.comment(verdict)
    assert render.terminal(verdict)
    for finding in verdict.findings:
        assert render.show(verdict, finding.id)


MAIN = read_report(json.dumps(WHOLE).encode(), "main")


@settings(max_examples=80, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PLACES), st.sampled_from(VALUES) | st.integers() | st.floats() | st.text(max_size=3))
def test_one_hostile_value_is_refused_or_judged(path: tuple[Any, ...], value: Any) -> None:
    try:
        here = read_report(changed(path, value), "here.json")
    except GateError as error:
        assert error.where.startswith("here.json")
        assert error.remedy
        assert len(error.message) < 1_000
        return
    judged_and_shown(MAIN, here)
    judged_and_shown(here, MAIN)
    judged_and_shown(read_report(dump_baseline(distill(here, "abc")), "baseline"), here)
