"""Cases that share one id, as one: of every facet the worst, so that none hides behind another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gate.schema.codec import facets_to_json
from gate.schema.mutation import GUARDS, Mutation, RuleState, Status
from gate.schema.outcome import SEVERITY, Outcome
from gate.schema.report import Attack, Better, Case, Metric, Predictions, Session, Trials
from gate.schema.symbols import MAX_LABELS, UNKNOWN, symbol

SEVERAL = '"several"'
"""Value of a part of a design in which the cases differ; no measurement has it."""

_SEVERITY: Mapping[Outcome, float] = {
    **SEVERITY,
    Outcome.XFAILED: (SEVERITY[Outcome.RERUN] + SEVERITY[Outcome.SKIPPED]) / 2,
}
"""A failure that a mark expects is worse than any pass beside it."""
_UNKILLED: tuple[Status, ...] = (
    "killed",
    "undecided",
    "survived",
    "suppressed",
    "skipped",
    "vacuous",
    "unread",
    "error",
)
"""From what speaks for the tests to what says nothing of them."""


def together(cases: Sequence[Case], known: Case | None = None) -> Case:
    """One case of those that share an id (at least one), the same whatever their order.

    Its outcome is the worst, its trials are those with the lowest pass rate, each metric is the worst, and an example
    has the answer that all give, else none: whose answer is wrong, main's truth would have to say.

    Args:
        known: main's case, whose metrics say which direction is worse; else their own do.
    """
    ordered = sorted(cases, key=_badness, reverse=True)
    return replace(
        ordered[0],
        stochastic=any(case.stochastic for case in ordered),
        trials=_trials(ordered),
        metrics=_metrics(ordered, known),
        predictions=tuple(_merged(versions) for versions in _by_name(ordered).values()),
        marks=tuple(sorted({mark for case in ordered for mark in case.marks})),
        mutation=_mutation(ordered),
        rules=_rules(ordered),
    )


def _mutation(cases: Sequence[Case]) -> Mutation | None:
    """The one that says least for the tests; nothing was carried over where any says that it was tried."""
    found = [case.mutation for case in cases if case.mutation is not None]
    if not found:
        return None
    worst = max(found, key=lambda each: (_UNKILLED.index(each.status), not each.carried, each.killer))
    return replace(worst, carried=all(each.carried for each in found))


def _rules(cases: Sequence[Case]) -> tuple[RuleState, ...]:
    found: dict[str, RuleState] = {}
    for rule in (rule for case in cases for rule in case.rules):
        known = found.setdefault(rule.rule, rule)
        if GUARDS.index(rule.state) > GUARDS.index(known.state):
            found[rule.rule] = rule
    return tuple(found.values())


def _badness(case: Case) -> tuple[float, str, str]:
    """Severity; the rest only makes the choice independent of the order of the file."""
    severity = -1.0 if case.outcome is None else _SEVERITY[case.outcome]
    return severity, case.message, str(facets_to_json(case))


def _trials(cases: Sequence[Case]) -> Trials | None:
    known = [case.trials for case in cases if case.trials is not None]
    if known or any(case.stochastic for case in cases):
        failed = Trials((Session("", "0"),))
        known += [failed for case in cases if case.trials is None and case.outcome is not None and case.outcome.fails]
    tried = [trials for trials in known if trials.count]
    return min(tried, key=lambda trials: trials.passes / trials.count) if tried else next(iter(known), None)


def _metrics(cases: Sequence[Case], known: Case | None) -> tuple[Metric, ...]:
    better = {metric.name: metric.better for metric in (known.metrics if known is not None else ())}
    found: dict[str, list[Metric]] = {}
    for metric in (metric for case in cases for metric in case.metrics):
        found.setdefault(metric.name, []).append(metric)
    return tuple(_worst(each, better.get(name, each[0].better)) for name, each in found.items())


def _worst(metrics: Sequence[Metric], better: Better) -> Metric:
    """The worst value, or none at all, under the strictest of the thresholds."""
    strictest = max if better == "higher" else min
    thresholds = [metric.threshold for metric in metrics if metric.threshold is not None]
    unscored = next((metric for metric in metrics if metric.value is None), None)
    sign = 1 if better == "higher" else -1
    worst = unscored or min(metrics, key=lambda metric: sign * (metric.value or 0.0))
    return replace(worst, threshold=strictest(thresholds)) if thresholds else worst


def _by_name(cases: Iterable[Case]) -> dict[str, list[Predictions]]:
    found: dict[str, list[Predictions]] = {}
    for case in cases:
        for predictions in case.predictions:
            found.setdefault(predictions.name, []).append(predictions)
    return found


def _merged(sets: Sequence[Predictions]) -> Predictions:
    first = sets[0]
    if all(each == first for each in sets):
        return first
    labels = tuple(dict.fromkeys(label for each in sets for label in each.labels))[:MAX_LABELS]
    names = tuple(dict.fromkeys(name for each in sets for name in each.ids))
    places = [{name: place for place, name in enumerate(each.ids)} for each in sets]

    def agreed(series: Sequence[str]) -> str:
        """What all that have an example say of it, else `.`."""
        told = [{given[at[name]] for given, at in zip(series, places, strict=True) if name in at} for name in names]
        return "".join(found.pop() if len(found) == 1 else UNKNOWN for found in told)

    scores = [each.scores or UNKNOWN * len(each.ids) for each in sets]
    return Predictions(
        name=first.name,
        ids=names,
        labels=labels,
        expected=agreed([each.expected.translate(_onto(labels, each)) for each in sets]),
        predicted=agreed([each.predicted.translate(_onto(labels, each)) for each in sets]),
        scores=agreed(scores) if any(each.scores for each in sets) else "",
        attacks=tuple(_attack(name, names, sets, places) for name in _attack_names(sets)),
        design=_design(sets),
    )


def _onto(labels: Sequence[str], predictions: Predictions) -> dict[int, str]:
    known = {label: symbol(place) for place, label in enumerate(labels)}
    return str.maketrans({symbol(place): known.get(label, UNKNOWN) for place, label in enumerate(predictions.labels)})


def _attack_names(sets: Sequence[Predictions]) -> list[str]:
    return list(dict.fromkeys(attack.name for each in sets for attack in each.attacks))


def _attack(
    name: str, examples: Sequence[str], sets: Sequence[Predictions], places: Sequence[Mapping[str, int]]
) -> Attack:
    """An example is flipped where any case flipped it, and not measured where none measured it."""
    pairs = zip(sets, places, strict=True)
    made = [(attack, at) for each, at in pairs for attack in each.attacks if attack.name == name]
    marks: list[str] = []
    moves: dict[int, str] = {}
    for place, example in enumerate(examples):
        found = [(attack, at[example]) for attack, at in made if example in at]
        flipped = [(attack, old) for attack, old in found if attack.flipped[old] == "1"]
        stable = any(attack.flipped[old] == "0" for attack, old in found)
        marks.append("1" if flipped else "0" if stable else UNKNOWN)
        told = [attack.moves[old] for attack, old in flipped if old in attack.moves]
        if told:
            moves[place] = told[0]
    return Attack(name, "".join(marks), moves)


def _design(sets: Sequence[Predictions]) -> dict[str, str]:
    keys = sorted({key for each in sets for key in each.design})
    values = {key: {each.design.get(key, SEVERAL) for each in sets} for key in keys}
    return {key: found.pop() if len(found) == 1 else SEVERAL for key, found in values.items()}
