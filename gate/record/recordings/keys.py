"""Whether a key is at hand, without which the mode `auto` is `replay`."""

from __future__ import annotations

from collections.abc import Mapping

KEYS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "MISTRAL_API_KEY",
    "COHERE_API_KEY",
    "GROQ_API_KEY",
    "OPENROUTER_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "GATE_MODEL_KEY",
)
"""Variables of which one that is not empty lets `auto` record what is missing."""


def has_key(environ: Mapping[str, str]) -> bool:
    """Whether any of them is set, to more than blanks."""
    return any(environ.get(name, "").strip() for name in KEYS)
