"""Secrets kept out of every text: a suite that found one may have put it into a message of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gate import render
from gate.deliver.secret import Secret
from gate.schema.example_key import VARIABLE
from gate.schema.verdict import Verdict

TOKENS = ("GITHUB_TOKEN", "GH_TOKEN", "INPUT_TOKEN", "GATE_TOKEN", VARIABLE)
_SHORTEST = 8
"""No secret is shorter, and hiding a shorter text would hide innocent ones."""


def secrets(environ: Mapping[str, str], *more: str) -> tuple[Secret, ...]:
    """The tokens and the key that the gate was given."""
    values = {value.strip() for value in (*(environ.get(name, "") for name in TOKENS), *more)}
    return tuple(Secret(value) for value in sorted(values) if len(value) >= _SHORTEST)


def hidden(verdict: Verdict, tokens: Iterable[Secret]) -> Verdict:
    """The verdict without any of the tokens, so that no text that is made of it shows one, escaped or wrapped.

    A verdict that can't be written down stays as it is; what is made of it is to be scrubbed too.
    """
    try:
        whole = render.verdict_json(verdict)
        kept = scrubbed(whole, tokens)
        return verdict if kept == whole else render.verdict_from_json(kept)
    except Exception:
        return verdict


def scrubbed(text: str, tokens: Iterable[Secret]) -> str:
    """A text without any of the tokens."""
    for token in tokens:
        text = token.scrub(text)
    return text
