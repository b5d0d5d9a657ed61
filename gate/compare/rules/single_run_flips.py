"""Tests of a suite of single runs ended otherwise than on main. One by one that decides nothing; it lists them all."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.wording import counted
from gate.schema.evidence import Block, BlockKind
from gate.schema.verdict import Finding, Level, RuleName
from gate.stats.refusal import TooLittle


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    singles = comparison.singles
    if singles is None:
        return
    broke, fixed = singles.broke, singles.fixed
    if not broke and not fixed:
        return
    rows = [(pair.after.id, "passed", "failed") for pair in broke] + [
        (pair.after.id, "failed", "passed") for pair in fixed
    ]
    yield Finding(
        rule=rule.name,
        level=rule.level,
        case_id="single runs",
        subject="the suite of single runs",
        what=f"has {counted(len(broke), 'new failure')} and {counted(len(fixed), 'new pass', 'new passes')}",
        after=f"{len(rows):,} of {counted(len(singles.pairs), 'test')}",
        why=_why(comparison),
        amount=len(broke),
        total=len(singles.pairs),
        evidence=(
            Block(BlockKind.TABLE, "Tests that ended otherwise", header=("test", "main", "here"), rows=tuple(rows)),
        ),
    )


def _why(comparison: Comparison) -> str:
    singles = comparison.singles
    if singles is None or isinstance(singles.decision, TooLittle):
        return "too few to compare"
    whole = singles.decision.whole
    return f"together they decide: McNemar, level {whole.level:.2g}"


RULE = Rule(RuleName.SINGLE_RUN_FLIPS, Level.NOTE, check)
