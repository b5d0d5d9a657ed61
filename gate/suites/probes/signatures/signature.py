"""What a detector returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signature:
    """One failure signature, found in one answer.

    Attributes:
        name: of `gate.suites.probes.signatures.NAMES`.
        evidence: what shows it; untrusted text.
    """

    name: str
    evidence: str
