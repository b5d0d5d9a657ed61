"""Facets of a case to and from builtins: what stands in a candidate's `gate` objects and in a baseline's lines.

Pure standard library: the plugin imports this inside the user's own environment.
"""

from __future__ import annotations

from typing import Any

from gate.schema.evidence import Block, BlockKind
from gate.schema.mutation_codec import mutants_from_json, mutants_to_json
from gate.schema.probes_codec import probes_from_json, probes_to_json
from gate.schema.report import Attack, Better, Calls, Case, Metric, Predictions, Reseeds, Session, Trials
from gate.schema.symbols import MAX_LABELS
from gate.schema.untrusted import (
    classes,
    count,
    each,
    flips,
    listed,
    mapping,
    number,
    place,
    refuse,
    scores,
    string,
    truth,
    unique,
)

Json = dict[str, Any]
_FACETS = frozenset(
    {
        "calls",
        "stochastic",
        "fingerprint",
        "marks",
        "trials",
        "metrics",
        "predictions",
        "evidence",
        "mutation",
        "rules",
        "probe",
        "probes",
    }
)
_CALLS = "live", "replayed", "tokens", "money", "saved", "unpriced", "missing"


def facets_to_json(case: Case) -> Json:
    """Every facet but the outcome, as builtins with sorted, omitted-when-empty keys."""
    facets: Json = {}
    if case.stochastic:
        facets["stochastic"] = True
    if case.fingerprint:
        facets["fingerprint"] = case.fingerprint
    if case.calls is not None:
        facets["calls"] = calls_to_json(case.calls)
    if case.marks:
        facets["marks"] = list(case.marks)
    if case.trials is not None:
        facets["trials"] = trials_to_json(case.trials)
    if case.metrics:
        facets["metrics"] = [metric_to_json(metric) for metric in case.metrics]
    if case.predictions:
        facets["predictions"] = [predictions_to_json(predictions) for predictions in case.predictions]
    if case.evidence:
        facets["evidence"] = [_block_to_json(block) for block in case.evidence]
    return facets | mutants_to_json(case.mutation, case.rules) | probes_to_json(case.probe, case.probes)


def trials_to_json(trials: Trials) -> Json | list[Json]:
    """The list of sessions, as the first versions wrote it, where there is nothing else to say."""
    sessions = [
        {"session": session.id, "outcomes": session.outcomes}
        | ({} if session.fixed else {"fixed": False})
        | ({"answers": session.answers, "alike": session.alike} if session.answers else {})
        for session in trials.sessions
    ]
    more: Json = {"asked": dict(sorted(trials.asked.items()))} if trials.asked else {}
    for key in ("errors", "timed_out", "carried", "excerpt", "recorded"):
        if getattr(trials, key):
            more[key] = getattr(trials, key)
    if trials.shared:
        more["shared"] = list(trials.shared)
    return {"sessions": sessions, **more} if more else sessions


def calls_to_json(calls: Calls) -> Json:
    """What is not 0."""
    return {name: value for name in _CALLS if (value := getattr(calls, name))}


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
    if predictions.floor is not None:
        entry["floor"] = _floor_to_json(predictions.floor)
    return entry


def _floor_to_json(floor: Reseeds) -> Json:
    entry: Json = {"negatives": list(floor.negatives), "total": floor.total, "bound": floor.bound}
    if floor.attacks:
        entry["attacks"] = {name: _floor_to_json(floor.attacks[name]) for name in sorted(floor.attacks)}
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
    source = mapping(data, where)
    facets: Json = {key: source[key] for key in ("stochastic", "fingerprint") if key in source}
    truth(facets.get("stochastic", False), f"{where}/stochastic")
    if "fingerprint" in facets:
        facets["fingerprint"] = string(facets["fingerprint"], f"{where}/fingerprint")
    if "calls" in source:
        facets["calls"] = calls_from_json(source["calls"], f"{where}/calls")
    if "marks" in source:
        facets["marks"] = tuple(string(name, f"{where}/marks") for name in listed(source["marks"], f"{where}/marks"))
    if "trials" in source:
        facets["trials"] = _trials(source["trials"], f"{where}/trials")
    if "metrics" in source:
        facets["metrics"] = unique(each(source["metrics"], f"{where}/metrics", _metric), f"{where}/metrics")
    if "predictions" in source:
        where_to = f"{where}/predictions"
        facets["predictions"] = unique(each(source["predictions"], where_to, _predictions), where_to)
    if "evidence" in source:
        facets["evidence"] = tuple(each(source["evidence"], f"{where}/evidence", _block))
    facets |= mutants_from_json(source, where) | probes_from_json(source, where)
    unknown = sorted(set(source) - _FACETS - {"schema", "mode"})
    if unknown:
        refuse(where, f"only {', '.join(sorted(_FACETS))}", unknown[0])
    return facets


def _trials(data: object, where: str) -> Trials:
    if isinstance(data, list):
        return Trials(tuple(each(data, where, _session)))
    entry = mapping(data, where)
    unknown = sorted(
        set(entry) - {"sessions", "asked", "errors", "timed_out", "carried", "excerpt", "shared", "recorded"}
    )
    if unknown:
        refuse(where, "the parts that trials have", unknown[0])
    asked = mapping(entry.get("asked", {}), f"{where}/asked")
    return Trials(
        tuple(each(entry.get("sessions", []), f"{where}/sessions", _session)),
        asked={key: string(value, f"{where}/asked/{key}") for key, value in sorted(asked.items())},
        errors=count(entry.get("errors", 0), f"{where}/errors"),
        timed_out=count(entry.get("timed_out", 0), f"{where}/timed_out"),
        shared=tuple(string(name, f"{where}/shared") for name in listed(entry.get("shared", []), f"{where}/shared")),
        carried=count(entry.get("carried", 0), f"{where}/carried"),
        excerpt=string(entry.get("excerpt", ""), f"{where}/excerpt"),
        recorded=count(entry.get("recorded", 0), f"{where}/recorded"),
    )


def calls_from_json(data: object, where: str) -> Calls:
    entry = mapping(data, where)
    unknown = sorted(set(entry) - set(_CALLS))
    if unknown:
        refuse(where, "the parts that calls have", unknown[0])
    return Calls(
        live=count(entry.get("live", 0), f"{where}/live"),
        replayed=count(entry.get("replayed", 0), f"{where}/replayed"),
        tokens=count(entry.get("tokens", 0), f"{where}/tokens"),
        money=number(entry.get("money", 0.0), f"{where}/money") or 0.0,
        saved=number(entry.get("saved", 0.0), f"{where}/saved") or 0.0,
        unpriced=count(entry.get("unpriced", 0), f"{where}/unpriced"),
        missing=count(entry.get("missing", 0), f"{where}/missing"),
    )


def _session(data: object, where: str) -> Session:
    entry = mapping(data, where)
    outcomes = string(entry.get("outcomes"), f"{where}/outcomes")
    if set(outcomes) - {"0", "1"}:
        refuse(f"{where}/outcomes", "a string of 0 and 1", outcomes[:20])
    fixed = truth(entry.get("fixed", True), f"{where}/fixed")
    answers = string(entry.get("answers", ""), f"{where}/answers")
    alike = count(entry.get("alike", 0), f"{where}/alike")
    return Session(string(entry.get("session", ""), f"{where}/session"), outcomes, fixed, answers, alike)


def _metric(data: object, where: str) -> Metric:
    entry = mapping(data, where)
    better: Better = "lower" if entry.get("better") == "lower" else "higher"
    if entry.get("better", "higher") not in ("higher", "lower"):
        refuse(f"{where}/better", "higher or lower", entry["better"])
    interval = entry.get("interval")
    bounds = None
    if interval is not None:
        low, high = (number(bound, f"{where}/interval") for bound in listed(interval, f"{where}/interval", length=2))
        if low is None or high is None or low > high:
            refuse(f"{where}/interval", "two ordered numbers", interval)
        bounds = (low, high)
    size = entry.get("count")
    tolerance = number(entry.get("tolerance"), f"{where}/tolerance")
    if tolerance is not None and tolerance < 0:
        refuse(f"{where}/tolerance", "a number of at least 0", tolerance)
    value = number(entry.get("value"), f"{where}/value")
    unscored = string(entry.get("unscored", ""), f"{where}/unscored")
    return Metric(
        name=string(entry.get("name"), f"{where}/name"),
        value=value,
        better=better,
        threshold=number(entry.get("threshold"), f"{where}/threshold"),
        tolerance=tolerance,
        interval=bounds,
        count=None if size is None else count(size, f"{where}/count"),
        unscored=unscored if value is None and unscored else ("no reason given" if value is None else ""),
    )


def _predictions(data: object, where: str) -> Predictions:
    entry = mapping(data, where)
    ids = tuple(string(entry.get("ids"), f"{where}/ids").split())
    if len(set(ids)) != len(ids):
        refuse(f"{where}/ids", "ids that stand once each", "a repeated id")
    labels = tuple(string(label, f"{where}/labels") for label in listed(entry.get("labels"), f"{where}/labels"))
    if len(labels) > MAX_LABELS or len(set(labels)) != len(labels):
        refuse(f"{where}/labels", f"at most {MAX_LABELS:,} classes that stand once each", f"{len(labels):,} classes")

    size = len(ids)
    found = each(entry.get("attacks", []), f"{where}/attacks", lambda data, where: _attack(data, where, size))
    design = mapping(entry.get("design", {}), f"{where}/design")
    return Predictions(
        name=string(entry.get("name"), f"{where}/name"),
        ids=ids,
        labels=labels,
        expected=classes(entry, "expected", size, len(labels), where),
        predicted=classes(entry, "predicted", size, len(labels), where),
        scores=scores(entry, size, where),
        attacks=unique(found, f"{where}/attacks"),
        design={key: string(value, f"{where}/design/{key}") for key, value in sorted(design.items())},
        floor=_floor(entry["floor"], f"{where}/floor") if "floor" in entry else None,
    )


def _floor(data: object, where: str, *, outer: bool = True) -> Reseeds:
    entry = mapping(data, where)
    negatives = tuple(
        count(each, f"{where}/negatives") for each in listed(entry.get("negatives"), f"{where}/negatives")
    )
    total, bound = count(entry.get("total"), f"{where}/total"), count(entry.get("bound"), f"{where}/bound")
    if not negatives or not max(negatives) <= bound <= total:
        refuse(where, "a bound from the most negative flips of any retrain to the number of examples", bound)
    attacks = mapping(entry.get("attacks", {}), f"{where}/attacks") if outer else {}
    under = {name: _floor(attacks[name], f"{where}/attacks/{name:.60}", outer=False) for name in sorted(attacks)}
    return Reseeds(negatives, total, bound, under)


def _attack(data: object, where: str, size: int) -> Attack:
    entry = mapping(data, where)
    moves = {
        place(key, size, f"{where}/moves"): string(move, f"{where}/moves/{key:.20}")
        for key, move in mapping(entry.get("moves", {}), f"{where}/moves").items()
    }
    return Attack(
        name=string(entry.get("name"), f"{where}/name"),
        flipped=flips(entry, "flipped", size, where),
        moves=moves,
        scores=scores(entry, size, where),
    )


def _block(data: object, where: str) -> Block:
    entry = mapping(data, where)
    try:
        kind = BlockKind(string(entry.get("kind"), f"{where}/kind"))
    except ValueError:
        refuse(f"{where}/kind", ", ".join(BlockKind), entry.get("kind"))
    rows = listed(entry.get("rows", []), f"{where}/rows")
    return Block(
        kind,
        title=string(entry.get("title", ""), f"{where}/title"),
        body=string(entry.get("body", ""), f"{where}/body"),
        header=tuple(string(cell, f"{where}/header") for cell in listed(entry.get("header", []), f"{where}/header")),
        rows=tuple(tuple(string(cell, f"{where}/rows") for cell in listed(row, f"{where}/rows")) for row in rows),
    )
