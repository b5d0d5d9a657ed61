"""A prompt as blocks, sections, examples and rules with exact spans."""

from gate.suites.mutation.prompt.changed import changed_rules
from gate.suites.mutation.prompt.model import Block, Example, Prompt, Rule, Section, Span
from gate.suites.mutation.prompt.parse import parse

__all__ = ["Block", "Example", "Prompt", "Rule", "Section", "Span", "changed_rules", "parse"]
