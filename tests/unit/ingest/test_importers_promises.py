"""What is promised of every importer, each clause against each format, on files that people published.

GlassAlpha publishes no file; its rows are made by hand after its own documentation.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gate.errors import GateError, ReportError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Report
from tests.support.corpus import corpus

Json = dict[str, Any]
FILES = {
    "clastogen": "clastogen/demo__clastogen.json",
    "evalplus": "evalplus/evalplus__samples_eval_results.json",
    "inspect": "inspect/inspect__tests_analysis_test_logs_2025-05-12T20-28-26-04-00_security-guide.json",
    "mutmut": "mutation/mutmut__md-evals__mutmut-cicd-stats.json",
    "promptfoo": "promptfoo/promptfoo-dialogue-results__5804c82.json",
    "stryker": "mutation/stryker__packages_elements_testResources_simple-example_mutation-report.json",
}
GLASSALPHA = {
    "robustness_score": 0.1,
    "gate_status": "PASS",
    "threshold": 0.15,
    "per_epsilon_deltas": {"0.01": 0.02, "0.1": 0.1},
    "n_samples": 200,
    "seed": 42,
}
FORMATS = sorted([*FILES, "glassalpha"])


@cache
def published(form: str) -> bytes:
    if form == "glassalpha":
        return json.dumps({"stability_analysis": GLASSALPHA}).encode()
    return Path(corpus() / "evals" / FILES[form]).read_bytes()


def read(form: str, change: Callable[[Json], object] | None = None) -> Report:
    """The published file of a format, changed at one place."""
    data: Json = copy.deepcopy(json.loads(published(form)))
    if change is not None:
        change(data)
    return read_report(json.dumps(data).encode(), f"{form}.json")


@pytest.mark.parametrize("form", FORMATS)
def test_it_is_read_as_that_format(form: str) -> None:
    report = read(form)
    assert report.source.format == form
    assert report.completeness.collected == len(report.cases)


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_cut_in_half_is_refused(form: str) -> None:
    data = published(form)
    for size in (len(data) // 2, len(data) - 2):
        with pytest.raises(GateError) as caught:
            read_report(data[:size], f"{form}.json")
        assert f"{form}.json" in str(caught.value)


def lose_clastogen(data: Json) -> None:
    data["results"][1].update(status="ERROR", error="connection reset", sample_count=None)


def lose_evalplus(data: Json) -> None:
    data["eval"]["HumanEval/1"]["nfiles"] += 1


def lose_inspect(data: Json) -> None:
    data["samples"][0]["error"] = {"message": "connection reset", "traceback": "", "traceback_ansi": ""}


def lose_mutmut(data: Json) -> None:
    data["total"] += 2


def lose_promptfoo(data: Json) -> None:
    data["results"]["results"][0].update(failureReason=2, error="connection reset", success=False)


def lose_stryker(data: Json) -> None:
    next(iter(data["files"].values()))["mutants"][0]["status"] = "Pending"


def lose_glassalpha(data: Json) -> None:
    data["stability_analysis"] = {"error": "no model", "status": "failed"}


LOSE = {name.removeprefix("lose_"): lose for name, lose in list(globals().items()) if name.startswith("lose_")}
REASONS = {
    "clastogen": "1 of 5 mutants were not measured, the first because of: connection reset",
    "evalplus": "HumanEval/1 (base): 1 of 2 samples were evaluated",
    "inspect": "1 of 3 samples were not measured, the first because of: connection reset",
    "mutmut": "2 of ",
    "promptfoo": "1 of 1 samples were not measured, the first because of: connection reset",
    "stryker": "1 of ",
    "glassalpha": "no model",
}


@pytest.mark.parametrize("form", FORMATS)
def test_an_error_of_the_infrastructure_is_unscored_and_stays_in_the_denominator(form: str) -> None:
    whole, lost = read(form), read(form, LOSE[form])
    assert lost.completeness.collected == whole.completeness.collected == len(lost.cases)
    assert any(REASONS[form] in reason for reason in lost.completeness.reasons), lost.completeness.reasons
    assert not {REASONS[form]} & set(whole.completeness.reasons)
    failed = [case.id for case in whole.cases if case.outcome is Outcome.FAILED]
    assert [case.id for case in lost.cases if case.outcome is Outcome.FAILED and case.id not in failed] == []
    kept = {case.id for case in whole.cases}
    assert {case.id for case in lost.cases} == kept, "it is listed, not dropped"


def test_mutants_without_an_answer_are_in_no_score() -> None:
    for form in ("clastogen", "stryker"):
        counts = [
            metric.count
            for change in (None, LOSE[form])
            for case in read(form, change).cases
            for metric in case.metrics
            if metric.name == "mutation score"
        ]
        assert counts[0] is not None
        assert counts[1] == counts[0] - 1, form


def test_a_cached_repeat_of_promptfoo_is_one_sample() -> None:
    def repeat(data: Json) -> None:
        (first,) = data["results"]["results"]
        data["results"]["results"] += [copy.deepcopy(first) for _ in range(2)]
        for each in data["results"]["results"][1:]:
            each["response"]["cached"] = True
        for key in ("successes", "failures", "errors"):
            data["results"]["stats"][key] *= 3

    (once,), (cached,) = read("promptfoo").cases, read("promptfoo", repeat).cases
    assert (cached.trials, cached.outcome) == (once.trials, once.outcome)


@pytest.mark.parametrize(("cache_word", "trials"), [("read", None), ("write", 3), (None, 3)])
def test_a_cached_epoch_of_inspect_is_one_sample(cache_word: str | None, trials: int | None) -> None:
    def repeat(data: Json) -> None:
        first = data["samples"][0]
        first["scores"] = {"match": {"value": "C"}}
        data["samples"] = [copy.deepcopy(first) for _ in range(3)]
        for epoch, each in enumerate(data["samples"], start=1):
            each["epoch"] = epoch
            for event in each["events"]:
                if event["event"] == "model":
                    event["cache"] = cache_word if epoch > 1 else "write"
        data["results"].update(total_samples=3, completed_samples=3, scores=[])

    (case,) = read("inspect", repeat).cases
    assert case.outcome is Outcome.PASSED
    assert (None if case.trials is None else case.trials.count) == trials


def cancel_clastogen(data: Json) -> None:
    data["results"][0].update(status="UNMEASURED", sample_count=None)


def cancel_inspect(data: Json) -> None:
    data["status"] = "cancelled"


def cancel_mutmut(data: Json) -> None:
    data["check_was_interrupted_by_user"] = 1


def cancel_promptfoo(data: Json) -> None:
    data["results"]["stats"]["successes"] += 4


def cancel_stryker(data: Json) -> None:
    for file in data["files"].values():
        file["mutants"][0]["status"] = "Pending"


CANCEL = {name.removeprefix("cancel_"): each for name, each in list(globals().items()) if name.startswith("cancel_")}
CANCEL |= {form: LOSE[form] for form in ("evalplus", "glassalpha")}  # their files say nothing else of it


@pytest.mark.parametrize("form", FORMATS)
def test_a_cancelled_run_is_incomplete(form: str) -> None:
    assert not read(form, CANCEL[form]).completeness.complete


VERSIONS: tuple[tuple[str, Callable[[Json], object], Callable[[Json], object]], ...] = (
    ("inspect", lambda data: data.update(version=1), lambda data: data.update(version=3)),
    (
        "promptfoo",
        lambda data: data["results"].update(version=2),
        lambda data: data["results"].update(version=4),
    ),
    (
        "stryker",
        lambda data: data.update(schemaVersion="2.0"),
        lambda data: data.update(schemaVersion="3.0"),
    ),
)


@pytest.mark.parametrize(("form", "older", "newer"), VERSIONS, ids=[form for form, *_ in VERSIONS])
def test_versions_are_told_apart_where_the_file_has_one(
    form: str, older: Callable[[Json], object], newer: Callable[[Json], object]
) -> None:
    assert [case.id for case in read(form, older).cases] == [case.id for case in read(form).cases]
    with pytest.raises(ReportError, match="newer") as caught:
        read(form, newer)
    assert "upgrade robustness-gate" in caught.value.remedy


@pytest.mark.parametrize("form", ["clastogen", "evalplus", "glassalpha", "mutmut"])
def test_a_format_without_a_version_is_told_by_its_shape(form: str) -> None:
    """A later shape is refused, never half read."""
    changed = {
        "clastogen": lambda data: data.update(results={"by_target": data["results"]}),
        "evalplus": lambda data: data["eval"].update({"HumanEval/1": "v3"}),
        "glassalpha": lambda data: data["stability_analysis"].update(robustness_score={"mean": 0.1}),
        "mutmut": lambda data: data.update(killed={"count": 3}),
    }
    with pytest.raises(GateError):
        read(form, changed[form])
