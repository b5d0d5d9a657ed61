"""A semantic operator: a function of the user's rewrites a rule, for example by asking a model."""

from __future__ import annotations

from collections.abc import Callable

from gate.errors import UsageError
from gate.suites.mutation.operators.edit import Edit, OnRule, shortened
from gate.suites.mutation.prompt.model import Prompt, Rule, normal
from gate.suites.mutation.prompt.placeholders import placeholders

Rewrite = Callable[[str], object]
"""Text of a rule -> the text that takes its place, or None when there is none."""


def semantic(rewrite: Rewrite) -> OnRule:
    """The operator that calls `rewrite` once for each rule. What the function raises is passed on, with a note.

    Raises, when it is called:
        UsageError: the answer is no text, changes nothing but white space, or loses or adds a placeholder.
    """
    name = getattr(rewrite, "__qualname__", type(rewrite).__name__)

    def operator(prompt: Prompt, rule: Rule) -> list[Edit] | str:
        text = prompt.rule_text(rule)
        try:
            answer = rewrite(text)
        except Exception as error:
            error.add_note(f"raised by the semantic operator {name} for the rule “{shortened(text)}”")
            raise
        if answer is None:
            return f"{name} gave nothing for it"
        return [
            Edit(
                (rule.span,),
                (_checked(answer, text, name),),
                f"rewrite “{shortened(text)}” as “{shortened(str(answer))}”",
            )
        ]

    return operator


def _checked(answer: object, text: str, name: str) -> str:
    where = f"the semantic operator {name}"
    if not isinstance(answer, str):
        remedy = "return the changed rule, or None when there is none"
        raise UsageError(
            f"gave {type(answer).__name__} for “{shortened(text)}”, not a text", where=where, remedy=remedy
        )
    if normal(answer) == normal(text):
        remedy = "return a rule that asks for something else, or None"
        raise UsageError(f"left “{shortened(text)}” as it was", where=where, remedy=remedy)
    kept, wanted = placeholders(answer), placeholders(text)
    if kept != wanted:
        lost = ", ".join(sorted((wanted - kept) | (kept - wanted)))
        raise UsageError(
            f"lost or added placeholders of “{shortened(text)}”: {lost}",
            where=where,
            remedy="keep every placeholder as it stands and as often",
        )
    return answer
