"""Facets of a case to and from builtins: what stands in a candidate's `gate` objects and in a baseline's lines.

Pure standard library: the plugin imports this inside the user's own environment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from gate.errors import ReportError
from gate.schema.evidence import Block, BlockKind
from gate.schema.report import Attack, Better, Case, Metric, Predictions, Session, Trials
from gate.schema.symbols import UNKNOWN

Json = dict[str, Any]
T = TypeVar("T")
Named = TypeVar("Named", Metric, Predictions)


def facets_to_json(case: Case) -> Json:
    """Every facet but the outcome, as builtins with sorted, omitted-when-empty keys."""
    facets: Json = {}
    if case.stochastic:
        facets["stochastic"] = True
    if case.fingerprint:
        facets["fingerprint"] = case.fingerprint
    if case.trials is not None:
        facets["trials"] = [
            {"session": session.id, "outcomes": session.outcomes} | ({} if session.fixed else {"fixed": False})
            for session in case.trials.sessions
        ]
    if case.metrics:
        facets["metrics"] = [metric_to_json(metric) for metric in case.metrics]
    if case.predictions:
        facets["predictions"] = [predictions_to_json(predictions) for predictions in case.predictions]
    if case.evidence:
        facets["evidence"] = [_block_to_json(block) for block in case.evidence]
    return facets


def metric_to_json(metric: Metric) -> Json:
    entry: Json = {"name": metric.name, "value": metric.value, "better": metric.better}
    for key in ("threshold", "tolerance", "count"):
        value = getattr(metric, key)
        if value is not None:
            entry[key] = value
    if metric.interval is not None:
        entry["interval"] = list(metric.interval)
    if metric.unscored:
        entry["unscored"] = metric.unscored
    return entry


def predictions_to_json(predictions: Predictions) -> Json:
    entry: Json = {
        "name": predictions.name,
        "labels": list(predictions.labels),
        "ids": " ".join(predictions.ids),
        "expected": predictions.expected,
        "predicted": predictions.predicted,
    }
    if predictions.scores:
        entry["scores"] = predictions.scores
    if predictions.design:
        entry["design"] = dict(sorted(predictions.design.items()))
    if predictions.attacks:
        entry["attacks"] = [_attack_to_json(attack) for attack in predictions.attacks]
    return entry


def _attack_to_json(attack: Attack) -> Json:
    entry: Json = {"name": attack.name, "flipped": attack.flipped}
    if attack.scores:
        entry["scores"] = attack.scores
    if attack.moves:
        entry["moves"] = {str(index): attack.moves[index] for index in sorted(attack.moves)}
    return entry


def _block_to_json(block: Block) -> Json:
    entry: Json = {"kind": block.kind.value}
    for key in ("title", "body"):
        if getattr(block, key):
            entry[key] = getattr(block, key)
    if block.header:
        entry["header"] = list(block.header)
    if block.rows:
        entry["rows"] = [list(row) for row in block.rows]
    return entry


def facets_from_json(data: object, where: str) -> Json:
    """Keyword arguments for `Case` from what `facets_to_json` wrote.

    Args:
        data: untrusted JSON.
        where: file and position for the error.

    Raises:
        ReportError: a facet has a shape that no version of this schema has.
    """
    source = _mapping(data, where)
    known = {"stochastic", "fingerprint", "trials", "metrics", "predictions", "evidence"}
    facets: Json = {key: source[key] for key in ("stochastic", "fingerprint") if key in source}
    if not isinstance(facets.get("stochastic", False), bool):
        _refuse(f"{where}/stochastic", "true or false", facets["stochastic"])
    if "fingerprint" in facets:
        facets["fingerprint"] = _string(facets["fingerprint"], f"{where}/fingerprint")
    if "trials" in source:
        facets["trials"] = Trials(tuple(_each(source["trials"], f"{where}/trials", _session)))
    if "metrics" in source:
        facets["metrics"] = _unique(_each(source["metrics"], f"{where}/metrics", _metric), f"{where}/metrics")
    if "predictions" in source:
        where_to = f"{where}/predictions"
        facets["predictions"] = _unique(_each(source["predictions"], where_to, _predictions), where_to)
    if "evidence" in source:
        facets["evidence"] = tuple(_each(source["evidence"], f"{where}/evidence", _block))
    unknown = sorted(set(source) - known - {"schema", "mode"})
    if unknown:
        _refuse(where, f"only {', '.join(sorted(known))}", unknown[0])
    return facets


def _session(data: object, where: str) -> Session:
    entry = _mapping(data, where)
    outcomes = _string(entry.get("outcomes"), f"{where}/outcomes")
    if set(outcomes) - {"0", "1"}:
        _refuse(f"{where}/outcomes", "a string of 0 and 1", outcomes[:20])
    return Session(_string(entry.get("session", ""), f"{where}/session"), outcomes, entry.get("fixed", True) is True)


def _metric(data: object, where: str) -> Metric:
    entry = _mapping(data, where)
    better: Better = "lower" if entry.get("better") == "lower" else "higher"
    if entry.get("better", "higher") not in ("higher", "lower"):
        _refuse(f"{where}/better", "higher or lower", entry["better"])
    interval = entry.get("interval")
    bounds = None
    if interval is not None:
        low, high = (_number(bound, f"{where}/interval") for bound in _list(interval, f"{where}/interval", length=2))
        if low is None or high is None or low > high:
            _refuse(f"{where}/interval", "two ordered numbers", interval)
        bounds = (low, high)
    count = _number(entry.get("count"), f"{where}/count")
    value = _number(entry.get("value"), f"{where}/value")
    unscored = _string(entry.get("unscored", ""), f"{where}/unscored")
    return Metric(
        name=_string(entry.get("name"), f"{where}/name"),
        value=value,
        better=better,
        threshold=_number(entry.get("threshold"), f"{where}/threshold"),
        tolerance=_number(entry.get("tolerance"), f"{where}/tolerance"),
        interval=bounds,
        count=None if count is None else int(count),
        unscored=unscored if value is None and unscored else ("no reason given" if value is None else ""),
    )


def _predictions(data: object, where: str) -> Predictions:
    entry = _mapping(data, where)
    ids = tuple(_string(entry.get("ids"), f"{where}/ids").split())
    if len(set(ids)) != len(ids):
        _refuse(f"{where}/ids", "ids that stand once each", "a repeated id")
    expected = _series(entry, "expected", len(ids), where)
    labels = tuple(_string(label, f"{where}/labels") for label in _list(entry.get("labels"), f"{where}/labels"))
    design = _mapping(entry.get("design", {}), f"{where}/design")
    return Predictions(
        name=_string(entry.get("name"), f"{where}/name"),
        ids=ids,
        labels=labels,
        expected=expected,
        predicted=_series(entry, "predicted", len(ids), where),
        scores=_series(entry, "scores", len(ids), where, optional=True),
        attacks=tuple(
            _attack(attack, f"{where}/attacks/{place}", len(ids))
            for place, attack in enumerate(_list(entry.get("attacks", []), f"{where}/attacks"))
        ),
        design={key: _string(value, f"{where}/design/{key}") for key, value in sorted(design.items())},
    )


def _attack(data: object, where: str, count: int) -> Attack:
    entry = _mapping(data, where)
    flipped = _series(entry, "flipped", count, where)
    if set(flipped) - {"0", "1", UNKNOWN}:
        _refuse(f"{where}/flipped", "a string of 0, 1 and .", flipped[:20])
    moves: dict[int, str] = {}
    for key, move in _mapping(entry.get("moves", {}), f"{where}/moves").items():
        if not key.isdecimal() or int(key) >= count:
            _refuse(f"{where}/moves", f"an index below {count}", key)
        moves[int(key)] = _string(move, f"{where}/moves/{key}")
    name = _string(entry.get("name"), f"{where}/name")
    return Attack(name, flipped, moves, _series(entry, "scores", count, where, optional=True))


def _block(data: object, where: str) -> Block:
    entry = _mapping(data, where)
    try:
        kind = BlockKind(_string(entry.get("kind"), f"{where}/kind"))
    except ValueError:
        _refuse(f"{where}/kind", ", ".join(BlockKind), entry.get("kind"))
    rows = _list(entry.get("rows", []), f"{where}/rows")
    return Block(
        kind,
        title=_string(entry.get("title", ""), f"{where}/title"),
        body=_string(entry.get("body", ""), f"{where}/body"),
        header=tuple(_string(cell, f"{where}/header") for cell in _list(entry.get("header", []), f"{where}/header")),
        rows=tuple(tuple(_string(cell, f"{where}/rows") for cell in _list(row, f"{where}/rows")) for row in rows),
    )


def _series(entry: Json, key: str, count: int, where: str, *, optional: bool = False) -> str:
    if optional and key not in entry:
        return ""
    series = _string(entry.get(key), f"{where}/{key}")
    if len(series) != count:
        _refuse(f"{where}/{key}", f"{count} characters, one for each id", f"{len(series)} characters")
    return series


def _each(data: object, where: str, read: Callable[[object, str], T]) -> list[T]:
    return [read(entry, f"{where}/{place}") for place, entry in enumerate(_list(data, where))]


def _unique(entries: list[Named], where: str) -> tuple[Named, ...]:
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            _refuse(where, "names that stand once each", name)
    return tuple(entries)


def _mapping(data: object, where: str) -> Json:
    if not isinstance(data, Mapping):
        _refuse(where, "an object", data)
    return dict(data)


def _list(data: object, where: str, length: int | None = None) -> list[Any]:
    if not isinstance(data, list) or (length is not None and len(data) != length):
        _refuse(where, "a list" if length is None else f"a list of {length}", data)
    return data


def _string(data: object, where: str) -> str:
    if not isinstance(data, str):
        _refuse(where, "a string", data)
    return data


def _number(data: object, where: str) -> float | None:
    if data is None:
        return None
    if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(data):
        _refuse(where, "a finite number or null", data)
    return data


def _refuse(where: str, expected: str, found: object) -> NoReturn:
    shown = repr(found)
    raise ReportError(
        f"expected {expected}, found {shown if len(shown) <= 60 else shown[:57] + '...'}",
        where=where,
        remedy="write the report again with the same version of robustness-gate",
    )
