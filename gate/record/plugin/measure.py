"""What the `robustness` fixture offers: each call becomes one facet of the test's case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gate.errors import UsageError
from gate.record.plugin import examples, values
from gate.record.plugin.examples import keyed
from gate.record.plugin.sweeping import SweepResult, inputs_of
from gate.schema.codec import metric_to_json, predictions_to_json
from gate.schema.report import Better, Metric, Predictions

if TYPE_CHECKING:
    import pytest

__all__ = ["Robustness", "facets_of", "keyed", "local_of"]

Facets = dict[str, list[dict[str, Any]]]
Local = dict[str, dict[str, Any]]
_FACETS = "_gate_measured"
_LOCAL = "_gate_local_names"
DELTA_TOLERANCE = 0.05


def facets_of(item: Any) -> Facets:
    """The facets of a test so far; they live on its item, so that a rerun can start anew."""
    found: Facets = item.__dict__.setdefault(_FACETS, {})
    return found


def local_of(item: Any) -> Local:
    """What only this machine may know of the test's examples, by key."""
    found: Local = item.__dict__.setdefault(_LOCAL, {})
    return found


class Robustness:
    """Leaves measurements of one test in the candidate report.

    Every value becomes a builtin or a `UsageError` that names it. Without `--gate-report` the values are still
    checked, and then dropped.
    """

    def __init__(self, nodeid: str, facets: Facets, config: pytest.Config, local: Local | None = None) -> None:
        self._nodeid = nodeid
        self._facets = facets
        self._local = {} if local is None else local
        self._keeps_local = bool(config.getoption("--gate-local", None))
        self._key = examples.key_of(config)
        self._plain = bool(config.getoption("--gate-plain-ids", False))
        self._open = True

    def close(self) -> None:
        """The test is over: what comes later would be lost, so it is refused."""
        self._open = False

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
        where = self._where("metric", name)
        plain = values.optional_number(value, where)
        size = values.not_negative(count, where)
        self._add(
            "metrics",
            where,
            metric_to_json(
                Metric(
                    name=self._name(name, where),
                    value=plain,
                    better=_direction(better, where),
                    threshold=values.optional_number(threshold, where),
                    tolerance=values.not_negative(tolerance, where),
                    interval=_interval(interval, where),
                    count=None if size is None else values.whole(size, where),
                    unscored=values.text(unscored or "the test gave no value") if plain is None else "",
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
        where = self._where("predictions", name)
        if attacks is not None and not isinstance(attacks, Mapping):
            raise UsageError("attacks is no mapping", where=where, remedy="give {name of the attack: predicted}")
        named = {self._name(attack, where): values.series(under, where) for attack, under in (attacks or {}).items()}
        truth, clean = values.series(expected, where), values.series(predicted, where)
        names = examples.identifiers(ids, where)
        examples.same_length(where, ids=len(names), expected=len(truth), predicted=len(clean))
        for attack, under in named.items():
            examples.same_length(f"{where}, attack {attack!r:.60}", ids=len(names), predicted=len(under))
        (told, said, *attacked), labels, _ = values.classes(where, truth, clean, *named.values())
        symbols = examples.symbols_of(labels, where)
        recorded = Predictions(
            name=self._name(name, where),
            ids=examples.written(names, self._key, where, plain=self._plain),
            labels=tuple(labels),
            expected=examples.column(told, symbols),
            predicted=examples.column(said, symbols),
            scores=examples.scores_of(scores, len(names), where),
            attacks=tuple(examples.attack(each, said, under) for each, under in zip(named, attacked, strict=True)),
        )
        self._add("predictions", where, predictions_to_json(recorded))
        self._remember(recorded, names, {})
        return recorded

    def sweep(  # noqa: PLR0913  the field's own parameters, named in every call
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
        feature_names: Sequence[str] | None = None,
        threshold: object = None,
    ) -> SweepResult:
        """Perturb every unprotected numeric column with Gaussian noise and record which examples flip.

        The metric `NAME/max_delta` is recorded too: the largest change of any class's probability (L-infinity) over
        all examples and epsilons, lower is better; .05 more than on main is declared harmless, since any retrained
        model moves it a little.

        Args:
            predict_proba: (n, features) -> (n, classes), or (n,) or (n, 1) probabilities of the second class.
            X: a two-dimensional array or a pandas data frame; it is never changed.
            y: the n true classes, None where unknown.
            epsilons: noise as a share of each column's (population) standard deviation.
            protected: columns that are never touched (`0`, `1`, … for an array without `feature_names`).
            seed: of the noise; each (seed, epsilon, column name) has its own generator.
            ids: of the examples; by default the frame's index, else the row numbers.
            labels: the classes in the order of the probabilities; by default the model's `classes_` where
                `predict_proba` is its method, else the sorted classes of `y`.
            feature_names: names of an array's columns.
            threshold: the `max_delta` that is still stable.

        Returns:
            What was recorded, to assert on.
        """
        from gate.suites.perturbation.gaussian import sweep

        where = self._where("sweep", name)
        given = inputs_of(predict_proba, y, labels, where)
        swept = sweep(
            predict_proba,
            X,
            given.truth,
            epsilons=[float(values.number(epsilon, where)) for epsilon in values.series(epsilons, where)],
            protected=[protected] if isinstance(protected, str) else [str(column) for column in protected],
            seed=values.whole(seed, where),
            labels=given.labels,
            numeric=given.numeric,
            feature_names=feature_names,
            where=where,
        )
        names = examples.identifiers(ids if ids is not None else swept.row_names, where)
        examples.same_length(where, ids=len(names), rows=len(swept.expected))
        recorded = Predictions(
            name=self._name(name, where),
            ids=examples.written(names, self._key, where, plain=self._plain),
            labels=swept.labels,
            expected=swept.expected,
            predicted=swept.predicted,
            scores=swept.scores,
            attacks=swept.attacks,
            design=swept.design,
        )
        result = SweepResult(recorded, swept.deltas)
        self._add("predictions", where, predictions_to_json(recorded))
        self._remember(recorded, names, swept.raw_moves)
        unscored = "" if result.max_delta is not None else "the model gave no probability"
        self.metric(
            f"{recorded.name}/max_delta",
            result.max_delta,
            "lower",
            threshold,
            tolerance=DELTA_TOLERANCE,
            count=len(names),
            unscored=unscored,
        )
        return result

    def _where(self, what: str, name: object) -> str:
        where = f"{self._nodeid}: {what} {name!r:.60}"
        if not self._open:
            raise UsageError(
                "`robustness` was used after its test had ended",
                where=where,
                remedy="ask for the fixture in the test, or in a fixture of function scope, that measures",
            )
        return where

    def _add(self, facet: str, where: str, entry: dict[str, Any]) -> None:
        entries = self._facets.setdefault(facet, [])
        if any(other["name"] == entry["name"] for other in entries):
            raise UsageError(
                f"{entry['name']!r:.60} was recorded already", where=where, remedy="give each of them its own name"
            )
        entries.append(entry)

    def _remember(self, recorded: Predictions, names: Sequence[str], moves: Mapping[str, Mapping[int, str]]) -> None:
        """What the keys stand for, and the moves in the user's own units: for a local file, never for the report."""
        if not self._keeps_local:
            return
        for place, (key, name) in enumerate(zip(recorded.ids, names, strict=True)):
            entry = self._local.setdefault(key, {"id": name})
            told = {f"{recorded.name}, {attack}": rows[place] for attack, rows in moves.items() if place in rows}
            if told:
                entry.setdefault("moves", {}).update(told)

    def _name(self, name: object, where: str) -> str:
        if not isinstance(name, str) or not name.strip():
            raise UsageError("a name is a text that is not empty", where=where, remedy="name what is measured")
        return values.text(name)


def _direction(better: str, where: str) -> Better:
    if better == "higher":
        return "higher"
    if better == "lower":
        return "lower"
    raise UsageError(f"better is 'higher' or 'lower', not {better!r:.40}", where=where, remedy="choose one")


def _interval(interval: Sequence[object] | None, where: str) -> tuple[float, float] | None:
    if interval is None:
        return None
    bounds = [values.number(bound, where) for bound in values.series(interval, where)]
    if len(bounds) != 2 or bounds[0] > bounds[1]:
        raise UsageError("an interval is two ordered numbers", where=where, remedy="give (low, high)")
    return bounds[0], bounds[1]
