"""Differences between two baselines read well and escape what they quote."""

from __future__ import annotations

import dataclasses
import re

import pytest

from gate.baselines.create import Created, Varying
from gate.baselines.difference import GROUPS, Entry, as_markdown, as_text, difference, headline
from gate.baselines.table import as_story, as_table
from gate.schema.outcome import Outcome
from gate.schema.report import Attack, Case, Location, Metric, Predictions, Report, Session, Trials

PREDICTIONS = Predictions("model", ("a", "b", "c", "d"), ("no", "yes"), "0110", "0110", attacks=(Attack("g", "0000"),))


def with_case(**facets: object) -> Report:
    return Report(cases=(Case("t.py::x", **{"outcome": Outcome.PASSED, **facets}),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"outcome": Outcome.FAILED}, [("Now failing", "t.py::x", "passed", "failed")]),
        ({"outcome": Outcome.SKIPPED}, {"outcome": Outcome.ERROR}, [("Now failing", "t.py::x", "skipped", "error")]),
        ({"outcome": Outcome.CRASHED}, {}, [("Now holding", "t.py::x", "crashed", "passed")]),
        ({}, {"outcome": Outcome.SKIPPED}, [("Other outcomes", "t.py::x", "passed", "skipped")]),
        (
            {"outcome": Outcome.FAILED},
            {"outcome": Outcome.ERROR},
            [("Other outcomes", "t.py::x", "failed", "error")],
        ),
        (
            {"trials": Trials((Session("a", "110"),))},
            {"trials": Trials((Session("a", "1100"),))},
            [("Trials", "t.py::x", "2/3", "2/4")],
        ),
        ({}, {"stochastic": True}, [("Declared in tests", "t.py::x", "deterministic", "stochastic")]),
        (
            {"metrics": (Metric("auc", 0.9, threshold=0.8),)},
            {"metrics": (Metric("auc", 0.85, threshold=0.7), Metric("new", None, unscored="no data"))},
            [
                ("Metrics", "t.py::x, auc", "0.9", "0.85"),
                ("Metrics", "t.py::x, new", "", "unscored: no data"),
                ("Declared in tests", "t.py::x, auc", "better higher, threshold 0.8", "better higher, threshold 0.7"),
            ],
        ),
        ({"measured_at": "1"}, {"measured_at": "2"}, []),
    ],
)
def test_each_kind(
    before: dict[str, object], after: dict[str, object], expected: list[tuple[str, str, str, str]]
) -> None:
    entries = difference(with_case(**before), with_case(**after))
    told = [(entry.group, entry.id, entry.before, entry.after) for entry in entries]
    assert told == expected


def test_flips_are_counted_by_their_direction() -> None:
    after = dataclasses.replace(PREDICTIONS, predicted="1100", attacks=(Attack("g", "01.0"), Attack("h", "1111")))
    worse = difference(with_case(predictions=(PREDICTIONS,)), with_case(predictions=(after,)))
    assert [(entry.group, entry.id, entry.before, entry.after) for entry in worse] == [
        ("Predictions", "t.py::x, model", "", "2 negative flips"),
        ("Attacks", "t.py::x, model, g", "0 of 4 flipped", "1 of 3 flipped"),
        ("Attacks", "t.py::x, model, h", "", "4 of 4 flipped"),
    ]
    better = difference(with_case(predictions=(after,)), with_case(predictions=(PREDICTIONS,)))
    assert better[0].after == "2 positive flips"


def test_labels_are_compared_by_name_not_by_symbol() -> None:
    renumbered = dataclasses.replace(PREDICTIONS, labels=("yes", "no"), expected="1001", predicted="1001")
    assert difference(with_case(predictions=(PREDICTIONS,)), with_case(predictions=(renumbered,))) == ()


def test_examples_that_left_or_came() -> None:
    shorter = Predictions("model", ("a", "z"), ("no", "yes"), "00", "00")
    (entry, _) = difference(with_case(predictions=(PREDICTIONS,)), with_case(predictions=(shorter,)))
    assert entry.after == "3 examples fewer, 1 example more"


def test_order_is_worst_first_and_the_same_each_time() -> None:
    before = Report(cases=tuple(Case(name, outcome=Outcome.PASSED) for name in ("a", "b", "gone")))
    after = Report(
        cases=(
            Case("new", outcome=Outcome.PASSED),
            Case("b", outcome=Outcome.FAILED),
            Case("a", outcome=Outcome.SKIPPED),
        )
    )
    entries = difference(before, after)
    assert [entry.group for entry in entries] == ["Now failing", "Removed", "Other outcomes", "Added"]
    assert list(GROUPS).index("Now failing") == 0
    assert headline(entries) == "now failing: 1, removed: 1, other outcomes: 1, added: 1"
    assert headline(()) == "nothing changed"


def test_no_baseline_yet() -> None:
    (entry,) = difference(None, with_case())
    assert (entry.group, entry.after) == ("Added", "passed")


HOSTILE = "t.py::x[\x1b[31m`|@someone #12 <img src=x> ::error::\u202e\n]"


def test_what_is_quoted_is_escaped() -> None:
    entries = difference(Report(cases=()), Report(cases=(Case(HOSTILE, outcome=Outcome.PASSED),)))
    text, markdown = as_text(entries), as_markdown(entries)
    assert "\x1b" not in text + markdown
    assert "\u202e" not in text + markdown
    assert len(text.splitlines()) == 4
    assert len(markdown.splitlines()) == 5
    assert not any(line.startswith("::") for line in (text + "\n" + markdown).splitlines())


def test_many_are_counted_and_the_first_shown() -> None:
    after = Report(cases=tuple(Case(f"t.py::{number:05}", outcome=Outcome.PASSED) for number in range(10_000)))
    entries = difference(None, after)
    assert as_text(entries).count("\n") == 53
    assert "… and 9,950 more" in as_text(entries)
    assert "added: 10,000" in as_markdown(entries)


def test_table_of_a_baseline() -> None:
    cases = (
        Case("t.py::a", outcome=Outcome.PASSED, measured_at="abc1234", metrics=(Metric("auc", 0.9),)),
        Case("t.py::b", outcome=Outcome.FAILED, trials=Trials((Session("1", "0010"),))),
        Case("t.py::c", predictions=(PREDICTIONS,)),
    )
    lines = as_table(Report(cases=cases, suite="slow", forced="no GPU here")).splitlines()
    assert lines == [
        "suite slow: 3 cases (1 failed, 1 measured, 1 passed)",
        "made with --force-incomplete, since: no GPU here",
        "passed      abc1234  t.py::a  auc 0.9",
        "failed 1/4  -        t.py::b",
        "measured    -        t.py::c  model: 4 examples, 1 attack",
    ]
    assert as_table(Report(cases=cases), limit=1).endswith("… and 2 more (--limit)")


def test_table_of_stochastic_cases() -> None:
    several = Trials(tuple(Session(name, "10") for name in "ab"))
    cases = (
        Case("t.py::a", outcome=Outcome.PASSED, stochastic=True, trials=several),
        Case("t.py::b", outcome=Outcome.PASSED, stochastic=True, trials=Trials(())),
    )
    assert as_table(Report(cases=cases)).splitlines()[1:] == [
        "passed 2/4         -  t.py::a  2 sessions",
        "passed, no trials  -  t.py::b",
    ]


def test_story_of_several_runs() -> None:
    created = Created(
        report=with_case(),
        varying=(
            Varying("t.py::x", 3, 5, location=Location("t.py", 7)),
            Varying("t.py::declared", 4, 5, declared=True),
            Varying("nowhere", 1, 5),
        ),
        moving=(("t.py::x", "auc", 0.1, 0.2),),
        unsteady=("t.py::now",),
        failing=("t.py::bad",),
    )
    story = as_story(created, 5)
    assert "3/5 passed: t.py:7: @pytest.mark.stochastic    t.py::x" in story
    assert "1/5 passed: @pytest.mark.stochastic  # at nowhere" in story
    assert "4/5 passed: t.py::declared" in story
    assert "auc of t.py::x: 0.1 to 0.2" in story
    assert "Fail in the baseline:\n  - t.py::bad" in story
    assert "Left out, since not every run reported them:\n  - t.py::now" in story


def stochastic(outcomes: str, outcome: Outcome = Outcome.PASSED, session: str = "s", **more: object) -> Report:
    return with_case(stochastic=True, outcome=outcome, trials=Trials((Session(session, outcomes),)), **more)


def test_chance_is_no_change() -> None:
    before, after = stochastic("1110" * 5), stochastic("000", Outcome.FAILED, "head")
    assert [(entry.group, entry.before, entry.after, entry.remark) for entry in difference(before, after)] == [
        ("Trials", "15/20", "0/3", "")
    ]
    varying = with_case(trials=Trials((Session("s", "11010"),)))
    now = with_case(outcome=Outcome.FAILED)
    assert [(entry.group, entry.before, entry.after) for entry in difference(varying, now)] == [
        ("Trials", "3/5", "0/1")
    ]


def test_an_error_is_no_chance() -> None:
    (entry,) = difference(stochastic("1110" * 5), with_case(stochastic=True, outcome=Outcome.ERROR))
    assert (entry.group, entry.before, entry.after) == ("Now failing", "passed (15/20)", "error")


def test_a_remark_comes_first_in_its_group() -> None:
    def both(one: str, other: str, session: str) -> Report:
        cases = [
            Case(name, outcome=Outcome.PASSED, stochastic=True, trials=Trials((Session(session, outcomes),)))
            for name, outcomes in (("t.py::a", one), ("t.py::b", other))
        ]
        return Report(cases=tuple(cases))

    entries = difference(both("1" * 50, "1" * 50, "old"), both("1" * 9 + "0", "1" * 5 + "0" * 5, "new"))
    assert [(entry.id, entry.remark) for entry in entries] == [
        ("t.py::b", "fell: 5/10 in this run"),
        ("t.py::a", ""),
    ]
    assert as_text(entries).splitlines()[3:] == [
        "  - t.py::b: 50/50 → 5/10 (fell: 5/10 in this run)",
        "  - t.py::a: 50/50 → 9/10",
    ]


def test_a_description_is_never_longer_than_github_takes() -> None:
    entries = [Entry(group, f"t.py::{n:02}{'x*' * 80}", "<" * 40, "*" * 40) for group in GROUPS for n in range(50)]
    told = as_markdown(entries)
    assert 59_000 < len(told) <= 60_000
    lines = told.splitlines()
    assert lines[0] == f"**{headline(entries)}**"
    assert lines[-2] == ""
    said = re.fullmatch(r"… and (\d+) more lines: `gate baseline diff` in a shell shows them", lines[-1])
    whole = [line for line in as_markdown(entries, longest=10**9).splitlines() if line]
    assert said is not None
    assert [line for line in lines[:-1] if line] == whole[: -int(said.group(1))]
    assert len(as_text(entries)) > len(told), "a terminal has room"
    assert as_markdown(entries[:50], longest=10**9) == as_markdown(entries[:50]), "what fits is whole"


def test_examples_under_another_key_are_said() -> None:
    before = dataclasses.replace(with_case(predictions=(PREDICTIONS,)), fingerprints={"example-key": "0a1b2c3d"})
    others = dataclasses.replace(PREDICTIONS, ids=("e", "f", "g", "h"))
    told = as_text(difference(before, with_case(predictions=(others,))))
    assert "  - ids of examples (keyed with another key, so none can be matched)" in told
    assert "another key" not in as_text(difference(before, before))
