"""What a report says of probes of a coding agent: one case a probe, one a dimension, one of the composite score.

A probe's case has the id `probe:<probe>`, kind `PROBE`, this facet, as fingerprint the digest of the probe's content,
and an outcome; it is skipped, with the reason as its message, where it is unscored. The case of a dimension has the id
`probes:<dimension>` and the metric `SCORE`, whose threshold is the hard floor and whose tolerance is the smallest
detectable drop. The composite's has the id `probes:composite`, the metric `SCORE` and the design.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.schema.dimensions import Dimension

PROBE = "probe:"
SUMMARY = "probes:"
COMPOSITE = f"{SUMMARY}composite"
SCORE = "score"
INSECURE = "insecure"
"""The fact of security, and the cause of a failure, that the rule `insecure-output` is about."""

NOT_THE_AGENT = frozenset({"infrastructure error", "ungraded", "no toolchain", "harness error", "not recorded"})
"""Causes for which an answer is unscored that say nothing about the agent."""

LONGEST_NAME = 200
MOST_SAMPLES = 1_000
MOST_FACTS = 20
MOST_NAMES = 50


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer to a probe, as it was graded.

    Attributes:
        passed: whether the probe holds; None where it is unscored.
        cause: why it failed or is unscored; empty where it passed.
        facts: numbers that the formula of the dimension reads.
    """

    passed: bool | None
    cause: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Probed:
    """What the case of a probe says beside its outcome. All texts are untrusted.

    Attributes:
        dimension: what it counts for.
        samples: in order, one for each time that the agent was asked.
        group, variant: of a consistency probe: which task in which wording.
        answers: digest of what the agent answered; equal digests mean equal answers.
        cwe, signatures: weaknesses that the probe invites, failure signatures that were found.
        fresh: of a sampled agent whose output is newly insecure: further answers that were asked for to confirm it,
            one character each, `1` secure and `0` insecure; empty where nobody asked.
        manual: who graded it by hand; empty where the checks did.
    """

    dimension: Dimension
    samples: tuple[Sample, ...] = ()
    group: str = ""
    variant: str = ""
    answers: str = ""
    cwe: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    fresh: str = ""
    manual: str = ""

    @property
    def scored(self) -> bool:
        """Whether any sample was measured."""
        return any(sample.passed is not None for sample in self.samples)

    @property
    def cause(self) -> str:
        """Why the first answer that did not pass failed or is unscored; empty where all passed."""
        return next((sample.cause for sample in self.samples if not sample.passed), "")

    @property
    def insecure(self) -> int:
        """How many samples are insecure."""
        return sum(sample.passed is not None and bool(sample.facts.get(INSECURE)) for sample in self.samples)


@dataclass(frozen=True, slots=True)
class ProbeDesign:
    """What the composite score is over.

    Attributes:
        weights: of dimensions by name, above 0; one that is not named weighs 1. The baseline's decide.
        unscored, answers: how many of them are, and of how many.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    unscored: int = 0
    answers: int = 0


def case_id(probe: str) -> str:
    """Id of a probe's case."""
    return f"{PROBE}{probe}"


def summary_id(dimension: Dimension) -> str:
    """Id of the case that holds a dimension's score."""
    return f"{SUMMARY}{dimension.value}"


def replay_command(probe: str) -> str:
    """The one command that grades the recorded answer of a probe again. Ids of probes need no quotes in a shell."""
    return f"gate probes run --only {probe} --mode replay"
