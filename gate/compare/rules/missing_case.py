"""Something that main measured was not measured here: a test, a metric, predictions, examples or an attack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gate.compare.align import Unstable
from gate.compare.comparison import Comparison, Rule, unanswered
from gate.compare.draws import redrawn
from gate.compare.flips import Flips, other_design, unmeasured, unpinned
from gate.compare.flips import unanswered as silent
from gate.compare.lookalike import lookalikes
from gate.compare.mutants import Standing
from gate.compare.outcomes import lost, rerun
from gate.compare.predictions import ANSWERS
from gate.compare.wording import counted
from gate.schema.evidence import Block, BlockKind
from gate.schema.mutation import summary_id
from gate.schema.report import Case
from gate.schema.verdict import Finding, Level, RuleName

_WHY = "not measured here"
MOST_MUTANTS = 50


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    if comparison.cut_short:
        return  # `incomplete-run` says it once; hundreds of lines would hide what was compared
    yield from _gone(comparison, rule)
    for pair in comparison.speaking.get(rule.name, ()):
        yield _finding(rule, pair.after, "has no outcome any more", str(pair.before.outcome), "absent")
    for group in comparison.alignment.unstable:
        yield from _unpaired(rule, group)
    yield from _mutants(comparison, rule)
    for pair in comparison.alignment.pairs:
        if not unanswered(pair.after):  # of which `stale-recording` says that nothing was measured
            yield from _facets(rule, pair.before, pair.after)
    for pair, flips in comparison.flips:
        if unanswered(pair.after):
            continue
        yield from _examples(rule, pair.after, flips)
        yield from _attacks(rule, pair.after, flips)
        yield from _pins(rule, pair.after, flips)


def _gone(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    deselected = comparison.candidate.completeness.deselected
    why = f"{_WHY}: {deselected:,} were deselected" if deselected else _WHY
    alike = lookalikes(comparison.alignment.removed, comparison.alignment.added)
    for case in comparison.alignment.removed:
        if case.mutation is not None:
            continue
        hint = f"; the new `{alike[case.id]}` looks like it" if case.id in alike else ""
        yield _finding(rule, case, "is gone", str(case.outcome or "measured"), "absent", why=why + hint, again=False)


def _mutants(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """Mutants that main killed and that say nothing here, by prompt and by why."""
    groups: dict[tuple[str, str], list[Standing]] = {}
    for each in comparison.mutants.of("unmeasured"):
        groups.setdefault((each.mutation.target, each.reason), []).append(each)
    for (target, reason), found in groups.items():
        rows = tuple((each.mutation.mutant, each.mutation.killer or "–", _told(each)) for each in found[:MOST_MUTANTS])
        header = "mutant", "until now caught by", "why"
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=f"{summary_id(target)}#{reason}",
            subject=target,
            what=f"has {counted(len(found), 'mutant')} that main killed and that this run did not measure",
            before="killed",
            after=reason,
            why=_WHY,
            amount=len(found),
            evidence=(Block(BlockKind.TABLE, "Mutants without a measurement", header=header, rows=rows),),
        )


def _told(standing: Standing) -> str:
    now = standing.after.mutation if standing.after is not None else None
    return now.reason if now is not None and now.reason else standing.reason


def _unpaired(rule: Rule, group: Unstable) -> Iterator[Finding]:
    """What can't be compared by count alone, where ids change each run."""
    one = replace(group.before[0], id=group.skeleton)
    if lost(group):
        before, after = str(len(group.before)), str(len(group.after))
        what = f"is gone {lost(group):,} times, counted over ids that change each run"
        yield _finding(rule, one, what, before, after, amount=lost(group), again=False)
    facets = {
        "metric": sum(len(case.metrics) for case in group.before),
        "set of predictions": sum(len(case.predictions) for case in group.before),
        "series of trials": sum(case.stochastic or case.trials is not None for case in group.before),
    }
    plurals = {"set of predictions": "sets of predictions", "series of trials": "series of trials"}
    told = [counted(count, name, plurals.get(name, "")) for name, count in facets.items() if count]
    if told:
        what = "measures what can't be paired, since its ids change each run"
        amount = sum(facets.values())
        yield _finding(rule, one, what, ", ".join(told), "unpaired", about="facets", amount=amount, again=False)


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
    if (
        before.mutation is None
        and before.outcome is None
        and before.trials is not None
        and before.trials.count
        and not _tried(after)
    ):
        yield _finding(rule, after, "is no longer tried", counted(before.trials.count, "trial"), "absent")


def _tried(case: Case) -> bool:
    from gate.compare.decisions import trials_of

    return trials_of(case).count > 0


def _examples(rule: Rule, case: Case, flips: Flips) -> Iterator[Finding]:
    name, known = flips.before.name, len(flips.before.ids)
    gone = known - flips.total
    if gone:
        what = f"{counted(gone, 'example is', 'examples are')} gone from {name}"
        yield _finding(rule, case, what, f"{known:,}", f"{flips.total:,}", about=name, amount=gone)
    without = silent(flips)
    if without:
        what = f"{counted(without, 'example')} of {name} got no answer"
        yield _finding(rule, case, what, "answered", "no answer", about=f"{name}#{ANSWERS}", amount=without)


def _pins(rule: Rule, case: Case, flips: Flips) -> Iterator[Finding]:
    name, gone = flips.before.name, unpinned(flips)
    if gone:
        what = f"{counted(gone, 'example')} of {name} no longer pinned"
        yield _finding(rule, case, what, "pinned", "not pinned", about=f"{name}#pinned", amount=gone)


def _attacks(rule: Rule, case: Case, flips: Flips) -> Iterator[Finding]:
    name, known = flips.before.name, len(flips.before.ids)
    made = {attack.name for attack in flips.after.attacks}
    for attack in flips.before.attacks:
        if attack.name in made and redrawn(flips, attack.name):
            continue  # `incomplete-run` says it once for a sweep
        other = ", ".join(other_design(flips, attack.name))
        about = f"{name}#{attack.name}"
        if attack.name not in made:
            what = f"{name} is no longer under {attack.name}"
            yield _finding(rule, case, what, "measured", "absent", about=about, amount=known)
        elif other:
            what = f"{name} is under another {attack.name} than on main ({other} differs)"
            yield _finding(rule, case, what, "measured", "another attack", about=about, amount=known)
        elif fewer := unmeasured(flips, attack.name):
            what = f"{counted(fewer, 'example')} of {name} no longer measured under {attack.name}"
            yield _finding(rule, case, what, "measured", "unmeasured", about=about, amount=fewer)


def _finding(  # noqa: PLR0913  the cells of one row
    rule: Rule,
    case: Case,
    what: str,
    before: str,
    after: str,
    *,
    why: str = _WHY,
    about: str = "",
    amount: float = 1,
    again: bool = True,
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
        command=rerun(case) if again else "",
    )


RULE = Rule(RuleName.MISSING_CASE, Level.ERROR, check)
