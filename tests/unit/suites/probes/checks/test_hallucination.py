"""Invented names: what an exception shows, what reading shows, and what `ty` says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from gate.sandbox.cell import Cell
from gate.suites.probes.answer import Answer
from gate.suites.probes.checks.calls import Outcome, Raised, Status
from gate.suites.probes.checks.examine import examine
from gate.suites.probes.checks.hallucination import at_run_time, by_reading, missing_packages
from gate.suites.probes.checks.ty_check import parse, ty_path, without_comments
from gate.suites.probes.extract import Code
from tests.support.probe_checks import a_probe

OWN = [{"own": True, "name": "f"}]
LIBRARY = [*OWN, {"own": False, "name": "g"}]


def _names(mro: str, message: str, text: str = "", language: str = "python", **facts: Any) -> list[str]:
    raised = Raised((mro, *{"ModuleNotFoundError": ("ImportError",)}.get(mro, ())), message, {"frames": OWN, **facts})
    found = at_run_time([Outcome(Status.RAISED, raised=raised)] * 2, Code(text, language, "x"))
    return [one.name for one in found]


@pytest.mark.parametrize(
    ("mro", "message", "facts", "names"),
    [
        ("AttributeError", "", {"name": "b", "object": {"kind": "module", "name": "a"}}, ["a.b"]),
        ("AttributeError", "", {"name": "b", "owner": {"kind": "instance", "name": "lib.Thing"}}, ["lib.Thing.b"]),
        (
            "AttributeError",
            "",
            {"name": "push", "object": {"kind": "instance", "name": "builtins.list"}},
            ["list.push"],
        ),
        ("AttributeError", "", {"name": "get", "object": {"kind": "instance", "name": "builtins.list"}}, []),
        ("AttributeError", "", {"name": "b", "object": {"kind": "instance", "name": "builtins.NoneType"}}, []),
        ("AttributeError", "", {"name": "b", "object": {"kind": "instance", "name": "solution.Box"}}, []),
        (
            "AttributeError",
            "",
            {"name": "b", "object": {"kind": "instance", "name": "lib.Made", "bases": ["lib.Made", "solution.Box"]}},
            [],
        ),
        ("AttributeError", "", {"name": "b", "object": {"kind": "module", "name": "a"}, "frames": LIBRARY}, []),
        ("AttributeError", "", {"name": "b"}, []),
        ("ModuleNotFoundError", "", {"name": "nonesuch", "import": True}, ["nonesuch"]),
        ("ModuleNotFoundError", "", {"name": "nonesuch"}, []),
        ("NameError", "", {"name": "flatten_all"}, ["flatten_all"]),
        ("NameError", "", {"name": "math"}, []),
        ("NameError", "", {"name": "helper"}, []),
        (
            "TypeError",
            "g() got an unexpected keyword argument 'k'",
            {"callee": {"text": "lib.g", "module": "lib"}},
            ["lib.g()"],
        ),
        (
            "TypeError",
            "h() takes 1 positional argument but 2 were given",
            {"callee": {"text": "lib.g", "module": "lib"}},
            [],
        ),
        (
            "TypeError",
            "g() got an unexpected keyword argument 'k'",
            {"callee": {"text": "g", "module": "solution"}},
            [],
        ),
        ("TypeError", "can only concatenate str", {"callee": {"text": "lib.g", "module": "lib"}}, []),
        ("KeyError", "'a'", {}, []),
    ],
)
def test_exceptions(mro: str, message: str, facts: dict[str, Any], names: list[str]) -> None:
    text = "def h(x):\n    return flatten_all(helpr(x)) + math.sqrt(2)\ndef helpr(x):\n    return helper(x)"
    assert _names(mro, message, text, **facts) == names


def test_facts_that_the_code_made_up_do_no_harm() -> None:
    for facts in (
        {"frames": 3},
        {"frames": [3]},
        {"callee": 3},
        {"object": {"bases": 3, "kind": "class"}},
        {"line": "x"},
    ):
        for mro in ("AttributeError", "NameError", "TypeError", "ModuleNotFoundError"):
            _names(mro, "g() takes no arguments", **facts)


@pytest.mark.parametrize(
    ("message", "text", "facts", "names"),
    [
        ("xs.groupBy is not a function", "xs.groupBy(1)", {"builtin": False}, ["groupBy"]),
        ("xs.map is not a function", "xs.map(1)", {"builtin": True}, []),
        ("box.open is not a function", "class Box { open(x) { } }", {"builtin": False}, []),
        ("fs.readAll is not a function", "const fs = require('fs'); fs.readAll()", {"builtin": True}, ["fs.readAll"]),
        ("deepClone is not defined", "deepClone(x)", {}, ["deepClone"]),
        ("x is not defined", "x + 1", {}, []),
    ],
)
def test_exceptions_of_javascript(message: str, text: str, facts: dict[str, Any], names: list[str]) -> None:
    assert _names("TypeError", message, text, "javascript", **facts) == names


def test_what_ty_says_is_read_and_nonsense_is_not() -> None:
    rows = [
        {"check_name": "missing-attribute", "description": "missing-attribute: Module `json` has no member `loadz`"},
        {"check_name": "missing-attribute", "description": "Object of type `list[int]` has no attribute `push`"},
        {"check_name": "missing-attribute", "description": "Object of type `str | None` has no attribute `push`"},
        {"check_name": "division-by-zero", "description": "Cannot divide `int`"},
    ]
    found = parse(json.dumps(rows).encode())
    assert [(one.name, one.lacks_in) for one in found] == [("json.loadz", "module"), ("push", "builtin"), ("push", "")]
    assert parse(b"") == parse(b"no json") == parse(b"{}") == ()


def test_distributions_that_the_environment_lacks() -> None:
    assert missing_packages(("pytest",)) == ()
    assert missing_packages(("pytest", "no-such-distribution")) == ("no-such-distribution",)


QUIET = """import json
from typing import no_type_check
text = "# type: ignore stays in a text"
@no_type_check
def f(x):
    if x == 77:
        return json.loadz(x)  # ty: ignore
    return x
"""


@pytest.mark.skipif(not ty_path(), reason="ty is not installed")
@pytest.mark.parametrize("head", ["", "# type: ignore\n", "reveal_type(1)\n" * 4_000])
def test_an_answer_can_not_hush_the_checker(cell: Cell, head: str) -> None:
    code = Code(head + QUIET, "python", "solution.py", {"json.pyi": "def loadz(x): ...\n"})
    assert [one.name for one in by_reading(code, cell, ())] == ["json.loadz"]


def test_comments_go_and_lines_stay() -> None:
    without = without_comments(QUIET)
    assert without.count("\n") == QUIET.count("\n")
    assert "stays in a text" in without
    assert "ty: ignore" not in without and "@no_type_check" not in without
    assert "ignore" not in without_comments("x = (\n# type: ignore\n")


OWN_CLASSES = """
class Box:
    def size(self):
        return 1
"""


@pytest.mark.parametrize(
    ("main", "helper", "names"),
    [
        ("from parts import load\n", "import json\ndef load():\n    return json.loadz('1')\n", ["json.loadz"]),
        ("from parts import Box\ndef load():\n    return Box().siez()\n", OWN_CLASSES, []),
        ("import parts\ndef load():\n    return parts.siez()\n", OWN_CLASSES, []),
        (f"{OWN_CLASSES}\ndef load():\n    return Box().siez()\n", "", []),
    ],
)
def test_an_answer_of_several_files_is_one_answer(cell: Cell, main: str, helper: str, names: list[str]) -> None:
    probe = a_probe("hallucination", entry="load", file="shop.py", checks={"hallucination": {"run": "solution.load()"}})
    found = examine(probe, Answer(files={"shop.py": main, "parts.py": helper}), cell)
    assert found.exercised is not None and found.exercised.status is Status.RAISED
    assert [one.name for one in found.invented] == names


@pytest.mark.skipif(not ty_path(), reason="ty is not installed")
def test_a_branch_of_a_second_file_is_read_as_well(cell: Cell) -> None:
    helper = "import json\ndef load(x):\n    if x == 77:\n        return json.loadz(x)\n"
    code = Code("from parts import load\n", "python", "solution.py", {"parts.py": helper}, ("parts.py",))
    assert [one.name for one in by_reading(code, cell, ())] == ["json.loadz"]
    assert by_reading(replace(code, own=()), cell, ()) == ()
