"""A test asked a model something that no recording answers, so it measured nothing here."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.wording import counted
from gate.schema.verdict import ExitCode, Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for case in comparison.candidate.cases:
        if case.calls is None or not case.calls.missing:
            continue
        message = case.message if comparison.settings.show_messages else ""
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=case.id,
            subject=case.id,
            what=f"needs recording: {counted(case.calls.missing, 'request has', 'requests have')} no stored answer",
            before="recorded",
            after="not answered",
            why=message or "not measured, so not passed",
            amount=case.calls.missing,
            location=case.location,
            command=f"gate run --mode record -- {shlex.quote(case.id)}",
        )


RULE = Rule(RuleName.STALE_RECORDING, Level.ERROR, check, exit_code=ExitCode.UNDECIDED)
