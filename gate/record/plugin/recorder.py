"""What every call of the `robustness` fixture shares: where it was made, and where its facets go."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gate.errors import UsageError
from gate.record.plugin import examples, kept_witnesses, sweep_data, sweep_shift, sweeping, values
from gate.record.plugin.sweeping import SweepResult
from gate.schema.codec import metric_to_json, predictions_to_json
from gate.schema.report import Metric, Predictions
from gate.schema.reseed import RESEED

if TYPE_CHECKING:
    import pytest

    from gate.record.plugin.sweep_call import Measured
    from gate.suites.perturbation.keeping import Keeper

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


class Recorder:
    """Keeps what one test measures.

    Args:
        nodeid: of the test.
        facets: where its measurements go.
        local: where what only this machine may know goes.
        left: where its witnesses go.
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

    @property
    def reseed(self) -> int:
        """What to train with: 1, 2, … under `gate baseline floor`, which measures honest retrains; else 0."""
        given = os.environ.get(RESEED, "")
        return int(given) if given.isdecimal() else 0

    def close(self) -> None:
        """The test is over: what comes later would be lost, so it is refused."""
        self._open = False

    def _keeper(self, name: str, names: Sequence[str], where: str) -> Keeper:
        from gate.suites.perturbation.keeping import Keeper

        known = kept_witnesses.stored(self._config, self._nodeid, name, where)
        return Keeper(known, examples.written(names, self._key, where, plain=self._plain), self._key)

    def _swept(self, measured: Measured, threshold: object, pinned: Sequence[object], where: str) -> SweepResult:
        """Record a sweep; then say what was not measured, and which pinned examples did not hold."""
        from gate.suites.perturbation.recorded import RATE_TOLERANCE, metrics_of

        swept, names, keeper = measured.sweep, measured.names, measured.keeper
        pins = sweeping.pinned_ids(pinned, names, where)
        ids = examples.written(names, self._key, where, plain=self._plain)
        recorded = sweeping.predictions(swept, ids, pins, where)
        self._add("predictions", where, predictions_to_json(recorded))
        self._add_inputs(recorded.name, measured.inputs, where)
        self._remember(recorded, names, sweeping.raw_moves(swept))
        limit = None if threshold is None else float(values.number(threshold, where))
        self._add_metrics(metrics_of(swept, threshold=limit, rate_threshold=None), where)
        self._add_metrics(sweep_shift.metrics_of(recorded.name, measured.shifts, RATE_TOLERANCE), where)
        told = {} if keeper is None else sweeping.witnesses_left(keeper, recorded.name, self._left)
        deltas = {step.epsilon: step.noise.maximum for step in swept.steps}
        result = SweepResult(recorded, deltas, swept.floor, told, measured.shifts)
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

    def _add_inputs(self, name: str, digest: str, where: str) -> None:
        """What tells other rows from these, for the fingerprints of the report; nothing where they were not read."""
        if digest:
            self._add("inputs", where, {"name": name, "digest": sweep_data.keyed(digest, self._key)})

    def _add_metrics(self, metrics: Sequence[Metric], where: str) -> None:
        for metric in metrics:
            self._add("metrics", where, metric_to_json(metric))

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
