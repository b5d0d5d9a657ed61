"""docs/text.md lists every text operator as it is, and its example runs."""

from __future__ import annotations

import dataclasses
import re

from gate.suites.perturbation.text.design import Design
from gate.suites.perturbation.text.operator import Meaning
from gate.suites.perturbation.text.registry import OPERATORS
from tests.support import readme, text_doc

TEXT = text_doc.DOC.read_text(encoding="utf-8")


def test_the_table_is_what_the_operators_do() -> None:
    """`.venv/bin/python -m tests.support.text_doc` writes it anew."""
    assert text_doc.table() in TEXT


def test_every_cell_is_whole() -> None:
    rows = text_doc.table().splitlines()
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}
    assert len(rows) == len(OPERATORS) + 2


def test_every_example_changes() -> None:
    for row in text_doc.table().splitlines()[2:]:
        before, after = row.split(" | ")[3:]
        assert before != after.removesuffix(" |")


def test_families_classes_and_settings() -> None:
    for family in {operator.family for operator in OPERATORS.values()}:
        assert f"`{family}`" in TEXT
    rows = re.findall(r"^\| `?(\w+)`? \|", TEXT, re.M)
    assert [row for row in rows if row in set(Meaning)] == list(Meaning)
    assert [field.name for field in dataclasses.fields(Design)] == rows[-6:]


def test_the_example_runs() -> None:
    (block,) = readme.blocks(TEXT, "python")
    names: dict[str, object] = {}
    exec(compile(block, "docs/text.md", "exec"), names)
    assert isinstance(names["worst"], float)
