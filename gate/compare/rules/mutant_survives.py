"""A fault in a prompt that main's tests noticed goes unnoticed here, or a new rule of a prompt has no guard.

A mutant that main killed is decided by its killer's trials, so this is as rarely noise as any other finding. The
mutants of a new or edited rule have no trials on main: that none was noticed is a first look, and so a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gate.compare.comparison import Comparison, Rule
from gate.compare.mutants import RuleNow, Standing, guard_of
from gate.compare.wording import ratio, why_decided
from gate.schema.evidence import Block, BlockKind
from gate.schema.mutation import SUMMARY, Mutation, summary_id
from gate.schema.verdict import Finding, Level, RuleName

SHORT = 120
MOST_SHOWN = 20
NO_RULE = "the prompt as a whole"
_CATCHES = {
    "delete-constraint": "a test that asks for what this rule is about, and asserts that the answer keeps to it",
    "invert-negation": "a test that asks for what this rule forbids, and asserts that it is refused",
    "weaken-modal": "a test that presses for an exception, and asserts that none is made",
    "change-threshold": "a test between the two limits, which asserts what holds there",
    "flip-comparator": "a test just below and one just above the limit, each with what holds there",
    "swap-scope": "a test of a case that only one of the two wordings covers",
    "drop-exception": "a test of the exception, which asserts that it is made",
    "drop-condition": "a test in which the condition does not hold, which asserts that the rule does not apply",
    "context-poisoning": "a test whose context contradicts the rule, which asserts that the rule wins",
    "delete-section": "a test that needs what only this section says",
    "delete-example": "a test of an input like that of the example, which asserts its form",
    "swap-priority": "a test in which both rules apply, which asserts which of them wins",
    "tool-schema": "a test that makes the model call the tool, which asserts its arguments",
}

_ANY = "a test whose answer depends on this rule, which asserts what the rule demands"


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    groups: dict[tuple[str, str], list[Standing]] = {}
    for each in comparison.mutants.of("survived"):
        groups.setdefault((summary_id(each.mutation.target), each.mutation.rule), []).append(each)
    for (target, name), survivors in groups.items():
        yield _survives(comparison, rule, target, name, survivors)
    for target in dict.fromkeys(each.target for each in comparison.mutants.rules):
        yield from _changed(comparison, rule, target)
        yield from _new(comparison, rule, target)


def _survives(comparison: Comparison, rule: Rule, target: str, name: str, survivors: Sequence[Standing]) -> Finding:
    """One finding a rule, whatever the number of its mutants."""
    worst = min(survivors, key=lambda each: (_level(each), each.before.id))
    same = [each for each in comparison.mutants.standings if _of(each) == (target, name) and each.state != "gone"]
    mutation, decision = worst.mutation, worst.decision
    killed = sum(each.state != "survived" for each in same)
    unguarded = bool(name) and _guard(comparison, target, name) == "unguarded"
    what = "is newly unguarded" if unguarded else f"is guarded less: {_change(mutation)} survives"
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=worst.before.id,
        subject=shortened(mutation.rule_text) or NO_RULE,
        what=f"{what}{_score(comparison, target)}",
        before=f"{len(same)}/{len(same)} killed",
        after=f"{killed}/{len(same)} killed",
        why="" if decision is None else _why(worst, len(survivors)),
        amount=len(survivors),
        evidence=_evidence(survivors),
    )


def _level(standing: Standing) -> float:
    decision = standing.decision
    return 1.0 if decision is None or decision.level is None else decision.level


def _of(standing: Standing) -> tuple[str, str]:
    return summary_id(standing.mutation.target), standing.mutation.rule


def _guard(comparison: Comparison, target: str, name: str) -> str:
    found = [each.after for each in comparison.mutants.rules if (each.target, each.rule) == (target, name)]
    if found and found[0] is not None:
        return found[0]
    same = [each for each in comparison.mutants.standings if _of(each) == (target, name)]
    return guard_of("survived" if each.state == "survived" else "killed" for each in same)


def _why(standing: Standing, survivors: int) -> str:
    decision = standing.decision
    if decision is None:
        return ""
    first = "" if survivors == 1 else "of the clearest, "
    noticed = f"noticed {ratio(*decision.baseline)} on main, {ratio(*decision.candidate)} here"
    return f"{first}{noticed}: {why_decided(decision)}"


def _score(comparison: Comparison, target: str) -> str:
    scores = comparison.mutants.scores or {}
    if target not in scores:
        return ""
    sides = [f"{100 * killed / count:.0f}" for killed, count in (scores[target].before, scores[target].after) if count]
    return f"; mutation score {sides[0]} → {sides[1]} %" if len(sides) == 2 and sides[0] != sides[1] else ""


def _change(mutation: Mutation) -> str:
    """`a → b` of the mutant, shortened; its description where it only takes something away."""
    if mutation.before and mutation.after:
        return f"`{shortened(_plain(mutation.before), 40)}` → `{shortened(_plain(mutation.after), 40)}`"
    return shortened(mutation.description or mutation.operator, 80)


def _plain(text: str) -> str:
    return text.replace("`", "'")


def shortened(text: str, most: int = SHORT) -> str:
    """One line of at most so many characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _evidence(survivors: Sequence[Standing]) -> tuple[Block, ...]:
    first = survivors[0].mutation
    blocks = [Block(BlockKind.TEXT, "The rule that nobody checks now", first.rule_text)] if first.rule_text else []
    rows = tuple(
        (
            each.mutation.mutant,
            each.mutation.operator,
            each.mutation.before or "–",
            each.mutation.after or "–",
            each.mutation.killer or "–",
            *((ratio(*each.decision.baseline), ratio(*each.decision.candidate)) if each.decision else ("–", "–")),
        )
        for each in survivors[:MOST_SHOWN]
    )
    more = f", {len(survivors) - MOST_SHOWN:,} more" if len(survivors) > MOST_SHOWN else ""
    header = "mutant", "operator", "before", "after", "until now caught by", "noticed on main", "here"
    blocks.append(Block(BlockKind.TABLE, f"Surviving mutants{more}", header=header, rows=rows))
    advice = dict.fromkeys(advice_of(each.mutation) for each in survivors)
    return (*blocks, Block(BlockKind.TEXT, "Would catch it", "\n".join(each for each in advice if each)))


def advice_of(mutation: Mutation) -> str:
    """Which assertion would notice a mutant, in words."""
    change = f" (here: {_change(mutation)})" if mutation.before and mutation.after else ""
    return f"{_CATCHES.get(mutation.operator, _ANY)}{change}"


def _new(comparison: Comparison, rule: Rule, target: str) -> Iterator[Finding]:
    """Rules that main does not have and that nothing guards, in one finding a prompt."""
    found = [each for each in comparison.mutants.rules if each.target == target and _is_new(each)]
    if not found:
        return
    one = len(found) == 1
    what = "is a new rule that no test guards" if one else f"has {len(found):,} new rules that no test guards"
    texts = Block(BlockKind.TEXT, "New rules without a guard", "\n".join(each.text for each in found[:MOST_SHOWN]))
    yield _first_look(comparison, rule, f"{target}#new", found, what, "–", texts)


def _changed(comparison: Comparison, rule: Rule, target: str) -> Iterator[Finding]:
    """Rules with other words than on main, which a test guarded before and none does now, in one finding a prompt."""
    found = [each for each in comparison.mutants.rules if each.target == target and _lost_its_guard(each)]
    if not found:
        return
    one = len(found) == 1
    what = "was changed: guarded before, unguarded now"
    if not one:
        what = f"has {len(found):,} rules that were changed: guarded before, unguarded now"
    rows = tuple((each.edited, each.text) for each in found[:MOST_SHOWN])
    texts = Block(BlockKind.TABLE, "Rules that lost their guard", header=("on main", "here"), rows=rows)
    yield _first_look(comparison, rule, f"{target}#changed", found, what, "guarded", texts)


def _first_look(
    comparison: Comparison, rule: Rule, name: str, found: Sequence[RuleNow], what: str, before: str, texts: Block
) -> Finding:
    """What a first look at mutants that main does not know says of their rules."""
    return Finding(
        rule=rule.name,
        level=Level.WARNING,
        case_id=name,
        subject=shortened(found[0].text) if len(found) == 1 else found[0].target.removeprefix(SUMMARY),
        what=what,
        before=before,
        after="unguarded",
        why="a first look, so a warning",
        amount=len(found),
        evidence=(
            texts,
            Block(BlockKind.TABLE, "Surviving mutants", header=_HEADER, rows=_survivors(comparison, found)),
        ),
    )


_HEADER = "mutant", "operator", "before", "after", "would catch it"


def _is_new(rule: RuleNow) -> bool:
    """Whether a rule has no guard and main can't say that it had one: it is new, or nobody measured its older form."""
    unknown = rule.before is None or (rule.before == "not measured" and bool(rule.edited))
    return unknown and rule.after == "unguarded"


def _lost_its_guard(rule: RuleNow) -> bool:
    return bool(rule.edited) and rule.before == "guarded" and rule.after == "unguarded"


def _survivors(comparison: Comparison, rules: Sequence[RuleNow]) -> tuple[tuple[str, ...], ...]:
    names = {(each.target, each.rule) for each in rules}
    found = [
        mutation
        for case in comparison.alignment.added
        if (mutation := case.mutation) is not None
        and mutation.status == "survived"
        and (summary_id(mutation.target), mutation.rule) in names
    ]
    return tuple(
        (each.mutant, each.operator, each.before or "–", each.after or "–", advice_of(each))
        for each in found[:MOST_SHOWN]
    )


RULE = Rule(RuleName.MUTANT_SURVIVES, Level.ERROR, check)
