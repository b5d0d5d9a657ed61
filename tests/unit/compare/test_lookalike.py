"""A test that is gone and the new one that it may have become."""

from __future__ import annotations

import pytest

from gate.compare.lookalike import MOST_GONE, MOST_NEW, lookalikes
from gate.schema.report import Case
from tests.support.compare import case, judged, report, rules_of


def cases(*names: str, fingerprint: str = "") -> list[Case]:
    return [case(f"tests/a.py::{name}", fingerprint=fingerprint) for name in names]


def test_a_renamed_test_is_gone_and_its_new_name_is_near() -> None:
    verdict = judged(
        report({"tests/a.py::test_limit": "passed", "tests/a.py::k": "passed"}),
        report({"tests/a.py::test_limits": "passed", "tests/a.py::k": "passed"}),
    )
    assert rules_of(verdict) == ["missing-case"]
    assert verdict.findings[0].why == "not measured here; the new `test_limits` looks like it"
    assert verdict.exit_code == 1


@pytest.mark.parametrize(
    ("gone", "new", "found"),
    [
        (cases("test_limit"), cases("test_limits"), {"tests/a.py::test_limit": "test_limits"}),
        (cases("A::test_limit"), cases("A::test_the_limit"), {"tests/a.py::A::test_limit": "A::test_the_limit"}),
        (cases("test_limit"), cases("test_other"), {}),
        (cases("test_limit"), cases("test_limits", "test_limited"), {}),  # two fit
        (cases("test_limit", "test_limitt"), cases("test_limits"), {}),  # two would be it
        (cases("test_limit"), [case("tests/b.py::test_limits")], {}),
        (cases("old", fingerprint="f"), cases("entirely", fingerprint="f"), {"tests/a.py::old": "entirely"}),
        (cases("limit", fingerprint="f"), [*cases("x", fingerprint="f"), *cases("limits")], {"tests/a.py::limit": "x"}),
        ([case("tests/a.py")], [case("tests/a.py::t")], {}),
    ],
)  # fmt: skip
def test_exactly_one_must_fit(gone: list[Case], new: list[Case], found: dict[str, str]) -> None:
    assert lookalikes(gone, new) == found


def test_many_are_not_looked_at_one_by_one() -> None:
    assert lookalikes(cases("test_limit"), cases("test_limits", *map(str, range(MOST_NEW)))) == {}
    assert lookalikes(cases("test_limit", *map(str, range(MOST_GONE))), cases("test_limits")) == {}
    long = "x" * 100_000
    assert lookalikes(cases(long), cases(long + "y")) == {f"tests/a.py::{long}": long + "y"}
