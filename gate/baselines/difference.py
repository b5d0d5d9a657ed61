"""What changed between two baselines, or a baseline and a report, for a person to read and agree to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from gate.baselines.counting import by_chance, moved, new_trials, unmarked, why_anew
from gate.render import escape
from gate.render.words import plural
from gate.schema.example_key import FINGERPRINT
from gate.schema.report import Attack, Case, Metric, Predictions, Report, Trials
from gate.schema.symbols import index_of

LIMIT = 50
LONGEST = 60_000
"""Characters of Markdown: GitHub refuses the text of a pull request beyond 65,536."""


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=_HasName)


@dataclass(frozen=True, slots=True)
class Entry:
    """One difference.

    Attributes:
        group: heading (`Now failing`, `Now holding`, `Added`, …).
        id: the case; untrusted text.
        before, after: what stood and what stands; untrusted text, empty where there is nothing.
        remark: what a reader must know of it, a few words of our own; entries with one come first in their group.
    """

    group: str
    id: str
    before: str = ""
    after: str = ""
    remark: str = ""


GROUPS = (
    "Now failing",
    "Removed",
    "Other outcomes",
    "Mutants",
    "Rules of prompts",
    "Trials",
    "Not counted",
    "Metrics",
    "Predictions",
    "Attacks",
    "Declared in tests",
    "Now holding",
    "Added",
)
"""Worst first."""


def difference(before: Report | None, after: Report) -> tuple[Entry, ...]:
    """Differences by group (`GROUPS`), then by id; empty when nothing that decides changed.

    Args:
        before: None when there is no baseline yet; every case is then added.
    """
    old = {} if before is None else {case.id: case for case in before.cases}
    new = {case.id: case for case in after.cases}
    entries = [Entry("Removed", case_id, _state(old[case_id])) for case_id in old.keys() - new.keys()]
    for case_id, case in new.items():
        if case_id not in old:
            entries.append(Entry("Added", case_id, "", _state(case)))
        elif old[case_id] != case:
            entries += _between(old[case_id], case)
    if before is not None and _other_key(before, after):
        entries.append(Entry("Predictions", "ids of examples", remark="keyed with another key, so none can be matched"))
    return in_order(entries)


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """By group, those with a remark first."""
    return tuple(sorted(entries, key=lambda each: (GROUPS.index(each.group), not each.remark, each.id, each.before)))


def headline(entries: Sequence[Entry]) -> str:
    """One line: how many of what."""
    if not entries:
        return "nothing changed"
    counts = {group: sum(entry.group == group for entry in entries) for group in GROUPS}
    return ", ".join(f"{group.lower()}: {count:,}" for group, count in counts.items() if count)


def as_text(entries: Sequence[Entry], *, limit: int = LIMIT) -> str:
    """Lines for a terminal, escaped; at most `limit` a group, and how many more there are.

    No line starts with an id: in a runner's log a line that starts with `::` is a command, spaces before it or not.
    """
    lines = [headline(entries)]
    for group, found, more in _grouped(entries, limit):
        lines += ["", group]
        lines += [f"  - {escape.terminal(entry.id)}{_arrow(entry, escape.terminal)}" for entry in found]
        lines += [f"  … and {more:,} more"] if more else []
    return "\n".join(lines)


def as_markdown(entries: Sequence[Entry], *, limit: int = LIMIT, longest: int = LONGEST) -> str:
    """Markdown for the description of a pull request that refreshes the baseline, escaped.

    Args:
        limit: most entries a group.
        longest: most characters in all; what does not fit is counted.
    """
    lines = [f"**{headline(entries)}**"]
    for group, found, more in _grouped(entries, limit):
        lines += ["", f"#### {group}", ""]
        lines += [f"- {escape.code(entry.id)}{_arrow(entry, escape.markdown)}" for entry in found]
        lines += [f"- … and {more:,} more"] if more else []
    return _shortened(lines, longest)


def _shortened(lines: Sequence[str], longest: int) -> str:
    """Whole lines up to a length, and how many were left out."""
    text = "\n".join(lines)
    if len(text) <= longest:
        return text
    note = "\n\n… and {:,} more lines: `gate baseline diff` in a shell shows them"
    kept, room = [lines[0]], longest - len(lines[0]) - len(note) - 20
    for line in lines[1:]:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    left = sum(bool(line) for line in lines[len(kept) :])
    return "\n".join(kept) + note.format(left)


def _grouped(entries: Sequence[Entry], limit: int) -> Iterable[tuple[str, Sequence[Entry], int]]:
    for group in GROUPS:
        found = [entry for entry in entries if entry.group == group]
        if found:
            yield group, found[:limit], max(0, len(found) - limit)


def _arrow(entry: Entry, shown: Callable[[str], str]) -> str:
    remark = f" ({entry.remark})" if entry.remark else ""
    if entry.before and entry.after:
        return f": {shown(entry.before)} → {shown(entry.after)}{remark}"
    return f": {shown(entry.before or entry.after)}{remark}" if entry.before or entry.after else remark


def _between(old: Case, new: Case) -> list[Entry]:
    entries = []
    remark = _remark(old, new)
    decided = bool(new.measured_at)  # in a baseline the outcome follows only when all its trials agree
    if old.outcome != new.outcome and (decided or not by_chance(old, new)):
        entries.append(Entry(_outcome_group(old, new), new.id, _state(old), _state(new), remark))
    elif not _survives(old, new) and (counts(old) != _counts_now(old, new) or remark):
        entries.append(Entry("Trials", new.id, counts(old), _counts_now(old, new), remark))
    if old.stochastic != new.stochastic and new.mutation is None:
        said = {True: "stochastic", False: "deterministic"}
        entries.append(Entry("Declared in tests", new.id, said[old.stochastic], said[new.stochastic]))
    entries += [*_mutants(old, new), *_metrics(old, new)]
    for name, before, after in _pairs(old.predictions, new.predictions):
        entries += _predictions(f"{new.id}, {name}", before, after)
    return entries


def _mutants(old: Case, new: Case) -> list[Entry]:
    """Whether a test notices a mutant, and how the rules of a prompt stand by that."""
    entries = []
    if old.mutation is not None and new.mutation is not None and old.mutation.status != new.mutation.status:
        entries.append(Entry("Mutants", new.id, _state(old), _state(new)))
    before = {each.rule: each for each in old.rules}
    after = {each.rule: each for each in new.rules}
    for rule in dict.fromkeys([*before, *after]):
        sides = before.get(rule), after.get(rule)
        told = ["" if each is None else each.state for each in sides]
        text = next(each.text for each in reversed(sides) if each is not None)
        if told[0] != told[1]:
            entries.append(Entry("Rules of prompts", text or rule, *told))
    return entries


def _survives(old: Case, new: Case) -> bool:
    """Whether a mutant is not killed any more, which says enough of its trials."""
    return old.mutation is not None and new.mutation is not None and new.mutation.status != "killed"


def _remark(old: Case, new: Case) -> str:
    """What becomes of the trials, by statistics and by what the test is now; never by one outcome."""
    if old.trials is None or not old.trials.count:
        return ""
    if unmarked(old, new):
        return "dropped: it is not marked stochastic any more"
    if new.trials is not None and (why := why_anew(old, new)):
        return f"restarted: {why}"
    if _begun_again(old.trials, new):
        return "restarted"
    found = moved(old, new)
    fresh = new_trials(old, new)
    return f"{found}: {fresh.passes}/{fresh.count} in this run" if found else ""


def _begun_again(old: Trials, new: Case) -> bool:
    """Whether a baseline kept none of the trials, though it has room for as many sessions as there were."""
    if new.trials is None or not new.measured_at or len(new.trials.sessions) >= len(old.sessions):
        return False
    return not {each.id for each in old.sessions} & {each.id for each in new.trials.sessions}


def _outcome_group(old: Case, new: Case) -> str:
    if new.outcome is not None and new.outcome.fails and not (old.outcome is not None and old.outcome.fails):
        return "Now failing"
    if new.outcome is not None and new.outcome.holds and not (old.outcome is not None and old.outcome.holds):
        return "Now holding"
    return "Other outcomes"


def _metrics(old: Case, new: Case) -> list[Entry]:
    entries = []
    for name, before, after in _pairs(old.metrics, new.metrics):
        where = f"{new.id}, {name}"
        if before is None or after is None or before.value != after.value:
            entries.append(Entry("Metrics", where, _value(before), _value(after)))
        if before and after and _declared(before) != _declared(after):
            entries.append(Entry("Declared in tests", where, _declared(before), _declared(after)))
    return entries


def _predictions(where: str, old: Predictions | None, new: Predictions | None) -> list[Entry]:
    if old is None or new is None:
        given = old or new
        said = plural(len(given.ids), "example") if given else ""
        return [Entry("Predictions", where, said if old else "", said if new else "")]
    entries = []
    flips = _flips(old, new)
    if flips:
        entries.append(Entry("Predictions", where, "", flips))
    if old.design != new.design:
        entries.append(Entry("Declared in tests", where, _design(old), _design(new)))
    if old.floor != new.floor and (new.floor or set(old.ids) != set(new.ids)):  # a report has none of its own
        lost = "" if new.floor else "measured over other examples; `gate baseline floor` measures it anew"
        entries.append(Entry("Predictions", f"{where}, floor", _floor(old), _floor(new), lost))
    for name, before, after in _pairs(old.attacks, new.attacks):
        if (before and before.flipped) != (after and after.flipped):
            entries.append(Entry("Attacks", f"{where}, {name}", _flipped(before), _flipped(after)))
    return entries


def _floor(predictions: Predictions) -> str:
    floor = predictions.floor
    if floor is None:
        return ""
    under = "".join(f", {each.bound:,} under {name}" for name, each in sorted(floor.attacks.items()))
    return f"{plural(len(floor.negatives), 'reseed')}, {floor.bound:,} negative flips pass{under}"


def _flips(old: Predictions, new: Predictions) -> str:
    before = {example: (old.expected[at], _label(old, at)) for at, example in enumerate(old.ids)}
    worse = better = other = 0
    for at, example in enumerate(new.ids):
        label = _label(new, at)
        if example not in before or before[example][1] == label:
            continue
        truth = _truth(new, at)
        worse += truth is not None and before[example][1] == truth
        better += truth is not None and label == truth
        other += truth is None or truth not in (before[example][1], label)
    gone, come = len(before.keys() - set(new.ids)), len(set(new.ids) - before.keys())
    counts = {"negative flip": worse, "positive flip": better, "other flip": other}
    parts = [plural(count, noun) for noun, count in counts.items() if count]
    parts += [f"{plural(count, 'example')} {word}" for word, count in (("fewer", gone), ("more", come)) if count]
    return ", ".join(parts)


def _label(predictions: Predictions, at: int) -> str | None:
    return _named(predictions, predictions.predicted[at])


def _truth(predictions: Predictions, at: int) -> str | None:
    return _named(predictions, predictions.expected[at])


def _named(predictions: Predictions, symbol: str) -> str | None:
    index = index_of(symbol)
    return predictions.labels[index] if 0 <= index < len(predictions.labels) else None


def _pairs(old: Sequence[Named], new: Sequence[Named]) -> list[tuple[str, Named | None, Named | None]]:
    before = {each.name: each for each in old}
    after = {each.name: each for each in new}
    return [(name, before.get(name), after.get(name)) for name in dict.fromkeys([*before, *after])]


def _state(case: Case) -> str:
    outcome = case.outcome.value if case.outcome is not None else "measured"
    if case.mutation is not None:
        of = f", of the rule {case.mutation.rule_text[:80]!r}" if case.mutation.rule_text else ""
        outcome = f"{case.mutation.status}{of}"
    return f"{outcome} ({counts(case)})" if case.trials is not None and case.trials.count else outcome


def counts(case: Case) -> str:
    """`48/50` trials; empty where a case has none."""
    return f"{case.trials.passes}/{case.trials.count}" if case.trials is not None else ""


def _counts_now(old: Case, new: Case) -> str:
    """The same of the newer side; of a varying test without trials its one outcome."""
    if new.trials is not None or not by_chance(old, new):
        return counts(new)
    once = new_trials(old, new)
    return f"{once.passes}/{once.count}"


def _other_key(before: Report, after: Report) -> bool:
    """Whether both have examples, with ids under different keys."""
    have = all(any(case.predictions for case in report.cases) for report in (before, after))
    return have and before.fingerprints.get(FINGERPRINT) != after.fingerprints.get(FINGERPRINT)


def _value(metric: Metric | None) -> str:
    if metric is None:
        return ""
    return f"{metric.value:.6g}" if metric.value is not None else f"unscored: {metric.unscored}"


def _declared(metric: Metric) -> str:
    parts = [f"better {metric.better}"]
    parts += [f"threshold {metric.threshold:g}"] if metric.threshold is not None else []
    parts += [f"tolerance {metric.tolerance:g}"] if metric.tolerance is not None else []
    return ", ".join(parts)


def _design(predictions: Predictions) -> str:
    return ", ".join(f"{key} {value}" for key, value in sorted(predictions.design.items()))


def _flipped(attack: Attack | None) -> str:
    if attack is None:
        return ""
    measured = len(attack.flipped) - attack.flipped.count(".")
    return f"{attack.flipped.count('1'):,} of {measured:,} flipped"
