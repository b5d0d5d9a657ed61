"""The pass rate fell over all stochastic tests together, or over a suite of single runs or one of its groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gate.compare.comparison import Comparison, Rule
from gate.compare.wording import counted, points
from gate.schema.verdict import Finding, Level, RuleName
from gate.stats.groups import Tested
from gate.stats.refusal import TooLittle

SUITE = "all stochastic tests"
_NONE_ALONE = "as a whole, though none of them need show it alone"


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    yield from _whole(comparison, rule)
    yield from _singles(comparison, rule)


def _whole(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    confirmed, share = comparison.whole_session, comparison.budget.for_suite
    said = confirmed or comparison.whole_suite
    if said is None or not said.falls or isinstance(said.found, TooLittle):
        return
    found = said.found
    how = "fresh trials of both sides, " if confirmed is not None else ""
    alone = f"{counted(said.fell, 'test that fell by itself', 'tests that fell by themselves')} included"
    yield Finding(
        rule=rule.name,
        level=rule.level,
        case_id="suite",
        subject=SUITE,
        what=f"pass less often {f'as a whole, {alone}' if said.fell else _NONE_ALONE}",
        after=f"{points(found.effect.estimate)} over {counted(found.cases, 'test')}",
        why=f"{how}level {found.level:.2g}, limit {share:.2g}",
        amount=-found.effect.estimate,
        total=found.cases,
    )


def _singles(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    singles = comparison.singles
    if singles is None or isinstance(singles.decision, TooLittle):
        return
    for each in _distinct(singles.decision.fell):
        interval = each.effect.interval
        where = "the suite of single runs" if not each.label else f"{each.kind} {each.label}"
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=f"single runs#{each.kind}:{each.label}",
            subject=where,
            what=f"got worse: {each.broke:,} of {counted(each.pairs, 'test')} newly fail, {each.fixed:,} newly pass",
            after=f"{points(each.effect.estimate)} ({points(interval.low)} to {points(interval.high)})",
            why=f"McNemar, level {each.adjusted:.2g}, limit {singles.decision.share:.2g}",
            amount=each.broke - each.fixed,
            total=each.pairs,
        )


def _distinct(fell: Sequence[Tested]) -> list[Tested]:
    """One finding for groups of the same tests, such as a file with a single function."""
    found: dict[tuple[int, int, int], Tested] = {}
    for each in fell:
        found.setdefault((each.pairs, each.broke, each.fixed), each)
    return list(found.values())


RULE = Rule(RuleName.SUITE_REGRESSION, Level.ERROR, check)
