"""The failure signatures of coding agents: detectors, each with its evidence."""

from __future__ import annotations

from gate.suites.probes.signatures.signature import Signature

__all__ = ["Signature", "detect"]


def detect(probe, answers, examined, cell):  # type: ignore
    return ()
