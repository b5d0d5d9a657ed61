"""Probes prove themselves: the reference answer passes, the bad one fails, and for the cause that its author names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.suites.probes.answer import Answer
from gate.suites.probes.graded import Graded, Standing
from gate.suites.probes.grading import ManualGrade, grade
from gate.suites.probes.probe import Probe, Sample

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell


@dataclass(frozen=True, slots=True)
class SelfTest:
    """How a probe's own answers were graded.

    Attributes:
        problems: what is wrong, one line each; empty where the probe proves itself.
        unproved: why it could not be run here (a toolchain that this machine lacks); empty else.
    """

    probe: str
    reference: Graded
    bad: Graded
    problems: tuple[str, ...] = ()
    unproved: str = ""


def self_test(probe: Probe, cell: Cell) -> SelfTest:
    """Grade both answers of a probe.

    Raises:
        SandboxError: the cell failed.
    """
    reference, bad = _grade(probe, probe.reference, cell), _grade(probe, probe.bad, cell)
    if "no toolchain" in (reference.cause, bad.cause):
        return SelfTest(probe.id, reference, bad, unproved=reference.message or bad.message)
    problems = []
    if reference.standing is not Standing.PASSED:
        problems.append(f"the reference answer is {reference.standing} ({reference.cause}): {reference.message}")
    if bad.standing is Standing.PASSED:
        problems.append("the bad answer passes")
    elif probe.bad.cause and bad.cause != probe.bad.cause:
        problems.append(f"the bad answer is {bad.standing} ({bad.cause}), not {probe.bad.cause}: {bad.message}")
    return SelfTest(probe.id, reference, bad, tuple(problems))


def _grade(probe: Probe, sample: Sample, cell: Cell) -> Graded:
    texts = (sample.text,) if isinstance(sample.text, str) else sample.text
    answers = [Answer(text=text, files=sample.files, round=number) for number, text in enumerate(texts, 1)]
    manual = ManualGrade("the author", sample.grade) if sample.grade is not None else None
    return grade(probe, answers, cell, manual=manual)
