"""Something that main measured was not measured here: a test, a metric, predictions, examples or an attack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gate.compare.comparison import Comparison, Rule
from gate.compare.flips import unmeasured
from gate.compare.outcomes import lost
from gate.compare.wording import counted
from gate.schema.report import Case
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    if comparison.cut_short:
        return  # `incomplete-run` says it once; hundreds of lines would hide what was compared
    deselected = comparison.candidate.completeness.deselected
    why = f"not measured here: {deselected:,} were deselected" if deselected else "not measured here"
    for case in comparison.alignment.removed:
        yield _finding(rule, case, "is gone", str(case.outcome or "measured"), "absent", why=why)
    for pair in comparison.speaking.get(rule.name, ()):
        yield _finding(rule, pair.after, "has no outcome any more", str(pair.before.outcome), "absent")
    for group in comparison.alignment.unstable:
        if lost(group):
            before, after = str(len(group.before)), str(len(group.after))
            what = f"is gone {lost(group):,} times, counted over ids that change each run"
            one = replace(group.before[0], id=group.skeleton)
            yield _finding(rule, one, what, before, after, amount=lost(group))
    for pair in comparison.alignment.pairs:
        yield from _facets(rule, pair.before, pair.after)
    yield from _examples(comparison, rule)


def _facets(rule: Rule, before: Case, after: Case) -> Iterator[Finding]:
    metrics = {metric.name for metric in after.metrics}
    for metric in before.metrics:
        if metric.name not in metrics:
            value = "unscored" if metric.value is None else f"{metric.value:.4g}"
            yield _finding(rule, after, f"no longer measures {metric.name}", value, "absent", about=metric.name)
    sets = {predictions.name for predictions in after.predictions}
    for predictions in before.predictions:
        if predictions.name not in sets:
            count = counted(len(predictions.ids), "example")
            what = f"no longer predicts {predictions.name}"
            yield _finding(rule, after, what, count, "absent", about=predictions.name)


def _examples(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair, flips in comparison.flips:
        name, known, case = flips.before.name, len(flips.before.ids), pair.after
        gone = known - flips.total
        if gone:
            what = f"{counted(gone, 'example is', 'examples are')} gone from {name}"
            yield _finding(rule, case, what, f"{known:,}", f"{flips.total:,}", about=name, amount=gone)
        made = {attack.name for attack in flips.after.attacks}
        for attack in flips.before.attacks:
            about = f"{name}#{attack.name}"
            if attack.name not in made:
                what = f"{name} is no longer under {attack.name}"
                yield _finding(rule, case, what, "measured", "absent", about=about, amount=known)
            elif fewer := unmeasured(flips, attack.name):
                what = f"{counted(fewer, 'example')} of {name} no longer measured under {attack.name}"
                yield _finding(rule, case, what, "measured", "unmeasured", about=about, amount=fewer)


def _finding(
    rule: Rule,
    case: Case,
    what: str,
    before: str,
    after: str,
    *,
    why: str = "not measured here",
    about: str = "",
    amount: float = 1,
) -> Finding:
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=f"{case.id}#{about}" if about else case.id,
        subject=case.id,
        what=what,
        before=before,
        after=after,
        why=why,
        amount=amount,
        location=case.location,
    )


RULE = Rule(RuleName.MISSING_CASE, Level.ERROR, check)
