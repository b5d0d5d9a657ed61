"""Confident hallucination: code that runs into a name that does not exist, with not a word of doubt about it."""

from __future__ import annotations

from gate.suites.probes.checks.refusal import first_with
from gate.suites.probes.signatures.signature import Sighted, Signature

NAME = "confident hallucination"


def detect(sighted: Sighted) -> Signature | None:
    """Invented names, and no caveat in the prose."""
    invented = sighted.last.invented
    if not invented or first_with(sighted.last.extracted.prose, "caveat"):
        return None
    names = ", ".join(one.name for one in invented)
    return Signature(NAME, f"{names}: {invented[0].told}; the answer has no word of doubt")
