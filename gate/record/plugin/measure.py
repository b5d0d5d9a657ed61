"""What the `robustness` fixture offers: each call becomes one facet of the test's case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Any

from gate.errors import UsageError
from gate.record.plugin import examples, sweep_call, sweep_data, sweeping, text_sweeping, values
from gate.record.plugin.discretion import discreet
from gate.record.plugin.examples import keyed
from gate.record.plugin.recorder import Recorder, facets_of, local_of
from gate.record.plugin.sweep_call import Call
from gate.record.plugin.sweeping import SweepResult
from gate.record.plugin.text_sweeping import TextCall, TextSweepResult
from gate.record.recordings.scope import judged_by
from gate.schema.codec import metric_to_json, predictions_to_json
from gate.schema.report import Better, Metric, Predictions

__all__ = ["Robustness", "facets_of", "keyed", "local_of"]


class Robustness(Recorder):
    """Leaves measurements of one test in the candidate report.

    Every value becomes a builtin or a `UsageError` that names it. Without `--gate-report` the values are still
    checked, and then dropped.
    """

    @discreet
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

    @discreet
    def judge(self, name: str, version: str = "", prompt: str = "") -> AbstractContextManager[None]:
        """Say who judges the answers of this test, so that another judge is told from other answers.

        Args:
            name: of the judge, stable across runs.
            version: of its model, or of the judge's own code.
            prompt: the whole text of what it is asked; only a digest of it is written.

        Returns:
            What makes the calls within a `with` block be the judge's own, so that stored answers can be judged again.
        """
        where = self._where("judge", name)
        parts = (name, version, prompt)
        if not all(isinstance(each, str) for each in parts):
            raise UsageError("a judge is told of by texts", where=where, remedy="give version and prompt as text")
        digest = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        named = self._name(name, where)
        self._add("judges", where, {"name": named, "digest": digest})
        return judged_by(named)

    @discreet
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

    @discreet
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
        shifts: Sequence[str] = (),
        shift_threshold: object = None,
        threads: int = 0,
        time_limit: float = 0.0,
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
            shifts: other mixes of groups, such as `sex=female:+0.1`; each leaves metrics of how much worse they are.
            shift_threshold: the degradation that is still stable.
            threads: batches that a thread-safe model is asked about at once, 0 for one a core; they change no result.
            time_limit: seconds after which the sweep ends with what was covered, and fails; 0 for none.

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
            protected=sweep_call.texts(protected, f"{where}, protected"),
            relations=sweep_call.texts(relations, f"{where}, relations"),
            kind=kind or "",
            name=self._name(name, where),
            epsilons=tuple(float(values.number(epsilon, where)) for epsilon in values.series(epsilons, where)),
            seed=values.whole(seed, where),
            scale=scale,
            worst_case=worst_case,
            budget=values.whole(budget, where),
            swaps=values.whole(swaps, where),
            tolerance=float(values.number(tolerance, where)),
            columns=sweep_call.mapping(schema, f"{where}, schema"),
            aliases=sweep_call.aliases(aliases, f"{where}, aliases"),
            time_limit=float(values.number(time_limit, where)),
            threads=values.whole(threads, where),
        )
        call = Call(
            sweep_call.checked(config, where), model, X, y, labels, ids, feature_names,
            None if rows is None else values.whole(rows, where),
            None if draws is None else sweep_call.at_least_one(draws, f"{where}, draws"), perturbations,
            sweep_call.texts(shifts, f"{where}, shifts"),
            None if shift_threshold is None else float(values.number(shift_threshold, where)), where,
        )  # fmt: skip
        with sweeping.private(self._reports, where):
            measured = sweep_call.measured(call, lambda names: self._keeper(config.name, names, where))
        return self._swept(measured, threshold, pinned, where)

    @discreet
    def text_sweep(  # noqa: PLR0913  the field's own parameters, named in every call
        self,
        predict: Any,
        texts: Sequence[str],
        y: Sequence[object] | None = None,
        operators: Any = None,
        seed: int = 0,
        *,
        name: str = "texts",
        ids: Sequence[object] | None = None,
        labels: Sequence[object] | None = None,
        tolerance: object = None,
        strength: float | None = None,
        draws: int = 1,
        characters: int | None = None,
        words: int | None = None,
        share: float | None = None,
        floor: float | None = None,
        similarity: Callable[[str, str], float] | None = None,
    ) -> TextSweepResult:
        """Edit every text by each operator, and record which answers flip.

        An operator that keeps the meaning is an attack; one that nearly does is one above a similarity that you set;
        one that changes it is a test of sensitivity, which never gates. Each leaves a metric, its rate.

        Args:
            predict: n texts -> n classes, (n, classes) probabilities, or n probabilities of the second of two.
            texts: n texts, never changed and never written.
            y: the n true classes, None where unknown.
            operators: names, families or operators of your own; None for all that keep the meaning.
            seed: of the edits; each (seed, operator, strength, text) has its own.
            ids: of the examples; by default their numbers.
            labels: the classes in the order of the probabilities.
            tolerance: the absolute worsening of a rate that does not matter; else the rule's own counts.
            strength: share of the possible places that are edited; None for each operator's own.
            draws: edits of each text by each operator.
            characters, words, share: the most that an edit may move a text, see docs/text.md.
            floor: similarity from which a nearly preserving edit counts; without one it never gates.
            similarity: of two texts, 0 to 1; by default of their characters.

        Returns:
            What was recorded, to assert on.

        Raises:
            UsageError: an argument that can't be.
            UndecidedError: the model raised on an operator's edits; what was measured is recorded first.
        """
        where = self._where("text_sweep", name)
        call = TextCall(
            predict, texts, y, operators, labels, values.whole(seed, where), strength, values.whole(draws, where),
            (characters, words, share), floor, similarity, where,
        )  # fmt: skip
        swept = text_sweeping.measured(call)
        names = examples.identifiers(ids if ids is not None else swept.row_names, where)
        examples.same_length(where, ids=len(names), texts=len(swept.expected))
        recorded = text_sweeping.predictions(
            swept, self._name(name, where), examples.written(names, self._key, where, plain=self._plain)
        )
        self._add("predictions", where, predictions_to_json(recorded))
        self._add_inputs(recorded.name, sweep_data.of_texts(texts, names), where)
        self._remember(recorded, names, swept.raw_moves)
        allowed = values.not_negative(tolerance, where)
        self._add_metrics(swept.metrics(recorded.name, tolerance=allowed), where)
        text_sweeping.refuse_unmeasured(swept, where, private=self._reports)
        return text_sweeping.result_of(swept, recorded)


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
