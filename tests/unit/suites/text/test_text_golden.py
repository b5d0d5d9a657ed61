"""One example of each operator, in `tests/golden/text-operators.txt`: a change there changes users' baselines."""

from __future__ import annotations

import os
from pathlib import Path

from gate.suites.perturbation.text.registry import OPERATORS
from tests.support.text_operators import BUILT_IN, SENTENCE, perturbed

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "text-operators.txt"

PLAIN = "The bus leaves at noon."


def shown(text: str) -> str:
    """One line, with what can't be seen as escapes."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def test_one_example_of_each() -> None:
    lines = [shown(SENTENCE), PLAIN, ""]
    for name in BUILT_IN:
        found = perturbed(name, SENTENCE)
        if found.reason:  # an encoding of a text with placeholders, for example
            lines.append(f"{name}: {found.reason}")
            found = perturbed(name, PLAIN)
        lines.append(f"{name} ({OPERATORS[name].meaning}): {shown(found.text)}")
    text = "\n".join(lines) + "\n"
    if os.environ.get("GATE_UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
