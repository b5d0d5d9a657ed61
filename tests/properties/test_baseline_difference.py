"""What holds of any two baselines: no difference to itself, each difference seen from both sides."""

from __future__ import annotations

from unicodedata import category

from hypothesis import given
from hypothesis import strategies as st

from gate.baselines.difference import as_markdown, as_text, difference
from gate.baselines.paths import HEADINGS, changed_groups
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Metric, Report, Session, Trials

CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
names = st.text(min_size=1, max_size=30)
cases = st.builds(
    Case,
    id=names,
    outcome=st.none() | st.sampled_from(Outcome),
    stochastic=st.booleans(),
    trials=st.none() | st.builds(lambda outcomes: Trials((Session("s", outcomes),)), st.text("01", max_size=5)),
    metrics=st.lists(
        st.builds(Metric, name=names, value=st.none() | st.floats(allow_nan=False, allow_infinity=False)),
        max_size=2,
        unique_by=lambda metric: metric.name,
    ).map(tuple),
)
reports = st.lists(cases, max_size=6, unique_by=lambda case: case.id).map(lambda found: Report(cases=tuple(found)))


@given(reports)
def test_no_difference_to_itself_in_any_order(report: Report) -> None:
    assert difference(report, Report(cases=tuple(reversed(report.cases)))) == ()


@given(reports, reports)
def test_both_sides_see_the_same_cases(one: Report, other: Report) -> None:
    forth, back = difference(one, other), difference(other, one)
    assert {entry.id for entry in forth} == {entry.id for entry in back}
    assert sum(entry.group == "Added" for entry in forth) == sum(entry.group == "Removed" for entry in back)


@given(reports, reports)
def test_nothing_that_is_quoted_controls_a_terminal_or_starts_a_command(one: Report, other: Report) -> None:
    entries = difference(one, other)
    for text in (as_text(entries), as_markdown(entries)):
        controls = [each for each in text if each != "\n" and (category(each) in CONTROLS or each in BIDIRECTIONAL)]
        assert controls == []
        assert not any(line.lstrip().startswith("::") for line in text.split("\n"))


@given(st.lists(names))
def test_each_path_stands_once_at_most(paths: list[str]) -> None:
    groups = changed_groups(paths)
    listed = [path for found in groups.values() for path in found]
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(paths)
    assert list(groups) == [heading for heading in HEADINGS if heading in groups]
