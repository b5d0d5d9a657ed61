"""One rule, one name: module, registry, name in the schema, heading and row in docs/rules.md, key in the settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gate.compare import rules as package
from gate.compare.comparison import Rule
from gate.compare.rules import RULES
from gate.compare.transition import MATRIX, Step, markdown_table
from gate.schema.outcome import Outcome
from gate.schema.verdict import ExitCode, Level, RuleName
from gate.settings import Settings

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
NAMES = {name.value for name in RuleName}


def sections(text: str) -> dict[str, str]:
    found = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def rows(text: str) -> dict[str, list[str]]:
    found = {}
    for line in text.splitlines():
        match = re.match(r"\| \[`([a-z-]+)`\]\(#([a-z-]+)\) \|", line)
        if match:
            assert match[1] == match[2]
            found[match[1]] = [cell.strip() for cell in line.strip("|").split("|")][1:]
    return found


def test_every_name_is_registered_once() -> None:
    assert sorted(rule.name for rule in RULES) == sorted(RuleName)


def test_every_module_holds_the_rule_it_is_named_after() -> None:
    folder = Path(str(package.__file__)).parent
    modules = {path.stem.replace("_", "-") for path in folder.glob("*.py") if path.stem != "__init__"}
    assert modules == NAMES
    for rule in RULES:
        module = getattr(package, rule.name.replace("-", "_"))
        assert module.RULE is rule
        assert module.__doc__


def test_headings_are_the_rules() -> None:
    headings = set(sections(DOCUMENT))
    assert headings & NAMES == NAMES
    assert headings - NAMES == {"From one outcome to another", "How cases are paired"}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_section_says_what_an_example_and_what_to_do(name: str) -> None:
    section = sections(DOCUMENT)[name]
    meaning, example, advice = section.partition("*Example:*")[0], "*Example:*" in section, "*What to do:*" in section
    assert len(meaning.strip()) > 30
    assert example
    assert advice


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_row_says_level_tolerance_unit_and_setting(rule: Rule) -> None:
    level, tolerance, unit, setting = rows(DOCUMENT)[rule.name]
    assert level == (f"{rule.level} (good news)" if rule.good_news else rule.level)
    assert tolerance == (f"{rule.tolerance:g}" if rule.unit else "–")
    assert unit == (rule.unit or "–")
    key = re.fullmatch(r"`rules\.([a-z-]+)\.(level|tolerance)`", setting)
    assert key is not None
    assert key[1] == rule.name
    value = {"level": "off", "tolerance": 0.5}[key[2]]
    settings = Settings.model_validate({"rules": {key[1]: {key[2]: value}}})
    assert settings.level_of(rule.name, Level.ERROR) is (Level.OFF if key[2] == "level" else Level.ERROR)
    assert settings.tolerance_of(rule.name, 0.0) == (0.5 if key[2] == "tolerance" else 0.0)


def test_table_has_no_other_rows() -> None:
    assert set(rows(DOCUMENT)) == NAMES


UNMEASURED = {"incomplete-run", "stale-recording"}


def test_good_news_never_fails_and_a_tolerance_has_a_unit() -> None:
    for rule in RULES:
        assert not (rule.good_news and rule.level is not Level.NOTE)
        assert rule.unit or rule.tolerance == 0
        assert rule.exit_code is (ExitCode.UNDECIDED if rule.name in UNMEASURED else ExitCode.REGRESSION)


def test_matrix_is_printed_as_it_is() -> None:
    assert markdown_table() in DOCUMENT


def test_matrix_has_a_cell_for_every_pair() -> None:
    assert {step.value for step in Step} == {outcome.value for outcome in Outcome} | {"absent"}
    assert set(MATRIX) == {(before, after) for before in Step for after in Step}
