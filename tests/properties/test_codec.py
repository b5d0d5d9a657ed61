"""Facets survive the way through JSON, and damaged ones are refused with their place."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import ReportError
from gate.schema.codec import facets_from_json, facets_to_json
from gate.schema.evidence import Block, BlockKind
from gate.schema.mutation import GUARDS, LONGEST_ID, LONGEST_TEXT, MOST_RULES, MOST_TESTS, STATUSES, Mutation, RuleState
from gate.schema.report import Attack, Case, Metric, Predictions, Reseeds, Session, Trials
from gate.schema.symbols import MAX_LABELS, index_of, score_of, score_symbol, symbol

numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-1_000_000, 1_000_000)
names = st.text(min_size=1, max_size=20)
bits = st.text("01", max_size=30)


@st.composite
def metrics(draw: st.DrawFn) -> Metric:
    value = draw(st.none() | numbers)
    bounds = draw(st.none() | st.tuples(numbers, numbers).map(lambda pair: (min(pair), max(pair))))
    return Metric(
        name=draw(names),
        value=value,
        better=draw(st.sampled_from(("higher", "lower"))),
        threshold=draw(st.none() | numbers),
        tolerance=draw(st.none() | numbers.map(abs)),
        interval=bounds,
        count=draw(st.none() | st.integers(0, 10_000)),
        unscored=draw(names) if value is None else "",
    )


bounds = st.lists(st.integers(0, 9), min_size=1, max_size=4).map(
    lambda found: Reseeds(tuple(found), 20, max(found) + 1)
)
floors = st.builds(replace, bounds, attacks=st.dictionaries(names, bounds, max_size=2))


@st.composite
def predictions(draw: st.DrawFn) -> Predictions:
    ids = draw(st.lists(st.text("abcdef0123456789", min_size=4, max_size=8), unique=True, max_size=8))
    labels = draw(st.lists(names, min_size=1, max_size=70, unique=True))
    series = st.lists(st.sampled_from([".", *map(symbol, range(len(labels)))]), min_size=len(ids), max_size=len(ids))
    flips = st.lists(st.sampled_from("01."), min_size=len(ids), max_size=len(ids)).map("".join)
    attacks = [
        Attack(f"attack {place}", draw(flips), {place: draw(names) for place in range(draw(st.integers(0, len(ids))))})
        for place in range(draw(st.integers(0, 2)))
    ]
    return Predictions(
        name=draw(names),
        ids=tuple(ids),
        labels=tuple(labels),
        expected="".join(draw(series)),
        predicted="".join(draw(series)),
        attacks=tuple(attacks),
        design=draw(st.dictionaries(names, names, max_size=2)),
        floor=draw(st.none() | floors),
    )


texts = st.text(max_size=40)
mutations = st.builds(
    Mutation,
    target=names,
    mutant=names,
    operator=names,
    rule=texts,
    rule_text=texts,
    before=texts,
    after=texts,
    description=texts,
    status=st.sampled_from(STATUSES),
    killer=texts,
    tests=st.lists(names, max_size=3).map(tuple),
    reason=texts,
    calls=st.integers(0, 10**15),
    carried=st.booleans(),
    certain=st.booleans(),
)
rules = st.lists(
    st.builds(RuleState, names, texts, st.sampled_from(GUARDS)), max_size=3, unique_by=lambda each: each.rule
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    return Case(
        id="tests/test_a.py::test_b",
        stochastic=draw(st.booleans()),
        fingerprint=draw(st.text(max_size=8)),
        trials=draw(
            st.none()
            | st.lists(st.builds(Session, names, bits, st.booleans()), max_size=3).map(lambda some: Trials(tuple(some)))
        ),
        metrics=tuple(draw(st.lists(metrics(), max_size=3, unique_by=lambda metric: metric.name))),
        predictions=tuple(draw(st.lists(predictions(), max_size=2, unique_by=lambda each: each.name))),
        evidence=tuple(draw(st.lists(st.builds(Block, st.sampled_from(BlockKind), st.text(), st.text()), max_size=2))),
        mutation=draw(st.none() | mutations),
        rules=tuple(draw(rules)),
    )


@given(cases())
def test_facets_survive_json(case: Case) -> None:
    written = json.dumps(facets_to_json(case), allow_nan=False)
    assert Case(id=case.id, **facets_from_json(json.loads(written), "file")) == case


anything = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
keys = st.sampled_from(
    ["stochastic", "fingerprint", "trials", "metrics", "predictions", "evidence", "mutation", "rules", "other"]
)


@given(st.dictionaries(keys, anything, max_size=4) | anything)
def test_foreign_facets_are_refused_with_their_place_or_read(data: Any) -> None:
    try:
        facets_from_json(data, "file: tests/0")
    except ReportError as error:
        assert error.where.startswith("file: tests/0")
        assert "expected" in error.message
        assert error.remedy


@pytest.mark.parametrize("number", [float("nan"), float("inf"), True, "1", 10**400])
def test_a_metric_is_a_finite_number(number: object) -> None:
    with pytest.raises(ReportError, match="finite number"):
        facets_from_json({"metrics": [{"name": "accuracy", "value": number}]}, "file")


def test_series_must_have_one_character_an_id() -> None:
    entry = {"name": "model", "ids": "a b c", "labels": ["x"], "expected": "00", "predicted": "000"}
    with pytest.raises(ReportError, match="3 characters") as caught:
        facets_from_json({"predictions": [entry]}, "file")
    assert caught.value.where == "file/predictions/0/expected"


def entry(**changes: object) -> dict[str, object]:
    """Predictions of two classes over two examples."""
    return {"name": "m", "ids": "a b", "labels": ["x", "y"], "expected": "0.", "predicted": "01"} | changes


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"expected": "02"}, "expected"),
        ({"predicted": "0é"}, "predicted"),
        ({"predicted": "0?"}, "predicted"),
        ({"scores": "日日"}, "scores"),
        ({"scores": "9"}, "scores"),
        ({"labels": ["x", "x"]}, "labels"),
        ({"labels": ["c"] * (MAX_LABELS + 1)}, "labels"),
        ({"attacks": [{"name": "a", "flipped": "0x"}]}, "attacks/0/flipped"),
        ({"attacks": [{"name": "a", "flipped": "01", "scores": "日日"}]}, "attacks/0/scores"),
        ({"attacks": [{"name": "a", "flipped": "01"}] * 2}, "attacks"),
        ({"floor": {"negatives": [], "total": 2, "bound": 1}}, "floor"),
        ({"floor": {"negatives": [2], "total": 2, "bound": 1}}, "floor"),
        ({"floor": {"negatives": [1], "total": 2, "bound": 3}}, "floor"),
        ({"floor": {"negatives": [1], "total": 2, "bound": 1, "attacks": []}}, "floor/attacks"),
        (
            {
                "floor": {
                    "negatives": [1],
                    "total": 2,
                    "bound": 1,
                    "attacks": {"a": {"negatives": [1], "total": 2, "bound": 0}},
                }
            },
            "floor/attacks/a",
        ),
        *(
            ({"attacks": [{"name": "a", "flipped": "01", "moves": {key: "x"}}]}, "attacks/0/moves")
            for key in ("9" * 5_000, "2", "-1", "01", "٠", "1.0", "")
        ),
    ],
)
def test_a_series_holds_only_what_stands_for_something(changes: dict[str, object], place: str) -> None:
    with pytest.raises(ReportError, match="expected") as caught:
        facets_from_json({"predictions": [entry(**changes)]}, "file")
    assert caught.value.where == f"file/predictions/0/{place}"
    assert len(caught.value.message) < 300
    facets_from_json({"predictions": [entry()]}, "file")


@pytest.mark.parametrize(
    ("facets", "place"),
    [
        ({"metrics": [{"name": "q", "value": 1, "count": 10**16}]}, "metrics/0/count"),
        ({"metrics": [{"name": "q", "value": 1, "count": 1.5}]}, "metrics/0/count"),
        ({"metrics": [{"name": "q", "value": 1, "tolerance": -1}]}, "metrics/0/tolerance"),
        ({"metrics": [{"name": "q", "value": 1}] * 2}, "metrics"),
        ({"trials": {"sessions": [], "errors": 10**16}}, "trials/errors"),
        ({"trials": [{"session": "s", "outcomes": "01", "fixed": 1}]}, "trials/0/fixed"),
        ({"trials": [{"session": "s", "outcomes": "٠"}]}, "trials/0/outcomes"),
    ],
)
def test_numbers_and_words_have_bounds(facets: dict[str, object], place: str) -> None:
    with pytest.raises(ReportError, match="expected") as caught:
        facets_from_json(facets, "file")
    assert caught.value.where == f"file/{place}"


@given(st.integers(0, MAX_LABELS - 1))
def test_a_class_has_one_printable_character(index: int) -> None:
    character = symbol(index)
    assert len(character) == 1
    assert character.isprintable()
    assert index_of(character) == index


@given(st.floats(0, 1))
def test_a_probability_is_kept_to_hundredths(probability: float) -> None:
    kept = score_of(score_symbol(probability))
    assert kept is not None
    assert abs(kept - probability) <= 0.005 + 1e-12


def test_there_is_no_class_outside_the_alphabet() -> None:
    for index in (-1, MAX_LABELS):
        with pytest.raises(ValueError, match="outside"):
            symbol(index)
    with pytest.raises(ValueError, match="no class"):
        index_of("!")


MUTANT = {"target": "app:PROMPT", "mutant": "a1", "operator": "delete-constraint", "status": "killed"}


@pytest.mark.parametrize(
    ("facets", "place"),
    [
        ({"mutation": MUTANT | {"status": "dead"}}, "mutation/status"),
        ({"mutation": MUTANT | {"status": ["killed"]}}, "mutation/status"),
        ({"mutation": MUTANT | {"target": ""}}, "mutation/target"),
        ({"mutation": MUTANT | {"mutant": "a" * (LONGEST_ID + 1)}}, "mutation/mutant"),
        ({"mutation": MUTANT | {"rule_text": "a" * (LONGEST_TEXT + 1)}}, "mutation/rule_text"),
        ({"mutation": MUTANT | {"tests": ["t"] * (MOST_TESTS + 1)}}, "mutation/tests"),
        ({"mutation": MUTANT | {"calls": -1}}, "mutation/calls"),
        ({"mutation": MUTANT | {"carried": 1}}, "mutation/carried"),
        ({"mutation": MUTANT | {"more": ""}}, "mutation"),
        ({"rules": [{"rule": "r", "state": "safe"}]}, "rules/0/state"),
        ({"rules": [{"rule": "r", "state": "guarded"}] * 2}, "rules"),
        ({"rules": [{"rule": "r", "state": "guarded", "more": 1}]}, "rules/0"),
        ({"rules": [{}] * (MOST_RULES + 1)}, "rules"),
    ],
)
def test_what_a_mutant_says_has_bounds(facets: dict[str, object], place: str) -> None:
    with pytest.raises(ReportError, match="expected") as caught:
        facets_from_json(facets, "file")
    assert caught.value.where == f"file/{place}"
    assert len(caught.value.message) < 500


def test_texts_are_cut_when_they_are_written() -> None:
    long = "a" * (LONGEST_TEXT + 1)
    mutation = Mutation("t", "m", "o", "r", long, long, long, long, "survived", tests=("t",) * 2_000, reason=long)
    case = Case(id="mutant:t#m", mutation=mutation, rules=(RuleState("r", long, "unguarded"),))
    back = facets_from_json(facets_to_json(case), "file")
    assert back["mutation"].before == back["rules"][0].text == "a" * LONGEST_TEXT
    assert len(back["mutation"].tests) == MOST_TESTS
