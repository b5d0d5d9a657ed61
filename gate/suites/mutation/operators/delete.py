"""Delete constraint, section and example."""

from __future__ import annotations

from bisect import bisect_left

from gate.suites.mutation.operators.edit import Edit, shortened
from gate.suites.mutation.prompt.model import Prompt, Rule, Span, normal
from gate.suites.mutation.prompt.placeholders import is_positional, is_unbalanced

_LARGEST_SHARE = 0.6  # of the prompt's characters: leaving out more than that leaves another prompt
POSITIONAL = "it holds a placeholder that is filled by its place, such as %s"
UNBALANCED = "it holds one half of a template statement, such as {% if %}"


def unremovable(text: str) -> str:
    """Why a text can't be left out of a template, or nothing."""
    if is_positional(text):
        return POSITIONAL
    return UNBALANCED if is_unbalanced(text) else ""


def delete_constraint(prompt: Prompt, rule: Rule) -> list[Edit] | str:
    """Leave a rule out, with its line when it stands alone there."""
    span = _with_surroundings(prompt, rule)
    reason = unremovable(span.of(prompt.text))
    if reason:
        return reason
    return [Edit((span,), ("",), f"delete “{shortened(prompt.rule_text(rule))}”")]


def _with_surroundings(prompt: Prompt, rule: Rule) -> Span:
    text, block = prompt.text, prompt.blocks[rule.block]
    if rule.span == block.span and block.kind in ("item", "paragraph"):
        return block.outer
    start, end = rule.span.start, rule.span.end
    while end < block.span.end and text[end] in " \t":
        end += 1
    line = max(text.rfind("\n", block.outer.start, start), text.rfind("\r", block.outer.start, start)) + 1
    alone = not text[max(line, block.outer.start) : start].strip()
    if alone and text[end : end + 2] == "\r\n":
        end += 2
    elif alone and text[end : end + 1] in ("\n", "\r") and end < block.span.end:
        end += 1
    if end == rule.span.end and end == block.span.end:
        while start > block.span.start and text[start - 1] in " \t":
            start -= 1
    return Span(start, end)


def delete_section(prompt: Prompt) -> list[Edit]:
    """Leave out a heading, label or tag with all that it governs; not what is most of the prompt."""
    found = []
    whole = len(prompt.text.strip())
    examples = {one.span for one in prompt.examples}
    sentences = [one.start for one in prompt.sentences]
    rules = [rule.span.start for rule in prompt.rules]
    for section in prompt.sections:
        text = section.span.of(prompt.text)
        content = normal(text)
        bare = len(content) <= len(normal(section.title)) + 6
        if bare or section.span in examples or len(text.strip()) > _LARGEST_SHARE * whole or unremovable(text):
            continue
        if not _within(sentences, section.span):
            continue  # nothing but a title or code
        inside = tuple(prompt.rules[place].id for place in _within(rules, section.span))
        told = f"delete the section “{shortened(section.title)}”"
        found.append(Edit((section.span,), ("",), told, subject=normal(section.title), touches=inside))
    return found


def _within(starts: list[int], span: Span) -> range:
    """Places of the ordered offsets that a span holds."""
    return range(bisect_left(starts, span.start), bisect_left(starts, span.end))


def delete_example(prompt: Prompt) -> list[Edit]:
    """Leave out one few-shot example."""
    found = []
    for example in prompt.examples:
        text = example.span.of(prompt.text)
        if not unremovable(text) and text.strip() != prompt.text.strip():
            told = f"delete the example “{shortened(text)}”"
            found.append(Edit((example.span,), ("",), told, subject=normal(text)))
    return found
