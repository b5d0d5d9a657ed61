"""`gate explain`: every rule, exit code and setting has its text, and a wrong word its nearest name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gate.cli import exit_code_of
from gate.cli.explain import CODES, explained, for_reply, listed
from gate.deliver.publish import VERDICTS
from gate.errors import UsageError
from gate.render import verdict_json
from gate.schema.verdict import ExitCode, RuleName
from gate.settings import describe, names
from tests.support.verdicts import worse

GOOD = (RuleName.FIXED, RuleName.POSITIVE_FLIP, RuleName.NEW_CASE)
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "rules.md"


@pytest.mark.parametrize("rule", RuleName)
def test_a_rule_is_what_its_section_says(rule: RuleName) -> None:
    text = explained(rule.value)
    assert text.startswith(f"## {rule.value}\n\n")
    assert text in DOCUMENT.read_text(encoding="utf-8")
    assert "\n## " not in text
    assert len(text.splitlines()) > 4


@pytest.mark.parametrize("key", names())
def test_a_setting_says_what_it_is_where_it_stands_and_what_it_may_be(key: str) -> None:
    if key == "rules":
        return
    text = explained(key)
    assert describe(key) in text
    assert f"GATE_{key.upper().replace('-', '_')}" in text
    assert "may be: " in text


def test_pages_that_settings_name_are_there() -> None:
    named = {line.partition("more: ")[2] for key in names() for line in explained(key).splitlines() if "more: " in line}
    assert len(named) > 4
    assert all((DOCUMENT.parents[1] / page).is_file() for page in named)


def test_exit_codes_are_all_of_them_under_the_names_of_the_output() -> None:
    assert {ExitCode(code): each.name for code, each in CODES.items()} == VERDICTS
    assert explained("3").startswith("3 (undecided): ")
    assert [line[0] for line in explained("exit-codes").splitlines()] == list("01234")


@pytest.mark.parametrize(
    ("word", "near"),
    [("negative_flips", "negative-flip"), ("alhpa", "alpha"), ("exit-coeds", "exit-codes"), ("9", None), ("", None)],
)
def test_what_is_not_known_is_told_its_nearest_name(word: str, near: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        explained(word)
    assert caught.value.remedy == (f"did you mean `{near}`?" if near else "`gate explain` lists what there is")


def test_a_key_of_a_rule_is_the_rule() -> None:
    assert explained("rules.negative-flip.tolerance") == explained("negative-flip") == explained("`negative_flip`")


def test_a_finding_is_explained_by_its_rule(tmp_path: Path) -> None:
    path = tmp_path / "verdict.json"
    verdict = worse()
    path.write_text(verdict_json(verdict), encoding="utf-8")
    first = verdict.findings[0]
    assert explained(first.id, path) == f"{first.id}: {first.what}\n\n{explained(first.rule.value)}"
    assert explained(first.id.lower(), path) == explained(first.id, path)
    with pytest.raises(UsageError, match="no finding F99"):
        explained("F99", path)
    with pytest.raises(UsageError, match="no verdict"):
        explained("F1", tmp_path / "absent.json")


def test_the_list_has_everything() -> None:
    text = listed()
    assert all(word in text for word in [*RuleName, *names(), *(each.name for each in CODES.values())])


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(["explain", "alpha", "1"]) == 0
    assert capsys.readouterr().out.startswith("alpha: chance that noise")
    assert exit_code_of(["explain", "\x1b[2Jalpa"]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("rule", RuleName)
def test_a_reply_on_github_holds_the_section_without_links_that_lead_nowhere_there(rule: RuleName) -> None:
    text = for_reply(rule.value)
    assert "What to do:" in text or rule in GOOD, "good news asks for nothing"
    assert "](" not in text
    assert not text.startswith("#")
    for page in re.findall(r"docs/([\w-]+\.md)", text):
        assert (DOCUMENT.parent / page).is_file()
