"""What decides differs between base and head: in the settings, or in what the test code declares. The base's counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gate.compare.align import Pair
from gate.compare.comparison import Comparison, Rule, known_step
from gate.compare.flips import LISTS_ATTACKS, NO_SETTINGS, relabelled
from gate.compare.transition import MATRIX, step_of
from gate.compare.wording import counted
from gate.schema.mutation import summary_id
from gate.schema.report import Kind
from gate.schema.verdict import Finding, Level, RuleName

_DECIDES = "main's decides"
_OF_METRICS = "better", "threshold", "tolerance"
_OF_PROBES = ("threshold",)
"""The tolerance of a score follows from how many answers it is over."""
_SENTENCE = re.compile(r"`(?P<key>[^`]+)`: (?P<before>.*?) → (?P<after>.*) \((?P<where>[^()]*)\)", re.DOTALL)
"""How a difference of two settings files is told."""


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for sentence in comparison.changes.settings:
        yield _setting(rule, sentence)
    yield from _mutants(comparison, rule)
    yield from _probes(comparison, rule)
    for pair in comparison.alignment.pairs:
        if pair.before.mutation is None:
            yield from _marks(rule, pair)
        if pair.before.metrics or pair.before.predictions:
            yield from _declared(rule, pair)
    for pair, flips in comparison.flips:
        count = relabelled(flips)
        if count:
            what = f"truth of {counted(count, 'example')} of {flips.before.name}"
            yield _finding(rule, pair.after.id, what, "as on main", "relabelled")


def _setting(rule: Rule, sentence: str) -> Finding:
    found = _SENTENCE.fullmatch(sentence)
    if found is None:
        return _finding(rule, "settings", sentence, "", "")
    what = f"is set otherwise in {found['where']}"
    return _finding(rule, found["key"], what, found["before"], found["after"], about=f"settings#{found['key']}")


def _mutants(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """What the marker of mutants asks for, once a prompt: all of them are asked the same."""
    told: set[tuple[str, str, tuple[str, str]]] = set()
    for each in comparison.mutants.standings:
        after = each.after.trials if each.after is not None else None
        if each.before.trials is None or after is None or not after.asked:
            continue
        for key, sides in _differing(each.before.trials.asked, after.asked):
            if (each.mutation.target, key, sides) not in told:
                told.add((each.mutation.target, key, sides))
                yield _finding(rule, summary_id(each.mutation.target), f"{key} of mutate_prompt", *sides)


def _probes(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """How the probes are asked, in one finding, and what each dimension weighs."""
    pairs = comparison.alignment.pairs
    asked = [pair for pair in pairs if pair.before.probe is not None]
    other = [pair for pair in asked if pair.before.stochastic != pair.after.stochastic]
    if other:
        words = {True: "sampled", False: "asked once"}
        sides = words[other[0].before.stochastic], words[other[0].after.stochastic]
        yield _finding(rule, "probes", f"sampling of {counted(len(other), 'probe')}", *sides)
    for pair in pairs:
        if pair.before.probes is not None and pair.after.probes is not None:
            before, after = pair.before.probes.weights, pair.after.probes.weights
            for key in sorted({*before, *after}):
                was, now = before.get(key, 1), after.get(key, 1)
                if was != now:
                    yield _finding(rule, pair.after.id, f"weight of {key}", f"{was:g}", f"{now:g}")


def _marks(rule: Rule, pair: Pair) -> Iterator[Finding]:
    """Marks of a test, and what its mark `stochastic` asks for."""
    before, after = pair.before, pair.after
    if before.stochastic != after.stochastic and before.probe is None:
        marks = {True: "marked stochastic", False: "not marked"}
        yield _finding(rule, after.id, "marker stochastic", marks[before.stochastic], marks[after.stochastic])
    if MATRIX[known_step(pair), step_of(after.outcome)] is RuleName.SETTINGS_CHANGED:
        what, why = "marker xfail, though it passes", "expects a failure from the merge on"
        yield _finding(rule, after.id, what, "not marked", "marked xfail", why=why)
    if before.trials is not None and after.trials is not None and before.stochastic and after.stochastic:
        for key, sides in _differing(before.trials.asked, after.trials.asked):
            yield _finding(rule, after.id, f"{key} of stochastic", *sides)


def _declared(rule: Rule, pair: Pair) -> Iterator[Finding]:
    case_id = pair.after.id
    metrics = {metric.name: metric for metric in pair.after.metrics}
    for metric in pair.before.metrics:
        now = metrics.get(metric.name)
        for key in (_OF_PROBES if pair.before.kind is Kind.PROBE else _OF_METRICS) if now is not None else ():
            old, new = getattr(metric, key), getattr(now, key)
            if old != new:
                yield _finding(rule, case_id, f"{key} of {metric.name}", _shown(old), _shown(new))
    predictions = {each.name: each for each in pair.after.predictions}
    for each in pair.before.predictions:
        found = predictions.get(each.name)
        for key, sides in _differing(each.design, found.design) if found is not None else ():
            why = _DECIDES if key in LISTS_ATTACKS else "another attack can't be compared"
            yield _finding(rule, case_id, f"{key} of {each.name}", *sides, why=why)


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Keys whose values differ, with both as they are shown; those of no setting are left out."""
    for key in sorted({*before, *after} - NO_SETTINGS):
        if before.get(key) != after.get(key):
            yield key, (_shown(before.get(key)), _shown(after.get(key)))


def _finding(
    rule: Rule, subject: str, what: str, before: str, after: str, *, why: str = _DECIDES, about: str = ""
) -> Finding:
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=about or f"{subject}#{what}",
        subject=subject,
        what=what,
        before=before,
        after=after,
        why=why,
    )


def _shown(value: object) -> str:
    return "none" if value is None else str(value)


RULE = Rule(RuleName.SETTINGS_CHANGED, Level.WARNING, check)
