"""The failure signatures of coding agents: detectors, each with its evidence.

Four look at one answer; the fifth, `divergent`, compares the answers to several wordings of one task.
"""

from __future__ import annotations

from collections.abc import Callable

from gate.suites.probes.signatures import band_aid, blindness, fragility, hallucination, narrow
from gate.suites.probes.signatures.fragility import divergent
from gate.suites.probes.signatures.signature import Sighted, Signature

_DETECTORS: tuple[Callable[[Sighted], Signature | None], ...] = (
    hallucination.detect,
    narrow.detect,
    band_aid.detect,
    blindness.detect,
)
NAMES = (hallucination.NAME, narrow.NAME, band_aid.NAME, blindness.NAME, fragility.NAME)
"""Every signature."""

__all__ = ["NAMES", "Sighted", "Signature", "detect", "divergent"]


def detect(sighted: Sighted) -> tuple[Signature, ...]:
    """The signatures that one answer, with its rounds, shows."""
    return tuple(found for one in _DETECTORS if (found := one(sighted)) is not None)
