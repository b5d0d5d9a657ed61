"""Trials survive every file that they pass through, and a loop that is cut short anywhere ends as the whole one."""

from __future__ import annotations

import contextlib
import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.errors import ReportError, UsageError
from gate.schema.codec import facets_from_json, facets_to_json
from gate.schema.report import Case, Session, Trials
from gate.trials.carry import (
    Carried,
    Entry,
    Inputs,
    carried_by_case,
    entry_line,
    inputs_line,
    inputs_name,
    read_entries,
)
from gate.trials.designs import Fixed, Joint
from gate.trials.floor import Floor
from gate.trials.loop import PASSED, DesignLike, Ending, Result, TrialLoop, TrialResult, run_trials
from gate.trials.plan import Ask, Plan, plan_from_text, plan_to_text

texts = st.text(max_size=12)
bits = st.text("01", max_size=12)
shares = st.floats(0.001, 0.999)
all_trials = st.builds(
    Trials,
    st.lists(st.builds(Session, texts, bits, st.booleans()), max_size=3).map(tuple),
    asked=st.dictionaries(texts, texts, max_size=3),
    errors=st.integers(0, 9),
    timed_out=st.integers(0, 9),
    shared=st.lists(texts, max_size=2).map(tuple),
    carried=st.integers(0, 9),
    excerpt=texts,
)
lists = st.builds(Inputs, st.lists(texts, max_size=3).map(tuple), st.lists(texts, max_size=2).map(tuple), st.booleans())
carried = st.builds(Carried, texts, bits, st.sampled_from(["holds", "regression", "undecided", "more"]), lists, texts)
entries = st.builds(Entry, texts, carried, texts, st.integers(0, 9))


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    n0 = draw(st.integers(0, 100))
    return Ask(
        n0,
        draw(st.integers(0, n0)),
        draw(st.integers(1, 100)),
        draw(shares),
        draw(shares),
        draw(shares),
        draw(st.none() | shares),
    )


@given(all_trials)
def test_trials_survive_the_report(trials: Trials) -> None:
    data = json.loads(json.dumps(facets_to_json(Case("a", trials=trials))))
    assert facets_from_json(data, "r")["trials"] == trials


@given(
    st.builds(
        Plan,
        session=texts,
        estimate=st.integers(1, 99),
        asks=st.dictionaries(texts, asks(), max_size=3),
        carried=st.dictionaries(texts, st.lists(carried, max_size=2).map(tuple), max_size=3),
    )
)
def test_plans_survive(plan: Plan) -> None:
    assert plan_from_text(plan_to_text(plan), "p") == plan


@given(st.lists(entries, max_size=4))
def test_files_of_trials_survive(some: list[Entry]) -> None:
    text = ""
    for entry in some:
        name = inputs_name(entry.carried.inputs)
        text += inputs_line(name, entry.carried.inputs) + entry_line(entry, name)
    assert list(read_entries(text, "t")) == some
    kept = carried_by_case(some)
    assert set(kept) == {entry.case for entry in some}
    for case, found in kept.items():
        prints = [each.fingerprint for each in found]
        assert sorted(prints) == sorted({entry.carried.fingerprint for entry in some if entry.case == case})


@given(
    st.text(max_size=80)
    | st.recursive(st.integers() | texts, lambda part: st.dictionaries(texts, part)).map(json.dumps)
)
def test_nothing_but_a_named_error_comes_of_what_others_wrote(text: str) -> None:
    with contextlib.suppress(ReportError):
        read_entries(text, "t")
    with contextlib.suppress(UsageError):
        plan_from_text(text, "p")


def rule(kind: str, size: int) -> DesignLike:
    if kind == "fixed":
        return Fixed(size)
    floor = Floor(0.7, size + 5, 0.2)
    return floor if kind == "floor" else Joint(Fixed(size), floor)


@settings(max_examples=200)
@given(
    st.sampled_from(["fixed", "floor", "joint"]),
    st.integers(1, 15),
    st.floats(0, 1),
    st.integers(0, 2**32),
    st.data(),
)
def test_a_cut_anywhere_changes_nothing(kind: str, size: int, rate: float, seed: int, data: st.DataObject) -> None:
    draw = random.Random(seed).random
    whole = run_trials(
        lambda _: PASSED if draw() < rate else TrialResult(Result.FAILED), rule(kind, size), cap=size + 5
    )
    assert whole.ending is Ending.ANSWERED
    cut = data.draw(st.integers(0, len(whole.outcomes)))
    loop = TrialLoop(rule(kind, size), cap=size + 5, carried=whole.outcomes[:cut])
    for outcome in whole.outcomes[cut:]:
        assert loop.wants_more
        if data.draw(st.booleans()) and loop.result().errors < 3:
            loop.tell(TrialResult(Result.INFRASTRUCTURE))
        loop.tell(PASSED if outcome == "1" else TrialResult(Result.FAILED))
    found = loop.result()
    assert (found.outcomes, found.answer, found.ending) == (whole.outcomes, whole.answer, whole.ending)
