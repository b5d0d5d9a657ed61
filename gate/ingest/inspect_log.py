"""Logs of Inspect (inspect_ai), as JSON or as the zipped `.eval`: samples, epochs and scores.

A sample's scores become one case a scorer; epochs become its trials. A score of `C` or `I`, true or false, 1 or 0 has
an outcome; any other number is a metric. An error of a sample is no answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from gate.errors import ReportError
from gate.ingest.sampled import Sample, Samples
from gate.schema.report import Case, Completeness, Metric, Report, Source
from gate.schema.untrusted import count, finite, listed, mapping, number, string

VERSION = 2
_PASSES: dict[object, bool | None] = {"C": True, "I": False, "N": False}
"""`N` is no answer, of a model that gave one that could not be read: that is the model's failure."""
_WHOLE = "success"
_SPREAD = 2.77
"""1.96 × √2: how many standard errors two runs of one model lie apart at most 5 % of the time."""
Json = dict[str, Any]


def is_inspect(data: Any) -> bool:
    return isinstance(data, dict) and isinstance(data.get("eval"), dict) and "status" in data and "task" in data["eval"]


def read_inspect(data: Json, name: str) -> Report:
    """Report of a log of Inspect.

    Raises:
        ReportError: a part has another shape, or its version is newer.
    """
    _refuse_newer(data.get("version", 1), f"{name}: version")
    about = mapping(data["eval"], f"{name}: eval")
    task = string(about.get("task"), f"{name}: eval/task")[:200]
    samples, numbers = Samples(), dict[str, list[float]]()
    for place, entry in enumerate(_samples(data, name)):
        _add(samples, numbers, task, mapping(entry, f"{name}: samples/{place}"), f"{name}: samples/{place}")
    if not samples.cases and not numbers:
        _reductions(samples, numbers, task, data, name)
    session = about.get("run_id")
    cases = (
        *samples.as_cases(session if isinstance(session, str) else ""),
        *(_number_case(case_id, values) for case_id, values in numbers.items()),
        *_totals(task, data, name),
    )
    reasons = tuple(_reasons(data, name))
    empty = () if samples.cases or numbers else ("no sample was reported",)
    told = samples.reasons() if samples.cases else empty
    return Report(
        cases=cases,
        source=Source(tool=_tool(about), format="inspect"),
        completeness=Completeness(collected=len(cases), reasons=(*told, *reasons)),
        fingerprints=_fingerprints(about),
    )


def _refuse_newer(version: object, where: str) -> None:
    found = count(version, where)
    if found > VERSION:
        raise ReportError(
            f"version {found} is newer than {VERSION}, which this version reads",
            where=where,
            remedy="upgrade robustness-gate where it compares",
        )


def _samples(data: Json, name: str) -> list[Any]:
    found = data.get("samples")
    return [] if found is None else listed(found, f"{name}: samples")


def _add(samples: Samples, numbers: dict[str, list[float]], task: str, entry: Json, where: str) -> None:
    known = f"{task}/{_id(entry.get('id'), f'{where}/id')}"
    error = entry.get("error")
    if error is not None:
        message = mapping(error, f"{where}/error").get("message")
        samples.add(known, Sample(None, message if isinstance(message, str) else "the sample ended with an error"))
        return
    repeat = _answer(entry), _from_cache(entry)
    scores = mapping(entry.get("scores") or {}, f"{where}/scores")
    if not scores:
        samples.add(known, Sample(None, "the sample has no score"))
    for scorer, score in scores.items():
        _score(
            samples,
            numbers,
            known if len(scores) == 1 else f"{known} · {scorer}"[:400],
            score,
            f"{where}/scores/{scorer}",
            repeat,
        )


def _answer(entry: Json) -> str:
    """Digest of what the model answered; empty where the log does not say."""
    output = entry.get("output")
    told = output.get("choices") if isinstance(output, dict) else None
    if not told:
        return ""
    text = json.dumps(told, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode("ascii", "backslashreplace")).hexdigest()[:12]


def _from_cache(entry: Json) -> bool:
    """Whether every call of a sample was answered by Inspect's own cache, so that nobody was asked."""
    events = entry.get("events")
    every = events if isinstance(events, list) else []
    calls = [each for each in every if isinstance(each, dict) and each.get("event") == "model"]
    return bool(calls) and all(each.get("cache") == "read" for each in calls)


def _score(
    samples: Samples,
    numbers: dict[str, list[float]],
    case_id: str,
    score: object,
    where: str,
    repeat: tuple[str, bool] = ("", False),
) -> None:
    """Add what one scorer says of one sample.

    Args:
        repeat: digest of the answer that it scored, and whether that came from a cache.
    """
    record = mapping(score, where)
    for key, value in _values(record.get("value"), where):
        name = f"{case_id} · {key}" if key else case_id
        if isinstance(value, str):
            passed = _PASSES.get(value)
            if value in _PASSES:
                samples.add(name, Sample(passed, _explained(record, f"scored {value}"), *repeat))
            elif value == "P":
                numbers.setdefault(name, []).append(0.5)
            else:
                samples.add(name, Sample(None, f"the score {value!r:.40} has no meaning here"))
        elif isinstance(value, bool) or value in (0, 1):
            samples.add(name, Sample(bool(value), _explained(record, f"scored {value}"), *repeat))
        elif isinstance(value, int | float) and finite(value):
            numbers.setdefault(name, []).append(float(value))
        else:
            samples.add(name, Sample(None, "the score is no number"))


def _values(value: object, where: str) -> Iterator[tuple[str, object]]:
    """One value, or several by name."""
    if isinstance(value, dict):
        yield from ((str(key)[:100], inner) for key, inner in value.items())
    elif isinstance(value, list):
        yield from ((str(place), inner) for place, inner in enumerate(value))
    else:
        yield "", value


def _explained(record: Json, fallback: str) -> str:
    told = record.get("explanation") or record.get("answer")
    return told if isinstance(told, str) and told.strip() else fallback


def _id(value: object, where: str) -> str:
    if type(value) is int:
        return str(value)
    return string(value, where)[:300]


def _reductions(samples: Samples, numbers: dict[str, list[float]], task: str, data: Json, name: str) -> None:
    """Logs without samples keep what each came to over its epochs."""
    found = data.get("reductions")
    groups = [] if found is None else listed(found, f"{name}: reductions")
    for place, group in enumerate(groups):
        where = f"{name}: reductions/{place}"
        record = mapping(group, where)
        scorer = string(record.get("scorer", ""), f"{where}/scorer")
        for at, each in enumerate(listed(record.get("samples", []), f"{where}/samples")):
            entry = mapping(each, f"{where}/samples/{at}")
            known = f"{task}/{_id(entry.get('sample_id'), f'{where}/samples/{at}/sample_id')}"
            label = known if len(groups) == 1 else f"{known} · {scorer}"[:400]
            _score(samples, numbers, label, entry, f"{where}/samples/{at}")


def _number_case(case_id: str, values: list[float]) -> Case:
    return Case(case_id, metrics=(Metric("score", sum(values) / len(values), count=len(values)),))


def _totals(task: str, data: Json, name: str) -> Iterator[Case]:
    """What Inspect reckoned over all samples. Its standard error says how far two runs of one model may lie apart."""
    results = data.get("results")
    scores = mapping(results, f"{name}: results").get("scores") if results is not None else None
    for place, entry in enumerate([] if scores is None else listed(scores, f"{name}: results/scores")):
        where = f"{name}: results/scores/{place}"
        record = mapping(entry, where)
        metrics = mapping(record.get("metrics", {}), f"{where}/metrics")
        found = {key: mapping(each, f"{where}/metrics/{key}").get("value") for key, each in metrics.items()}
        error = number(found.pop("stderr", None), f"{where}/metrics/stderr/value")
        told = tuple(
            Metric(
                key[:100],
                number(value, f"{where}/metrics/{key}/value"),
                tolerance=None if error is None else _SPREAD * abs(error),
                unscored="" if value is not None else "no value",
            )
            for key, value in found.items()
        )
        if told:
            yield Case(f"{task} · {string(record.get('name', ''), f'{where}/name')[:200]} · all samples", metrics=told)


def _reasons(data: Json, name: str) -> Iterator[str]:
    status = string(data["status"], f"{name}: status")
    if status != _WHOLE:
        error = data.get("error")
        message = error.get("message") if isinstance(error, dict) else None
        yield f"the log says `{status:.40}`" + (f": {message:.200}" if isinstance(message, str) else "")
    results = data.get("results")
    if results is None:
        return
    record = mapping(results, f"{name}: results")
    total = count(record.get("total_samples", 0), f"{name}: results/total_samples")
    done = count(record.get("completed_samples", total), f"{name}: results/completed_samples")
    if done < total:
        yield f"{done:,} of {total:,} samples were completed"


def _tool(about: Json) -> str:
    packages = about.get("packages")
    version = packages.get("inspect_ai") if isinstance(packages, dict) else None
    return f"Inspect {version:.40}" if isinstance(version, str) else "Inspect"


def _fingerprints(about: Json) -> dict[str, str]:
    model = about.get("model")
    return {"model": model[:200]} if isinstance(model, str) else {}
