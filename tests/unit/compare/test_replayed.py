"""A stochastic case that main's own recordings answered as on main: it holds as replayed, and draws nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.compare import compare
from gate.compare.align import Pair
from gate.compare.decisions import decide_pairs
from gate.compare.ledger import budget_of
from gate.compare.replayed import told_replayed
from gate.render.comment import comment
from gate.schema.changes import Changes
from gate.schema.outcome import Outcome
from gate.schema.report import Calls, Case, Report, Session, Trials
from gate.schema.verdict import REPLAYED, CaseDecision, ExitCode
from gate.settings import Settings

SETTINGS = Settings(mode="replay")
LATEST = "1101111011"
TEN = Calls(replayed=10)


def main_case(**asked: str) -> Case:
    sessions = (Session("a", "1" * 20), Session("b", LATEST))
    return Case("t.py::a", outcome=Outcome.PASSED, stochastic=True, trials=Trials(sessions, asked=asked))


def here(outcomes: str, calls: Calls | None = TEN, recorded: int = 10) -> Case:
    trials = Trials((Session("h", outcomes, fixed=False),), recorded=recorded)
    outcome = Outcome.PASSED if outcomes.endswith("1") else Outcome.FAILED
    return Case("t.py::a", outcome=outcome, stochastic=True, trials=trials, calls=calls)


def told(after: Case, before: Case | None = None, changes: Changes | None = None) -> CaseDecision:
    before = before or main_case()
    pairs = [Pair(before, after)]
    decisions = decide_pairs(pairs, SETTINGS, budget_of(Report((before,)), SETTINGS))
    return told_replayed(decisions, pairs, SETTINGS, changes or Changes())["t.py::a"]


@pytest.mark.parametrize("outcomes", [LATEST, LATEST[:7]])
def test_the_same_trials_hold_as_replayed(outcomes: str) -> None:
    found = told(here(outcomes, recorded=len(outcomes)))
    assert (found.answer, found.how, found.level, found.smallest_drop) == ("holds", REPLAYED, None, None)
    assert (found.baseline, found.candidate) == ((8, 10), (outcomes.count("1"), len(outcomes)))


def test_many_failures_hold_where_main_shows_the_very_same() -> None:
    before = replace(main_case(), trials=Trials((Session("a", "1" * 40), Session("b", "0" * 10))))
    assert told(here("0" * 10), before).answer == "holds"


@pytest.mark.parametrize(
    ("after", "changes"),
    [
        (here("1111111011"), Changes()),  # one trial ends otherwise
        (here(LATEST, Calls(replayed=9, live=1)), Changes()),
        (here(LATEST, Calls(replayed=9, missing=1)), Changes()),
        (here(LATEST, Calls()), Changes()),
        (here(LATEST, None), Changes()),
        (here(LATEST), Changes(paths=("recordings/t.py.jsonl",))),
    ],
)
def test_anything_else_is_left_to_the_statistics(after: Case, changes: Changes) -> None:
    assert told(after, changes=changes).how != REPLAYED


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("evals/answers/t.py.jsonl", ""),
        ("sub/evals/answers/t.py.jsonl", ""),
        ("kept/overlay/t.py.jsonl", ""),
        ("recordings/t.py.jsonl", REPLAYED),
        ("evals/answers.py", REPLAYED),
    ],
)
def test_the_folders_of_recordings_are_those_of_the_settings(path: str, how: str) -> None:
    settings = Settings(mode="replay", recordings="answers", working_directory="evals", overlay="./kept/overlay/")
    pairs = [Pair(main_case(), here(LATEST))]
    decisions = decide_pairs(pairs, settings, budget_of(Report((main_case(),)), settings))
    found = told_replayed(decisions, pairs, settings, Changes(paths=(path,)))["t.py::a"]
    assert (found.how == REPLAYED) == (how == REPLAYED)


def test_a_floor_counts_whatever_main_does() -> None:
    before = replace(main_case(min_rate="0.9"), trials=Trials((Session("b", "0" * 20),), asked={"min_rate": "0.9"}))
    assert told(here("0" * 10), before).how == "floor"


def test_a_run_that_was_cut_short_holds_nothing() -> None:
    found = told(here(LATEST[:2]))
    assert not found.measured
    assert found.how != REPLAYED


def test_the_comment_says_it_and_the_suite_level_test_draws_nothing_from_it() -> None:
    candidate = Report((here(LATEST),), mode="replay")
    verdict = compare(Report((main_case(),)), candidate, SETTINGS)
    assert verdict.exit_code is ExitCode.HOLDS
    text = comment(verdict)
    assert "1 test replayed identically, without a draw" in text
    assert "| holds (replayed identically) |" in text
    assert "may be alike" not in text


def test_fixtures_that_outlive_a_trial_are_named_in_the_comment() -> None:
    after = here(LATEST)
    trials = replace(after.trials or Trials(()), shared=("client", "b|ad"))
    verdict = compare(Report((main_case(),)), Report((replace(after, trials=trials),)), SETTINGS)
    assert (
        "Shared by all trials of a test, since their scope is wider than one test: <code>b&#124;ad</code>"
        in comment(verdict)
    )
    assert "`client` (1 test)." in comment(verdict)
