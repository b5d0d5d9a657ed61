"""A sweep as a candidate report, which `gate compare` reads and `gate ci` joins (setting `reports`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.schema.report import SCHEMA_VERSION, Kind, Predictions

if TYPE_CHECKING:
    from gate.suites.perturbation.measured import Sweep


class Options:
    """What the keys of ids are made of, where no pytest was started."""

    def __init__(self, suite: str) -> None:
        self._suite = suite

    def getoption(self, name: str, default: Any = None) -> Any:
        return self._suite if name == "--gate-suite" else default


def candidate(found: Sweep, ids: Sequence[object], config_path: Path) -> bytes:
    """The file, in the shape of pytest-json-report with the gate's part; ids are keyed, and no value of a row is in it.

    Args:
        ids: names of the rows that were swept.
        config_path: of the configuration, which is where the case stands.
    """
    from gate import __version__
    from gate.cli.files import commit_here, local_settings
    from gate.record.plugin.examples import fingerprint_of_key
    from gate.record.plugin.output import encode

    settings = local_settings(Path.cwd())
    options: Any = Options(settings.suite)
    passed = found.status in ("PASS", "WARNING")
    word = "passed" if passed else "failed" if found.status == "FAIL" else "error"
    test: dict[str, Any] = {
        "nodeid": case_of(config_path, found.config.name),
        "outcome": word,
        "metadata": {"gate": {"schema": SCHEMA_VERSION, "kind": Kind.SWEEP.value, **_facets(found, ids, options)}},
    }
    if not passed:
        test["call"] = {"outcome": "failed", "crash": {"message": _message(found)}}
    return encode(
        {
            "created": 0,
            "duration": 0,
            "exitcode": 0 if passed else 1,
            "root": "",
            "environment": {},
            "summary": {word: 1, "total": 1, "collected": 1},
            "tests": [test],
            "gate": {
                "schema": SCHEMA_VERSION,
                "suite": settings.suite,
                "mode": "live",
                "source": {"commit": commit_here(Path.cwd(), os.environ), "tool": f"robustness-gate {__version__}"},
                "fingerprints": fingerprint_of_key(options),
                "completeness": {"collected": 1, "deselected": 0},
            },
        }
    )


def _facets(found: Sweep, ids: Sequence[object], options: Any) -> dict[str, Any]:
    from gate.record.plugin import examples, sweeping
    from gate.schema.codec import metric_to_json, predictions_to_json
    from gate.suites.perturbation.recorded import metrics_of

    limit, score = found.config.threshold, found.config.judge == "score"
    measured = metrics_of(found, threshold=limit if score else None, rate_threshold=None if score else limit)
    facets: dict[str, Any] = {"metrics": [metric_to_json(each) for each in measured]}
    if found.labels:
        where = found.config.name
        names = examples.identifiers(list(ids), where)
        written = examples.written(names, examples.key_of(options), where, plain=False)
        recorded = Predictions(
            name=found.config.name,
            ids=written,
            labels=found.labels,
            expected=found.expected,
            predicted=found.predicted,
            scores=found.scores,
            attacks=found.attacks,
            design={**found.design, "rows": sweeping.rows_digest(written)},
        )
        facets["predictions"] = [predictions_to_json(recorded)]
    return facets


def _message(found: Sweep) -> str:
    if found.errors:
        from gate.record.plugin.sweeping import without_texts

        return f"not measured: {without_texts(found.errors)[0]}"
    return f"{found.status}: threshold {found.config.threshold:g}, score {found.score:.3f}"


def case_of(path: Path, name: str) -> str:
    """Id of the case of a sweep."""
    return f"{_shown(path)}::{name}"


def _shown(path: Path) -> str:
    """Relative to the working folder where it lies below it, so that ids do not depend on the machine."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.name
