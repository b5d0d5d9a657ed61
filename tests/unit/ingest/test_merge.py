"""Parts of a suite become one candidate; each way in which they can fail to fit makes it not whole."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.ingest.durations import durations_of
from gate.ingest.merge import Merged, Part, fitted, merged_text, read_part
from gate.schema.report import Report

LIMIT = 10_000_000
Json = dict[str, Any]


def shard(
    number: int, count: int = 3, *, names: Iterable[str] | None = None, ours: Json | None = None, **said: Any
) -> Json:
    """A part as the plugin writes it; `said` changes what it says of the whole."""
    listed = [f"tests/test_{number}.py::test_{at}" for at in range(4)] if names is None else list(names)
    tests = [
        {"nodeid": name, "outcome": "passed", "keywords": ["x"], "call": {"duration": 0.25, "outcome": "passed"}}
        for name in listed
    ]
    whole = {"collected": 12, "own": len(tests), "whole": "w", "split": "s", "plan": "p"}
    return {
        "created": 1.5,
        "duration": float(number),
        "exitcode": 0 if tests else 5,
        "root": "/project",
        "environment": {},
        "summary": {"passed": len(tests), "total": len(tests), "collected": len(tests)},
        "collectors": [{"nodeid": "", "outcome": "passed", "result": []}],
        "tests": tests,
        "warnings": [{"message": f'é, ] and " of {number}'}],
        "gate": {
            "schema": 1,
            "suite": "default",
            "mode": "live",
            "source": {"commit": "abc", "tool": "robustness-gate 0"},
            "completeness": {"exit_code": 0, "collected": len(tests), "deselected": 2, "reported": len(tests)},
            "fingerprints": {"key": "k"},
            "shard": {"number": number, "count": count, **whole, **said},
            **(ours or {}),
        },
    }


def parts_of(*shards: Json, indent: int | None = None) -> tuple[list[Part], dict[str, str]]:
    texts = {f"{place}.json": json.dumps(each, indent=indent) for place, each in enumerate(shards)}
    return [read_part(text.encode(), name, limit=LIMIT) for name, text in texts.items()], texts


def merge(*shards: Json, indent: int | None = None) -> tuple[Merged, Report]:
    parts, texts = parts_of(*shards, indent=indent)
    merged = fitted(parts)
    text = "".join(merged_text(merged, lambda part: texts[part.name]))
    return merged, read_report(text.encode(), "merged")


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_all_parts_are_a_whole_run(order: Sequence[int], indent: int | None) -> None:
    merged, report = merge(*map(shard, order), indent=indent)
    assert (merged.complete, report.completeness.reasons) == (True, ())
    assert [case.id for case in report.cases] == [f"tests/test_{n}.py::test_{at}" for n in (1, 2, 3) for at in range(4)]
    assert (report.completeness.collected, report.completeness.deselected) == (12, 2)
    assert (report.suite, report.source.commit, report.fingerprints) == ("default", "abc", {"key": "k"})


def test_the_file_is_what_a_candidate_of_one_run_is() -> None:
    parts, texts = parts_of(shard(1), shard(2), shard(3))
    data = json.loads("".join(merged_text(fitted(parts), lambda part: texts[part.name])))
    assert [test["nodeid"] for test in data["tests"]] == [
        f"tests/test_{n}.py::test_{at}" for n in (1, 2, 3) for at in range(4)
    ]
    assert data["tests"][0] == shard(1)["tests"][0], "copied as it stands"
    assert data["summary"] == {"passed": 12, "total": 12, "collected": 12}
    assert [each["message"] for each in data["warnings"]] == [f'é, ] and " of {n}' for n in (1, 2, 3)]
    assert data["duration"] == 3.0
    assert "shard" not in data["gate"]


def test_a_part_alone_is_not_whole() -> None:
    report = read_report(json.dumps(shard(1)).encode(), "one")
    assert report.completeness.reasons == ("shard 1/3 is one part of the suite: join all parts with `gate merge`",)


@pytest.mark.parametrize(
    ("shards", "reason"),
    [
        ((shard(1), shard(2)), "shard 3/3 is missing"),
        ((shard(1), shard(2), shard(2), shard(3)), "shard 2/3 was given twice"),
        ((shard(1), shard(2), shard(3, names=[])), "shard 3/3 ran no test: split the suite into fewer shards"),
        ((shard(1), shard(2), shard(3, count=4)), "number of shards 4, there 3"),
        ((shard(1), shard(2), shard(3, whole="other")), "another collected tests"),
        ((shard(1), shard(2), shard(3, split="other")), "another split, so durations"),
        ((shard(1), shard(2), shard(3, plan="")), "another plan of trials"),
        ((shard(1), shard(2), shard(3, ours={"suite": "nightly"})), "suite nightly, there default"),
        ((shard(1), shard(2), shard(3, ours={"mode": "replay"})), "mode replay, there live"),
        ((shard(1), shard(2), shard(3, ours={"source": {"commit": "def"}})), "commit def, there abc"),
        (
            (shard(1), shard(2), shard(3, ours={"fingerprints": {"key": "x"}})),
            "shard 3/3 has another `key` than the others",
        ),
        ((shard(1), shard(2), shard(3, ours={"reasons": ["it stopped"]})), "shard 3/3: it stopped"),
        (
            (shard(1), shard(2), shard(3, names=[f"tests/test_1.py::test_{at}" for at in range(4)])),
            "shard 3/3 ran 4 of the tests of others, such as `tests/test_1.py::test_0`",
        ),
        ((shard(1), shard(2), shard(3, whole="")), "shard 3/3 does not say what the whole suite is"),
    ],
)
def test_what_does_not_fit_makes_a_run_that_is_not_whole(shards: Sequence[Json], reason: str) -> None:
    merged, report = merge(*shards)
    assert [each for each in merged.reasons if reason in each], merged.reasons
    assert set(merged.reasons) <= set(report.completeness.reasons)
    assert len({case.id for case in report.cases}) == len(report.cases) or "of the tests of others" in reason


def test_of_two_equal_numbers_one_counts_and_of_another_commit_none() -> None:
    _, twice = merge(shard(1), shard(2), shard(2), shard(3))
    assert len(twice.cases) == 12
    _, other = merge(shard(1), shard(2), shard(3, ours={"source": {"commit": "def"}}))
    assert len(other.cases) == 8


def test_a_part_that_could_not_collect_says_so_once_and_spares_the_others() -> None:
    broken = shard(1, names=[], collected=None, whole="", split="")
    broken["collectors"] = [{"nodeid": "tests/test_x.py", "outcome": "failed", "longrepr": "E   ImportError: no"}]
    broken["exitcode"] = 2
    merged, report = merge(broken, shard(2), shard(3))
    assert not [reason for reason in merged.reasons if "belong" in reason]
    assert [reason for reason in report.completeness.reasons if "test_x.py" in reason] == [
        "collecting tests/test_x.py failed: ImportError: no"
    ]
    assert len(report.cases) == 8


def test_nothing_is_a_run_that_is_not_whole_too() -> None:
    merged = fitted([], ["a.json: no such report"])
    report = read_report("".join(merged_text(merged, lambda part: "")).encode(), "merged")
    assert report.completeness.reasons[:2] != ()
    assert {"a.json: no such report", "no shard could be read"} <= set(report.completeness.reasons)


def test_what_is_no_number_in_the_head_harms_nobody() -> None:
    odd = shard(1) | {"duration": "long", "environment": {"load": float("nan")}, "created": float("inf")}
    merged, report = merge(odd, shard(2), shard(3))
    assert merged.complete
    assert report.completeness.complete


def test_many_that_are_missing_are_counted() -> None:
    merged, _ = merge(shard(1, count=100))
    assert "87 more shards are missing" in merged.reasons
    assert len(merged.reasons) == 13


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "nothing", '{"exitcode": 0}', json.dumps(shard(1))[:-1], json.dumps(shard(1)) + "x"]
)
def test_damage_is_refused(text: str) -> None:
    with pytest.raises(ReportError):
        read_part(text.encode(), "part", limit=LIMIT)


def test_every_cut_is_refused() -> None:
    text = json.dumps(shard(1, names=["a::b"]))
    for length in range(len(text)):
        with pytest.raises(ReportError):
            read_part(text[:length].encode(), "part", limit=LIMIT)


@pytest.mark.parametrize(
    "said", [None, [], {"number": 0, "count": 3}, {"number": 4, "count": 3}, {"number": "1", "count": 3}, {"number": 1}]
)
def test_a_shard_that_is_none_is_refused(said: object) -> None:
    data = shard(1)
    data["gate"]["shard"] = said
    with pytest.raises(ReportError):
        read_part(json.dumps(data).encode(), "part", limit=LIMIT)


def test_a_repeated_key_is_refused() -> None:
    text = json.dumps(shard(1))[:-1] + ', "tests": []}'
    with pytest.raises(ReportError):
        read_part(text.encode(), "part", limit=LIMIT)


def test_stale_recordings_of_all_are_said_once() -> None:
    stale = {
        "stale": [{"reason": "old", "case": "a", "count": 1, "text": "old"}],
        "unjudged": "the suite ran in shards",
    }
    _, report = merge(*(shard(n, ours={"recordings": stale, "mode": "replay"}) for n in (1, 2, 3)))
    assert report.recordings is not None
    assert [entry.case for entry in report.recordings.stale] == ["a"]
    assert report.recordings.unjudged == "the suite ran in shards"


def test_durations_are_those_of_all_stages() -> None:
    found = durations_of(json.dumps(shard(1)), "one")
    assert found == {f"tests/test_1.py::test_{at}": 0.25 for at in range(4)}
    assert durations_of("[]", "none") == {}
    assert durations_of('{"tests": [{"nodeid": "a", "outcome": "passed", "call": {"duration": true}}]}', "x") == {
        "a": 0.0
    }


def test_parts_on_other_machines_are_one_run() -> None:
    told = (
        {"fingerprints": {"judge a": "1 2", "model m": "m-1"}, "machine": {"processor": "A"}, "packages": {"n": "1"}},
        {"fingerprints": {"judge a": "2 3", "model m": "m-2"}, "machine": {"processor": "B"}, "packages": {"n": "1"}},
        {"fingerprints": {}, "judges": {"tests/test_3.py::test_0": ["a"]}},
    )
    merged, report = merge(*(shard(number, ours=each) for number, each in enumerate(told, start=1)))
    assert merged.complete, merged.reasons
    assert report.fingerprints == {"judge a": "1 2 3", "model m": "m-1, m-2"}
    assert (report.machine, report.packages) == ({"processor": "A; B"}, {"n": "1"})
    assert report.judges == {"tests/test_3.py::test_0": ("a",)}
