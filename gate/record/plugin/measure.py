"""What the `robustness` fixture offers: each call becomes one facet of the test's case."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gate.errors import UsageError
from gate.record.plugin import values
from gate.schema.codec import metric_to_json, predictions_to_json
from gate.schema.report import Attack, Better, Metric, Predictions
from gate.schema.symbols import MAX_LABELS, UNKNOWN, score_symbol, symbol

if TYPE_CHECKING:
    import pytest

Facets = dict[str, list[dict[str, Any]]]
_ATTRIBUTE = "_gate_facets"
_KEY_BYTES = 8


def facets_of(item: Any) -> Facets:
    """The facets of a test so far; they live on its item, so that a rerun can start anew."""
    found: Facets | None = getattr(item, _ATTRIBUTE, None)
    if found is None:
        found = {}
        setattr(item, _ATTRIBUTE, found)
    return found


class Robustness:
    """Leaves measurements of one test in the candidate report.

    Every value becomes a builtin or a `UsageError` that names it. Without `--gate-report` the values are still
    checked, and then dropped.
    """

    def __init__(self, nodeid: str, facets: Facets, config: pytest.Config) -> None:
        self._nodeid = nodeid
        self._facets = facets
        key = config.getoption("--gate-key", None) or config.getoption("--gate-suite", "default")
        self._key = str(key).encode("utf-8")[:64]
        self._plain = bool(config.getoption("--gate-plain-ids", False))

    def metric(
        self,
        name: str,
        value: object,
        better: str = "higher",
        threshold: object = None,
        *,
        tolerance: object = None,
        interval: Sequence[object] | None = None,
        count: int | None = None,
        unscored: str = "",
    ) -> None:
        """Record one number.

        Args:
            value: None when it could not be measured; `unscored` says why.
            better: `higher` or `lower`.
            threshold: the value that it must not be worse than. The baseline's decides on a pull request.
            tolerance: the absolute worsening that does not matter; else the rule's own tolerance counts.
            interval: (low, high) of the value.
            count: how many examples it is over.
        """
        where = f"{self._nodeid}: metric {name!r}"
        direction = self._direction(better, where)
        low_high = None
        if interval is not None:
            bounds = [values.number(bound, where) for bound in values.series(interval, where)]
            if len(bounds) != 2 or bounds[0] > bounds[1]:
                raise UsageError("an interval is two ordered numbers", where=where, remedy="give (low, high)")
            low_high = (bounds[0], bounds[1])
        plain = values.optional_number(value, where)
        self._add(
            "metrics",
            metric_to_json(
                Metric(
                    name=self._name(name, where),
                    value=plain,
                    better=direction,
                    threshold=values.optional_number(threshold, where),
                    tolerance=values.optional_number(tolerance, where),
                    interval=low_high,
                    count=None if count is None else int(values.number(count, where)),
                    unscored=(unscored or "the test gave no value") if plain is None else "",
                )
            ),
        )

    def predictions(
        self,
        name: str,
        *,
        ids: Sequence[object],
        expected: Sequence[object],
        predicted: Sequence[object],
        scores: Sequence[object] | None = None,
        attacks: Mapping[str, Sequence[object]] | None = None,
    ) -> Predictions:
        """Record predictions over named examples.

        Args:
            ids: one for each example, unique and stable across runs; they are keyed before they are written.
            expected: the true classes, None where unknown.
            predicted: the predicted classes, None where the model gave no answer.
            scores: probability of the predicted class, for the comment.
            attacks: predicted classes under each attack, by its name.

        Returns:
            What was recorded.
        """
        where = f"{self._nodeid}: predictions {name!r}"
        truth = [values.optional_label(value, where) for value in values.series(expected, where)]
        clean = [values.optional_label(value, where) for value in values.series(predicted, where)]
        names = self._ids(ids, where)
        _same_length(where, ids=len(names), expected=len(truth), predicted=len(clean))
        labels = sorted({value for value in (*truth, *clean) if value is not None})
        if len(labels) > MAX_LABELS:
            raise UsageError(f"{len(labels):,} classes are more than {MAX_LABELS:,}", where=where)
        symbols = {value: symbol(place) for place, value in enumerate(labels)}
        recorded = Predictions(
            name=self._name(name, where),
            ids=self._keyed(names, where),
            labels=tuple(labels),
            expected="".join(UNKNOWN if value is None else symbols[value] for value in truth),
            predicted="".join(UNKNOWN if value is None else symbols[value] for value in clean),
            scores=_scores(scores, len(names), where),
            attacks=tuple(_attack(key, under, clean, where) for key, under in (attacks or {}).items()),
        )
        self._add("predictions", predictions_to_json(recorded))
        return recorded

    def sweep(
        self,
        predict_proba: Any,
        X: Any,  # noqa: N803  the field's own name
        y: Any,
        epsilons: Sequence[float] = (0.01, 0.05, 0.1),
        protected: Sequence[str] = (),
        seed: int = 0,
        *,
        name: str = "sweep",
        ids: Sequence[object] | None = None,
        labels: Sequence[object] | None = None,
        threshold: object = None,
    ) -> Predictions:
        """Perturb every unprotected numeric column with Gaussian noise and record which examples flip.

        Args:
            predict_proba: (n, features) -> (n, classes), or (n,) probabilities of the second class.
            X: a two-dimensional array or a data frame.
            y: the true classes.
            epsilons: noise as a share of each column's standard deviation.
            protected: columns that are never touched.
            seed: of the noise; each (seed, epsilon, column name) has its own generator.
            ids: of the examples; by default the frame's index, else the row numbers.
            labels: the classes in the order of the probabilities; by default the sorted classes of `y`.
            threshold: largest change of a probability (L-infinity over examples and epsilons) that is still stable.

        Returns:
            What was recorded.
        """
        from gate.suites.perturbation.gaussian import sweep

        where = f"{self._nodeid}: sweep {name!r}"
        truth = [values.optional_label(value, where) for value in values.series(y, where)]
        known = None if labels is None else [values.label(value, where) for value in labels]
        swept = sweep(
            predict_proba,
            X,
            truth,
            epsilons=[float(values.number(epsilon, where)) for epsilon in epsilons],
            protected=[str(column) for column in protected],
            seed=int(values.number(seed, where)),
            labels=known,
            where=where,
        )
        names = self._ids(ids if ids is not None else swept.row_names, where)
        _same_length(where, ids=len(names), rows=len(truth))
        recorded = Predictions(
            name=self._name(name, where),
            ids=self._keyed(names, where),
            labels=swept.labels,
            expected=swept.expected,
            predicted=swept.predicted,
            scores=swept.scores,
            attacks=swept.attacks,
            design=swept.design,
        )
        self._add("predictions", predictions_to_json(recorded))
        self.metric(f"{name} max delta", swept.max_delta, better="lower", threshold=threshold, count=len(names))
        return recorded

    def _add(self, facet: str, entry: dict[str, Any]) -> None:
        entries = self._facets.setdefault(facet, [])
        if any(other["name"] == entry["name"] for other in entries):
            raise UsageError(
                f"{entry['name']!r} was recorded already",
                where=f"{self._nodeid}: {facet}",
                remedy="give each of them its own name",
            )
        entries.append(entry)

    def _name(self, name: object, where: str) -> str:
        if not isinstance(name, str) or not name.strip():
            raise UsageError("a name is a text that is not empty", where=where, remedy="name what is measured")
        return name

    def _direction(self, better: str, where: str) -> Better:
        if better == "higher":
            return "higher"
        if better == "lower":
            return "lower"
        raise UsageError(f"better is 'higher' or 'lower', not {better!r:.40}", where=where, remedy="choose one")

    def _ids(self, ids: Sequence[object], where: str) -> list[str]:
        names = [values.label(value, where) for value in values.series(ids, where)]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise UsageError(
                f"the id {twice!r:.60} stands twice", where=where, remedy="give each example an id of its own"
            )
        return names

    def _keyed(self, names: list[str], where: str) -> tuple[str, ...]:
        if self._plain:
            return tuple("_".join(name.split()) or "_" for name in names)
        keys = tuple(keyed(name, self._key) for name in names)
        if len(set(keys)) != len(keys):
            raise UsageError("two ids have one key", where=where, remedy="choose another --gate-key")
        local: dict[str, str] = self._facets.setdefault("_local", {})  # type: ignore[arg-type,assignment]
        local.update(zip(keys, names, strict=True))
        return keys


def keyed(name: str, key: bytes) -> str:
    """Short key of an example: BLAKE2b of its id under a key, 13 characters that no one reads back."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES, key=key).digest()
    return base64.b32encode(digest).decode("ascii").rstrip("=").lower()


def _scores(scores: Sequence[object] | None, count: int, where: str) -> str:
    if scores is None:
        return ""
    plain = [values.optional_number(value, where) for value in values.series(scores, where)]
    _same_length(where, ids=count, scores=len(plain))
    try:
        return "".join(score_symbol(value) for value in plain)
    except ValueError as error:
        raise UsageError(str(error), where=where, remedy="scores are probabilities of the predicted class") from None


def _attack(name: str, under: Sequence[object], clean: list[str | None], where: str) -> Attack:
    place = f"{where}, attack {name!r}"
    labels = [values.optional_label(value, place) for value in values.series(under, place)]
    _same_length(place, ids=len(clean), predicted=len(labels))
    flips = "".join(
        UNKNOWN if now is None or was is None else "01"[now != was] for was, now in zip(clean, labels, strict=True)
    )
    return Attack(name=str(name), flipped=flips)


def _same_length(where: str, **lengths: int) -> None:
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{count:,} {name}" for name, count in lengths.items())
        raise UsageError(f"lengths differ: {told}", where=where, remedy="give one of each for every example")


def as_line(key: str, name: str) -> str:
    """One line of the local table of keys."""
    return json.dumps({"key": key, "id": name}, ensure_ascii=True)
