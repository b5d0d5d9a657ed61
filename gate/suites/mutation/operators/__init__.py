"""The operators by name, in the order in which mutants of one place are listed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gate.suites.mutation.operators.clauses import drop_condition, drop_exception
from gate.suites.mutation.operators.delete import delete_constraint, delete_example, delete_section
from gate.suites.mutation.operators.edit import Edit, Mutant, OnPrompt, OnRule
from gate.suites.mutation.operators.order import swap_priority
from gate.suites.mutation.operators.poison import context_poisoning
from gate.suites.mutation.operators.semantic import Rewrite, semantic
from gate.suites.mutation.operators.threshold import change_threshold
from gate.suites.mutation.operators.tools import tool_schema
from gate.suites.mutation.operators.words import flip_comparator, invert_negation, swap_scope, weaken_modal

SEMANTIC = "semantic"

ON_RULES: Mapping[str, OnRule] = MappingProxyType(
    {
        "delete-constraint": delete_constraint,
        "invert-negation": invert_negation,
        "weaken-modal": weaken_modal,
        "change-threshold": change_threshold,
        "flip-comparator": flip_comparator,
        "swap-scope": swap_scope,
        "drop-exception": drop_exception,
        "drop-condition": drop_condition,
        "context-poisoning": context_poisoning,
    }
)
"""Operators that change one rule."""

ON_PROMPTS: Mapping[str, OnPrompt] = MappingProxyType(
    {
        "delete-section": delete_section,
        "delete-example": delete_example,
        "swap-priority": swap_priority,
        "tool-schema": tool_schema,
    }
)
"""Operators that change what no single rule owns."""

OPERATORS = (*ON_RULES, SEMANTIC, *ON_PROMPTS)

__all__ = [
    "ON_PROMPTS",
    "ON_RULES",
    "OPERATORS",
    "SEMANTIC",
    "Edit",
    "Mutant",
    "OnPrompt",
    "OnRule",
    "Rewrite",
    "semantic",
]
