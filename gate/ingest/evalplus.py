"""What EvalPlus writes as `…_eval_results.json`: for each task the samples under the base tests and under more of them.

Two forms are read: lists of `[status, details]` for all samples of a task, and from 0.3 a record for each sample.
"""

from __future__ import annotations

from typing import Any

from gate.ingest.sampled import Sample, Samples
from gate.schema.report import Completeness, Report, Source
from gate.schema.untrusted import count, listed, mapping, refuse, string

_PASSES = {"success": True, "pass": True, "failed": False, "fail": False, "timeout": False}
_SUITES = ("base", "plus")
Json = dict[str, Any]


def is_evalplus(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and isinstance(data.get("eval"), dict)
        and "status" not in data
        and "task" not in data["eval"]
    )


def read_evalplus(data: Json, name: str) -> Report:
    """Report of a file of EvalPlus; `HumanEval/0 (plus)` is the task with the additional tests.

    Raises:
        ReportError: a part has another shape.
    """
    samples, reasons = Samples(), list[str]()
    for task, entry in mapping(data["eval"], f"{name}: eval").items():
        where = f"{name}: eval/{task:.80}"
        if isinstance(entry, list):
            _records(samples, task, entry, where)
        else:
            record = mapping(entry, where)
            reasons += _lists(samples, task, record, where)
    digest = data.get("hash")
    return Report(
        cases=samples.as_cases(""),
        source=Source(tool="EvalPlus", format="evalplus"),
        completeness=Completeness(collected=len(samples.cases), reasons=(*samples.reasons(), *reasons)),
        fingerprints={"data": digest[:100]} if isinstance(digest, str) else {},
    )


def _lists(samples: Samples, task: str, record: Json, where: str) -> list[str]:
    asked = count(record.get("nfiles", 0), f"{where}/nfiles")
    lost = []
    for suite in _SUITES:
        found = record.get(suite)
        if found is None:  # only the base tests were run
            continue
        results = listed(found, f"{where}/{suite}")
        for place, result in enumerate(results):
            pair = listed(result, f"{where}/{suite}/{place}")
            samples.add(f"{task} ({suite})", _sample(pair[0] if pair else None, f"{where}/{suite}/{place}/0"))
        if results and len(results) < asked:
            lost.append(f"{task:.80} ({suite}): {len(results)} of {asked} samples were evaluated")
    return lost


def _records(samples: Samples, task: str, entries: list[Any], where: str) -> None:
    for place, entry in enumerate(entries):
        record = mapping(entry, f"{where}/{place}")
        for suite in _SUITES:
            status = record.get(f"{suite}_status")
            if status is None:
                if suite == "base":
                    refuse(f"{where}/{place}/base_status", "a status", status)
                continue
            samples.add(f"{task} ({suite})", _sample(status, f"{where}/{place}/{suite}_status"))


def _sample(status: object, where: str) -> Sample:
    word = string(status, where)
    if word not in _PASSES:
        refuse(where, ", ".join(_PASSES), word)
    return Sample(_PASSES[word], "" if _PASSES[word] else word)
