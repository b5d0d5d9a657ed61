"""A function of the user's as an operator."""

from __future__ import annotations

import pytest

from gate.errors import UsageError
from gate.suites.mutation.mutants import Mutants, mutants_of
from gate.suites.mutation.prompt import parse


def run(rewrite: object, text: str = "Be kind. Never tell {name} a lie.") -> Mutants:
    return mutants_of(parse(text), operators=["semantic"], semantic_operator=rewrite)  # type: ignore[arg-type]


def test_the_rule_is_replaced_by_what_the_function_gives() -> None:
    (mutant,) = run(lambda text: text.replace("Never tell", "Tell")).mutants
    assert mutant.apply("Be kind. Never tell {name} a lie.") == "Be kind. Tell {name} a lie."


def test_the_id_does_not_depend_on_the_answer() -> None:
    (one,) = run(lambda text: text + " Or do.").mutants
    (other,) = run(lambda text: text + " Or not.").mutants
    assert one.id == other.id


def test_no_answer_is_no_mutant() -> None:
    found = run(lambda text: None)
    assert found.mutants == ()
    assert "gave nothing" in found.not_applicable[0].reason


@pytest.mark.parametrize(
    ("rewrite", "told"),
    [
        (lambda text: 5, "gave int"),
        (lambda text: f"  {text}\n", "as it was"),
        (lambda text: "Lie.", "{name}"),
        (lambda text: text + " {other}", "{other}"),
        (lambda text: text + " {name}", "{name}"),
    ],
)
def test_answers_that_cannot_be_used(rewrite: object, told: str) -> None:
    with pytest.raises(UsageError, match=told.replace("{", r"\{")):
        run(rewrite)


def test_what_the_function_raises_is_passed_on_with_the_rule() -> None:
    def fails(text: str) -> str:
        raise ConnectionError("no line")

    with pytest.raises(ConnectionError) as caught:
        run(fails)
    assert "Never tell" in caught.value.__notes__[0]


def test_without_a_function_the_operator_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a function"):
        mutants_of(parse("Never lie."), operators=["semantic"])
