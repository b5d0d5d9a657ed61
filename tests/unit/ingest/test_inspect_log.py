"""Logs of Inspect: scores, epochs, errors, runs that were stopped, and archives that mean harm."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Report


def sample(number: object = 1, value: object = "C", epoch: int = 1, **parts: Any) -> dict[str, Any]:
    return {"id": number, "epoch": epoch, "scores": {"match": {"value": value, "answer": "a"}}} | parts


def document(*samples: dict[str, Any], status: str = "success", **parts: Any) -> dict[str, Any]:
    return {
        "version": 2,
        "status": status,
        "eval": {"task": "arithmetic", "run_id": "run-1", "model": "m", "packages": {"inspect_ai": "0.3.9"}},
        "results": {"total_samples": len(samples), "completed_samples": len(samples), "scores": []},
        "samples": list(samples),
    } | parts


def archive(log: dict[str, Any], names: dict[str, bytes] | None = None, *, header: bool = True) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("_journal/start.json", json.dumps({"version": 2, "eval": log["eval"], "plan": {}}))
        for each in log["samples"]:
            file.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
        if header:
            head = {key: value for key, value in log.items() if key != "samples"}
            file.writestr("header.json", json.dumps(head))
        for name, data in (names or {}).items():
            file.writestr(name, data)
    return buffer.getvalue()


def read(data: object) -> Report:
    return read_report(json.dumps(data).encode(), "log.json")


@pytest.mark.parametrize(
    ("value", "outcome"),
    [("C", Outcome.PASSED), ("I", Outcome.FAILED), ("N", Outcome.FAILED), (True, Outcome.PASSED), (0, Outcome.FAILED)],
)
def test_a_score_that_is_yes_or_no_is_an_outcome(value: object, outcome: Outcome) -> None:
    (case,) = read(document(sample(value=value))).cases
    assert (case.id, case.outcome) == ("arithmetic/1", outcome)


@pytest.mark.parametrize(("value", "number"), [("P", 0.5), (0.25, 0.25), (7, 7.0)])
def test_any_other_number_is_a_metric(value: object, number: float) -> None:
    (case,) = read(document(sample(value=value))).cases
    assert case.outcome is None
    assert [metric.value for metric in case.metrics] == [number]


def test_scorers_and_parts_of_a_score_are_cases_of_their_own() -> None:
    scores = {"match": {"value": "C"}, "style": {"value": {"kind": 1, "short": 0}}}
    cases = read(document(sample(scores=scores))).cases
    assert {case.id: case.outcome for case in cases} == {
        "arithmetic/1 · match": Outcome.PASSED,
        "arithmetic/1 · style · kind": Outcome.PASSED,
        "arithmetic/1 · style · short": Outcome.FAILED,
    }


def test_epochs_are_trials() -> None:
    (case,) = read(document(*(sample(value=value, epoch=at) for at, value in enumerate("CIC", 1)))).cases
    assert case.trials is not None
    assert (case.stochastic, case.trials.outcomes, case.trials.sessions[0].id) == (True, "101", "run-1")


def test_an_error_of_a_sample_is_no_trial_and_the_run_not_whole() -> None:
    failed = sample(2, error={"message": "connection reset"}, scores=None)
    report = read(document(sample(1), failed))
    assert [case.outcome for case in report.cases] == [Outcome.PASSED, Outcome.SKIPPED]
    assert "1 of 2 samples were not measured" in report.completeness.reasons[0]
    assert "connection reset" in report.completeness.reasons[0]


@pytest.mark.parametrize("status", ["cancelled", "error", "started"])
def test_a_run_that_did_not_end_well_is_not_whole(status: str) -> None:
    report = read(document(sample(), status=status, error={"message": "out of memory"}))
    assert report.completeness.reasons == (f"the log says `{status}`: out of memory",)


def test_samples_that_were_not_completed_are_missed() -> None:
    results = {"total_samples": 5, "completed_samples": 3, "scores": []}
    assert read(document(sample(), results=results)).completeness.reasons == ("3 of 5 samples were completed",)


def test_a_log_without_samples_is_read_by_its_reductions() -> None:
    reductions = [{"scorer": "match", "samples": [{"sample_id": 7, "value": 1.0}, {"sample_id": 8, "value": 0.0}]}]
    cases = read(document(samples=[], reductions=reductions)).cases
    assert [(case.id, case.outcome) for case in cases] == [
        ("arithmetic/7", Outcome.PASSED),
        ("arithmetic/8", Outcome.FAILED),
    ]


def test_the_standard_error_says_how_far_two_runs_may_lie_apart() -> None:
    metrics = {"accuracy": {"name": "accuracy", "value": 0.8}, "stderr": {"name": "stderr", "value": 0.02}}
    results = {"total_samples": 1, "completed_samples": 1, "scores": [{"name": "match", "metrics": metrics}]}
    case = read(document(sample(), results=results)).cases[-1]
    assert case.id == "arithmetic · match · all samples"
    (metric,) = case.metrics
    assert (metric.name, metric.value) == ("accuracy", 0.8)
    assert metric.tolerance == pytest.approx(0.0554)


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(ReportError, match="version 3 is newer than 2"):
        read(document(version=3))


def test_an_archive_says_what_the_json_says() -> None:
    log = document(*(sample(place, "C" if place % 2 else "I") for place in range(1, 13)))
    assert read_report(archive(log), "log.eval").cases == read(log).cases


def test_an_archive_of_a_run_that_was_stopped_holds_what_was_finished() -> None:
    report = read_report(archive(document(sample()), header=False), "log.eval")
    assert [case.outcome for case in report.cases] == [Outcome.PASSED]
    assert report.completeness.reasons == ("the log says `started`",)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    data = archive(document(sample()), {"samples/9_epoch_1.json": b" " * 60_000_000})
    with pytest.raises(ReportError, match="more than is read"):
        read_report(data, "log.eval", limit=1_000_000)


def test_a_part_that_is_larger_than_it_says_is_refused() -> None:
    data = bytearray(archive(document(sample()), {"samples/9_epoch_1.json": b" " * 60_000}))
    told = (60_000).to_bytes(4, "little")
    while (place := data.find(told)) >= 0:
        data[place : place + 4] = (10).to_bytes(4, "little")
    with pytest.raises(ReportError):
        read_report(bytes(data), "log.eval")


def test_files_beside_the_log_are_left_alone_and_one_that_stands_twice_is_refused() -> None:
    log = document(sample())
    assert read_report(archive(log, {"../../evil.json": b"{"}), "log.eval").cases == read(log).cases
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = archive(log, {"header.json": b"{}"})
    with pytest.raises(ReportError, match="stands twice"):
        read_report(data, "log.eval")


def test_another_archive_is_refused_as_one() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("report.json", "{}")
    with pytest.raises(ReportError, match="this is a zip file"):
        read_report(buffer.getvalue(), "log.eval")


def test_every_prefix_of_an_archive_is_refused() -> None:
    data = archive(document(sample()))
    for size in range(0, len(data) - 1, 37):
        with pytest.raises(ReportError):
            read_report(data[:size], "log.eval")
