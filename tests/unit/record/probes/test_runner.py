"""Who is asked, how often, in which order, and what stops a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gate.errors import BudgetExhaustedError, GateError, UsageError
from gate.record.probes.agents.agent import Task
from gate.record.probes.calls import KeyRefusedError
from gate.record.probes.journal import Journal
from gate.record.probes.pace import Rate
from gate.record.probes.plan import NOT_RECORDED
from gate.suites.probes.answer import Answer, Ended
from gate.suites.probes.graded import CAUSES, Standing
from tests.support.probe_runs import Clock, Scripted, entries, entry_of, run

DOWN = Answer(ended=Ended.INFRASTRUCTURE, message="503")


def test_results_stand_in_the_order_of_the_plan_whatever_runs_at_the_same_time(tmp_path: Path) -> None:
    found = entries(12)
    one = run(Scripted(), Journal(tmp_path / "a"), found, samples=2)
    many = run(Scripted(), Journal(tmp_path / "b"), found, samples=2, jobs=5)
    assert one.sampled == many.sampled
    assert [(each.graded.probe, each.graded.sample) for each in one.sampled][:3] == [
        ("probe-000", 0),
        ("probe-000", 1),
        ("probe-001", 0),
    ]


def test_a_run_that_was_broken_off_asks_for_what_is_missing_and_nothing_else(tmp_path: Path) -> None:
    found = entries(6)

    def dies(task: Task) -> Answer:
        if task.probe.id == "probe-003":
            raise KeyboardInterrupt
        return Answer("42")

    with pytest.raises(KeyboardInterrupt):
        run(Scripted(dies), Journal(tmp_path / "a"), found)
    second = Scripted()
    outcome = run(second, Journal(tmp_path / "a"), found)
    assert [name for name, _, _ in second.asked] == ["probe-003", "probe-004", "probe-005"]
    assert len(outcome.sampled) == 6


def test_a_finished_run_is_asked_anew_and_auto_asks_for_what_is_missing(tmp_path: Path) -> None:
    journal = tmp_path / "a"
    run(Scripted(), Journal(journal), entries(2))
    again, auto = Scripted(), Scripted()
    run(again, Journal(journal), entries(2), mode="record")
    run(auto, Journal(journal), entries(3), mode="auto")
    assert len(again.asked) == 2
    assert auto.asked == [("probe-002", 0, 1)]


def test_a_replay_asks_nobody_and_says_what_is_not_recorded(tmp_path: Path) -> None:
    run(Scripted(), Journal(tmp_path / "a"), entries(2))
    outcome = run(None, Journal(tmp_path / "a"), entries(3), mode="replay")
    standing = [each.graded.standing for each in outcome.sampled]
    assert standing == [Standing.PASSED, Standing.PASSED, Standing.UNSCORED]
    assert outcome.sampled[2].graded.message == outcome.sampled[2].graded.cause == NOT_RECORDED
    assert NOT_RECORDED in CAUSES
    assert outcome.asked == 0


def test_only_failures_of_the_infrastructure_are_tried_again_with_growing_pauses(tmp_path: Path) -> None:
    clock, down = Clock(), [DOWN, DOWN, Answer("42")]
    agent = Scripted(lambda _: down.pop(0))
    outcome = run(agent, Journal(tmp_path / "a"), entries(1), clock=clock)
    assert outcome.sampled[0].graded.standing is Standing.PASSED
    assert clock.slept == [2.0, 4.0]
    for ended in (Ended.CRASHED, Ended.EMPTY, Ended.TIMED_OUT, Ended.FLOODED):
        once = Scripted(lambda _, ended=ended: Answer(ended=ended))  # type: ignore[misc]
        run(once, Journal(tmp_path / ended), entries(1))
        assert len(once.asked) == 1


def test_an_outage_is_bounded_kept_and_asked_again_next_time(tmp_path: Path) -> None:
    agent = Scripted(lambda _: DOWN)
    outcome = run(agent, Journal(tmp_path / "a"), entries(1), mode="auto")
    assert len(agent.asked) == 5
    assert outcome.sampled[0].answers[0].ended is Ended.INFRASTRUCTURE
    again = Scripted()
    run(again, Journal(tmp_path / "a"), entries(1), mode="auto")
    assert again.asked == [("probe-000", 0, 1)]


def test_recovery_asks_up_to_three_rounds_and_resumes_between_them(tmp_path: Path) -> None:
    probe = entry_of("fix", dimension="error-recovery")
    never = Scripted(lambda _: Answer("41"))
    run(never, Journal(tmp_path / "a"), [probe])
    assert never.asked == [("fix", 0, 1), ("fix", 0, 2), ("fix", 0, 3)]

    def dies_in_round_two(task: Task) -> Answer:
        if task.round == 2:
            raise KeyboardInterrupt
        return Answer("41")

    with pytest.raises(KeyboardInterrupt):
        run(Scripted(dies_in_round_two), Journal(tmp_path / "b"), [probe])
    second = Scripted()
    outcome = run(second, Journal(tmp_path / "b"), [probe])
    assert second.asked == [("fix", 0, 2)]
    assert [answer.round for answer in outcome.sampled[0].answers] == [1, 2]


def test_a_limit_of_cost_stops_cleanly_and_the_rest_is_named(tmp_path: Path) -> None:
    agent = Scripted(lambda _: Answer("42", cost=0.4))
    outcome = run(agent, Journal(tmp_path / "a"), entries(5), max_cost=1.0)
    assert len(agent.asked) == 3
    assert "$1.00" in outcome.stopped
    assert [bool(each.answers) for each in outcome.sampled] == [True, True, True, False, False]
    assert outcome.cost == pytest.approx(1.2)
    more = Scripted(lambda _: Answer("42", cost=0.4))
    assert not run(more, Journal(tmp_path / "a"), entries(5), max_cost=1.0).stopped
    assert len(more.asked) == 2


@pytest.mark.parametrize("error", [BudgetExhaustedError, KeyRefusedError])
def test_a_call_that_is_not_to_be_made_stops_the_run_and_is_no_answer(tmp_path: Path, error: type[GateError]) -> None:
    def refuses(task: Task) -> Answer:
        if task.probe.id == "probe-001":
            raise error("no room")
        return Answer("42")

    journal = Journal(tmp_path / "a")
    outcome = run(Scripted(refuses), journal, entries(3))
    assert outcome.stopped == "no room"
    assert [bool(each.answers) for each in outcome.sampled] == [True, False, False]
    assert len(journal.answers()) == 1


def test_costs_that_are_not_known_are_counted_as_such(tmp_path: Path) -> None:
    outcome = run(Scripted(), Journal(tmp_path / "a"), entries(2))
    assert (outcome.cost, outcome.unpriced) == (0.0, 2)


def test_secrets_of_this_machine_are_neither_kept_nor_graded(tmp_path: Path) -> None:
    key = "the-key-of-mine"
    agent = Scripted(lambda _: Answer(f"42 with {key}", files={"f": key}, message=key))
    outcome = run(agent, Journal(tmp_path / "a"), entries(1), secrets=[key])
    assert key not in (tmp_path / "a").read_text(encoding="ascii")
    assert outcome.sampled[0].answers[0].text == "42 with ~secret-secret~"


def test_the_rate_spreads_calls_evenly_over_all_jobs(tmp_path: Path) -> None:
    clock = Clock()
    run(Scripted(), Journal(tmp_path / "a"), entries(5), clock=clock, rate=30)
    assert clock.now == pytest.approx(8.0)


@pytest.mark.parametrize("rate", [-1.0, float("nan"), float("inf")])
def test_a_rate_that_can_not_be_is_refused(rate: float) -> None:
    with pytest.raises(UsageError):
        Rate(rate, clock=Clock(), sleep=lambda _: None)


def test_an_error_of_the_record_ends_the_run(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a")
    broken = Scripted(lambda _: replace(Answer("42"), cost=float("nan")))
    with pytest.raises(ValueError, match="JSON"):
        run(broken, journal, entries(3))


def test_a_probe_whose_content_changed_is_asked_again(tmp_path: Path) -> None:
    run(Scripted(), Journal(tmp_path / "a"), [entry_of("one"), entry_of("two")])
    changed, auto = entry_of("two", prompt="Write `answer()` for two, in other words."), Scripted()
    run(auto, Journal(tmp_path / "a"), [entry_of("one"), changed], mode="auto")
    assert auto.asked == [("two", 0, 1)]
    replayed = run(
        None, Journal(tmp_path / "a"), [entry_of("three", prompt=changed.probe.prompt), changed], mode="replay"
    )
    assert [each.graded.cause for each in replayed.sampled] == [NOT_RECORDED, ""]


def test_each_sample_has_an_answer_of_its_own(tmp_path: Path) -> None:
    agent = Scripted(lambda task: Answer("42" if task.sample == 0 else "41"))
    live = run(agent, Journal(tmp_path / "a"), entries(2), samples=2)
    replayed = run(None, Journal(tmp_path / "a"), entries(2), samples=2, mode="replay")
    assert len(agent.asked) == 4
    for outcome in (live, replayed):
        assert [each.graded.standing for each in outcome.sampled] == [Standing.PASSED, Standing.FAILED] * 2
