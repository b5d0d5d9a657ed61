"""What pytest-json-report writes, in every variant that versions and plugins of pytest make of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from gate.ingest.completeness import completeness_of
from gate.ingest.message import first_line, last_error, node_id
from gate.ingest.refuse import mapping_of, refuse, refuse_newer, text_of
from gate.schema.codec import facets_from_json
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Location, Report, Source
from gate.schema.untrusted import MOST

OUTCOMES: Mapping[str, Outcome] = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "error": Outcome.ERROR,
    "skipped": Outcome.SKIPPED,
    "xfailed": Outcome.XFAILED,
    "xpassed": Outcome.XPASSED,
    "rerun": Outcome.RERUN,
    "subtests passed": Outcome.PASSED,
    "subtests failed": Outcome.FAILED,
    "subtests skipped": Outcome.PASSED,
}
"""Words of pytest and its plugins. A test whose last subtest is named by `subtests …` ended with its own call."""

STAGES = ("setup", "call", "teardown", "???")
"""`???` is where pytest-xdist puts the death of a worker."""

CRASH = "crashed while running"


def is_pytest_json(data: Any) -> bool:
    return isinstance(data, dict) and "exitcode" in data and "summary" in data and "root" in data


def read_pytest_json(
    data: dict[str, Any], name: str, *, collected: int | None = None, deselected: int | None = None
) -> Report:
    """Report of a pytest-json-report file. The list of tests in `data` is emptied while it is read.

    Args:
        collected: how many tests were to run, where that is known better than from the summary.
        deselected: how many were deselected, likewise.

    Raises:
        ReportError: a part has a shape that pytest-json-report does not write.
    """
    tests = data.get("tests", [])
    if not isinstance(tests, list):
        refuse(f"{name}: tests", "a list", tests)
    words: Counter[str] = Counter()
    cases = tuple(_cases(tests, name, words))
    root = data["root"]
    return Report(
        cases=cases,
        source=Source(format="pytest-json-report", root=root if isinstance(root, str) else ""),
        completeness=completeness_of(data, cases, name, collected=collected, deselected=deselected, words=words),
    )


def _cases(tests: list[Any], name: str, words: Counter[str]) -> Iterator[Case]:
    """The cases in the order of the file; `words` counts how they ended by the file's own words."""
    paths: dict[str, str] = {}
    for place, test in enumerate(tests):
        tests[place] = None  # frees the raw test: the peak stays below that of plain parsing
        if not isinstance(test, dict) or not isinstance(test.get("nodeid"), str):
            refuse(f"{name}: tests/{place}", "a test with a nodeid", test)
        yield _case(test, name, place, paths)
        words[test["outcome"]] += 1


def _case(test: dict[str, Any], name: str, place: int, paths: dict[str, str]) -> Case:
    word = test.get("outcome")
    outcome = OUTCOMES.get(word) if isinstance(word, str) else None
    if outcome is None:
        refuse(f"{name}: tests/{place}/outcome", "one of " + ", ".join(OUTCOMES), word)
    message = ""
    if outcome.fails or outcome is Outcome.RERUN:
        outcome, message = _ending(test, outcome)
    case_id = node_id(test["nodeid"])
    path = case_id.partition("::")[0]
    line = test.get("lineno")  # from 0
    metadata = test.get("metadata")
    facets: dict[str, Any] = {}
    if isinstance(metadata, dict) and "gate" in metadata:
        facets = _facets(metadata["gate"], f"{name}: tests/{place}/metadata/gate")
    return Case(
        id=case_id,
        outcome=outcome,
        location=Location(paths.setdefault(path, path), line + 1 if type(line) is int and 0 <= line < MOST else None),
        message=message,
        **facets,
    )


def _facets(value: Any, where: str) -> dict[str, Any]:
    ours = dict(mapping_of(value, where))
    refuse_newer(ours, where)
    kind = ours.pop("kind", None)
    facets = facets_from_json(ours, where)
    if kind is not None:
        if kind not in list(Kind):
            refuse(f"{where}/kind", ", ".join(Kind), kind)
        facets["kind"] = Kind(text_of(kind, f"{where}/kind"))
    return facets


def _ending(test: Mapping[str, Any], outcome: Outcome) -> tuple[Outcome, str]:
    """How a test ended that did not simply pass, and the first line of what went wrong.

    A test stays `rerun` in the file when its last attempt passed; when that attempt never came, a stage still holds
    the failed one, and nothing says that the test can pass.
    """
    lost = test.get("???")
    if isinstance(lost, Mapping) and CRASH in (text := _longrepr(lost)):
        return Outcome.CRASHED, first_line(text.strip().rpartition("\n")[2])
    for stage in STAGES:
        details = test.get(stage)
        if isinstance(details, Mapping) and details.get("outcome") in ("failed", "rerun"):
            crash = details.get("crash")
            told = crash.get("message") if isinstance(crash, Mapping) else None
            message = first_line(told if isinstance(told, str) else last_error(_longrepr(details)))
            return (Outcome.FAILED if outcome is Outcome.RERUN else outcome), message
    return outcome, ""


def _longrepr(stage: Mapping[str, Any]) -> str:
    text = stage.get("longrepr")
    return text if isinstance(text, str) else ""
