"""The verdict as JSON: stable bytes, read back whole, refused when it is something else."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gate import render
from gate.errors import UsageError
from gate.schema.verdict import Verdict
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


def broken(change: Callable[[dict[str, object]], object]) -> str:
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
        ('{"schema": 1, "alpha": NaN}', "NaN is no number"),
    ],
)
def test_refuses_what_is_no_verdict(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        render.verdict_from_json(text)
    assert caught.value.remedy
