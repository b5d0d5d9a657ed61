"""What an honest retrain flips, clean and under attack: the suite is run again, and a baseline keeps the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gate.compare.flips import attack_of, attacked, flips_between, other_design
from gate.errors import BaselineError
from gate.schema.report import Case, Predictions, Report, Reseeds
from gate.schema.symbols import UNKNOWN, index_of
from gate.suites.perturbation.flips.floor import floor
from gate.suites.perturbation.flips.marks import class_flips
from gate.suites.perturbation.flips.rates import FlipRates


@dataclass(frozen=True, slots=True)
class Measured:
    """A floor, and of which predictions of which case it is."""

    case: str
    name: str
    floor: Reseeds


def measure_floors(baseline: Report, runs: Sequence[Report]) -> tuple[Report, tuple[Measured, ...]]:
    """The baseline with the floor of every set of predictions.

    Args:
        baseline: whose model is the one in use.
        runs: of the same suite, each with a model that was trained anew, at least 5.

    Raises:
        BaselineError: a run lacks a set of predictions or an example of it, or no truth is known.
        UsageError: fewer than 5 runs.
    """
    found: list[Measured] = []
    by_id = [{case.id: case for case in run.cases} for run in runs]
    cases = []
    for case in baseline.cases:
        sets = []
        for old in case.predictions:
            if set(old.expected) <= {UNKNOWN}:
                sets.append(old)  # nothing there can be a negative flip
                continue
            retrains = [_of(run.get(case.id), old, case.id, place) for place, run in enumerate(by_id, 1)]
            measured = floor([_rates(old, each) for each in retrains], where=f"{case.id}, {old.name}")
            kept = Reseeds(measured.negatives, measured.total, measured.bound, _under_attack(old, retrains))
            found.append(Measured(case.id, old.name, kept))
            sets.append(replace(old, floor=kept))
        cases.append(replace(case, predictions=tuple(sets)))
    if not found:
        raise BaselineError(
            "no case has predictions with a known truth, so there is nothing to flip",
            remedy="record some with `robustness.predictions` or `robustness.sweep`, and refresh the baseline",
        )
    return replace(baseline, cases=tuple(cases)), tuple(found)


def _under_attack(old: Predictions, retrains: Sequence[Predictions]) -> dict[str, Reseeds]:
    """By attack how many adversarial regressions each retrain has, of the attacks that every one of them made alike."""
    known = len(old.expected) - old.expected.count(UNKNOWN)
    flips = [flips_between(old, each) for each in retrains]
    found = {}
    for attack in old.attacks:
        if any(attack_of(each.after, attack.name) is None or other_design(each, attack.name) for each in flips):
            continue
        broken = [len(attacked(each, attack.name)) for each in flips]
        rates = [FlipRates(known - count, count, 0, 0, count, known) for count in broken]
        measured = floor(rates, where=f"{old.name}, {attack.name}")
        found[attack.name] = Reseeds(measured.negatives, measured.total, measured.bound)
    return found


def keep_floors(report: Report, previous: Report | None) -> Report:
    """The report with the floors of the previous baseline, where they are over the same examples.

    A floor that the report itself brings is dropped: only a baseline has one.
    """
    before = (
        {} if previous is None else {(case.id, each.name): each for case in previous.cases for each in case.predictions}
    )
    return replace(
        report,
        cases=tuple(
            replace(case, predictions=tuple(_kept(each, before.get((case.id, each.name))) for each in case.predictions))
            if case.predictions
            else case
            for case in report.cases
        ),
    )


def _kept(now: Predictions, old: Predictions | None) -> Predictions:
    same = old is not None and (old.ids == now.ids or set(old.ids) == set(now.ids))
    found = _still(old, now) if same and old is not None else None
    return now if now.floor == found else replace(now, floor=found)


def _still(old: Predictions, now: Predictions) -> Reseeds | None:
    """The floor of old predictions without what was measured under attacks that are made otherwise now."""
    if old.floor is None:
        return None
    flips = flips_between(old, now)
    kept = {
        name: under
        for name, under in old.floor.attacks.items()
        if attack_of(now, name) is not None and not other_design(flips, name)
    }
    return replace(old.floor, attacks=kept)


def _of(case: Case | None, old: Predictions, case_id: str, run: int) -> Predictions:
    found = [] if case is None else [each for each in case.predictions if each.name == old.name]
    if not found:
        raise BaselineError(
            f"run {run} has no predictions {old.name!r:.60} of {case_id:.200}",
            remedy="run it where the suite and the baseline agree: on the default branch, after a refresh",
        )
    return found[0]


def _rates(old: Predictions, new: Predictions) -> FlipRates:
    """Of a retrain against the model of the baseline, over the baseline's examples and by its truth."""
    places: Mapping[str, int] = {name: place for place, name in enumerate(new.ids)}
    gone = sum(name not in places for name in old.ids)
    if gone:
        raise BaselineError(
            f"{gone:,} examples of {old.name!r:.60} were not measured",
            remedy="reseed the training, not the examples: they must be the same in every run",
        )
    order = [places[name] for name in old.ids]
    before, truth, after = (_named(old, old.predicted), _named(old, old.expected), _named(new, new.predicted))
    return class_flips(before, [after[place] for place in order], truth, where=old.name).rates()


def _named(predictions: Predictions, symbols: str) -> list[str | None]:
    return [None if mark == UNKNOWN else predictions.labels[index_of(mark)] for mark in symbols]
