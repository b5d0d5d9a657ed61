"""Flips between two sets of predictions over the same examples, and under the same attacks.

Main's truth counts: a head can't relabel its way out of a flip.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.schema.report import Attack, Predictions
from gate.schema.symbols import SCORE_STEPS, UNKNOWN, score_of, symbol

if TYPE_CHECKING:
    from gate.compare.align import Pair

Places = tuple[tuple[int, int], ...]
"""Examples as (index before, index after)."""
LISTS_ATTACKS = frozenset({"epsilons"})
"""Parts of a design that say which attacks were made and change none of them."""
OF_THE_SEARCH = frozenset({"attack", "budget", "swaps", "search generator"})
"""Parts of a design that decide about the search for the worst case, and about no other attack."""
OF_THE_NOISE = frozenset({"rows", "generator"})
"""Parts of a design that decide about what is drawn row after row, and not about the search, whose rows draw alone."""
GENERATORS = frozenset({"generator", "search generator"})
"""Parts of a design that name what draws, with its version; they change with the gate's own, and with no setting."""
PINNED = "pinned"
"""The part of a design that lists the examples which a test pins, by their ids; it changes no attack."""
OWN_NOISE = "own noise"
"""The part of a design that says how far a random model's answers to the same rows differ; it changes no attack."""
NO_SETTINGS = frozenset({*OF_THE_NOISE, *GENERATORS, PINNED, OWN_NOISE})
"""Parts of a design that are found, or are told of by another rule."""
SEARCH = "worst case "
"""What the names of its attacks begin with."""
_FOREIGN = "?"
"""Stands for a class that main's list lacks; no class has this symbol."""


@dataclass(frozen=True, slots=True)
class Flips:
    """What happened to the examples that stand on both sides.

    Attributes:
        examples: all of them, in main's order.
        negative: right on main, not right here (no answer included).
        positive: not right on main, right here.
        changed: another prediction than on main, the truth known or not.
        right_before, right_here: by place in `examples`, whether the clean prediction is right.
    """

    before: Predictions
    after: Predictions
    examples: Places
    negative: Places
    positive: Places
    changed: Places
    right_before: bytes
    right_here: bytes

    @property
    def total(self) -> int:
        return len(self.examples)


def common_examples(before: Predictions, after: Predictions) -> Places:
    """Index pairs of the examples that stand on both sides, in main's order."""
    if before.ids == after.ids:
        return tuple((place, place) for place in range(len(before.ids)))
    here = {name: place for place, name in enumerate(after.ids)}
    return tuple((place, here[name]) for place, name in enumerate(before.ids) if name in here)


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
    """Compare two sets of predictions, example by example, class by class name."""
    examples = common_examples(before, after)
    table = str.maketrans(_translation(after.labels, before.labels))
    predicted = after.predicted.translate(table)
    noise = _own_noise(before, after)
    negative, positive, changed = [], [], []
    right_before, right_here = bytearray(len(examples)), bytearray(len(examples))
    for place, (old, new) in enumerate(examples):
        was, now, truth = before.predicted[old], predicted[new], before.expected[old]
        if truth != UNKNOWN:
            right_before[place], right_here[place] = was == truth, now == truth
        if was == now or (noise and _change(before.scores[old], after.scores[new]) <= noise):
            continue
        changed.append((old, new))
        if right_before[place]:
            negative.append((old, new))
        elif right_here[place]:
            positive.append((old, new))
    return Flips(
        before,
        after,
        examples,
        tuple(negative),
        tuple(positive),
        tuple(changed),
        bytes(right_before),
        bytes(right_here),
    )


def _own_noise(before: Predictions, after: Predictions) -> float:
    """How far main's model moves an answer by itself; 0 for a deterministic one, and where scores don't tell how far.

    With two classes the scores of both predicted ones say how far an answer moved.
    """
    if OWN_NOISE not in before.design or len(before.labels) != 2 or not (before.scores and after.scores):
        return 0.0
    try:
        return float(json.loads(before.design[OWN_NOISE])) + 1 / SCORE_STEPS
    except (TypeError, ValueError):
        return 0.0


def _change(before: str, after: str) -> float:
    """How far the probability of a class moved that was predicted and is no longer, of two; 1 where none is known."""
    was, now = score_of(before), score_of(after)
    return 1.0 if was is None or now is None else was + now - 1


def relabelled(flips: Flips) -> int:
    """How many examples have another truth here than on main."""
    table = str.maketrans(_translation(flips.after.labels, flips.before.labels))
    expected = flips.after.expected.translate(table)
    return sum(flips.before.expected[old] != expected[new] for old, new in flips.examples)


def unanswered(flips: Flips) -> int:
    """How many examples the model answered on main and not here, but for those that count as negative flips."""
    before, after = flips.before.predicted, flips.after.predicted
    if UNKNOWN not in after:
        return 0
    return sum(
        after[new] == UNKNOWN != before[old] and not flips.right_before[place]
        for place, (old, new) in enumerate(flips.examples)
    )


def other_design(flips: Flips, name: str) -> tuple[str, ...]:
    """Parts of main's design that differ here, so that the attack of the same name is another one; sorted."""
    before, after = flips.before.design, flips.after.design
    keys = {*before, *after} - LISTS_ATTACKS - {PINNED, OWN_NOISE}
    keys -= OF_THE_NOISE if name.startswith(SEARCH) else OF_THE_SEARCH
    return tuple(sorted(key for key in keys if before.get(key) != after.get(key)))


def unpinned(flips: Flips) -> int:
    """How many examples main's test pins and the one here does not."""
    before, after = (set(each.design.get(PINNED, "").split()) for each in (flips.before, flips.after))
    return len(before - after)


def _translation(labels: Sequence[str], onto: Sequence[str]) -> dict[str, str]:
    """Symbols of one list of classes in the other's terms."""
    known = {label: symbol(place) for place, label in enumerate(onto)}
    return {symbol(place): known.get(label, _FOREIGN) for place, label in enumerate(labels)}


def attack_of(predictions: Predictions, name: str) -> Attack | None:
    """The attack of that name, None when it was not made."""
    return next((attack for attack in predictions.attacks if attack.name == name), None)


def attacked(flips: Flips, name: str) -> Places:
    """Examples right and stable under the attack on main, right on clean input here, but flipped by it here."""
    before, after = attack_of(flips.before, name), attack_of(flips.after, name)
    if before is None or after is None or other_design(flips, name):
        return ()
    return tuple(
        (old, new)
        for place, (old, new) in enumerate(flips.examples)
        if after.flipped[new] == "1"
        and before.flipped[old] == "0"
        and flips.right_before[place]
        and flips.right_here[place]
    )


def shaken(flips: Flips, name: str) -> Places:
    """Examples whose truth main does not know, stable under the attack on main, but flipped by it here."""
    before, after = attack_of(flips.before, name), attack_of(flips.after, name)
    if before is None or after is None or other_design(flips, name):
        return ()
    truth = flips.before.expected
    return tuple(
        (old, new)
        for old, new in flips.examples
        if after.flipped[new] == "1" and before.flipped[old] == "0" and truth[old] == UNKNOWN
    )


def unmeasured(flips: Flips, name: str) -> int:
    """How many examples were measured under an attack on main, but not here, where the attack was made at all."""
    before, after = attack_of(flips.before, name), attack_of(flips.after, name)
    if before is None or after is None:
        return 0
    return sum(before.flipped[old] != UNKNOWN and after.flipped[new] == UNKNOWN for old, new in flips.examples)


def robust(flips: Flips, name: str, *, here: bool) -> tuple[int, int]:
    """(right and stable under the attack, measured under it), over the examples that stand on both sides."""
    attack = attack_of(flips.after if here else flips.before, name)
    if attack is None:
        return 0, 0
    right = flips.right_here if here else flips.right_before
    stable = measured = 0
    for place, pair in enumerate(flips.examples):
        mark = attack.flipped[pair[here]]
        measured += mark != UNKNOWN
        stable += mark == "0" and right[place]
    return stable, measured


def stable(flips: Flips, name: str, *, here: bool) -> tuple[int, int]:
    """(stable under the attack, measured under it), over the examples of both sides whose truth main does not know."""
    attack = attack_of(flips.after if here else flips.before, name)
    if attack is None:
        return 0, 0
    marks = [attack.flipped[pair[here]] for pair in flips.examples if flips.before.expected[pair[0]] == UNKNOWN]
    return marks.count("0"), len(marks) - marks.count(UNKNOWN)
