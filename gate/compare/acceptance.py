"""Which findings a person or a waiver permits, and what of the waivers a reviewer must know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from gate.compare.rules import RULES
from gate.schema.acceptance import Permission, Permissions, Waiver
from gate.schema.report import Report
from gate.schema.verdict import ExitCode, Finding, Level

_EXIT_CODES = {rule.name: rule.exit_code for rule in RULES}
_ROUNDING = 1e-9


def permitted(findings: Iterable[Finding], permissions: Permissions) -> list[Finding]:
    """The findings, each with what permits it. What was not measured can't be permitted: nobody knows what it hides."""
    return [replace(each, accepted=_permission(each, permissions)) for each in findings]


def acceptable(finding: Finding) -> bool:
    """Whether somebody can accept a finding: it fails the check by itself, and something was measured."""
    fails = finding.level is Level.ERROR and not finding.known_on_base
    return fails and _EXIT_CODES[finding.rule] is not ExitCode.UNDECIDED


def _permission(finding: Finding, permissions: Permissions) -> Permission | None:
    if not acceptable(finding):
        return None
    given: list[Permission] = [*permissions.acceptances]
    given += [each for each in permissions.waivers if not expired(each, permissions.today)]
    return next((each for each in given if covers(each, finding)), None)


def covers(permission: Permission, finding: Finding) -> bool:
    """Whether a permission is about a finding and it is no worse than what was accepted."""
    same = (permission.rule, permission.case_id) == (finding.rule.value, finding.case_id)
    return same and finding.amount <= permission.amount * (1 + _ROUNDING)


def expired(waiver: Waiver, today: str) -> bool:
    """Whether its last day is over; days compare as they are written, `YYYY-MM-DD`."""
    return bool(waiver.until and today) and waiver.until < today


def about(waivers: Iterable[Waiver], findings: Iterable[Finding], *reports: Report) -> tuple[Waiver, ...]:
    """The waivers of what was found or compared; others may be of another suite, whose file is the same."""
    cases = {case.id for report in reports for case in report.cases} | {each.case_id for each in findings}
    return tuple(each for each in waivers if _is_of(each.case_id, cases))


def _is_of(case_id: str, cases: Collection[str]) -> bool:
    """Whether it is one of some cases, or a part of one: `test#metric`, `test#set#attack`."""
    parts = case_id.split("#")
    return any("#".join(parts[:count]) in cases for count in range(1, len(parts) + 1))


def waiver_notices(permissions: Permissions, findings: Sequence[Finding]) -> Iterator[str]:
    """Sentences about waivers that are over, not needed any more, or too small for what is found."""
    used = {id(each.accepted) for each in findings if each.accepted is not None}
    for waiver in permissions.waivers:
        named = f"the waiver of `{waiver.rule}` for {waiver.case_id} ({permissions.file}:{waiver.line})"
        owner = f"; its owner is {waiver.owner}" if waiver.owner else ""
        if expired(waiver, permissions.today):
            yield f"{named} ended on {waiver.until}{owner}"
        elif id(waiver) not in used:
            worse = any((each.rule.value, each.case_id) == (waiver.rule, waiver.case_id) for each in findings)
            if worse:
                yield f"{named} covers {waiver.amount:g}, and this is worse{owner}"
            else:
                yield f"{named} is not needed any more{owner}"


def still_needed(waivers: Iterable[Waiver], findings: Iterable[Finding], cases: Collection[str]) -> tuple[Waiver, ...]:
    """The waivers that are about something found, or about a case that was not measured here.

    Args:
        findings: of what was measured against the baseline as it is now.
        cases: ids of what was measured, and of what was in the baseline before.
    """
    found = {(each.rule.value, each.case_id) for each in findings}
    return tuple(each for each in waivers if (each.rule, each.case_id) in found or not _is_of(each.case_id, cases))
