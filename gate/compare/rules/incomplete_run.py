"""The run was cut short or could not start, so what it left says nothing about the rest."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.schema.evidence import Block, BlockKind
from gate.schema.verdict import ExitCode, Finding, Level, RuleName

SHOWN = 3


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    reasons = comparison.candidate.completeness.reasons
    if not reasons:
        return
    compared, known = len(comparison.alignment.pairs), len(comparison.baseline.cases)
    more = f" and {len(reasons) - SHOWN} more reasons" if len(reasons) > SHOWN else ""
    yield Finding(
        rule=rule.name,
        level=rule.level,
        case_id="run",
        subject="run",
        what=f"is not whole: {'; '.join(reasons[:SHOWN])}{more}",
        before=f"{known:,} cases",
        after=f"{compared:,} compared",
        why="not measured, so not passed",
        amount=max(known - compared, 1),
        evidence=(Block(BlockKind.TEXT, "Reasons", "\n".join(reasons)),),
    )


RULE = Rule(RuleName.INCOMPLETE_RUN, Level.ERROR, check, exit_code=ExitCode.UNDECIDED)
