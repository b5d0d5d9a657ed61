"""What the `robustness` fixture offers: each call becomes one facet of the test's case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gate.errors import UsageError
from gate.record.plugin import examples, kept_witnesses, sweep_call, sweeping, values
from gate.record.plugin.examples import keyed
from gate.record.plugin.sweep_call import Call
from gate.record.plugin.sweeping import SweepResult
from gate.schema.codec import metric_to_json, predictions_to_json
from gate.schema.report import Better, Metric, Predictions

if TYPE_CHECKING:
    import pytest

    from gate.suites.perturbation.keeping import Keeper
    from gate.suites.perturbation.measured import Sweep

__all__ = ["Robustness", "facets_of", "keyed", "local_of"]

Facets = dict[str, list[dict[str, Any]]]
Local = dict[str, dict[str, Any]]
_FACETS = "_gate_measured"
_LOCAL = "_gate_local_names"


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

    def __init__(
        self,
        nodeid: str,
        facets: Facets,
        config: pytest.Config,
        local: Local | None = None,
        left: kept_witnesses.Left | None = None,
    ) -> None:
        self._nodeid = nodeid
        self._config = config
        self._left = {} if left is None else left
        self._facets = facets
        self._local = {} if local is None else local
        self._reports = bool(config.getoption("--gate-report", None))
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
        model: Any,
        X: Any,  # noqa: N803  the field's own name
        y: Any = None,
        epsilons: Sequence[float] = (0.01, 0.05, 0.1),
        protected: Sequence[str] = (),
        seed: int = 0,
        *,
        name: str = "sweep",
        ids: Sequence[object] | None = None,
        labels: Sequence[object] | None = None,
        feature_names: Sequence[str] | None = None,
        threshold: object = None,
        kind: str | None = None,
        worst_case: bool = False,
        budget: int = 150,
        swaps: int = 0,
        perturbations: Any = ("gaussian",),
        schema: Mapping[str, Mapping[str, object]] | None = None,
        relations: Sequence[str] = (),
        aliases: Mapping[str, str | Sequence[str]] | None = None,
        scale: str = "sd",
        rows: int | None = None,
        tolerance: float = 0.1,
        draws: int | None = 1,
        pinned: Sequence[object] = (),
    ) -> SweepResult:
        """Perturb every unprotected column within its type and range, and record which examples flip.

        The metric `NAME/max_delta` is recorded too: the largest change of any answer over all examples and epsilons,
        lower is better; .05 more than on main is declared harmless, since any retrained model moves it a little. So
        are, for each epsilon, the robust accuracy and the attack success rate with Wilson's interval.

        Args:
            model: an estimator, a pipeline, one of their methods, an ONNX file, an address, or any callable from rows
                to probabilities, classes or values. One fraction a row is the probability of the second of two classes,
                or a value where `y` holds fractions.
            X: a two-dimensional array or a pandas, polars or Arrow frame; it is never changed.
            y: the n true classes or values, None where unknown.
            epsilons: noise as a share of each column's scale.
            protected: attributes that are never touched, nor the columns that encode them (`0`, `1`, … for an array
                without `feature_names`).
            seed: of noise, search and sample; each (seed, epsilon, column name) has its own generator.
            ids: of the examples; by default the frame's index, else the row numbers.
            labels: the classes in the order of the probabilities; by default the model's `classes_`, else the sorted
                classes of `y`.
            feature_names: names of an array's columns.
            threshold: the `max_delta` that is still stable.
            kind: `probabilities`, `labels` or `values`, where the answer does not tell.
            worst_case: also search for a flip of every row inside each epsilon; it asks about 150 times a row.
            budget: queries a row of that search.
            swaps: how many categories the search may swap at once.
            perturbations: further ones beside the noise, by name; or a mapping from names to strengths.
            schema: by column what is to be known of it instead of what is inferred.
            relations: what must hold between columns, such as `a <= b`.
            aliases: by protected attribute other names that it goes by.
            scale: `sd`, the standard deviation (population), or `mad`.
            rows: most rows that are swept; above it a seeded sample, stratified by class.
            tolerance: for values, how many standard deviations of the target are no flip.
            draws: of noise at each epsilon, whose median counts; None for as many as `gate sweep` makes.
            pinned: ids in which no flip is allowed: one of them that flips, or is wrong, fails the test.

        Returns:
            What was recorded, to assert on.

        Raises:
            UsageError: an argument that can't be.
            UndecidedError: something was not measured; what was measured is recorded first.
        """
        from gate.suites.perturbation.audit_config import SweepConfig

        where = self._where("sweep", name)
        config = SweepConfig(
            path="",
            protected=(protected,) if isinstance(protected, str) else tuple(str(column) for column in protected),
            relations=tuple(relations),
            kind=kind or "",
            name=self._name(name, where),
            epsilons=tuple(float(values.number(epsilon, where)) for epsilon in values.series(epsilons, where)),
            seed=values.whole(seed, where),
            scale=scale,
            worst_case=worst_case,
            budget=values.whole(budget, where),
            swaps=values.whole(swaps, where),
            tolerance=float(values.number(tolerance, where)),
            columns=schema or {},
        )
        call = Call(
            sweep_call.checked(config, where), model, X, y, labels, ids, feature_names, aliases,
            None if rows is None else values.whole(rows, where), draws, perturbations, where,
        )  # fmt: skip
        with sweeping.private(self._reports, where):
            swept, names, keeper = sweep_call.measured(call, lambda names: self._keeper(config.name, names, where))
        return self._swept(swept, names, keeper, threshold, pinned, where)

    def _keeper(self, name: str, names: Sequence[str], where: str) -> Keeper:
        from gate.suites.perturbation.keeping import Keeper

        known = kept_witnesses.stored(self._config, self._nodeid, name, where)
        return Keeper(known, examples.written(names, self._key, where, plain=self._plain), self._key)

    def _swept(
        self,
        swept: Sweep,
        names: Sequence[str],
        keeper: Keeper | None,
        threshold: object,
        pinned: Sequence[object],
        where: str,
    ) -> SweepResult:
        """Record a sweep; then say what was not measured, and which pinned examples did not hold."""
        from gate.suites.perturbation.recorded import metrics_of

        recorded = sweeping.predictions(swept, examples.written(names, self._key, where, plain=self._plain), where)
        pins = sweeping.pinned_ids(pinned, names, where)
        self._add("predictions", where, predictions_to_json(recorded))
        self._remember(recorded, names, sweeping.raw_moves(swept))
        limit = None if threshold is None else float(values.number(threshold, where))
        for metric in metrics_of(swept, threshold=limit, rate_threshold=None):
            self._add("metrics", where, metric_to_json(metric))
        told = {} if keeper is None else sweeping.witnesses_left(keeper, recorded.name, self._left)
        result = SweepResult(recorded, {step.epsilon: step.noise.maximum for step in swept.steps}, swept.floor, told)
        sweeping.refuse_unmeasured(swept, where, private=self._reports)
        sweeping.hold_pinned(recorded, [recorded.ids[place] for place in pins], where)
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
