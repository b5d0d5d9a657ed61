"""Findings of the rules that speak about outcomes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from gate.compare.align import Pair, Unstable
from gate.compare.comparison import Comparison, Rule
from gate.schema.outcome import Outcome
from gate.schema.report import Case
from gate.schema.verdict import Finding


def outcome_findings(comparison: Comparison, rule: Rule, verb: str) -> Iterator[Finding]:
    """Pairs that changed, then new cases.

    Where a run that was cut short shares no id with main, its new ids may be old tests under another root.
    """
    for pair in comparison.speaking.get(rule.name, ()):
        yield _finding(comparison, rule, pair.after, _before(pair), _verb(pair, verb))
    unknown = comparison.cut_short and not comparison.alignment.compared
    for case in () if unknown else comparison.appeared.get(rule.name, ()):
        state = "was measured" if case.outcome is None else str(case.outcome)
        yield _finding(comparison, rule, case, "–", f"is new and {state}")


def unstable_findings(
    comparison: Comparison, rule: Rule, verb: str, *concerns: Callable[[Outcome], bool]
) -> Iterator[Finding]:
    """Cases whose ids change each run are compared by how many of them ended in a way that concerns a rule.

    Args:
        concerns: several ways to count; the one by which most got worse speaks.
    """
    for group in comparison.alignment.unstable:
        counted = [(_ended(group.before, each), _ended(group.after, each)) for each in concerns]
        before, after = max(counted, key=lambda sides: len(sides[1]) - len(sides[0]))
        if len(after) > len(before):
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=group.skeleton,
                subject=group.skeleton,
                what=f"{verb}, counted over ids that change each run",
                before=f"{len(before)} of {len(group.before)}",
                after=f"{len(after)} of {len(group.after)}",
                why=_why(comparison, after[0]),
                amount=len(after) - len(before),
                location=after[0].location,
                command=rerun(after[0]),
            )


def lost(group: Unstable) -> int:
    """How many fewer cases of one kind the candidate has."""
    return max(0, len(group.before) - len(group.after))


def rerun(case: Case) -> str:
    """The one command that runs a test again, quoted for a shell; empty where no such command is known."""
    return f"pytest {shlex.quote(case.id)}" if "::" in case.id and not case.id.startswith("-") else ""


def _finding(comparison: Comparison, rule: Rule, case: Case, before: str, what: str) -> Finding:
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=case.id,
        subject=case.id,
        what=what,
        before=before,
        after=str(case.outcome or "measured"),
        why=_why(comparison, case),
        location=case.location,
        command=rerun(case),
    )


def _before(pair: Pair) -> str:
    trials = pair.before.trials
    if trials is not None and trials.varies:
        return f"{trials.passes}/{trials.count}"
    return str(pair.before.outcome or "–")


def _verb(pair: Pair, verb: str) -> str:
    if pair.after.outcome is Outcome.XFAILED:
        verb += " under its `xfail` mark" if pair.before.outcome is Outcome.XPASSED else " under a new `xfail` mark"
    return f"{verb} (renamed from {pair.moved_from.partition('::')[0]})" if pair.moved_from else verb


def _why(comparison: Comparison, case: Case) -> str:
    if case.message and comparison.settings.show_messages:
        return f"deterministic: {case.message}"
    return "deterministic"


def _ended(cases: tuple[Case, ...], concerns: Callable[[Outcome], bool]) -> list[Case]:
    return [case for case in cases if case.outcome is not None and concerns(case.outcome)]
