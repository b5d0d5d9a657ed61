"""CONTRIBUTING and CHANGELOG name things that exist, and no paper names a machine or a tool that wrote it."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.support.readme import ROOT, table_cells

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
PAPERS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")], key=str)


def test_targets_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    known = set(re.findall(r"^([a-z0-9-]+):.*## ", makefile, re.M))
    named = {row[0].strip("`").removeprefix("make ") for row in table_cells(CONTRIBUTING) if row[0].startswith("`make")}
    assert named == known - {"help", "clean"}


@pytest.mark.parametrize(
    "name", sorted(set(re.findall(r"`((?:gate|tests|docs|suites|requirements)/[\w./<>-]*)`", CONTRIBUTING)))
)
def test_files_and_folders_that_it_names_exist(name: str) -> None:
    path = name.split("<", 1)[0].rpartition("/")[0] if "<" in name else name
    assert (ROOT / path).exists() or (ROOT / "gate" / path).exists()


def test_the_stages_are_those_of_the_import_contract() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contract if each["id"] == "stages")
    drawn = re.search(r"^```\n(cli → .*?)```$", CONTRIBUTING, re.S | re.M)
    assert drawn is not None
    stages = [set(re.findall(r"\w+", part)) for part in drawn[1].split("→")]
    assert stages[:-1] == [set(re.findall(r"\w+", layer)) for layer in layers[1:-2]]
    assert stages[-1] == {"schema", "errors"}


def test_pure_folders_are_those_of_the_import_contract() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    pure = {name.removeprefix("gate.") for each in contract if each["id"] == "pure" for name in each["source_modules"]}
    sentence = re.search(r"`errors`, `schema`.*?are pure", CONTRIBUTING, re.S)
    assert sentence is not None
    assert set(re.findall(r"`(\w+)`", sentence[0])) == pure


def test_the_changelog_has_its_versions_in_order() -> None:
    """That the newest is this one, a test of the release says."""
    versions = re.findall(r"^## \[([^\]]+)\]", CHANGELOG, re.M)
    assert versions == sorted(versions, key=lambda text: tuple(map(int, text.split("."))), reverse=True)
    assert set(re.findall(r"^### (.+)$", CHANGELOG, re.M)) <= {
        "Added",
        "Changed",
        "Deprecated",
        "Removed",
        "Fixed",
        "Security",
    }


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_papers_are_plain(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(work|tmp|home|root)/", text)
    assert text.endswith("\n") and not text.endswith("\n\n")


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_papers_lead_somewhere(path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target
