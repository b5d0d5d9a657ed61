"""What pytest-json-report writes, and our candidate, which is the same with a `gate` object at two places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, cast, get_args

from gate.errors import ReportError
from gate.ingest.text import NotFinite
from gate.schema.codec import facets_from_json
from gate.schema.outcome import Outcome
from gate.schema.report import SCHEMA_VERSION, Case, Completeness, Kind, Location, Mode, Report, Source

OUTCOMES = {
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

ENDINGS = {
    2: "interrupted, or collection failed (exit code 2)",
    3: "pytest had an internal error (exit code 3)",
    4: "pytest was called wrongly (exit code 4)",
    5: "no tests were collected (exit code 5)",
}
MESSAGE_LENGTH = 300


def is_pytest_json(data: Any) -> bool:
    return isinstance(data, dict) and "exitcode" in data and "summary" in data and "root" in data


def read_pytest_json(data: dict[str, Any], name: str) -> Report:
    """Report of a pytest-json-report file or of a candidate.

    Raises:
        ReportError: a part has a shape that neither writes, or the schema is newer.
    """
    ours = data.get("gate", {})
    if not isinstance(ours, Mapping):
        _refuse(f"{name}: gate", "an object", ours)
    _refuse_newer(ours, f"{name}: gate")
    root = data["root"] if isinstance(data["root"], str) else ""
    cases = _cases(data.get("tests", []), name, root)
    return Report(
        cases=cases,
        suite=_text(ours.get("suite", "default"), f"{name}: gate/suite"),
        source=_source(ours, name, root, is_ours=bool(ours)),
        mode=_mode(ours.get("mode", "live"), name),
        completeness=_completeness(data, cases, ours, name),
        fingerprints=_texts(ours.get("fingerprints", {}), f"{name}: gate/fingerprints"),
    )


def _cases(tests: Any, name: str, root: str) -> tuple[Case, ...]:
    if not isinstance(tests, list):
        _refuse(f"{name}: tests", "a list", tests)
    cases = []
    for place, test in enumerate(tests):
        try:
            cases.append(_case(test, name, place, root))
        except (KeyError, TypeError, AttributeError):
            _refuse(f"{name}: tests/{place}", "a test with nodeid and outcome", test)
        tests[place] = None  # frees the raw test: the peak stays near that of plain parsing
    return tuple(cases)


def _case(test: dict[str, Any], name: str, place: int, root: str) -> Case:
    word = test["outcome"]
    outcome = OUTCOMES.get(word)
    if outcome is None:
        _refuse(f"{name}: tests/{place}/outcome", "one of " + ", ".join(OUTCOMES), word)
    case_id = node_id(test["nodeid"])
    lineno = test.get("lineno")
    line = lineno + 1 if isinstance(lineno, int) else None
    location = Location(case_id.partition("::")[0], line)
    metadata = test.get("metadata")
    facets: dict[str, Any] = {}
    if metadata is not None and isinstance(metadata, Mapping) and "gate" in metadata:
        where = f"{name}: tests/{place}/metadata/gate"
        _refuse_newer(metadata["gate"], where)
        facets = facets_from_json({key: value for key, value in metadata["gate"].items() if key != "kind"}, where)
        if "kind" in metadata["gate"]:
            facets["kind"] = _kind(metadata["gate"]["kind"], where)
    if outcome.fails:
        outcome, message = _failure(test, outcome)
        return Case(id=case_id, outcome=outcome, location=location, message=message, **facets)
    return Case(id=case_id, outcome=outcome, location=location, **facets)


def node_id(raw: str) -> str:
    """A node id with forward slashes in its path, as pytest writes it on every system but not in every version."""
    path, separator, rest = raw.partition("::")
    return path.replace("\\", "/") + separator + rest if "\\" in path else raw


def _failure(test: Mapping[str, Any], outcome: Outcome) -> tuple[Outcome, str]:
    """Outcome and first line of what went wrong: the first stage that failed tells it."""
    lost = test.get("???")
    if isinstance(lost, Mapping) and "crashed while running" in str(lost.get("longrepr", "")):
        return Outcome.CRASHED, _first_line(str(lost["longrepr"]).rpartition("\n")[2])
    for stage in ("setup", "call", "teardown", "???"):
        details = test.get(stage)
        if not isinstance(details, Mapping) or details.get("outcome") != "failed":
            continue
        crash = details.get("crash")
        if isinstance(crash, Mapping) and isinstance(crash.get("message"), str):
            return outcome, _first_line(crash["message"])
        if isinstance(details.get("longrepr"), str):
            return outcome, _first_line(_last_error(details["longrepr"]))
    return outcome, ""


def _last_error(longrepr: str) -> str:
    errors = [line[2:].strip() for line in longrepr.splitlines() if line.startswith("E ")]
    lines = [line for line in longrepr.splitlines() if line.strip()]
    return errors[0] if errors else (lines[-1] if lines else "")


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:MESSAGE_LENGTH]


def _completeness(data: Mapping[str, Any], cases: tuple[Case, ...], ours: Mapping[str, Any], name: str) -> Completeness:
    exit_code = data["exitcode"]
    if isinstance(exit_code, bool) or not isinstance(exit_code, int):
        _refuse(f"{name}: exitcode", "a whole number", exit_code)
    summary = data["summary"]
    if not isinstance(summary, Mapping):
        _refuse(f"{name}: summary", "an object", summary)
    collected, deselected = _count(summary, "collected", name), _count(summary, "deselected", name) or 0
    meant = None if collected is None else collected - deselected
    errors = tuple(_collection_errors(data.get("collectors", [])))
    reasons = [ENDINGS[exit_code]] if exit_code in ENDINGS else []
    reasons += [f"collecting {error}" for error in errors]
    if meant is not None and len(cases) < meant:
        reasons.append(f"{len(cases):,} of {meant:,} collected tests are reported")
    elif not cases and not reasons:
        reasons.append("no test was reported")
    if exit_code == 1 and not any(case.outcome is not None and case.outcome.fails for case in cases) and not reasons:
        reasons.append("exit code 1, but no reported test failed: a failed subtest or a plugin")
    if exit_code not in (0, 1, *ENDINGS):
        reasons.append(f"exit code {exit_code} is none of pytest's")
    reasons += _texts_of(ours.get("reasons", []), f"{name}: gate/reasons")
    return Completeness(exit_code, meant, deselected, errors, tuple(reasons))


def _collection_errors(collectors: Any) -> list[str]:
    errors = []
    for collector in collectors if isinstance(collectors, list) else []:
        if isinstance(collector, Mapping) and collector.get("outcome") == "failed":
            node = node_id(str(collector.get("nodeid", ""))) or "the session"
            errors.append(f"{node} failed: {_first_line(_last_error(str(collector.get('longrepr', ''))))}")
    return errors


def _source(ours: Mapping[str, Any], name: str, root: str, *, is_ours: bool) -> Source:
    source = ours.get("source", {})
    if not isinstance(source, Mapping):
        _refuse(f"{name}: gate/source", "an object", source)
    return Source(
        commit=_text(source.get("commit", ""), f"{name}: gate/source/commit"),
        tool=_text(source.get("tool", ""), f"{name}: gate/source/tool"),
        format="candidate" if is_ours else "pytest-json-report",
        root=root,
    )


def _mode(value: Any, name: str) -> Mode:
    if value not in get_args(Mode):
        _refuse(f"{name}: gate/mode", ", ".join(get_args(Mode)), value)
    return cast(Mode, value)


def _kind(value: Any, where: str) -> Kind:
    try:
        return Kind(value)
    except ValueError:
        _refuse(f"{where}/kind", ", ".join(Kind), value)


def _count(summary: Mapping[str, Any], key: str, name: str) -> int | None:
    value = summary.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        _refuse(f"{name}: summary/{key}", "a count", value)
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        _refuse(where, "a text", value)
    return value


def _texts(value: Any, where: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        _refuse(where, "an object of texts", value)
    return {key: _text(entry, f"{where}/{key}") for key, entry in sorted(value.items())}


def _texts_of(value: Any, where: str) -> list[str]:
    if not isinstance(value, list):
        _refuse(where, "a list of texts", value)
    return [_text(entry, where) for entry in value]


def _refuse_newer(ours: Any, where: str) -> None:
    schema = ours.get("schema", SCHEMA_VERSION) if isinstance(ours, Mapping) else None
    if isinstance(schema, bool) or not isinstance(schema, int):
        _refuse(where, f"an object of schema {SCHEMA_VERSION}", ours)
    if schema > SCHEMA_VERSION:
        raise ReportError(
            f"schema {schema} is newer than {SCHEMA_VERSION}, which this version reads",
            where=where,
            remedy="upgrade robustness-gate where it compares",
        )


def _refuse(where: str, expected: str, found: Any) -> NoReturn:
    shown = "a bare " + repr(found) if isinstance(found, NotFinite) else repr(found)
    raise ReportError(
        f"expected {expected}, found {shown if len(shown) <= 80 else shown[:77] + '...'}",
        where=where,
        remedy="name a file that pytest-json-report or `gate run` wrote",
    )
