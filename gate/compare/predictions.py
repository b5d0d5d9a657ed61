"""Flips between two sets of predictions over the same examples, and under the same attacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gate.compare.align import Pair
from gate.compare.comparison import Rule
from gate.schema.report import Attack, Case, Predictions
from gate.schema.symbols import UNKNOWN, index_of, score_of
from gate.schema.verdict import ExampleChange, Finding

SHOWN = 10


@dataclass(frozen=True, slots=True)
class Words:
    """The cells of a finding over examples."""

    what: str
    after: str
    why: str = ""
    before: str = "–"


@dataclass(frozen=True, slots=True)
class Flips:
    """Examples that stand on both sides, as (index before, index after), by what happened to them."""

    before: Predictions
    after: Predictions
    examples: tuple[tuple[int, int], ...]
    negative: tuple[tuple[int, int], ...]
    positive: tuple[tuple[int, int], ...]
    changed: tuple[tuple[int, int], ...]

    @property
    def total(self) -> int:
        return len(self.examples)


def common_examples(before: Predictions, after: Predictions) -> list[tuple[int, int]]:
    """Index pairs of the examples that stand on both sides, in main's order."""
    if before.ids == after.ids:
        return [(place, place) for place in range(len(before.ids))]
    here = {name: place for place, name in enumerate(after.ids)}
    return [(place, here[name]) for place, name in enumerate(before.ids) if name in here]


def paired_predictions(pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Flips]]:
    """Flips of every named set of predictions that stands on both sides."""
    for pair in pairs:
        if not pair.before.predictions or not pair.after.predictions:
            continue
        here = {predictions.name: predictions for predictions in pair.after.predictions}
        for before in pair.before.predictions:
            if before.name in here:
                yield pair, flips_between(before, here[before.name])


def flips_between(before: Predictions, after: Predictions) -> Flips:
    """Compare two sets of predictions. Main's truth counts: a head can't relabel its way out of a flip."""
    examples = common_examples(before, after)
    translate = _translation(after.labels, before.labels)
    negative, positive, changed = [], [], []
    for old, new in examples:
        was, now, truth = before.predicted[old], translate.get(after.predicted[new], "?"), before.expected[old]
        if was == now:
            continue
        changed.append((old, new))
        if truth == UNKNOWN:
            continue
        if was == truth:
            negative.append((old, new))
        elif now == truth:
            positive.append((old, new))
    return Flips(before, after, tuple(examples), tuple(negative), tuple(positive), tuple(changed))


def _translation(labels: Sequence[str], onto: Sequence[str]) -> dict[str, str]:
    """Symbols of one alphabet of classes in the other's terms; a class that the other lacks is `?`."""
    from gate.schema.symbols import symbol

    known = {label: symbol(place) for place, label in enumerate(onto)}
    table = {symbol(place): known.get(label, "?") for place, label in enumerate(labels)}
    table[UNKNOWN] = UNKNOWN
    return table


def attacked(flips: Flips, name: str) -> tuple[tuple[int, int], ...]:
    """Examples right and stable under the attack on main, right on clean input here, but flipped by it here."""
    before, after = _attack(flips.before, name), _attack(flips.after, name)
    if before is None or after is None:
        return ()
    wrong = {new for _, new in flips.changed}
    return tuple(
        (old, new)
        for old, new in flips.examples
        if flips.before.predicted[old] == flips.before.expected[old] != UNKNOWN
        and before.flipped[old] == "0"
        and new not in wrong
        and after.flipped[new] == "1"
    )


def robust_accuracy(flips: Flips, name: str, *, here: bool) -> str:
    """Share of the examples that are right and stable under an attack, `97.0 % (941/970)`."""
    side = flips.after if here else flips.before
    attack = _attack(side, name)
    if attack is None:
        return "not measured"
    wrong = {new for _, new in flips.changed} if here else set()
    gained = {new for _, new in flips.positive}
    robust = measured = 0
    for old, new in flips.examples:
        place = new if here else old
        if attack.flipped[place] == UNKNOWN:
            continue
        measured += 1
        was_right = flips.before.predicted[old] == flips.before.expected[old] != UNKNOWN
        right = (new in gained) or (was_right and new not in wrong) if here else was_right
        robust += right and attack.flipped[place] == "0"
    return f"{robust / measured:.1%} ({robust:,}/{measured:,})" if measured else "not measured"


def _attack(predictions: Predictions, name: str) -> Attack | None:
    return next((attack for attack in predictions.attacks if attack.name == name), None)


def flip_finding(
    rule: Rule,
    case: Case,
    flips: Flips,
    chosen: Sequence[tuple[int, int]],
    words: Words,
    *,
    attack: str = "",
) -> Finding:
    """A finding over examples: all are counted, the worst few are shown."""
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=f"{case.id}#{flips.before.name}{'#' + attack if attack else ''}",
        subject=flips.before.name,
        what=words.what,
        before=words.before,
        after=words.after,
        why=words.why,
        amount=len(chosen),
        total=flips.total,
        location=case.location,
        examples=tuple(_example(flips, pair, attack) for pair in _worst(flips, chosen, attack)),
    )


def _worst(flips: Flips, chosen: Sequence[tuple[int, int]], attack: str) -> list[tuple[int, int]]:
    """The few whose score moved most, then in the order of the data set."""

    def rank(pair: tuple[int, int]) -> tuple[float, int]:
        change = _example(flips, pair, attack)
        moved = (change.score_before or 0.0) + (change.score_after or 0.0)
        return (-moved, pair[0])

    return sorted(chosen, key=rank)[:SHOWN] if len(chosen) <= 20_000 else list(chosen[:SHOWN])


def _example(flips: Flips, pair: tuple[int, int], attack_name: str) -> ExampleChange:
    old, new = pair
    before, after = flips.before, flips.after
    attack = _attack(after, attack_name) if attack_name else None
    label_before, label_after = _label(before, before.predicted[old]), _label(after, after.predicted[new])
    scores = attack.scores if attack is not None else after.scores
    if attack is not None:
        label_after = "flipped"
    return ExampleChange(
        id=before.ids[old],
        before=label_before,
        after=label_after,
        moved=attack.moves.get(new, attack.name) if attack is not None else "clean input",
        score_before=score_of(before.scores[old]) if before.scores else None,
        score_after=score_of(scores[new]) if scores else None,
    )


def _label(predictions: Predictions, character: str) -> str:
    index = index_of(character)
    return predictions.labels[index] if 0 <= index < len(predictions.labels) else "no answer"
