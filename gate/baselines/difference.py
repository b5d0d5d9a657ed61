"""What changed between two baselines, or a baseline and a report, for a person to read and agree to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from gate.render import escape
from gate.schema.report import Attack, Case, Metric, Predictions, Report
from gate.schema.symbols import index_of

LIMIT = 50


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
    """

    group: str
    id: str
    before: str = ""
    after: str = ""


GROUPS = (
    "Now failing",
    "Removed",
    "Other outcomes",
    "Trials",
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
    return tuple(sorted(entries, key=lambda entry: (GROUPS.index(entry.group), entry.id, entry.before)))


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


def as_markdown(entries: Sequence[Entry], *, limit: int = LIMIT) -> str:
    """Markdown for the description of a pull request that refreshes the baseline, escaped."""
    lines = [f"**{headline(entries)}**"]
    for group, found, more in _grouped(entries, limit):
        lines += ["", f"#### {group}", ""]
        lines += [f"- {escape.code(entry.id)}{_arrow(entry, escape.markdown)}" for entry in found]
        lines += [f"- … and {more:,} more"] if more else []
    return "\n".join(lines)


def _grouped(entries: Sequence[Entry], limit: int) -> Iterable[tuple[str, Sequence[Entry], int]]:
    for group in GROUPS:
        found = [entry for entry in entries if entry.group == group]
        if found:
            yield group, found[:limit], max(0, len(found) - limit)


def _arrow(entry: Entry, shown: Callable[[str], str]) -> str:
    if entry.before and entry.after:
        return f": {shown(entry.before)} → {shown(entry.after)}"
    return f": {shown(entry.before or entry.after)}" if entry.before or entry.after else ""


def _between(old: Case, new: Case) -> list[Entry]:
    entries = []
    if old.outcome != new.outcome:
        entries.append(Entry(_outcome_group(old, new), new.id, _state(old), _state(new)))
    elif _counts(old) != _counts(new):
        entries.append(Entry("Trials", new.id, _counts(old), _counts(new)))
    if old.stochastic != new.stochastic:
        said = {True: "stochastic", False: "deterministic"}
        entries.append(Entry("Declared in tests", new.id, said[old.stochastic], said[new.stochastic]))
    entries += _metrics(old, new)
    for name, before, after in _pairs(old.predictions, new.predictions):
        entries += _predictions(f"{new.id}, {name}", before, after)
    return entries


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
        said = f"{len(given.ids):,} examples" if given else ""
        return [Entry("Predictions", where, said if old else "", said if new else "")]
    entries = []
    flips = _flips(old, new)
    if flips:
        entries.append(Entry("Predictions", where, "", flips))
    if old.design != new.design:
        entries.append(Entry("Declared in tests", where, _design(old), _design(new)))
    for name, before, after in _pairs(old.attacks, new.attacks):
        if (before and before.flipped) != (after and after.flipped):
            entries.append(Entry("Attacks", f"{where}, {name}", _flipped(before), _flipped(after)))
    return entries


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
    counts = {
        "negative flips": worse,
        "positive flips": better,
        "other flips": other,
        "examples fewer": gone,
        "examples more": come,
    }
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


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
    return f"{outcome} ({_counts(case)})" if case.trials is not None and case.trials.count else outcome


def _counts(case: Case) -> str:
    return f"{case.trials.passes}/{case.trials.count}" if case.trials is not None else ""


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
