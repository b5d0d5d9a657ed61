"""One finding with everything that is known of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate import render
from gate.errors import UsageError
from gate.schema.verdict import ExampleChange, Verdict
from tests.support import verdicts


def test_examples_are_joined_with_local_names() -> None:
    shown = render.show(verdicts.worse(), "f6", names={"k7f2c09a": "customer 12"})
    assert "F6 negative-flip (error)" in shown
    assert "the worst 3 of 7 examples (4 more in the report)" in shown
    assert "k7f2c09a (customer 12)  repay → default  clean input  .61 → .38" in shown
    assert "amount  7 of 1,000" in shown
    assert "where   tests/test_model.py:12" in shown
    assert "again   pytest tests/test_model.py::test_predictions" in shown


def test_every_example_that_the_verdict_holds_is_listed() -> None:
    examples = tuple(ExampleChange(f"e{place:04}", "no", "yes") for place in range(1_000))
    flips = replace(verdicts.flips(1), examples=examples, amount=1_000)
    shown = render.show(Verdict(findings=(flips,)), "F1")
    assert "\n1,000 examples\n" in shown
    assert all(f"  {each.id}  no → yes" in shown for each in examples)


def test_the_command_that_is_being_run_is_not_the_next_one() -> None:
    again = replace(verdicts.metric(1), command="gate show F1")
    assert "again" not in render.show(Verdict(findings=(again,)), "F1")


def test_evidence_is_whole() -> None:
    shown = render.show(verdicts.worse(), "F8")
    assert "Accuracy by slice\n  slice  main  here\n  all    .94   .91" in shown
    assert "Threshold\n  -assert accuracy > .93\n  +assert accuracy > .90" in shown


def test_reads_a_verdict_file_too() -> None:
    assert render.show(render.verdict_json(verdicts.worse()), "F1") == render.show(verdicts.worse(), "F1")


def test_a_long_id_is_shown_whole() -> None:
    assert "x" * 12_000 in render.show(verdicts.huge(), "F12001")


@pytest.mark.parametrize(("wanted", "said"), [("F99", "did you mean F9"), ("x", "it has F1 to F11")])
def test_an_unknown_id(wanted: str, said: str) -> None:
    with pytest.raises(UsageError, match="no finding") as caught:
        render.show(verdicts.worse(), wanted)
    assert said in caught.value.remedy


def test_a_verdict_without_findings() -> None:
    with pytest.raises(UsageError) as caught:
        render.show(Verdict(), "F1")
    assert caught.value.remedy == "it has no findings"
