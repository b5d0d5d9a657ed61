"""What a sweep leaves: in the report, for the test's own assertions, and as failures of the test."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.errors import GateError, UndecidedError, UsageError
from gate.record.plugin import values
from gate.record.plugin.kept_witnesses import text_of
from gate.schema.report import Attack, Predictions

if TYPE_CHECKING:
    from gate.suites.perturbation.keeping import Keeper
    from gate.suites.perturbation.measured import Sweep
    from gate.suites.perturbation.tabular.shift import ShiftResult

_BY_HAND = "run the test without --gate-report to read the causes; what was measured is recorded"
_CAUSE = re.compile(r"((?:row \d+:?|every row:) \w+):.*", re.S)


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a sweep recorded, for the test's own assertions.

    Attributes:
        predictions: what stands in the report.
        deltas: for each ε the largest change of an answer: of any class's probability, 0 or 1 for classes, in standard
            deviations of the target for values. None where the model gave no number.
        floor: what the model does by itself, one sentence; empty for a deterministic one.
        witnesses: how many stored ones were tried, flipped again, and could not be tried, by these words.
        shifts: by the text of each shift its `status`, `baseline`, `shifted`, `degradation` and `violations`.
    """

    predictions: Predictions
    deltas: Mapping[float, float | None]
    floor: str = ""
    witnesses: Mapping[str, int] = field(default_factory=dict)
    shifts: Mapping[str, ShiftResult] = field(default_factory=dict)

    @property
    def max_delta(self) -> float | None:
        """The largest change over all ε; None without any."""
        return max((delta for delta in self.deltas.values() if delta is not None), default=None)

    @property
    def accuracy(self) -> float | None:
        """Share of the examples with a known class that are right without noise; None without any."""
        return self._share(None)

    def robust_accuracy(self, epsilon: float, under: str = "gaussian") -> float | None:
        """Share of the examples that are right and that nothing flips: noise, or `worst case`.

        Of those with a known class that were measured under the attack; one on the cut-off was not.
        """
        return self._share(self._attack(epsilon, under).flipped)

    def attack_success(self, epsilon: float, under: str = "gaussian") -> float | None:
        """Share of the right examples that are flipped; None without any."""
        expected, predicted = self.predictions.expected, self.predictions.predicted
        marks = self._attack(epsilon, under).flipped
        right = [mark for truth, answer, mark in zip(expected, predicted, marks, strict=True) if truth == answer != "."]
        known = len(right) - right.count(".")
        return right.count("1") / known if known else None

    def _attack(self, epsilon: float, under: str) -> Attack:
        chosen = [attack for attack in self.predictions.attacks if attack.name.startswith(f"{under} ε=")]
        if not chosen or epsilon not in self.deltas:
            known = ", ".join(attack.name for attack in self.predictions.attacks)
            raise UsageError(f"there is no attack `{under} ε={epsilon:g}`", remedy=f"choose one of {known}")
        return chosen[sorted(self.deltas).index(epsilon)]

    def _share(self, flipped: str | None) -> float | None:
        expected, predicted = self.predictions.expected, self.predictions.predicted
        marks = flipped if flipped is not None else "0" * len(expected)
        known = [
            truth == answer and mark == "0"
            for truth, answer, mark in zip(expected, predicted, marks, strict=True)
            if truth != "." != mark
        ]
        return sum(known) / len(known) if known else None


def raw_moves(found: Sweep) -> dict[str, Mapping[int, str]]:
    """By attack and row how the first flipped rows moved, in the user's own units; never for a report."""
    from gate.suites.perturbation.recorded import short

    told: dict[str, Mapping[int, str]] = {f"gaussian ε={short(each.epsilon)}": each.raw for each in found.noise}
    told |= {f"worst case ε={short(step.epsilon)}": step.worst.raw for step in found.steps if step.worst is not None}
    return told | {each.name: each.raw for each in found.others}


@contextlib.contextmanager
def private(reports: bool, where: str) -> Iterator[None]:
    """What a model raised on every row, by its kind only where a report is written: its text may hold a value.

    Raises:
        UndecidedError: the model raised, so that nothing was measured.
    """
    try:
        yield
    except UsageError as error:
        cause = error.__cause__
        if not reports or cause is None or isinstance(cause, GateError):
            raise
        told = f"not measured: the model raised {type(cause).__name__}"
        raise UndecidedError(told, where=where, remedy=_BY_HAND) from None


def predictions(found: Sweep, ids: tuple[str, ...], pins: Sequence[int], where: str) -> Predictions:
    """What stands in the report; its design says by a digest which rows drew noise, since each draws after the last.

    Args:
        pins: places of the pinned examples, whose keyed ids stand in the design so that a dropped one is missed.

    Raises:
        UsageError: more classes than a report has symbols for.
    """
    if not found.labels:
        remedy = "sweep a model of fewer classes"
        raise UsageError(f"{len(ids):,} examples have too many classes", where=where, remedy=remedy)
    return Predictions(
        name=found.config.name,
        ids=ids,
        labels=found.labels,
        expected=found.expected,
        predicted=found.predicted,
        scores=found.scores,
        attacks=found.attacks,
        design={**found.design, "rows": rows_digest(ids), **_pinned(sorted({ids[place] for place in pins}))},
    )


def _pinned(ids: Sequence[str]) -> dict[str, str]:
    return {"pinned": " ".join(ids)} if ids else {}


def rows_digest(ids: Iterable[str]) -> str:
    """Which rows there are, in any order, of their keyed ids."""
    told = "\n".join(sorted(ids)).encode("utf-8", "surrogatepass")
    return json.dumps(hashlib.blake2b(told, digest_size=8).hexdigest())


def witnesses_left(keeper: Keeper, name: str, left: dict[str, str]) -> dict[str, int]:
    """Put what is to be kept where the report finds it, and say what became of the stored ones."""
    left[name] = text_of(keeper)
    told = {"tried": keeper.queries, "flipped": keeper.flipped, "stale": sum(keeper.stale.values())}
    return told if keeper.stored else {}


def pinned_ids(pinned: Sequence[object], names: Sequence[str], where: str) -> list[int]:
    """Places of the pinned examples.

    Raises:
        UsageError: an example that was not swept, so that nobody can say that it holds.
    """
    places = {name: place for place, name in enumerate(names)}
    wanted = [values.identifier(each, where) for each in values.series(pinned, where)]
    gone = [each for each in wanted if each not in places]
    if gone:
        remedy = "pin ids that `ids` (or the frame's index) holds; a sample by `rows` may leave one out"
        raise UsageError(f"{len(gone):,} pinned examples were not swept", where=where, remedy=remedy)
    return [places[each] for each in wanted]


def without_texts(errors: Sequence[str]) -> list[str]:
    """What was not measured, each with the kind of what the model raised, whose text may hold a value of a row."""
    return list(dict.fromkeys(_CAUSE.sub(r"\1", error) for error in errors))


def refuse_unmeasured(found: Sweep, where: str, *, private: bool) -> None:
    """Fail the test where something was not measured; the rest stands in the report by then.

    Args:
        private: whether causes are told by their kind only, since the text of an error may hold a value of the row.

    Raises:
        UndecidedError: something failed.
    """
    told = without_texts(found.errors) if private else list(dict.fromkeys(found.errors))
    if told:
        more = f", and {len(told) - 3:,} more" if len(told) > 3 else ""
        raise UndecidedError(f"not measured: {'; '.join(told[:3])}{more}", where=where, remedy=_BY_HAND)


def hold_pinned(recorded: Predictions, ids: Sequence[str], where: str) -> None:
    """Fail the test where a pinned example is wrong or flipped; keyed, and without the lines that name it.

    Raises:
        pytest.fail.Exception: one did not hold.
    """
    place = {key: at for at, key in enumerate(recorded.ids)}
    broken = [f"{key} ({cause})" for key in ids if (cause := _broken(recorded, place[key]))]
    if broken:
        import pytest

        pytest.fail(f"{where}: pinned examples did not hold: {', '.join(broken)}", pytrace=False)


def _broken(recorded: Predictions, place: int) -> str:
    """What became of an example that must hold; empty where it held."""
    if recorded.expected[place] not in (".", recorded.predicted[place]):
        return "wrong as it is"
    if recorded.predicted[place] == ".":
        return "no answer"
    return next((attack.name for attack in recorded.attacks if attack.flipped[place] == "1"), "")
