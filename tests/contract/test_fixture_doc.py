"""docs/fixture.md says what the fixture takes, and its example is a test file that can be run."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from gate.record.plugin.measure import Robustness
from gate.record.plugin.sweeping import SweepResult
from tests.support import fork_server, readme
from tests.support.command_line import environment

TEXT = (readme.ROOT / "docs" / "fixture.md").read_text(encoding="utf-8")
METHODS = [
    name
    for name, value in vars(Robustness).items()
    if not name.startswith("_") and inspect.isfunction(value) and name != "close"
]


def section(method: str) -> str:
    found = re.search(rf"^## `{method}\(.*?\n(.*?)(?=^## |\Z)", TEXT, re.S | re.M)
    assert found is not None, method
    return found[1]


def table(text: str, head: str) -> dict[str, list[str]]:
    rows = text.split(f"| {head} |", 1)[1].split("\n\n", 1)[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows.splitlines()[2:]]
    return {row[0].strip("`"): row[1:] for row in cells}


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_stands_there_with_its_default(method: str) -> None:
    parameters: Mapping[str, inspect.Parameter] = inspect.signature(getattr(Robustness, method)).parameters
    rows = table(section(method), "parameter")
    assert list(rows) == [name for name in parameters if name != "self"]
    for name, (default, meaning) in rows.items():
        wanted = parameters[name].default
        assert default == ("" if wanted is inspect.Parameter.empty else f"`{wanted!r}`".replace("'", '"')), name
        assert meaning


def test_no_other_method_is_described() -> None:
    assert re.findall(r"^## `(\w+)\(", TEXT, re.M) == METHODS


def test_the_result_of_a_sweep_is_described() -> None:
    public = {name for name in (*SweepResult.__slots__, *vars(SweepResult)) if not name.startswith("_")}
    assert {row.partition("(")[0] for row in table(section("sweep"), "attribute")} == public


@pytest.mark.parametrize("path", ["docs/fixture.md", "README.md", "docs/rules.md"])
def test_links_lead_to_headings(path: str) -> None:
    """Also those into another document."""
    text = (readme.ROOT / path).read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\((?!https?:)([\w./-]*)#([\w-]+)\)", text):
        there = ((readme.ROOT / path).parent / target).read_text(encoding="utf-8") if target else text
        heads = re.findall(r"^#+ (.+)$", there, re.M)
        slugs = {re.sub(r"[^\w\- ]", "", head).replace(" ", "-").lower() for head in heads}
        assert anchor in slugs, f"{path}: {target}#{anchor}"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of the document's own test file."""
    pytest.importorskip("numpy")
    folder = tmp_path_factory.mktemp("fixture")
    (block,) = readme.blocks(TEXT, "python")
    (folder / "test_doc.py").write_text(block, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--gate-report", "report.json"]
    result = fork_server.run(command, cwd=folder, environ=environment({}))
    assert result.returncode == 0, result.stdout + result.stderr
    found: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return found


def test_the_example_measures_what_it_says(report: dict[str, Any]) -> None:
    measured = {test["nodeid"].rpartition("::")[2]: test["metadata"]["gate"] for test in report["tests"]}
    assert [metric["name"] for metric in measured["test_accuracy"]["metrics"]] == ["accuracy"]
    assert [(metric["name"], metric["better"]) for metric in measured["test_noise"]["metrics"]] == [
        ("loans/max_delta", "lower"),
        ("loans/attack_success ε=0.05", "lower"),
        ("loans/robust_accuracy ε=0.05", "higher"),
        ("loans/attack_success ε=0.2", "lower"),
        ("loans/robust_accuracy ε=0.2", "higher"),
    ]
    (swept,) = measured["test_noise"]["predictions"]
    assert [attack["name"] for attack in swept["attacks"]] == ["gaussian ε=0.05", "gaussian ε=0.2"]
    assert json.loads(swept["design"]["protected"]) == ["age"]
    (worst,) = measured["test_worst_case"]["predictions"]
    assert [attack["name"] for attack in worst["attacks"]] == [
        "gaussian ε=0.05", "worst case ε=0.05", "integer-step k=5",
    ]  # fmt: skip
    (reviews,) = measured["test_typing"]["predictions"]
    assert [attack["name"] for attack in reviews["attacks"]] == ["upper-case", "keyboard-typo"]
    assert [metric["name"] for metric in measured["test_typing"]["metrics"]] == [
        "reviews/invariance/upper-case", "reviews/invariance/keyboard-typo",
    ]  # fmt: skip
    (amounts,) = measured["test_values"]["predictions"]
    assert set(amounts["predicted"]) == {"0"}
    assert [each["name"] for each in measured["test_answers_in_french"]["predictions"]] == ["french"]


def test_the_samples_of_the_readme_measure_nothing_twice() -> None:
    """A sweep records the clean predictions too: both in one test would double every flip."""
    for block in readme.blocks(readme.README.read_text(encoding="utf-8"), "python"):
        for test in re.split(r"^def ", block, flags=re.M):
            assert not ("robustness.sweep(" in test and "robustness.predictions(" in test)
