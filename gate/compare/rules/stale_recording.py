"""A test asked a model something that no recording answers, or recordings are too old or of another model version."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from gate.compare import recorded
from gate.compare.comparison import Comparison, Rule, unanswered
from gate.compare.wording import counted
from gate.schema.report import Case, Kind
from gate.schema.stale import Stale
from gate.schema.verdict import ExitCode, Finding, Level, RuleName

OUTDATED = Level.WARNING
"""Level of recordings that still answer, unless the settings say one for the rule."""
WHOLE_RUN = "gate run --mode auto"


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    changed = recorded.entries(comparison, "changed")
    for case in comparison.candidate.cases:
        if unanswered(case):
            yield _unanswered(comparison, rule, case, tuple(recorded.changed_for(case, changed)))
    old = recorded.entries(comparison, "old")
    if old:
        days = counted(comparison.settings.stale_days, "day")
        yield _outdated(rule, old, "old", f"older than {days}", "the setting stale-days")
    other = recorded.entries(comparison, "model")
    if other:
        what = "of another version of their model than answers now"
        yield _outdated(rule, other, "model", what, "the newest answers to the same name are of another model")


def _unanswered(comparison: Comparison, rule: Rule, case: Case, changed: Sequence[Stale]) -> Finding:
    """A test that measured nothing. What its requests say is shown only where messages of failures may be."""
    message = case.message if comparison.settings.show_messages else ""
    edited = f"{counted(len(changed), 'request')} changed since the answer was recorded" if changed else ""
    calls = case.calls.missing if case.calls is not None else 0
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=case.id,
        subject=case.id,
        what=f"needs recording: {counted(calls, 'request has', 'requests have')} no stored answer",
        before="recorded",
        after="not answered",
        why=edited or message or "not measured, so not passed",
        amount=calls,
        location=case.location,
        evidence=tuple(map(recorded.diff, changed)) if comparison.settings.show_messages else (),
        command=_again(case),
    )


def _again(case: Case) -> str:
    """What records it. pytest knows no mutant by an id, so a whole run asks for what is lacking, and for no more."""
    return WHOLE_RUN if case.kind is Kind.MUTANT else f"gate run --mode record -- {shlex.quote(case.id)}"


def _outdated(rule: Rule, found: Sequence[Stale], name: str, what: str, why: str) -> Finding:
    return Finding(
        rule=rule.name,
        level=OUTDATED,
        case_id=f"{recorded.SUBJECT}#{name}",
        subject=recorded.SUBJECT,
        what=f"hold {recorded.answers(found)} {what}",
        why=why,
        amount=recorded.total(found),
        evidence=(recorded.table(found, f"Recordings {what}"),),
        command="gate run --mode record",
    )


RULE = Rule(RuleName.STALE_RECORDING, Level.ERROR, check, exit_code=ExitCode.UNDECIDED)
