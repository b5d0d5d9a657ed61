"""Facets of probes survive the way through JSON, and damaged ones are refused with their place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import ReportError
from gate.schema.codec import facets_from_json, facets_to_json
from gate.schema.dimensions import Dimension
from gate.schema.probes import LONGEST_NAME, MOST_FACTS, MOST_NAMES, MOST_SAMPLES, Probed, ProbeDesign, Sample
from gate.schema.report import Case, Kind

names = st.text(max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-1_000, 1_000)
samples = st.builds(
    Sample, st.sampled_from([True, False, None]), names, st.dictionaries(names, numbers, max_size=MOST_FACTS)
)
probed = st.builds(
    Probed,
    dimension=st.sampled_from(Dimension),
    samples=st.lists(samples, max_size=4).map(tuple),
    group=names,
    variant=names,
    answers=names,
    cwe=st.lists(names, max_size=3).map(tuple),
    signatures=st.lists(names, max_size=3).map(tuple),
    fresh=st.text("01", max_size=9),
    manual=names,
)
weights = st.dictionaries(st.sampled_from([each.value for each in Dimension]), st.floats(0.001, 1e9), max_size=8)
designs = st.builds(ProbeDesign, weights, st.integers(0, 10**6), st.integers(0, 10**6))


@given(st.none() | probed, st.none() | designs)
def test_facets_survive_json(probe: Probed | None, design: ProbeDesign | None) -> None:
    case = Case(id="probe:a", kind=Kind.PROBE, probe=probe, probes=design)
    written = json.dumps(facets_to_json(case), allow_nan=False)
    assert Case(id=case.id, kind=Kind.PROBE, **facets_from_json(json.loads(written), "file")) == case


anything = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
KEYS = st.sampled_from(["dimension", "samples", "group", "fresh", "cwe", "weights", "answers", "facts", "graded"])


@given(st.sampled_from(["probe", "probes"]), st.dictionaries(KEYS, anything, max_size=4) | anything)
def test_foreign_facets_are_refused_with_their_place_or_read(facet: str, data: Any) -> None:
    try:
        facets_from_json({facet: data}, "file: tests/0")
    except ReportError as error:
        assert error.where.startswith(f"file: tests/0/{facet}")
        assert "expected" in error.message
        assert len(error.message) < 500


PROBE = {"dimension": "security"}
SAMPLE = {"graded": "passed"}


@pytest.mark.parametrize(
    ("facets", "place"),
    [
        ({"probe": {}}, "probe/dimension"),
        ({"probe": {"dimension": "charm"}}, "probe/dimension"),
        ({"probe": {"dimension": ["security"]}}, "probe/dimension"),
        ({"probe": PROBE | {"more": 1}}, "probe"),
        ({"probe": PROBE | {"samples": [SAMPLE] * (MOST_SAMPLES + 1)}}, "probe/samples"),
        ({"probe": PROBE | {"samples": [{"graded": "secure"}]}}, "probe/samples/0/graded"),
        ({"probe": PROBE | {"samples": [{"graded": True}]}}, "probe/samples/0/graded"),
        ({"probe": PROBE | {"samples": [SAMPLE | {"facts": {"insecure": None}}]}}, "probe/samples/0/facts/insecure"),
        ({"probe": PROBE | {"samples": [SAMPLE | {"facts": {"insecure": 10**400}}]}}, "probe/samples/0/facts/insecure"),
        (
            {"probe": PROBE | {"samples": [SAMPLE | {"facts": {str(at): 1 for at in range(MOST_FACTS + 1)}}]}},
            "probe/samples/0/facts",
        ),
        ({"probe": PROBE | {"samples": [SAMPLE | {"why": ""}]}}, "probe/samples/0"),
        ({"probe": PROBE | {"group": "a" * (LONGEST_NAME + 1)}}, "probe/group"),
        ({"probe": PROBE | {"cwe": ["CWE-1"] * (MOST_NAMES + 1)}}, "probe/cwe"),
        ({"probe": PROBE | {"fresh": "012"}}, "probe/fresh"),
        ({"probes": {"weights": {"charm": 1}}}, "probes/weights"),
        ({"probes": {"weights": {"security": 0}}}, "probes/weights"),
        ({"probes": {"weights": {"security": float("nan")}}}, "probes/weights/security"),
        ({"probes": {"unscored": -1}}, "probes/unscored"),
        ({"probes": {"max": 1}}, "probes"),
    ],
)
def test_what_a_probe_says_has_bounds(facets: dict[str, object], place: str) -> None:
    with pytest.raises(ReportError, match="expected") as caught:
        facets_from_json(facets, "file")
    assert caught.value.where == f"file/{place}"
    assert len(caught.value.message) < 500


def test_texts_and_lists_are_cut_when_they_are_written() -> None:
    long = "a" * (LONGEST_NAME + 1)
    sample = Sample(False, long, {"insecure": 1})
    probe = Probed(Dimension.SECURITY, (sample,) * (MOST_SAMPLES + 1), long, cwe=(long,) * 60, fresh="1" * 2_000)
    back = facets_from_json(facets_to_json(Case(id="probe:a", probe=probe)), "file")["probe"]
    assert (len(back.samples), len(back.group), len(back.cwe), len(back.fresh)) == (1_000, 200, 50, 1_000)
    assert back.samples[0].cause == "a" * LONGEST_NAME
