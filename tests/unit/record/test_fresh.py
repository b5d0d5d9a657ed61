"""One turn of one arm: only the suspects, to the end, and with its own code first."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gate.record.fresh import ArmTree, FreshRuns, own_code_first, to_the_end
from gate.record.plugin.arm import importable
from gate.record.run import World
from gate.sandbox.environment import suite_environment
from gate.sandbox.worlds import read_left

TESTS = """
import pytest

@pytest.mark.stochastic
@pytest.mark.parametrize("case", range(3))
def test_case(case):
    assert case == 2
"""


def runs(tree: Path, *arguments: str) -> FreshRuns:
    environ = suite_environment({**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    scratch = tree.parent / "scratch"
    scratch.mkdir()
    world = World(sys.executable, tree.parent, environ)
    place = ArmTree(tree, tree)
    return FreshRuns(
        trees={"base": place, "head": place},
        world=world,
        scratch=scratch,
        read=read_left,
        arguments=arguments,
        options=(),
        timeout=60,
        limit=1_000_000,
    )


def test_the_first_failure_ends_no_arm(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "test_a.py").write_text(TESTS)
    names = [f"test_a.py::test_case[{case}]" for case in (0, 1)]
    turn = runs(tree, "-x", "-p", "no:cacheprovider")("head", names, 3)
    assert (turn.outcomes, turn.reason) == (dict.fromkeys(names, "000"), "")


def test_a_turn_that_ends_badly_says_why(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "test_a.py").write_text("import absent\n")
    turn = runs(tree, "-p", "no:cacheprovider")("base", ["test_a.py::test_case[0]"], 3)
    assert turn.outcomes == {}
    assert "No module named 'absent'" in turn.reason


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (["-x", "tests"], ["-x", "tests", "--maxfail=0"]),
        (["-x", "--", "-odd.py"], ["-x", "--maxfail=0", "--", "-odd.py"]),
    ],
)
def test_what_ends_a_run_early_is_overruled_before_the_end_of_options(given: list[str], made: list[str]) -> None:
    assert to_the_end(given) == made


def test_an_arms_own_places_come_first_but_none_that_hides_pythons_own(tmp_path: Path) -> None:
    top, part = tmp_path, tmp_path / "services" / "a"
    (part / "src" / "shop").mkdir(parents=True)
    for name, file in (("src", "queue.py"), ("lib", "__init__.py")):  # of Python's own; a package
        (top / name).mkdir()
        (top / name / file).touch()
    (part / "lib").mkdir()
    (part / "lib" / "tools.py").touch()
    environ = own_code_first({"PYTHONPATH": "/before", "A": "1"}, ArmTree(top, part))
    assert environ["PYTHONPATH"].split(os.pathsep) == [*map(str, (part, part / "src", part / "lib", top)), "/before"]
    assert environ["A"] == "1"
    assert own_code_first({}, ArmTree(part, part))["PYTHONPATH"].endswith("lib")


def test_what_a_tree_can_give_to_an_import(tmp_path: Path) -> None:
    for name in (
        "setup.py",
        "src/shop/__init__.py",
        "src/shop/cart.py",
        "libs/common/src/common/__init__.py",
        "tests/test_cart.py",
        ".venv/lib/site-packages/other.py",
        "made/pyvenv.cfg",
        "made/other.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = importable(tmp_path)
    assert {"setup.py", "shop/__init__.py", "shop/cart.py", "common/__init__.py", "test_cart.py"} <= found
    assert {"src/shop/cart.py", "tests/test_cart.py"} <= found, "the tree itself may be an entry"
    assert "cart.py" not in found, "a package is no entry"
    assert not any(name.endswith("other.py") for name in found)
