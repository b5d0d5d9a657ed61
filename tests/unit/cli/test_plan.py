"""`gate plan`: figures of a baseline and of numbers given by hand, what it says is enough, and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from gate.baselines.distill import dump_baseline
from gate.cli.planning import Figures, sheet_by_hand, sheet_of
from gate.compare.ledger import budget_of
from gate.compare.spending import ROUNDING
from gate.render.plan_text import MOST_ROWS, plan_text
from gate.schema.report import Case, Report, Session, Trials
from gate.settings import Settings
from gate.stats.design import Question, design_for
from gate.stats.operating import at, operating
from gate.stats.plan import plan
from gate.stats.two_arms import Caches, TwoArms, two_arm_operating
from tests.support.command_line import Ended, Shell, refused
from tests.support.compare import case, report

SHARE = 0.04 / 12


def stochastic(name: str, passes: int, count: int, sessions: int = 5, **asked: str) -> Case:
    """A case of main with its trials, the failures last, in sessions of one size."""
    outcomes, size = "1" * passes + "0" * (count - passes), max(count // sessions, 1)
    parts = [outcomes[start : start + size] for start in range(0, count, size)]
    kept = tuple(Session(f"s{number}", part) for number, part in enumerate(parts))
    return case(f"tests/test_refund.py::{name}", stochastic=True, trials=Trials(kept, asked=asked))


TWELVE = [
    *(stochastic(f"test_greets[{number}]", 50, 50) for number in range(9)),
    stochastic("test_tone", 46, 50),
    stochastic("test_escalates", 45, 50),
    stochastic("test_limit[de]", 38, 50),
]


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def checkout(folder: Path, cases: Sequence[Case], settings: str = "", suite: str = "default") -> Path:
    (folder / "baselines").mkdir(exist_ok=True)
    (folder / "baselines" / f"{suite}.jsonl").write_bytes(dump_baseline(Report(cases=tuple(cases), suite=suite)))
    (folder / "gate.toml").write_text(settings, encoding="utf-8")
    return folder


def parsed(ended: Ended) -> Any:
    assert ended.err == ""
    return json.loads(ended.out)


def lines_of(table: str, title: str) -> dict[str, list[str]]:
    """The rows of a table of the output by their first cell."""
    rows = table.partition(title)[2].partition("\n\n")[0].splitlines()[2:]
    return {cells[0]: cells for row in rows if len(cells := re.split(r"  +", row)) > 1}


def test_ten_trials_and_twelve_cases_are_not_attainable_and_it_says_what_is(gate: Shell, tmp_path: Path) -> None:
    ended = gate("plan", "--n0", "10", "--cases", "12", cwd=tmp_path)
    assert ended.code == 3
    alone = lines_of(ended.out, "By main's trials alone:")
    assert [cells[-1] for cells in alone.values()] == ["not attainable"] * 4
    enough = lines_of(ended.out, "Trials on main that are enough alone")
    assert enough["rate 1"][-1] == "16"  # below it, no method
    assert "31" in ended.out

    found = parsed(gate("plan", "--n0", "10", "--cases", "12", "--rates", "1,.9", "--json", cwd=tmp_path))
    expected = plan(10, 12, alpha=0.04, rates=(1.0, 0.9), cache={})
    for row, exact in zip(found["rows"], expected.rows, strict=True):
        assert row["attainable"] is False
        assert row["alone"]["found"] == pytest.approx(exact.power)
        assert row["alone"]["calls"] == pytest.approx(exact.calls_unchanged)
        assert row["alone"]["calls_worse"] == pytest.approx(exact.calls_regression)
        assert [each["trials"] for each in row["enough"]] == [each.n0 for each in exact.enough]
        assert row["more"] == row["enough"][0]["trials"] - 10
        assert row["least"] == exact.least
    # what it calls enough is enough, and one call of the public design says so
    first = found["rows"][0]["enough"][0]
    design = design_for(Question(first["trials"], first["cap"], SHARE), {})
    assert operating(design, 1.0, 0.7).regression >= 0.9


def test_by_hand_where_it_is_attainable(gate: Shell, tmp_path: Path) -> None:
    arguments = ("--n0", "100", "--cases", "12", "--cap", "100", "--price", ".01", "--rates", "1,.9", "--json")
    ended = gate("plan", *arguments, cwd=tmp_path)
    found = parsed(ended)
    assert ended.code == 0
    assert (found["alpha"], found["for_cases"], found["price"]) == (0.05, 0.04, 0.01)
    assert [row["rate"] for row in found["rows"]] == [1.0, 0.9]
    assert all(row["attainable"] and row["more"] == 0 for row in found["rows"])


def test_one_case_alone_gives_nothing_to_a_test_over_all_cases(gate: Shell, tmp_path: Path) -> None:
    found = parsed(gate("plan", "--n0", "50", "--rates", "1", "--json", cwd=tmp_path))
    assert (found["cases"], found["for_cases"], found["for_suite"]) == (1, 0.05, 0.0)


@pytest.mark.parametrize("n0", ["0", "1"])
def test_no_baseline_or_one_trial_shows_nothing_and_says_what_would(gate: Shell, tmp_path: Path, n0: str) -> None:
    ended = gate("plan", "--n0", n0, "--rates", "1", "--json", cwd=tmp_path)
    (row,) = parsed(ended)["rows"]
    assert ended.code == 3
    assert row["alone"]["found"] < 0.01
    assert row["enough"][0]["trials"] == row["more"] + int(n0) > 10
    assert (row["fresh"] is None) == (n0 == "0")


def test_a_rate_below_the_drop_can_not_fall_by_it(gate: Shell, tmp_path: Path) -> None:
    ended = gate("plan", "--n0", "50", "--rates", ".2", cwd=tmp_path)
    assert ended.code == 3
    assert "ask for a smaller one" in ended.out


def test_a_baseline_is_planned_by_kinds_of_cases(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, TWELVE, "price = 0.01\n")
    ended = gate("plan", cwd=tmp_path)
    assert ended.code == 0, "fresh trials decide, and reach the power"
    assert "12 stochastic cases" in ended.out
    assert "4 times in 100 for the cases one by one, 1 time in 100 for all of them together" in ended.out
    alone = lines_of(ended.out, "By main's trials alone:")
    assert {name: cells[1] for name, cells in alone.items()} == {"50/50": "9", "46/50": "1", "45/50": "1", "38/50": "1"}
    assert {name: cells[6] for name, cells in alone.items()}["50/50"] == "attainable"
    assert {name: cells[6] for name, cells in alone.items()}["45/50"] == "not attainable"
    assert alone["45/50"][-1] == "test_escalates"
    fresh = lines_of(ended.out, "With up to 50 fresh trials")
    assert [cells[5] for cells in fresh.values()] == ["attainable"] * 4
    assert re.search(r"A pull request: \d+ calls unchanged \(costs 1\.\d\d\), up to \d+ with one case worse", ended.out)


def test_the_figures_of_a_baseline_are_those_of_the_designs_that_decide(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, TWELVE)
    rows = {row["main"]: row for row in parsed(gate("plan", "--json", cwd=tmp_path))["rows"]}
    design = design_for(Question(50, 60, SHARE), {})
    both, caches = TwoArms(50, 1, 0.04), Caches()
    for s0, row in ((50, rows["50/50"]), (45, rows["45/50"])):
        assert row["share"] == pytest.approx(SHARE)
        assert row["alone"]["found"] == pytest.approx(at(design, s0, s0 / 50 - 0.3).regression)
        assert row["alone"]["calls"] == pytest.approx(at(design, s0, s0 / 50).calls)
        averaged = two_arm_operating(both, s0 / 50, s0 / 50 - 0.3, caches)
        assert row["fresh"]["found"] == pytest.approx(averaged.regression, abs=0.03)
        assert row["fresh"]["calls_worse"] == pytest.approx(averaged.calls, rel=0.05)
    lacking = rows["45/50"]["enough"][0]
    enough = design_for(Question(lacking["trials"], lacking["cap"], SHARE), {})
    assert operating(enough, 0.9, 0.6).regression >= 0.9
    assert (lacking["trials"] - 50) % 10 == 0, "in whole refreshes"


@pytest.mark.parametrize("name", ["tests/test_refund.py::test_escalates", "test_refund.py::test_escalates"])
def test_a_case_in_detail_by_the_end_of_its_id(gate: Shell, tmp_path: Path, name: str) -> None:
    checkout(tmp_path, TWELVE, 'confirm = "off"\nprice = 0.002\n')
    ended = gate("plan", name, cwd=tmp_path)
    assert gate("plan", "test_escalates", cwd=tmp_path).out == ended.out
    assert ended.code == 3
    head = ended.out.splitlines()[0]
    assert head == "tests/test_refund.py::test_escalates: 45/50 on main, in 5 sessions"
    assert "by main's trials alone: not attainable" in ended.out
    assert "enough: 224 trials (174 more, 18 refreshes), or 76 trials (26 more, 3 refreshes) with at most" in ended.out
    assert "The baseline keeps 100 trials of a case: 224 need `baseline-sessions = 23`" in ended.out
    assert "fresh trials" not in ended.out
    assert "unchanged (costs 0.022)" in ended.out


def test_a_case_by_its_name_without_parameters(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, TWELVE)
    assert gate("plan", "test_limit", cwd=tmp_path).out.startswith(
        "tests/test_refund.py::test_limit[de]: 38/50 on main"
    )
    refused(gate("plan", "test_greets", cwd=tmp_path), 2, "9 cases end with `test_greets`", advice="and 4 more")


def test_what_the_marker_asks_for_comes_before_settings_and_options(gate: Shell, tmp_path: Path) -> None:
    own = stochastic("test_own", 50, 50, max_trials="100", delta="0.2", power="0.8", min_rate="0.7")
    checkout(tmp_path, [own, stochastic("test_other", 50, 50)], "delta = 0.25\n")
    rows = {row["names"][0][-8:]: row for row in parsed(gate("plan", "--power", ".95", "--json", cwd=tmp_path))["rows"]}
    asked = {name: (row["delta"], row["power"], row["cap"]) for name, row in rows.items()}
    assert asked == {"test_own": (0.2, 0.8, 100), "st_other": (0.25, 0.95, 60)}
    assert rows["test_own"]["share"] == pytest.approx(0.01), "a floor takes half"
    assert "its floor of 0.7 has as large a share" in gate("plan", "test_own", cwd=tmp_path).out


def test_alpha_by_option_replaces_that_of_the_settings(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, TWELVE, 'false-alarms = "1 a month"\nruns = "100 a month"\n')
    assert parsed(gate("plan", "--json", cwd=tmp_path))["alpha"] == pytest.approx(0.01)
    assert parsed(gate("plan", "--alpha", ".1", "--json", cwd=tmp_path))["alpha"] == pytest.approx(0.1)


def test_suites_share_alpha(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, TWELVE)
    checkout(tmp_path, TWELVE[:2], suite="other")
    found = parsed(gate("plan", "--suite", "other", "--json", cwd=tmp_path))
    assert (found["suite"], found["cases"], found["for_cases"]) == ("other", 2, pytest.approx(0.02))
    assert "and the rest for 1 other suite" in gate("plan", cwd=tmp_path).out


def test_tests_that_run_once_each_have_their_part(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, [*TWELVE, case("tests/test_plain.py::test_plain")], 'stochastic = "tests/test_plain.py"\n')
    assert "2.5 times in 100 for tests that run once each" in gate("plan", cwd=tmp_path).out


def test_pooling_is_planned_where_the_settings_choose_it(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, TWELVE, 'confirm = "pooled"\n')
    ended = gate("plan", "test_escalates", cwd=tmp_path)
    assert "with 50 fresh trials of main for a suspect, pooled with the baseline: attainable" in ended.out
    assert ended.code == 0


def test_cases_without_trials_share_the_budget_and_are_told(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, [*TWELVE, case("tests/test_new.py::test_new", stochastic=True)])
    ended = gate("plan", cwd=tmp_path)
    assert "13 stochastic cases" in ended.out
    assert "without trials on main, so not planned: 1 case" in ended.out
    refused(gate("plan", "test_new", cwd=tmp_path), 2, "has no trials on main yet", advice="`gate baseline refresh`")


def test_trials_of_one_session_are_told(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, [stochastic("test_one", 50, 50, sessions=1)])
    assert "its trials are of one session" in gate("plan", "test_one", cwd=tmp_path).out


def test_ids_command_no_terminal(gate: Shell, tmp_path: Path) -> None:
    checkout(tmp_path, [stochastic("test_\x1b[31mred", 50, 50), stochastic("test_two", 49, 50)])
    for arguments in ((), ("test_\x1b[31mred",), ("test_\x1b[31mre",)):
        ended = gate("plan", *arguments, cwd=tmp_path)
        assert "\x1b" not in ended.out + ended.err


def test_a_baseline_of_many_kinds_shows_some_and_counts_all() -> None:
    sheet = sheet_by_hand(Figures(20, 12, 0.3, 0.05, 0.9, 20, 0.0, (0.9,)))
    (row,) = sheet.rows
    many = tuple(replace(row, main=f"{number}/20", names=(f"t::{number}",)) for number in range(MOST_ROWS + 3))
    text = plan_text(replace(sheet, suite="default", rows=many))
    assert "3 more kinds of cases: --json shows them all." in text
    assert f"{MOST_ROWS - 1}/20" in text
    assert f"{MOST_ROWS}/20" not in text


def test_a_usual_baseline_takes_less_than_a_second() -> None:
    baseline, settings = report(None, *TWELVE), Settings()
    start = process_time()
    sheet = sheet_of(baseline.cases, settings, budget_of(baseline, settings))
    assert process_time() - start < 1.0
    assert sum(row.cases for row in sheet.rows) == 12
    assert all(row.alone.reached == (row.alone.found >= 0.9 - ROUNDING) for row in sheet.rows)


@pytest.mark.parametrize(
    ("arguments", "words", "advice"),
    [
        (("--n0", "10", "--alpha", "0"), "--alpha lies strictly between 0 and 1, not at 0", "--alpha .3"),
        (("--n0", "10", "--alpha", "nan"), "--alpha lies strictly between 0 and 1", "--alpha .3"),
        (("--n0", "10", "--power", "1"), "--power lies strictly between 0 and 1, not at 1", "--power .3"),
        (("--n0", "10", "--delta", "-.3"), "--delta lies strictly between 0 and 1, not at -0.3", "--delta .3"),
        (("--delta", "30"), "--delta lies strictly between 0 and 1, not at 30", "--delta .3"),
        (("--n0", "-1"), "--n0 is at least 0, not -1", "--n0 10"),
        (("--n0", "10", "--cases", "0"), "--cases is at least 1, not 0", "--cases 10"),
        (("--n0", "10", "--cap", "0"), "--cap is at least 1, not 0", "--cap 10"),
        (("--n0", "900", "--cap", "200"), "at most 1000 trials, not 1100", "smaller numbers"),
        (("--n0", "10", "--price", "-1"), "--price is 0 or more, not -1", "one call"),
        (("--n0", "10", "--price", "nan"), "--price is 0 or more", "one call"),
        (("--n0", "10", "--rates", "1,2"), "--rates are numbers from 0 to 1", "--rates 1,.95"),
        (("--n0", "10", "--rates", "high"), "not 'high'", "--rates 1,.95"),
        (("--n0", "10", "--rates", ""), "--rates are numbers from 0 to 1", "--rates 1,.95"),
        (("--cases", "12"), "--cases plans by hand, which needs --n0", "add --n0"),
        (("test_tone", "--n0", "10"), "--n0 plans by hand, and a case or suite is planned", "leave out either --n0"),
        (("--suite", "default", "--n0", "10"), "--n0 plans by hand", "leave out either --n0"),
        (("test_ton",), "no case is called `test_ton`", "did you mean `tests/test_refund.py::test_tone`?"),
        (("zzzzzz",), "no case is called `zzzzzz`", "`gate baseline show` lists"),
        (("test_plain",), "is not stochastic: one run decides it", "mark it with"),
    ],
)
def test_bad_input(gate: Shell, tmp_path: Path, arguments: tuple[str, ...], words: str, advice: str) -> None:
    checkout(tmp_path, [*TWELVE, case("tests/test_plain.py::test_plain")])
    refused(gate("plan", *arguments, cwd=tmp_path), 2, words, advice=advice)


def test_without_a_baseline(gate: Shell, tmp_path: Path) -> None:
    refused(gate("plan", cwd=tmp_path), 3, "there is no baseline to plan with", advice="`gate baseline create`")


@pytest.mark.parametrize(
    ("cases", "words", "advice"),
    [
        ([case("t.py::test_plain")], "no case of the baseline is stochastic", "@pytest.mark.stochastic"),
        ([], "no case of the baseline is stochastic", "@pytest.mark.stochastic"),
        ([case("t.py::test_new", stochastic=True)], "no stochastic case of the baseline has trials", "refresh"),
    ],
)
def test_a_baseline_with_nothing_to_plan(
    gate: Shell, tmp_path: Path, cases: list[Case], words: str, advice: str
) -> None:
    checkout(tmp_path, cases)
    refused(gate("plan", cwd=tmp_path), 3, words, advice=advice)
