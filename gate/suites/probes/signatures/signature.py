"""What a detector returns, and what it looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gate.suites.probes.checks.examine import Examined
from gate.suites.probes.probe import Probe


@dataclass(frozen=True, slots=True)
class Signature:
    """One failure signature, found in one answer.

    Attributes:
        name: of `gate.suites.probes.signatures.NAMES`.
        evidence: what shows it; untrusted text.
    """

    name: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Sighted:
    """What a detector looks at.

    Attributes:
        rounds: what the checks found in the answer of each round.
        warned: the sentence that names the risk unprompted, or nothing.
    """

    probe: Probe
    rounds: Sequence[Examined]
    warned: str = ""

    @property
    def last(self) -> Examined:
        """The answer that counts."""
        return self.rounds[-1]
