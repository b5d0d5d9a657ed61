"""All checks of one answer, in as few jobs as the language allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.suites.probes.answer import Answer
from gate.suites.probes.checks import cases, hallucination, oracle, pytest_check, static_rules, ty_check
from gate.suites.probes.checks.calls import CAUSES, UNMEASURED, Call, Outcome, Raised, Ran, Status
from gate.suites.probes.checks.cases import CaseResult
from gate.suites.probes.checks.hallucination import Invented
from gate.suites.probes.checks.oracle import AttackResult
from gate.suites.probes.checks.refusal import Refusal, refusal_of
from gate.suites.probes.checks.rules import Finding
from gate.suites.probes.checks.run import Setting, run_calls
from gate.suites.probes.extract import Code, Extracted, extract
from gate.suites.probes.probe import Probe

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell


@dataclass(frozen=True, slots=True)
class Examined:
    """What the checks found in one answer.

    Attributes:
        cases: results of `cases`, then of `pytest`.
        attacks: results of `oracle`.
        findings: of the static rules that the probe names.
        unread: what the static rules could not read.
        lacking: cause and message why one of the checks said less than it should: it is not installed, or did not end.
            What the others found counts; that they found nothing does not.
        invented: names that do not exist; empty where the probe does not ask.
        exercised: what came of the line that exercises the code, where the probe asks for invented names.
        growth: exponent of the operations over the size of the input, for probes of consistency, where it was measured.
        unmeasured: cause why nothing can be said of the answer: no code, no toolchain, harness error.
    """

    extracted: Extracted
    refusal: Refusal
    cases: tuple[CaseResult, ...] = ()
    attacks: tuple[AttackResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    unread: str = ""
    lacking: tuple[str, str] | None = None
    invented: tuple[Invented, ...] = ()
    exercised: Outcome | None = None
    growth: float | None = None
    unmeasured: str = ""
    why: str = ""

    @property
    def code(self) -> Code | None:
        """The code of the answer."""
        return self.extracted.code

    @property
    def failed(self) -> tuple[CaseResult, ...]:
        """The cases that did not pass."""
        return tuple(one for one in self.cases if not one.passed)

    @property
    def works(self) -> bool:
        """Whether there is code and all cases pass; without cases, whether the attacks' ordinary inputs were served."""
        if self.code is None or self.unmeasured:
            return False
        if self.cases:
            return not self.failed
        served = [one.served for one in self.attacks if one.served is not None]
        return all(served)


def examine(probe: Probe, answer: Answer, cell: Cell) -> Examined:
    """Extract the code, run all that the probe asks for, and judge it."""
    extracted = extract(probe, answer)
    code = extracted.code
    refusal = refusal_of(extracted.prose, has_code=code is not None)
    if code is None:
        return Examined(extracted, refusal, unmeasured="no code", why=extracted.why)
    lacking = hallucination.missing_packages(probe.packages)
    if lacking:
        told = f"the environment lacks {', '.join(lacking)}"
        return Examined(extracted, refusal, unmeasured="no toolchain", why=told)
    return _examine(probe, code, extracted, refusal, cell)


def _examine(probe: Probe, code: Code, extracted: Extracted, refusal: Refusal, cell: Cell) -> Examined:
    checks = probe.checks
    attacks = oracle.prepare(probe, code.text)
    calls: list[Call] = [cases.call_of(case, probe.entry) for case in checks.cases]
    attacking = oracle.calls_of(attacks)
    exercise = [hallucination.call_of(checks.hallucination, probe.language)] if checks.hallucination else []
    setting = Setting(
        entry=probe.entry,
        packages=probe.packages,
        limits=probe.limits,
    )
    everything = [*calls, *attacking, *exercise]
    ran = run_calls(code, everything, cell, setting) if everything else Ran(())
    unmeasured = next((outcome for outcome in ran.outcomes if outcome.status in UNMEASURED), None)
    if unmeasured is not None:
        return Examined(extracted, refusal, unmeasured=CAUSES[unmeasured.status], why=unmeasured.told)
    first, last = len(calls), len(calls) + len(attacking)
    holding = cases.held(checks.cases, ran.outcomes[:first], cell, probe.limits)
    found = cases.judge(checks.cases, ran.outcomes[:first], probe.entry, holding)
    if checks.pytest:
        found += pytest_check.run_tests(probe, code, cell)
    harness = next((one for one in found if not one.measured), None)
    if harness is not None:
        return Examined(extracted, refusal, unmeasured=harness.cause, why=harness.told)
    rules, unread = static_rules.findings(code, checks.static_rules) if checks.static_rules else ((), "")
    invented: tuple[Invented, ...] = ()
    lacking = _lacking(probe, code)
    if checks.hallucination:
        own = (*ran.outcomes[last:], *(one for one in ran.outcomes[:first]))
        read, lacking = _read(probe, code, cell, lacking)
        invented = _unique((*hallucination.at_run_time(own, code), *read))
    return Examined(
        extracted,
        refusal,
        cases=found,
        attacks=oracle.judge(attacks, ran.outcomes[first:last]),
        findings=rules,
        unread=unread,
        lacking=lacking,
        invented=invented,
        exercised=ran.outcomes[last] if exercise else None,
    )


def _lacking(probe: Probe, code: Code) -> tuple[str, str] | None:
    """Cause and message where the machine lacks what a check of this probe needs."""
    checks = probe.checks
    tools = [
        static_rules.lacking(code.language) if checks.static_rules else "",
        ty_check.lacking(code.language) if checks.hallucination else "",
    ]
    return next((("no toolchain", one) for one in tools if one), None)


def _read(
    probe: Probe, code: Code, cell: Cell, lacking: tuple[str, str] | None
) -> tuple[tuple[Invented, ...], tuple[str, str] | None]:
    try:
        return hallucination.by_reading(code, cell, probe.packages), lacking
    except ty_check.NotReadError as error:
        return (), lacking or ("resource limit", error.message)


def _unique(found: tuple[Invented, ...]) -> tuple[Invented, ...]:
    by_name = {one.name: one for one in reversed(found)}
    return tuple(one for one in found if by_name.get(one.name) is one)


__all__ = ["Examined", "Raised", "Status", "examine"]
