"""The run was cut short, could not start or measured nothing, so what it left says nothing about the rest."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from gate.compare.comparison import Comparison, Rule, unreached
from gate.compare.draws import DRAWS, REFRESH, generators, redrawn
from gate.compare.predictions import flip_id
from gate.compare.wording import counted, ratio
from gate.schema.evidence import Block, BlockKind
from gate.schema.example_key import VARIABLE
from gate.schema.verdict import CaseDecision, ExitCode, Finding, Level, RuleName

SHOWN = 3
OTHER_KEY = (
    f"its ids of examples are keyed with another key than the baseline's, so no example can be compared: give the same "
    f"{VARIABLE} here as on main, or refresh the baseline"
)


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    yield from of_candidate(comparison, rule)
    yield from _unmeasured(comparison, rule)
    yield from _redrawn(comparison, rule)
    if not comparison.baseline.cases and not _reasons(comparison):
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id="baseline",
            subject="baseline",
            what="holds no case, so nothing was compared",
            before="0 cases",
            after=counted(len(comparison.candidate.cases), "case"),
            why="not compared, so not passed",
        )


def of_candidate(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """One finding with all its reasons, over what was compared."""
    reasons = _reasons(comparison)
    if not reasons:
        return
    compared, known = comparison.alignment.compared, len(comparison.baseline.cases)
    more = f" and {counted(len(reasons) - SHOWN, 'more reason')}" if len(reasons) > SHOWN else ""
    yield Finding(
        rule=rule.name,
        level=rule.level,
        case_id="run",
        subject="run",
        what=f"is not whole: {'; '.join(reasons[:SHOWN])}{more}",
        before=counted(known, "case"),
        after=f"{compared:,} compared",
        why="not measured, so not passed",
        amount=max(known - compared, 1),
        evidence=(Block(BlockKind.TEXT, "Reasons", "\n".join(reasons)),),
    )


def _unmeasured(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """Stochastic cases whose trials ended before their design answered, as in a run that was stopped."""
    found = [each for each in comparison.decisions.values() if not each.measured]
    out = [case for case in comparison.candidate.cases if unreached(case)]
    if out:
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id="service",
            subject="trials",
            what=f"of {counted(len(out), 'stochastic test')} were ended by errors of the infrastructure",
            after=f"{sum(case.trials.errors for case in out if case.trials is not None):,} errors",
            why=_shown(comparison, out[0].message),
            amount=len(out),
            command=f"pytest {shlex.quote(out[0].id)}",
        )
    if not found:
        return
    rows = tuple((each.case_id, ratio(*each.baseline), ratio(*each.candidate)) for each in found)
    yield Finding(
        rule=rule.name,
        level=rule.level,
        case_id="trials",
        subject="trials",
        what=f"of {_cases(comparison, found)} ended before they could be decided",
        before=counted(sum(each.baseline[1] for each in found), "trial"),
        after=counted(sum(each.candidate[1] for each in found), "trial"),
        why="not measured, so not passed",
        amount=len(found),
        evidence=(Block(BlockKind.TABLE, "Tests that need more trials", header=("test", "main", "here"), rows=rows),),
    )


def _redrawn(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """Sweeps whose draws the gate itself changed since main's baseline: attacks of other draws say nothing new."""
    for pair, flips in comparison.flips:
        made = {attack.name for attack in flips.after.attacks}
        found = [each.name for each in flips.before.attacks if each.name in made and redrawn(flips, each.name)]
        if found:
            name, (before, after) = flips.before.name, generators(flips)
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=flip_id(pair.after, name, DRAWS),
                subject=name,
                what=f"is swept by other draws than on main, so {counted(len(found), 'attack')} can't be compared",
                before=before,
                after=after,
                why="the sweep's draws changed with the gate's version: refresh the baseline",
                amount=len(found),
                command=REFRESH,
                evidence=(Block(BlockKind.TEXT, "Attacks that can't be compared", "\n".join(found)),),
            )


def _cases(comparison: Comparison, found: Sequence[CaseDecision]) -> str:
    mutants = {each.before.id for each in comparison.mutants.standings}
    count = sum(each.case_id in mutants for each in found)
    tests = [counted(len(found) - count, "stochastic test")] if count < len(found) else []
    return " and ".join([*tests, *([counted(count, "mutant")] if count else [])])


def _shown(comparison: Comparison, message: str) -> str:
    return message if comparison.settings.show_messages else "not measured, so not passed"


def _reasons(comparison: Comparison) -> tuple[str, ...]:
    candidate = comparison.candidate
    reasons = candidate.completeness.reasons
    if not comparison.settings.show_messages:
        hidden = {f"collecting {error}": _without_message(error) for error in candidate.completeness.collection_errors}
        reasons = tuple(hidden.get(reason, reason) for reason in reasons)
    if comparison.other_key:
        reasons = (*reasons, OTHER_KEY)
    if (unscored := comparison.probes.incomplete) and unscored not in reasons:
        reasons = (*reasons, unscored)
    return reasons or (() if candidate.cases else ("nothing was measured",))


def _without_message(error: str) -> str:
    return f"collecting {error.partition(' failed: ')[0]} failed"


RULE = Rule(RuleName.INCOMPLETE_RUN, Level.ERROR, check, exit_code=ExitCode.UNDECIDED)
