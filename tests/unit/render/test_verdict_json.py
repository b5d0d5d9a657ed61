"""The verdict as JSON: stable bytes, read back whole, refused when it is something else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gate import render
from gate.errors import UsageError
from gate.schema.verdict import ExitCode, Problem, Verdict
from tests.support import verdicts


@pytest.mark.parametrize("make", verdicts.ALL.values(), ids=verdicts.ALL)
def test_reads_back(make: Callable[[], Verdict]) -> None:
    text = render.verdict_json(make())
    assert render.verdict_from_json(text) == make()
    assert text == render.verdict_json(make())


def test_keys_are_sorted_and_enums_are_words() -> None:
    data = json.loads(render.verdict_json(verdicts.worse()))
    assert list(data) == sorted(data)
    assert (data["schema"], data["exit"], data["exit_code"]) == (1, "regression", 1)
    assert data["findings"][0]["rule"] == "newly-failing"
    assert data["findings"][0]["level"] == "error"


def test_what_could_not_be_judged_reads_back() -> None:
    problem = Problem("is not TOML", "base 1234567:gate.toml:2", "mend the file")
    verdict = Verdict(exit_code=ExitCode.USAGE, would_exit=ExitCode.USAGE, problem=problem)
    text = render.verdict_json(verdict)
    assert json.loads(text)["problem"]["where"] == "base 1234567:gate.toml:2"
    assert render.verdict_from_json(text) == verdict
    assert "problem" not in json.loads(render.verdict_json(Verdict()))


def broken(change: Callable[[Any], object]) -> str:
    data = json.loads(render.verdict_json(verdicts.worse()))
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "expected an object"),
        ("{}", "schema: expected 1"),
        (broken(lambda data: data.update(schema=2)), "reads up to 1"),
        (broken(lambda data: data.update(schema=True)), "schema: expected 1"),
        (broken(lambda data: data.update(exit_code=9)), "exit_code: expected an exit code"),
        (broken(lambda data: data.update(exit_code="1")), "exit_code: expected a whole number"),
        (broken(lambda data: data.update(findings={})), "findings: expected a list"),
        (broken(lambda data: data.update(observe=1)), "observe: expected true or false"),
        (broken(lambda data: data.update(alpha="x")), "alpha: expected a finite number"),
        (broken(lambda data: data.update(fingerprints_changed={"a": ["b"]})), "expected two strings"),
        (broken(lambda data: data.update(findings=[{"rule": "no-rule", "level": "error"}])), "rule: expected one of"),
        (broken(lambda data: data.update(provenance={"suite": "a-->b"})), "suite: expected the name"),
        (broken(lambda data: data.update(problem="x")), "problem: expected an object"),
        (broken(lambda data: data.update(problem={"message": 1})), "problem/message: expected"),
        (broken(lambda data: data["good_news"][0].update(id="<b>")), "good_news/0/id: expected F and a number"),
        (broken(lambda data: data.update(alpha=10**400)), "alpha: expected a finite number"),
        ('{"schema": 1, "alpha": NaN}', "NaN is no number"),
    ],
)
def test_refuses_what_is_no_verdict(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        render.verdict_from_json(text)
    assert caught.value.remedy


@pytest.mark.parametrize("number", ["", "F", "F0", "F01", "f1", "F1 ", "F1\n", "F1234567890", "F1|<b>@a", "G1", "F١"])
def test_a_finding_has_a_number_that_is_safe_to_show(number: str) -> None:
    with pytest.raises(UsageError, match="findings/0/id: expected F and a number"):
        render.verdict_from_json(broken(lambda data: data["findings"][0].update(id=number)))
