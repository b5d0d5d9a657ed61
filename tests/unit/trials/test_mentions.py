"""Which test modules count because something names them."""

from __future__ import annotations

from gate.trials.mentions import closure, names_in

TEXTS = {
    "tests/test_a.py": "from tests.test_b import helper",
    "tests/test_b.py": "importlib.import_module('tests.test_c')",
    "tests/test_c.py": "x = 1",
    "tests/test_d.py": "import test_a",
    "app.py": "x = 'my_test_a_file'",
    "other/test_c.py": "",
}
TESTS = [path for path in TEXTS if "test_" in path]


def found(*start: str) -> set[str]:
    return closure(start, TESTS, lambda path: names_in(TEXTS[path]))


def test_names_stand_anywhere() -> None:
    assert names_in("a.b['c_1'] # ünder\n2x") == {"a", "b", "c_1", "ünder", "x"}


def test_what_is_named_counts_and_what_that_names() -> None:
    assert found("app.py") == {"app.py"}
    assert found("tests/test_c.py") == {"tests/test_c.py"}
    assert found("tests/test_a.py") == {"tests/test_a.py", "tests/test_b.py", "tests/test_c.py", "other/test_c.py"}
    assert found("tests/test_d.py") >= {"tests/test_a.py", "tests/test_c.py"}


def test_two_that_name_each_other_come_to_an_end() -> None:
    texts = {"test_x.py": "test_y", "test_y.py": "test_x"}
    assert closure(["test_x.py"], texts, lambda path: names_in(texts[path])) == set(texts)
