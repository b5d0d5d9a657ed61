"""Context poisoning: a retrieved passage says that a rule no longer applies."""

from __future__ import annotations

import functools
import re

from gate.suites.mutation.operators.delete import unremovable
from gate.suites.mutation.operators.edit import Edit, shortened
from gate.suites.mutation.prompt.languages import language
from gate.suites.mutation.prompt.model import Prompt, Rule, Span, normal
from gate.suites.mutation.prompt.placeholders import protected_spans

_CONTEXT = re.compile(
    r"context|document|passage|retriev|knowledge|source|chunk|kontext|dokument|contexte|contexto|contesto|上下文|文档|資料|文脈",
    re.IGNORECASE,
)


def context_poisoning(prompt: Prompt, rule: Rule) -> list[Edit] | str:
    """Put a contradicting passage behind the placeholder of the context, or at the end of a prompt without one."""
    words = normal(prompt.rule_text(rule)).strip("*_ ")
    reason = unremovable(words)
    if reason:
        return reason
    text = prompt.text
    place, newline = _place(text)
    passage = language(rule.language).poison.replace("{rule}", words)
    told = f"add a passage that revokes “{shortened(words)}”"
    if place.end > place.start:
        return [Edit((place,), (place.of(text) + newline * 2 + passage,), told)]
    gap = "" if not text else newline if text.endswith(("\n", "\r")) else newline * 2
    return [Edit((place,), (gap + passage + newline,), told)]


@functools.lru_cache(maxsize=8)
def _place(text: str) -> tuple[Span, str]:
    """The placeholder of the context, or the empty span at the end; and how the prompt ends its lines."""
    newline = "\r\n" if "\r\n" in text else "\n"
    for one in protected_spans(text):
        shown = one.of(text)
        if shown.startswith(("{", "$", "%")) and not shown.startswith(("{%", "{#")) and _CONTEXT.search(shown):
            return one, newline
    return Span(len(text), len(text)), newline
