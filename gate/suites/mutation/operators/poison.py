"""Context poisoning: a retrieved passage says that a rule no longer applies."""

from __future__ import annotations

import re

from gate.suites.mutation.operators.delete import unremovable
from gate.suites.mutation.operators.edit import Edit, shortened
from gate.suites.mutation.prompt.languages import language
from gate.suites.mutation.prompt.model import Prompt, Rule, Span, normal

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
    newline = "\r\n" if "\r\n" in text else "\n"
    passage = language(rule.language).poison.replace("{rule}", words)
    told = f"add a passage that revokes “{shortened(words)}”"
    for one in prompt.protected:
        shown = one.of(text)
        if shown.startswith(("{", "$", "%")) and not shown.startswith(("{%", "{#")) and _CONTEXT.search(shown):
            return [Edit((one,), (shown + newline * 2 + passage,), told)]
    gap = "" if not text else newline if text.endswith(("\n", "\r")) else newline * 2
    return [Edit((Span(len(text), len(text)),), (gap + passage + newline,), told)]
