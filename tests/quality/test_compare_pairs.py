"""Real reports of real projects: what the comparison of each pair ends with."""

from __future__ import annotations

import csv

import pytest

from gate.compare import compare
from gate.ingest import read_report
from gate.schema.verdict import Verdict
from gate.settings import Settings
from tests.support.compare import rules_of
from tests.support.corpus import corpus

EXITS = [1, 1, 1, 1, 1, 3, 0, 1, 1, 1, 3, 0]
ROWS = [
    "fixed-and-broken",
    "recovery",
    "few-broken",
    "slower",
    "skips",
    "stopped-early",
    "one-fixed",
    "swapped",
    "xpassed",
    "parameters",
    "first-failure",
    "xdist",
]


def verdict(row: int) -> Verdict:
    folder = corpus()
    with (folder / "PAIRS.tsv").open(encoding="utf-8") as lines:
        pair = list(csv.DictReader(lines, delimiter="\t"))[row]
    baseline, candidate = (read_report((folder / pair[side]).read_bytes(), side) for side in ("baseline", "candidate"))
    return compare(baseline, candidate, Settings())


def count(found: Verdict, rule: str) -> int:
    return sum(each.rule == rule for each in (*found.findings, *found.good_news))


def test_the_list_is_the_one_that_these_exits_are_for() -> None:
    with (corpus() / "PAIRS.tsv").open(encoding="utf-8") as lines:
        assert len(list(csv.DictReader(lines, delimiter="\t"))) == len(EXITS)


@pytest.mark.parametrize(("row", "exit_code"), list(enumerate(EXITS)), ids=ROWS)
def test_exit_codes(row: int, exit_code: int) -> None:
    assert verdict(row).exit_code == exit_code


def test_a_gain_in_the_pass_rate_hides_nothing() -> None:
    found = verdict(0)
    assert (count(found, "newly-failing"), count(found, "fixed")) == (102, 116)


def test_skips_move_both_ways() -> None:
    found = verdict(4)
    assert count(found, "newly-skipped") == 7
    assert found.tally.transitions["failed", "skipped"] == 4


@pytest.mark.parametrize("row", [5, 10])
def test_a_run_that_stopped_early_is_one_finding(row: int) -> None:
    assert rules_of(verdict(row)) == ["incomplete-run"]


def test_another_suite_loses_the_old_tests_without_hiding_them_as_a_rename() -> None:
    found = verdict(7)
    assert (count(found, "missing-case"), count(found, "new-case"), found.notices) == (2, 4, ())


def test_parameters_that_were_renumbered_are_missing() -> None:
    found = verdict(9)
    assert (count(found, "missing-case"), count(found, "new-case")) == (26, 71)


def test_workers_and_their_order_change_nothing() -> None:
    found = verdict(11)
    assert (found.findings, found.good_news, found.notices) == ((), (), ())
    assert found.tally.held == found.tally.cases == 464
