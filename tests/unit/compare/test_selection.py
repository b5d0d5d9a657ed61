"""Which cases a selector means."""

from __future__ import annotations

import pytest

from gate.compare.selection import selects
from gate.errors import SettingsError
from gate.schema.report import Case

CASE = Case("tests/evals/test_tone.py::TestTone::test_polite[de]", marks=("evals", "slow"))


@pytest.mark.parametrize(
    ("selector", "meant"),
    [
        ("suite", True),
        ("tests/evals", True),
        ("tests/evals/", True),
        ("./tests/evals", True),
        ("tests\\evals", True),
        ("tests/evals/test_tone.py", True),
        ("tests/eval", False),
        ("evals", False),
        ("", False),
        ("mark:evals", True),
        ("mark: evals and not smoke", True),
        ("mark:not (evals or slow)", False),
        ("mark:smoke", False),
    ],
)
def test_a_selector_means_a_suite_a_path_or_marks(selector: str, meant: bool) -> None:
    assert selects([selector], CASE) is meant


def test_one_of_several_is_enough() -> None:
    assert selects(["docs", "mark:slow"], CASE)
    assert not selects([], CASE)


@pytest.mark.parametrize("text", ["", "evals and", "evals == 1", "f()", "__import__('os')", "a.b", "1", "(" * 300])
def test_anything_but_names_and_their_joints_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="no expression over marks"):
        selects([f"mark:{text}"], CASE)
