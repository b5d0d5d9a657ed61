"""A verdict after a person accepted some of its findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gate.compare.acceptance import permitted
from gate.compare.judge import exit_code_of
from gate.schema.acceptance import Acceptance, Permissions
from gate.schema.verdict import ExitCode, Verdict


def accepted(verdict: Verdict, acceptances: Sequence[Acceptance]) -> Verdict:
    """The same findings under the same numbers, those that are accepted no longer failing.

    Args:
        acceptances: of the head that the verdict is of; one that is bound to less than what is found permits nothing.
    """
    here = tuple(each for each in acceptances if each.head == verdict.provenance.head)
    if not here or verdict.problem is not None or verdict.welcome:
        return verdict
    given = permitted(verdict.findings, Permissions(here))
    findings = tuple(new if old.accepted is None else old for old, new in zip(verdict.findings, given, strict=True))
    would_exit = exit_code_of(findings)
    exit_code = ExitCode.HOLDS if verdict.observe else would_exit
    return replace(verdict, findings=findings, would_exit=would_exit, exit_code=exit_code)
