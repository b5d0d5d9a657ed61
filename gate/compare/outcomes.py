"""Findings of the rules that speak about outcomes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator

from gate.compare.align import Pair, Unstable
from gate.compare.comparison import Comparison, Rule
from gate.compare.probes import is_other_version, sampled, says_nothing
from gate.schema.evidence import Block
from gate.schema.outcome import Outcome
from gate.schema.probes import PROBE, replay_command
from gate.schema.report import Case
from gate.schema.verdict import Finding, Level, RuleName

NAME = re.compile(r"[a-z0-9-]{1,80}")
"""What a probe may be called: nothing that a shell reads."""


def outcome_findings(comparison: Comparison, rule: Rule, verb: str) -> Iterator[Finding]:
    """Pairs that changed, then new cases.

    Where a run that was cut short shares no id with main, its new ids may be old tests under another root.
    """
    for pair in comparison.speaking.get(rule.name, ()):
        level = _of_probe(rule, pair.after, chance=sampled(pair))
        yield _finding(comparison, rule, pair.after, _before(pair), _verb(pair, verb), level)
    unknown = comparison.cut_short and not comparison.alignment.compared
    for case in () if unknown else comparison.appeared.get(rule.name, ()):
        state = "was measured" if case.outcome is None else str(case.outcome)
        level = _of_probe(rule, case, chance=case.stochastic)
        yield _finding(comparison, rule, case, "–", f"is new and {state}", level)


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
                why=why_of(comparison, after[0]),
                amount=len(after) - len(before),
                location=after[0].location,
                command=rerun(after[0]),
            )


def lost(group: Unstable) -> int:
    """How many fewer cases of one kind the candidate has."""
    return max(0, len(group.before) - len(group.after))


def rerun(case: Case) -> str:
    """The one command that runs a case again, quoted for a shell; empty where no such command is known."""
    if case.probe is not None and NAME.fullmatch(name := case.id.removeprefix(PROBE)):
        return replay_command(name)
    return f"pytest {shlex.quote(case.id)}" if "::" in case.id and not case.id.startswith("-") else ""


def _of_probe(rule: Rule, case: Case, *, chance: bool) -> Level:
    """The level of a finding about one case; of a probe less where chance or somebody else may be the reason.

    A single answer of a sampled agent decides nothing, and an answer that its provider did not give is no word about
    the agent. How much may be unscored, `incomplete-run` says.
    """
    if case.probe is None or rule.level is not Level.ERROR:
        return rule.level
    if chance or (rule.name is RuleName.NEWLY_SKIPPED and says_nothing(case)):
        return Level.WARNING
    return rule.level


def _finding(comparison: Comparison, rule: Rule, case: Case, before: str, what: str, level: Level) -> Finding:
    return Finding(
        rule=rule.name,
        level=level,
        case_id=case.id,
        subject=case.id,
        what=what,
        before=before,
        after=str(case.outcome or "measured"),
        why=why_of(comparison, case),
        location=case.location,
        evidence=evidence_of(comparison, case),
        command=rerun(case),
    )


def evidence_of(comparison: Comparison, case: Case) -> tuple[Block, ...]:
    """What a probe's case carries to show its failure; it quotes the agent, so a setting may hide it."""
    return case.evidence if case.probe is not None and comparison.settings.show_messages else ()


def _before(pair: Pair) -> str:
    trials = pair.before.trials
    if trials is not None and trials.varies:
        return f"{trials.passes}/{trials.count}"
    return str(pair.before.outcome or "–")


def _verb(pair: Pair, verb: str) -> str:
    if pair.after.outcome is Outcome.XFAILED:
        verb += " under its `xfail` mark" if pair.before.outcome is Outcome.XPASSED else " under a new `xfail` mark"
    if pair.after.probe is not None and pair.after.outcome is Outcome.SKIPPED:
        verb = "is newly unscored"
    if is_other_version(pair):
        verb += " in another version of the probe"
    return f"{verb} (renamed from {pair.moved_from.partition('::')[0]})" if pair.moved_from else verb


def why_of(comparison: Comparison, case: Case) -> str:
    """Why it is no noise, with the message of the failure where it may be shown."""
    if case.probe is not None and case.stochastic:
        return case.message if comparison.settings.show_messages else ""
    if case.message and comparison.settings.show_messages:
        return f"deterministic: {case.message}"
    return "deterministic"


def _ended(cases: tuple[Case, ...], concerns: Callable[[Outcome], bool]) -> list[Case]:
    return [case for case in cases if case.outcome is not None and concerns(case.outcome)]
