"""Spaces, quotation marks and dashes that are written in more than one way."""

SPACES = ("  ", "\t", "\u00a0", "   ")

VARIANTS = {
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "'": "’", "...": "…", "…": "...",
    " - ": " – ", " – ": " - ", " — ": " – ", ' "': " “", '("': "(“", '"': "”",
}  # fmt: skip
"""A straight quotation mark closes unless a space or a bracket stands before it."""
