"""The file of trials: what one run leaves to the next, and which of several runs counts."""

from __future__ import annotations

import pytest

from gate.errors import ReportError
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

ONE = Inputs(("a.py", "ü.py"), (), False)
TWO = Inputs(("a.py",), ("x.md",), True)


def written(*entries: Entry) -> str:
    lines, named = [], set()
    for entry in entries:
        name = inputs_name(entry.carried.inputs)
        if name not in named:
            lines.append(inputs_line(name, entry.carried.inputs))
        named.add(name)
        lines.append(entry_line(entry, name))
    return "".join(lines)


def entry(case: str, fingerprint: str, outcomes: str, **more: object) -> Entry:
    return Entry(case, Carried(fingerprint, outcomes, "more", ONE), **more)  # type: ignore[arg-type]


def test_entries_survive() -> None:
    entries = (
        Entry("t.py::a", Carried("f1", "110", "holds", ONE, "no"), "head.1", 2),
        Entry("t.py::b[\u2028]", Carried("f2", "", "more", ONE)),
        Entry("t.py::c", Carried("f3", "1", "undecided", TWO), "head.1"),
    )
    text = written(*entries)
    assert text.isascii()
    assert text.count("\n") == 5
    assert read_entries(text, "t.jsonl") == entries
    assert read_entries(text + "\n\n" + text, "t.jsonl") == entries * 2


def test_lists_have_names_by_content() -> None:
    assert inputs_name(ONE) == inputs_name(Inputs(("a.py", "ü.py")))
    assert len({inputs_name(each) for each in (ONE, TWO, Inputs(), Inputs((), ("a.py",)))}) == 4


def test_a_run_that_was_killed_leaves_its_whole_lines() -> None:
    whole = written(entry("a", "f", "1"), entry("b", "f", "0"))
    for cut in range(len(whole)):
        found = read_entries(whole[:cut], "t.jsonl")
        assert [each.case for each in found] == ["a", "b"][: len(found)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x\n", "one JSON object a line"),
        ("[]\n", "an object"),
        ('{"case":"a"}\n', "outcomes: expected a text"),
        ('{"case":"a","outcomes":"1","uses":"k","fingerprint":"f","answer":"more"}\n', "name of lists"),
        ('{"inputs":1}\n', "inputs: expected a text"),
        ('{"inputs":"k","modules":{}}\n', "modules: expected a list of texts"),
        (
            '{"inputs":"k"}\n{"case":"a","outcomes":"1","uses":"k","fingerprint":"f","answer":"more","errors":-1}\n',
            "count",
        ),
    ],
)
def test_lines_that_no_run_writes(line: str, said: str) -> None:
    with pytest.raises(ReportError, match=said) as caught:
        read_entries(line, "t.jsonl")
    assert caught.value.where.startswith("t.jsonl:")


def test_the_first_run_of_a_content_counts() -> None:
    found = carried_by_case([entry("a", "f", "0"), entry("a", "f", "11"), entry("a", "f", "111")])
    assert [each.outcomes for each in found["a"]] == ["0"]


def test_a_later_run_that_went_on_replaces_it() -> None:
    found = carried_by_case([entry("a", "f", ""), entry("a", "f", "10"), entry("a", "f", "101"), entry("a", "f", "10")])
    assert [each.outcomes for each in found["a"]] == ["101"]


def test_each_content_is_kept_the_newest_first() -> None:
    entries = [entry("a", "f", "1"), entry("a", "g", "0"), entry("b", "f", "1"), entry("a", "f", "1")]
    found = carried_by_case(entries)
    assert {case: [each.fingerprint for each in kept] for case, kept in found.items()} == {"a": ["f", "g"], "b": ["f"]}
