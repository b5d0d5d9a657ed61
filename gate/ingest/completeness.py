"""How far a run of pytest came, from its exit code, its counts and its collectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gate.ingest.message import first_line, last_error, node_id
from gate.ingest.refuse import count_of, mapping_of, refuse
from gate.schema.report import Case, Completeness

ENDINGS = {
    2: "interrupted, or collection failed (exit code 2)",
    3: "pytest had an internal error (exit code 3)",
    4: "pytest was called wrongly (exit code 4)",
    5: "no tests were collected (exit code 5)",
}
"""What pytest's exit codes beyond 0 (all passed) and 1 (some failed) say."""

NOTHING = "no test was reported"

FAILING = ("failed", "error", "subtests failed")
"""Words for a test that failed, in a summary as in a test."""


def completeness_of(
    data: Mapping[str, Any],
    cases: Sequence[Case],
    name: str,
    *,
    collected: int | None,
    deselected: int | None,
    words: Mapping[str, int],
) -> Completeness:
    """Completeness of a run, with each reason why it is not whole.

    Args:
        data: the whole file.
        collected: how many were to run, where that is known better than from the summary.
        deselected: how many were deselected, likewise.
        words: how many tests of the file ended with each word.
    """
    exit_code = data["exitcode"]
    if type(exit_code) is not int:
        refuse(f"{name}: exitcode", "a whole number", exit_code)
    summary = mapping_of(data["summary"], f"{name}: summary")
    left = count_of(summary.get("deselected"), f"{name}: summary/deselected") or 0
    meant = count_of(summary.get("collected"), f"{name}: summary/collected")
    total = count_of(summary.get("total"), f"{name}: summary/total")
    if meant is not None:
        meant = max(meant - left, 0)  # pytest-json-report counts deselected tests as collected
    if collected is not None:
        meant = collected
    errors = tuple(dict.fromkeys(_collection_errors(data.get("collectors", []), name)))
    left = left if deselected is None else deselected
    reasons = [_ending(exit_code, left)] if exit_code in ENDINGS else []
    reasons += [f"collecting {error}" for error in errors]
    reasons += _shortfall(len(cases), meant, total, known=bool(reasons))
    reasons += _hidden_failures(summary, words, name) if not reasons else []
    if exit_code == 1 and not reasons and not any(case.outcome is not None and case.outcome.fails for case in cases):
        reasons.append("exit code 1, but no reported test failed: a failed subtest or a plugin")
    if exit_code not in (0, 1, *ENDINGS):
        reasons.append(f"exit code {exit_code} is none of pytest's")
    return Completeness(exit_code, meant, left, errors, tuple(reasons))


def _ending(exit_code: int, deselected: int) -> str:
    if exit_code == 5 and deselected:
        return f"every collected test was deselected, {deselected:,} in all (exit code 5)"
    return ENDINGS[exit_code]


def _hidden_failures(summary: Mapping[str, Any], words: Mapping[str, int], name: str) -> list[str]:
    """Failures that the summary counts and no test of the file shows: one of them may explain the exit code alone."""
    counted = sum(count_of(summary.get(word), f"{name}: summary/{word}") or 0 for word in FAILING)
    shown = sum(words.get(word, 0) for word in FAILING)
    if counted <= shown:
        return []
    return [f"{shown:,} of the {counted:,} failures that the summary counts are reported"]


def _shortfall(reported: int, meant: int | None, total: int | None, *, known: bool) -> list[str]:
    if meant is not None and reported < meant:
        return [f"{reported:,} of {meant:,} collected tests are reported"]
    if total is not None and reported < total:
        return [f"{reported:,} of {total:,} tests that the summary counts are reported"]
    return [] if reported or known else [NOTHING]


def _collection_errors(collectors: Any, name: str) -> Iterator[str]:
    if not isinstance(collectors, list):
        refuse(f"{name}: collectors", "a list", collectors)
    for collector in collectors:
        if isinstance(collector, Mapping) and collector.get("outcome") == "failed":
            node = node_id(str(collector.get("nodeid", ""))) or "the session"
            yield f"{node} failed: {first_line(last_error(str(collector.get('longrepr', ''))))}"
