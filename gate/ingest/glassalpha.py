"""Results of GlassAlpha's stability testing: the largest change of a prediction under noise, by ε, and its status."""

from __future__ import annotations

from typing import Any

from gate.schema.outcome import Outcome
from gate.schema.report import Case, Completeness, Metric, Report, Source
from gate.schema.untrusted import count, mapping, number, refuse, string

KEY = "stability_analysis"
_STATUSES = {"PASS": Outcome.PASSED, "WARNING": Outcome.PASSED, "FAIL": Outcome.FAILED}
Json = dict[str, Any]


def is_glassalpha(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    inner = data.get(KEY)
    return isinstance(inner, dict) or {"robustness_score", "per_epsilon_deltas"} <= data.keys()


def read_glassalpha(data: Json, name: str) -> Report:
    """Report with one case, `stability`: the robustness score (lower is better) and the largest change at each ε.

    Its threshold is the one that the file names. Its score is the maximum over one draw of noise, so two runs with
    another seed differ; the file's own status says whether it passed.

    Raises:
        ReportError: a part has another shape; a score that is no number is no measurement.
    """
    inner = data.get(KEY)
    record, where = (mapping(inner, f"{name}: {KEY}"), f"{name}: {KEY}") if inner is not None else (data, name)
    source = Source(tool="GlassAlpha", format="glassalpha")
    if "error" in record or "robustness_score" not in record:
        told = record.get("error")
        why = f": {told:.200}" if isinstance(told, str) else ""
        case = Case("stability", outcome=Outcome.SKIPPED, message=f"not measured{why}")
        return Report(
            (case,), source=source, completeness=Completeness(collected=1, reasons=(f"the sweep failed{why}",))
        )
    threshold = number(record.get("threshold"), f"{where}/threshold")
    size = record.get("n_samples")
    rows = None if size is None else count(size, f"{where}/n_samples")
    score = _metric("robustness score", record["robustness_score"], f"{where}/robustness_score", rows, threshold)
    deltas = mapping(record.get("per_epsilon_deltas", {}), f"{where}/per_epsilon_deltas")
    metrics = [
        _metric(f"largest change at ε = {key}"[:100], value, f"{where}/per_epsilon_deltas/{key}", rows, None)
        for key, value in deltas.items()
    ]
    unscored = [each.name for each in (score, *metrics) if each.value is None]
    case = Case("stability", outcome=_outcome(record, where), metrics=(score, *metrics))
    reasons = (f"not measured: {', '.join(unscored)[:200]}",) if unscored else ()
    return Report((case,), source=source, completeness=Completeness(collected=1, reasons=reasons))


def _outcome(record: Json, where: str) -> Outcome | None:
    status = record.get("gate_status")
    if status is None:
        return None
    word = string(status, f"{where}/gate_status")
    if word not in _STATUSES:
        refuse(f"{where}/gate_status", ", ".join(_STATUSES), word)
    return _STATUSES[word]


def _metric(name: str, value: object, where: str, rows: int | None, threshold: float | None) -> Metric:
    found = number(value, where)
    return Metric(
        name, found, better="lower", threshold=threshold, count=rows, unscored="" if found is not None else "no value"
    )
