"""The digest of a stochastic test: another one after a change of the test itself, and after no other."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gate.record.plugin.marker import Asked
from gate.record.plugin.source import fingerprint, source_of
from tests.support.fake_model import Project, by_name
from tests.support.forks import Forks

TEST = """
import pytest
from fake_model import ask

{mark}
@pytest.mark.parametrize("x", {values})
@pytest.mark.parametrize("y", [[]], ids=["y"])
def test_a(y, x):
    y.append(id(object()))
    assert ask() == {body}

class TestB:
    made = 0

    def setup_method(self):
        TestB.made += 1

    @pytest.mark.stochastic
    async def test_b(self): assert ask()

def test_c(): assert TestB.made == 10
"""


def digests(project: Project, **parts: str) -> dict[str, str]:
    given = {"mark": "@pytest.mark.stochastic", "values": "[1, 2]", "body": "True", **parts}
    project.write("test_a.py", TEST.format(**given))
    report, result = project.run()
    assert result.ret == 0
    return {name: case.fingerprint for name, case in by_name(report).items()}


def test_it_stands_in_the_report_and_follows_the_test(tmp_path: Path, forks: Forks) -> None:
    project = Project(tmp_path, forks)
    first = digests(project)
    assert len(set(first.values())) == 4, "each test and each of its parameters has its own"
    assert first["test_c"] == "", "a test that is not marked has none"
    assert all(len(value) == 16 for name, value in first.items() if name != "test_c")
    more = digests(project, values="[1, 2, 3]", mark="# a line above\n@pytest.mark.stochastic(reason='samples')")
    assert {name: more[name] for name in first} == first
    assert "test_a[y-3]" in more
    other = digests(project, body="1")
    assert [name for name in first if other[name] != first[name]] == ["test_a[y-1]", "test_a[y-2]"]
    asked = digests(project, mark="@pytest.mark.stochastic(delta=.2)")
    assert [name for name in first if asked[name] != first[name]] == ["test_a[y-1]", "test_a[y-2]"]


def item(function: Any, **parameters: object) -> SimpleNamespace:
    return SimpleNamespace(obj=function, cls=None, callspec=SimpleNamespace(params=parameters))


def a_test() -> None:
    """Says something."""

    assert True


def decorated(function: Any) -> Any:
    @functools.wraps(function)
    def inner() -> None:
        function()

    return inner


@decorated
def another_test() -> None:
    assert True


def test_the_source_begins_with_the_function_and_has_no_empty_lines() -> None:
    assert source_of(a_test) == 'def a_test() -> None:\n    """Says something."""\n    assert True'
    assert source_of(another_test) == "def another_test() -> None:\n    assert True"


def test_a_function_without_source_has_no_digest() -> None:
    names: dict[str, Any] = {}
    exec("def made(): pass", names)
    assert fingerprint(item(names["made"]), Asked()) == ""
    assert fingerprint(item(len), Asked()) == ""
    assert fingerprint(SimpleNamespace(), Asked()) == ""


def test_a_function_within_an_expression_is_taken_whole() -> None:
    functions = [lambda: None]
    assert source_of(functions[0]) == "functions = [lambda: None]"


@pytest.mark.parametrize("value", [1, 1.5, "é\ud800", b"x", None, [1, {"a": (2,)}]])
def test_a_plain_parameter_counts(value: object) -> None:
    alone = fingerprint(item(a_test), Asked())
    assert fingerprint(item(a_test, x=value), Asked()) == fingerprint(item(a_test, x=value), Asked()) != alone


@pytest.mark.parametrize("value", [object(), {1, 2}, [[[[[1]]]]], a_test])
def test_a_parameter_whose_text_may_change_does_not(value: object) -> None:
    assert fingerprint(item(a_test, x=value), Asked()) == fingerprint(item(a_test), Asked())
