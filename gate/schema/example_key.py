"""Names around the key of example ids: where a secret one is given, and what a report says of it."""

from __future__ import annotations

VARIABLE = "GATE_EXAMPLE_KEY"
"""Variable of the environment with a secret key; it stands in no command line and in no file."""
FINGERPRINT = "example-key"
"""Fingerprint of a report that says under which key its ids are; without it that is the name of the suite."""
