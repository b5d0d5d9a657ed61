"""What the fixture refuses says no value of an example where a report is written, and all of it where none is."""

from __future__ import annotations

import pytest

from tests.support import fork_server

pytest_plugins = ["pytester"]

SUITE = """
import pytest
from gate.errors import UsageError

SECRET = "Canary" + "7391"
PLAIN = {"ids": [1, 2], "expected": ["a", "b"], "predicted": ["a", "b"]}

CASES = [
    {"ids": [SECRET] * 2}, {"ids": [SECRET, 1.5]}, {"scores": [SECRET, 1]}, {"predicted": [SECRET, 1]},
    {"expected": [1.5, SECRET]}, {"attacks": SECRET},
]

@pytest.mark.parametrize("place", range(len(CASES)))
def test_predictions(robustness, place):
    robustness.predictions("p", **{**PLAIN, **CASES[place]})

def test_kind_of_error_stays(robustness):
    with pytest.raises(UsageError, match="metric"):
        robustness.metric("m", SECRET)

def test_foreign_error(robustness):
    class Odd:
        def __iter__(self):
            raise KeyError(SECRET)
    robustness.predictions("p", **{**PLAIN, "ids": Odd()})
"""
SWEPT = """
import numpy as np, pandas as pd, pytest

SECRET = "Canary" + "7391"
X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}, index=[SECRET + str(place) for place in range(4)])

def model(rows):
    first = np.asarray(rows["a"]) > 2
    return np.column_stack([first, ~first]).astype(float)

CASES = [
    {"y": [SECRET, 1, 2, 3], "kind": "values"}, {"y": [SECRET, "n", "y", "y"], "labels": ["n", "y"]},
    {"labels": [SECRET, SECRET], "y": ["n", "n", "y", "y"]}, {"pinned": [SECRET]}, {"ids": [SECRET] * 4},
    {"model": lambda rows: [SECRET] * 4, "y": ["n", "n", "y", "y"]}, {"schema": {"a": {"levels": SECRET}}},
]

@pytest.mark.parametrize("place", range(len(CASES)))
def test_sweep(robustness, place):
    robustness.sweep(**{"model": model, "X": X, "epsilons": [0.1], **CASES[place]})
"""
SECRET = "Canary7391"


@pytest.mark.parametrize(("suite", "failed"), [(SUITE, 7), (SWEPT, 7)])
def test_fault_no_value_of_an_example_stands_in_a_report(pytester: pytest.Pytester, suite: str, failed: int) -> None:
    if suite is SWEPT:
        pytest.importorskip("pandas")

    pytester.makepyfile(suite)
    result = fork_server.run_pytest(pytester, "--gate-report", "report.json", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=failed, passed=1 if suite is SUITE else 0)
    told = (pytester.path / "report.json").read_text(encoding="utf-8")
    assert SECRET not in told
    assert "names = " not in told and "ids = " not in told  # the arguments of calls
    assert "found a str" in told


def test_without_a_report_the_value_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE)
    result = fork_server.run_pytest(pytester, "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines([f"*the id '{SECRET}' stands twice*", f"*KeyError*{SECRET}*"])
