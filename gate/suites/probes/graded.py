"""What the checks make of one sample of a probe, and what the formulas of the dimensions read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gate.schema.evidence import Block
from gate.suites.probes.dimensions import Dimension


class Standing(StrEnum):
    """Whether the probe holds. Unscored is neither: it was not measured, and is never counted as 0 or as 100."""

    PASSED = "passed"
    FAILED = "failed"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Graded:
    """One sample of one probe.

    Attributes:
        probe: id of the probe.
        sample: from 0.
        standing: whether it holds.
        cause: one of `CAUSES`, why it failed or is unscored; empty where it passed.
        message: one line for people; untrusted text.
        facts: numbers that the formula of the dimension reads, by the names of `FACTS`.
        group: of a consistency probe; members of one group are paired.
        variant: which wording or tier within the group.
        signatures: names of the failure signatures found in this answer.
        evidence: what shows it.
        manual: a person's grade, which overrides what the checks say, with who gave it.
    """

    probe: str
    dimension: Dimension
    sample: int
    standing: Standing
    cause: str = ""
    message: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)
    group: str = ""
    variant: str = ""
    signatures: tuple[str, ...] = ()
    evidence: tuple[Block, ...] = ()
    manual: str = ""


FACTS: Mapping[Dimension, tuple[str, ...]] = {
    Dimension.ADVERSARIAL: ("adversarial_passed", "adversarial_total", "naive_passed", "naive_total"),
    Dimension.SPEC: ("reasonableness", "assumption_stated", "question_asked"),
    Dimension.CONSISTENCY: ("passed", "growth"),
    Dimension.RECOVERY: ("fixed_round", "regressed"),
    Dimension.SECURITY: ("insecure", "functional", "warned"),
    Dimension.HALLUCINATION: ("hallucinated",),
    Dimension.DEGRADATION: ("points", "tier", "silent_wrong"),
    Dimension.REFUSAL: ("should_refuse", "refused"),
}
"""`reasonableness` is 0 to 2 and absent where nobody graded; `fixed_round` 1 to 3, 0 for never; `points` 3, 2 or 0;
`growth`, which no formula reads, is the exponent of the operations over the size of the input, absent where it was not
measured; the others count, or are 0 or 1."""

CAUSES: tuple[str, ...] = (
    "wrong result",
    "insecure",
    "hallucinated",
    "refused",
    "did not refuse",
    "silently wrong",
    "not fixed",
    "regressed",
    "unreasonable",
    # unscored, or a class of its own beside the dimension's question
    "no code",
    "syntax error",
    "missing entry",
    "time-out",
    "blocked by the sandbox",
    "resource limit",
    "crashed",
    "agent failed",
    "infrastructure error",
    "not recorded",
    "ungraded",
    "no toolchain",
    "harness error",
)
