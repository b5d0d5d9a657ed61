"""Operators on real prompts: their placeholders are the same afterwards."""

from __future__ import annotations

import re

import pytest

from gate.suites.perturbation.text.registry import OPERATORS
from tests.support.corpus import corpus
from tests.support.text_operators import BUILT_IN, perturbed

FIELDS = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\{[A-Za-z_][\w.]*\}|\$\{?[A-Za-z_]\w*\}?|%\(\w+\)s|https?://[^\s<>\"]+|`[^`\n]+`"
)
TIMES = 4
"""Each prompt is edited by every fourth operator."""


def test_real_prompts_keep_their_fields() -> None:
    prompts = [path.read_text(encoding="utf-8") for path in sorted((corpus() / "prompts").iterdir())]
    if not prompts:
        pytest.skip("the corpus has no prompts")
    changed = 0
    for place, prompt in enumerate(prompts):
        for name in BUILT_IN[place % TIMES :: TIMES]:
            found = perturbed(name, prompt)
            changed += not found.reason
            kept = FIELDS.findall(found.text)
            assert kept[: len(FIELDS.findall(prompt))] == FIELDS.findall(prompt), name
            assert OPERATORS[name].canary or len(kept) == len(FIELDS.findall(prompt)), name
    assert changed > 5 * len(prompts)
