"""The table of docs/text.md: each operator with its class and an example, written anew by running this module."""

from __future__ import annotations

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operators.synonym import synonym_operator
from gate.suites.perturbation.text.registry import OPERATORS
from tests.support.readme import ROOT
from tests.support.text_operators import edited

DOC = ROOT / "docs" / "text.md"
HEAD = "| operator | class | what it does | before | after |\n|---|---|---|---|---|\n"
EXAMPLES = {
    "keyboard-typo": "a wonderful film",
    "swap-letters": "a wonderful film",
    "delete-letter": "a wonderful film",
    "insert-letter": "a wonderful film",
    "ocr": "a modern burner",
    "homoglyph": "a peace plan",
    "zero-width": "a peace plan",
    "leetspeak": "a tested plan",
    "strip-diacritics": "a naïve résumé",
    "add-diacritics": "banana cake",
    "lower-case": "Ask Anna",
    "upper-case": "Ask {name}",
    "mixed-case": "a wonderful film",
    "white-space": "one or two",
    "pad": "text",
    "punctuation-variant": 'He said "no" - why...',
    "drop-punctuation": "Well, go.",
    "repeat-punctuation": "Really?",
    "contract": "I do not know",
    "expand": "I don't know",
    "american-spelling": "my favourite colour",
    "british-spelling": "my favorite color",
    "synonym": "a quick answer",
    "drop-stop-words": "it is not in the box",
    "word-order": "one two three",
    "split-word": "a wonderful film",
    "merge-words": "one two three",
    "reorder-options": "Which?\nA) yes\nB) no",
    "swap-name": "Maria called, and Maria left",
    "swap-place": "from Paris to Berlin",
    "swap-number": "24 of 24 days",
    "distractor": "Is it open?",
    "format-lines": "One. Two.",
    "format-quote": "Is it open?",
    "format-json": "Is it open?",
    "base64": "Is it open?",
    "rot13": "Is it open?",
    "hex": "Is it open?",
}


def table() -> str:
    rows = []
    for name, operator in OPERATORS.items():
        before = EXAMPLES.get(name, "Is it open?")
        after = (
            synonym_operator({"quick": ["fast"]}).apply(before, Draws(""))
            if name == "synonym"
            else edited(name, before)
        )
        cells = (f"`{name}`", operator.meaning, operator.summary, cell(before), cell(after))
        rows.append(f"| {' | '.join(cells)} |\n")
    return HEAD + "".join(rows)


def cell(text: str) -> str:
    """A code span with what can't be seen as escapes."""
    seen = "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
    return f"`{seen}`"


def written(text: str) -> str:
    """The document with the present table in the place of its own."""
    start = text.index(HEAD)
    end = text.index("\n\n", start) + 1
    return text[:start] + table() + text[end:]


if __name__ == "__main__":
    DOC.write_text(written(DOC.read_text(encoding="utf-8")), encoding="utf-8")
