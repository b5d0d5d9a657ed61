"""What promptfoo writes with `--output results.json`: a result for each test, prompt, provider and repeat.

The id of a case is made of what the author called the test (else of its variables), of the provider, and of the
prompt's label, so that it stays when the text of the prompt changes.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from gate.errors import ReportError
from gate.ingest.sampled import Sample, Samples, told_apart
from gate.schema.report import Completeness, Report, Source
from gate.schema.untrusted import count, listed, mapping, refuse, string, truth

VERSIONS = (1, 2, 3)
"""Of the results. 1 and 2 are those of before 2024, with the same fields as far as they are read here."""
_ERROR = 2
"""`failureReason` of a result that was no answer: the provider failed."""
Json = dict[str, Any]


def is_promptfoo(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    inner = data.get("results")
    return isinstance(inner, dict) and "results" in inner and ("stats" in inner or "evalId" in data)


def read_promptfoo(data: Json, name: str) -> Report:
    """Report of a file of promptfoo.

    Raises:
        ReportError: a part has another shape, or the version of the results is newer.
    """
    where = f"{name}: results"
    inner = mapping(data["results"], where)
    _refuse_newer(inner.get("version", VERSIONS[-1]), f"{where}/version")
    entries = [
        mapping(each, f"{where}/results/{at}") for at, each in enumerate(listed(inner["results"], f"{where}/results"))
    ]
    tests = _tests(entries, f"{where}/results")
    samples = Samples()
    for place, entry in enumerate(entries):
        at = f"{where}/results/{place}"
        samples.add(
            f"{tests[_test_of(entry, place)]} · {_provider(entry, at)} · {_prompt(entry, at)}", _sample(entry, at)
        )
    session = data.get("evalId")
    return Report(
        cases=samples.as_cases(session if isinstance(session, str) else ""),
        source=Source(tool=_tool(data), format="promptfoo"),
        completeness=Completeness(
            collected=len(samples.cases), reasons=(*samples.reasons(), *_lost(inner.get("stats"), len(entries), where))
        ),
    )


def _refuse_newer(version: object, where: str) -> None:
    number = count(version, where)
    if number > VERSIONS[-1]:
        raise ReportError(
            f"results of version {number} are newer than {VERSIONS[-1]}, which this version reads",
            where=where,
            remedy="upgrade robustness-gate where it compares",
        )


def _test_of(entry: Json, place: int) -> int:
    """Which test a result is of; the first versions have no number, so every result is one of its own variables."""
    found = entry.get("testIdx")
    return found if type(found) is int and found >= 0 else -1 - place


def _tests(entries: list[Json], where: str) -> dict[int, str]:
    """What each test is called: its description, else its variables; where several are called alike, with a number."""
    names: dict[int, str] = {}
    numbered: dict[int, str] = {}
    for place, entry in enumerate(entries):
        test = mapping(entry.get("testCase", {}), f"{where}/{place}/testCase")
        described = test.get("description")
        variables = entry.get("vars", test.get("vars", {}))
        name = described if isinstance(described, str) and described.strip() else f"vars {_digest(variables)}"
        number = _test_of(entry, place)
        (numbered if number >= 0 else names).setdefault(number, " ".join(name.split())[:200])
    return {**names, **told_apart(numbered)}


def _provider(entry: Json, where: str) -> str:
    found = entry.get("provider")
    if isinstance(found, str):
        return found[:200]
    record = mapping(found, f"{where}/provider")
    label = record.get("label") or record.get("id")
    return string(label, f"{where}/provider/id")[:200]


def _prompt(entry: Json, where: str) -> str:
    """The label that the author gave; promptfoo's own begins with the file, or is the whole text."""
    prompt = mapping(entry.get("prompt", {}), f"{where}/prompt")
    label, raw = prompt.get("label"), prompt.get("raw")
    number = entry.get("promptIdx")
    fallback = f"prompt {number}" if type(number) is int else "prompt"
    if not isinstance(label, str) or not label.strip() or label == raw:
        return fallback
    first, colon, rest = label.partition(": ")
    if colon and isinstance(raw, str) and rest and (raw.startswith(rest[:40]) or len(rest) > 80):
        return f"{fallback} {first[:120]}" if type(number) is int else first[:120]
    return fallback if len(label) > 120 or "\n" in label or "{{" in label else label


def _sample(entry: Json, where: str) -> Sample:
    reason = entry.get("failureReason")
    error = entry.get("error")
    message = error if isinstance(error, str) else ""
    graded = entry.get("gradingResult")
    failed = reason == _ERROR or (reason is None and bool(message) and not isinstance(graded, dict))
    response = entry.get("response")
    answer = mapping(response, f"{where}/response") if response is not None else {}
    if (
        not isinstance(response, dict)
        and not isinstance(graded, dict)
        and not truth(entry.get("success"), f"{where}/success")
    ):
        failed = True
    passed = None if failed else truth(entry.get("success"), f"{where}/success")
    return Sample(
        passed, message, _digest(answer.get("output")) if "output" in answer else "", answer.get("cached") is True
    )


def _digest(value: object) -> str:
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        refuse("vars", "plain values", type(value).__name__)
    return hashlib.sha256(text.encode("ascii", "backslashreplace")).hexdigest()[:12]


def _tool(data: Json) -> str:
    about = data.get("metadata")
    version = about.get("promptfooVersion") if isinstance(about, dict) else None
    return f"promptfoo {version:.40}" if isinstance(version, str) else "promptfoo"


def _lost(stats: object, found: int, where: str) -> tuple[str, ...]:
    """The statistics count results that the file does not hold where it was cut or the run was stopped."""
    if stats is None:
        return ("the file has no statistics: the run was stopped",)
    record = mapping(stats, f"{where}/stats")
    told = sum(count(record.get(key, 0), f"{where}/stats/{key}") for key in ("successes", "failures", "errors"))
    return (f"the statistics count {told:,} results, the file holds {found:,}",) if told != found else ()
