"""Who judged the answers: one fingerprint a judge in the report, and in the comment once it is another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.compare import compare
from gate.ingest import read_report
from gate.schema.report import Report
from gate.settings import Settings

pytest_plugins = ["pytester"]

SUITE = """
def test_one(robustness):
    robustness.judge("grader", version="2", prompt=PROMPT)

def test_two(robustness):
    robustness.judge("grader", version="2", prompt=PROMPT)
    robustness.judge("style")

def test_three(): pass
"""


def measured(pytester: pytest.Pytester, prompt: str, suite: str = SUITE) -> Report:
    pytester.makepyfile(test_judged=f"PROMPT = {prompt!r}\n{suite}")
    pytester.runpytest_inprocess("--gate-report=out.json", "-p", "no:cacheprovider")
    return read_report((pytester.path / "out.json").read_bytes(), "out.json")


def test_another_prompt_is_another_judge(pytester: pytest.Pytester) -> None:
    before = measured(pytester, "Is it polite?")
    assert sorted(before.fingerprints) == ["judge grader", "judge style"]
    assert "polite" not in (pytester.path / "out.json").read_text("utf-8"), "a prompt may be private"
    after = replace(before, fingerprints={**before.fingerprints, "judge grader": "0" * 16})
    changed = compare(before, after, Settings()).fingerprints_changed
    assert changed == {"judge grader": (before.fingerprints["judge grader"], "0" * 16)}


def test_a_judge_of_one_name_and_two_prompts_has_both_digests(pytester: pytest.Pytester) -> None:
    suite = SUITE + "\ndef test_four(robustness): robustness.judge('grader', version='3')\n"
    assert len(measured(pytester, "", suite).fingerprints["judge grader"].split()) == 2


def test_a_suite_without_a_judge_has_none(pytester: pytest.Pytester) -> None:
    assert measured(pytester, "", "def test_one(): pass").fingerprints == {}


@pytest.mark.parametrize("given", ["''", "'a', 1", "'a', prompt=None"])
def test_what_is_no_text_is_named(pytester: pytest.Pytester, given: str) -> None:
    pytester.makepyfile(f"def test_one(robustness): robustness.judge({given})")
    found = pytester.runpytest_inprocess("--gate-report=out.json", "-p", "no:cacheprovider")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*UsageError*"])
