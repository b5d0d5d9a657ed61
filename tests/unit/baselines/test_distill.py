"""A report reduced to its baseline, and baselines of branches that merge."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gate.baselines.distill import distill, dump_baseline
from gate.ingest import read_report
from gate.schema.evidence import Block, BlockKind
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Completeness, Kind, Location, Metric, Report, Session, Source, Trials
from tests.support.repository import Repository

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LATER = "f" * 40


def case(case_id: str = "a.py::t", outcome: Outcome | None = Outcome.PASSED, **more: object) -> Case:
    return Case(**{"id": case_id, "outcome": outcome, "location": Location("a.py", 7), **more})  # type: ignore[arg-type]


def trials(*sessions: tuple[str, str]) -> Trials:
    return Trials(tuple(Session(name, outcomes) for name, outcomes in sessions))


def only(report: Report, commit: str = LATER, previous: Report | None = None, **more: int) -> Case:
    (found,) = distill(report, commit, previous, **more).cases
    return found


def test_what_changes_from_run_to_run_is_left_out() -> None:
    full = Report(
        cases=(case(message="boom", evidence=(Block(BlockKind.TEXT, "t", "b"),), metrics=(Metric("m", 0.5),)),),
        suite="slow",
        source=Source(commit="x", tool="y", format="candidate", root="/home/z"),
        mode="replay",
        completeness=Completeness(exit_code=1, collected=9, deselected=2),
        fingerprints={"b": "2", "a": "1"},
    )
    lines = dump_baseline(distill(full, COMMIT)).decode().splitlines()
    assert lines == [
        '{"gate_baseline":1,"suite":"slow","fingerprints":{"a":"1","b":"2"}}',
        '{"id":"a.py::t","at":"0123456789","outcome":"passed","metrics":[{"name":"m","value":0.5,"better":"higher"}]}',
    ]


def test_cases_are_sorted_whatever_the_order_of_the_run() -> None:
    some = [case(name) for name in ("b", "a", "B", "é")]
    first, second = (dump_baseline(distill(Report(tuple(order)), COMMIT)) for order in (some, some[::-1]))
    assert first == second
    assert [json.loads(line)["id"] for line in first.decode().splitlines()[1:]] == ["B", "a", "b", "é"]


def test_an_empty_report_gives_a_header_alone() -> None:
    assert dump_baseline(distill(Report(()), COMMIT)) == b'{"gate_baseline":1,"suite":"default"}\n'


@pytest.mark.parametrize("location", [None, Location("other.py", 3), Location("a.py", 3)])
def test_the_path_is_kept_and_the_line_is_not(location: Location | None) -> None:
    baseline = distill(Report((case(location=location),)), COMMIT)
    expected = None if location is None else Location(location.path)
    assert baseline.cases[0].location == expected
    assert read_report(dump_baseline(baseline), "b") == baseline


def test_of_an_id_that_stands_twice_the_worst_outcome_counts() -> None:
    outcomes = (Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED, None)
    for order in (outcomes, outcomes[::-1]):
        assert only(Report(tuple(case(outcome=outcome) for outcome in order))).outcome is Outcome.FAILED


def test_a_case_that_did_not_change_keeps_its_commit() -> None:
    before = distill(Report((case("a"), case("b"), case("c"))), COMMIT)
    moved = case("a", location=Location("a.py", 99), message="x")
    after = distill(Report((moved, case("b", Outcome.FAILED), case("d"))), LATER, before)
    assert {each.id: each.measured_at[0] for each in after.cases} == {"a": "0", "b": "f", "d": "f"}


def test_a_refresh_without_a_change_changes_no_byte() -> None:
    report = Report((case("a", kind=Kind.SWEEP), case("b", trials=trials(("s", "101")))))
    before = distill(report, COMMIT)
    assert dump_baseline(distill(report, LATER, before)) == dump_baseline(before)


def test_trials_of_the_last_sessions_are_kept() -> None:
    before = distill(Report((case(trials=trials(*((str(number), "11") for number in range(9)))),)), COMMIT)
    new = Report((case(trials=trials(("8", "00"), ("9", "01"), ("10", "1"))),))
    found = only(new, previous=before)
    assert found.trials is not None
    assert [session.id for session in found.trials.sessions] == [*map(str, range(1, 11))]
    assert found.trials.sessions[-3:] == new.cases[0].trials.sessions  # type: ignore[union-attr]
    assert only(new, previous=before, sessions=2).trials == trials(("9", "01"), ("10", "1"))


def test_a_run_that_skipped_a_case_forgets_none_of_its_trials() -> None:
    before = distill(Report((case(stochastic=True, trials=trials(("s", "110"))),)), COMMIT)
    assert only(Report((case(outcome=Outcome.SKIPPED, stochastic=True),)), previous=before).trials == trials(
        ("s", "110")
    )
    longer = distill(Report((case(trials=trials(("r", "1"), ("s", "0"))),)), COMMIT)
    assert only(Report((case(outcome=Outcome.SKIPPED),)), previous=longer, sessions=1).trials == trials(("s", "0"))


def test_a_reason_is_stored() -> None:
    baseline = distill(Report((case(),), forced="known crash"), COMMIT)
    assert read_report(dump_baseline(baseline), "b").forced == "known crash"


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\x0b", "\x00", "\x1b[31m", "\ud800", "\u202e", "\r", "\n"])
def test_an_odd_character_makes_no_line_and_no_broken_file(odd: str) -> None:
    baseline = distill(Report((case(f"a{odd}b"), case("c"))), COMMIT)
    data = dump_baseline(baseline)
    assert len(data.decode("utf-8").splitlines()) == 3
    assert read_report(data, "b") == baseline


def test_plain_text_of_any_language_stays_readable() -> None:
    assert "tést[日本]".encode() in dump_baseline(distill(Report((case("tést[日本]"),)), COMMIT))


def merged(tmp_path: Path, first: str, second: str) -> Repository:
    """A repository with two branches that each changed one case, merged."""
    repository = Repository(tmp_path / "r")
    path = repository.path / "base.jsonl"
    cases = {name: case(name) for name in ("a", "b", "c", "d", "e")}
    main = distill(Report(tuple(cases.values())), COMMIT)

    def commit(report: Report) -> None:
        path.write_bytes(dump_baseline(report))
        repository.git("add", "base.jsonl")
        repository.git("commit", "--quiet", "-m", "change")

    commit(main)
    for branch, name, sha in (("one", first, "1" * 40), ("two", second, "2" * 40)):
        repository.git("checkout", "--quiet", "-b", branch, "main")
        changed = tuple(replace(each, outcome=Outcome.FAILED) if each.id == name else each for each in cases.values())
        commit(distill(Report(changed), sha, main))
    repository.git("merge", "--quiet", "-m", "merge", "one")
    return repository


def test_two_branches_that_change_different_cases_merge(tmp_path: Path) -> None:
    repository = merged(tmp_path, "b", "d")
    report = read_report((repository.path / "base.jsonl").read_bytes(), "b")
    assert [each.id for each in report.cases if each.outcome is Outcome.FAILED] == ["b", "d"]
    assert dump_baseline(report) == (repository.path / "base.jsonl").read_bytes()


def test_packages_are_kept_and_the_machine_is_not() -> None:
    report = Report((), packages={"numpy": "2.1.0"}, machine={"processor": "A"}, judges={"t": ("j",)})
    kept = distill(report, "")
    assert (kept.packages, kept.machine, kept.judges) == ({"numpy": "2.1.0"}, {}, {})
    assert read_report(dump_baseline(kept), "b").packages == {"numpy": "2.1.0"}


def test_other_packages_with_the_same_results_are_no_new_baseline() -> None:
    def measured(version: str, outcome: Outcome = Outcome.PASSED) -> Report:
        return Report((case(outcome=outcome),), packages={"numpy": version})

    first = distill(measured("1"), COMMIT)
    assert dump_baseline(distill(measured("2"), LATER, first)) == dump_baseline(first)
    assert distill(measured("2", Outcome.FAILED), LATER, first).packages == {"numpy": "2"}
