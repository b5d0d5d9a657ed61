"""Limits a run and a month, forecasts, and what a run took in the end."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from gate.errors import EXIT_UNDECIDED, BudgetExhaustedError
from gate.record.recordings.budget import Amount, Limits, dollars, in_words
from gate.record.recordings.costs import Cost, Meter
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.forecast import USUAL_OUTPUT, History, Spent, estimated_tokens
from gate.record.recordings.ledger import Ledger
from gate.record.recordings.limits import Budget
from gate.record.recordings.prices import read_prices
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from gate.record.recordings.usage import Usage

JSON = (("content-type", "application/json"),)
PRICES = read_prices('{"models": [{"model": "m", "input": 1, "output": 10}]}', "own")
DAY = dt.date(2026, 11, 30)


def call(**fields: Any) -> Request:
    return Request("POST", "https://api.example.org/v1/chat/completions", JSON, json.dumps(fields).encode())


def answered(into: int, out: int, model: str = "m") -> Answer:
    body = {"model": model, "usage": {"prompt_tokens": into, "completion_tokens": out}}
    return Answer(200, JSON, (json.dumps(body).encode(),))


def meter(**parts: Any) -> Meter:
    return Meter(PRICES, today=lambda: DAY, **parts)


@pytest.mark.parametrize(
    ("limits", "named"),
    [(Limits(calls=2), "2 calls"), (Limits(tokens=25), "25 tokens"), (Limits(money=0.000025), "$0.00")],
)
def test_each_limit_of_a_run_ends_it(limits: Limits, named: str) -> None:
    budget = Budget(run=limits)
    one = Amount(1, 10, 0.00001)
    for _ in range(2):
        budget.settle(budget.reserve(one), one)
    with pytest.raises(BudgetExhaustedError, match="beyond the limit of") as caught:
        budget.reserve(one, "tests/a.py::b")
    assert named in str(caught.value)
    assert caught.value.where == "tests/a.py::b"
    assert caught.value.exit_code == EXIT_UNDECIDED


def test_what_fits_exactly_is_allowed() -> None:
    budget = Budget(run=Limits(calls=3, tokens=30, money=0.3))
    for _ in range(3):
        budget.settle(budget.reserve(Amount(1, 10, 0.1)), Amount(1, 10, 0.1))
    assert budget.refusal == ""


def test_a_refusal_ends_it_for_all_that_follow() -> None:
    budget = Budget(run=Limits(tokens=100))
    with pytest.raises(BudgetExhaustedError):
        budget.reserve(Amount(1, 101))
    with pytest.raises(BudgetExhaustedError):
        budget.reserve(Amount(1, 1))
    assert "100 tokens" in budget.refusal


def test_the_month_counts_what_earlier_runs_took() -> None:
    budget = Budget(month=Limits(money=1.0), spent=lambda: Amount(9, 900, 0.95))
    budget.reserve(Amount(1, 10, 0.05))
    with pytest.raises(BudgetExhaustedError, match="a month: 10 calls"):
        budget.reserve(Amount(1, 10, 0.01))


def test_calls_at_the_same_time_do_not_pass_a_limit_together() -> None:
    budget = Budget(run=Limits(calls=50))
    allowed: list[Amount] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        barrier.wait()
        for _ in range(20):
            try:
                allowed.append(budget.reserve(Amount(1, 1)))
            except BudgetExhaustedError:
                return

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(allowed) == 50


def test_an_answer_that_counts_nothing_keeps_what_was_reserved() -> None:
    budget = Budget(run=Limits(tokens=100))
    budget.settle(budget.reserve(Amount(1, 60)), Amount(1, uncounted=1, unpriced=1))
    with pytest.raises(BudgetExhaustedError, match="60 tokens"):
        budget.reserve(Amount(1, 60))


def test_an_answer_that_took_less_gives_room_back() -> None:
    budget = Budget(run=Limits(tokens=100))
    for _ in range(8):
        budget.settle(budget.reserve(Amount(1, 60)), Amount(1, 5))
    assert budget.refusal == ""


def test_a_model_without_a_price_is_refused_under_a_limit_in_money() -> None:
    with pytest.raises(BudgetExhaustedError, match="the cost of llama isn't known"):
        Budget(run=Limits(money=5)).reserve(Amount(1, 10, unpriced=1), model="llama")
    Budget(run=Limits(calls=5)).reserve(Amount(1, 10, unpriced=1), model="llama")
    Budget(run=Limits(money=5)).reserve(Amount(1, uncounted=1, unpriced=1))  # asks no model


def test_a_whole_run_is_refused_before_its_first_call() -> None:
    budget = Budget(run=Limits(money=1.0))
    Budget(run=Limits(money=1.0)).require(Amount(300, 9000, 1.0))
    with pytest.raises(BudgetExhaustedError, match=r"expected to take 300 calls, 9,000 tokens, \$1.20"):
        budget.require(Amount(300, 9000, 1.2))
    assert "expected to take 300 calls" in budget.refusal, "what follows is refused with the same words"


def test_a_forecast_of_a_call_prefers_the_same_request_then_the_case_then_the_request_itself() -> None:
    history = History(
        [
            Spent("a", 0, "k1", Usage(10, 1, asked="m")),
            Spent("a", 1, "k1", Usage(12, 2, asked="m")),
            Spent("a", 0, "k2", Usage(99, 50, asked="m")),
            Spent("a", 0, "k3", Usage(asked="n")),
        ]
    )
    request = call(model="m", max_tokens=7, messages=[{"role": "user", "content": "x" * 300}])
    assert history.call(request, "k1", "b").tokens == 14
    assert history.call(request, "new", "a").tokens == 149
    fresh = history.call(request, "new", "b")
    assert (fresh.output, fresh.asked) == (7, "m")
    assert 100 < (fresh.input or 0) < 130
    assert history.call(call(model="n", messages=[]), "k3", "a").output == USUAL_OUTPUT, "nothing was counted"


def test_an_image_within_a_request_counts_as_one() -> None:
    picture = "data:image/png;base64," + "iVBORw0KGgo" * 50_000
    assert estimated_tokens(call(model="m", messages=[{"image_url": {"url": picture}}])) < 2000
    assert estimated_tokens(Request("POST", "https://example.org", (), b"\x00" * 30)) == 10


def test_a_forecast_of_a_run_is_what_its_cases_took() -> None:
    history = History(
        [
            Spent("a", 0, "k", Usage(10, 0, model="m")),
            Spent("a", 1, "k", Usage(20, 0, model="m")),
            Spent("a", 1, "l", Usage(model="m")),
            Spent("b", 0, "k", Usage(100, 10, model="m")),
            Spent("other", 0, "k", Usage(100, 10, model="m")),
        ]
    )
    amount = history.run(["a", "b", "new"], PRICES)
    assert amount == Amount(4, 140, pytest.approx(0.00003 + 0.0002), uncounted=1, unpriced=1)


def test_a_meter_counts_live_and_replayed_apart(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    whole = meter(budget=Budget(month=Limits(calls=10), spent=lambda: ledger.spent(DAY)), ledger=ledger, run="7")
    scope = Scope("a", 0)
    whole.after(whole.before(call(model="m"), "k", scope), answered(100, 10))
    whole.replayed(scope, Usage(50, 5, model="m"))
    whole.replayed(Scope("b"), Usage(50, 5, model="other"))
    assert whole.total == Cost(Amount(1, 110, 0.0002), Amount(2, 110, 0.0001, unpriced=1))
    assert ledger.spent(DAY) == Amount(1, 110, 0.0002)


def test_a_meter_stops_at_its_limit_and_says_why(tmp_path: Path) -> None:
    budget = Budget(run=Limits(calls=1))
    stopped = meter(budget=budget)
    stopped.after(stopped.before(call(model="m"), "k", Scope("a")), answered(1, 1))
    with pytest.raises(BudgetExhaustedError):
        stopped.before(call(model="m"), "k", Scope("b"))
    assert "1 calls a run" in budget.refusal


def test_a_session_stops_at_the_limit_and_counts_what_it_replays(tmp_path: Path) -> None:
    counted = meter(budget=Budget(run=Limits(calls=1)))
    recording = RecordingSession(Store(tmp_path), "auto", can_record=True, meter=counted, today=lambda: DAY)
    recorder = recording.ask(call(model="m"), Scope("t.py::a"))
    assert not isinstance(recorder, Answer)
    recorder.start(200, JSON)
    recorder.chunk(answered(100, 10).body)
    recorder.finish()
    with pytest.raises(BudgetExhaustedError):
        recording.ask(call(model="m", n=2), Scope("t.py::b"))
    assert recording.counts("t.py::b").refused == 1
    recording.finish()
    again = meter()
    replaying = RecordingSession(Store(tmp_path), "replay", meter=again)
    assert isinstance(replaying.ask(call(model="m"), Scope("t.py::a")), Answer)
    assert counted.total.live == again.total.replayed == Amount(1, 110, 0.0002)


def test_a_limit_costs_no_older_answer(tmp_path: Path) -> None:
    def record(calls: int) -> RecordingSession:
        counted = meter(budget=Budget(run=Limits(calls=calls)))
        session = RecordingSession(Store(tmp_path), "record", meter=counted, today=lambda: DAY)
        with contextlib.suppress(BudgetExhaustedError):
            for number in range(2):
                recorder = session.ask(call(model="m", n=number), Scope("t.py::a"))
                assert not isinstance(recorder, Answer)
                recorder.start(200, JSON)
                recorder.finish()
        session.ended("t.py::a")
        session.finish()
        return session

    assert record(2).kept == ()
    for calls in (0, 1):
        assert record(calls).kept == ("t.py::a",)
        replaying = RecordingSession(Store(tmp_path), "replay")
        assert all(isinstance(replaying.ask(call(model="m", n=n), Scope("t.py::a")), Answer) for n in range(2))


def test_an_error_of_the_server_is_free_and_a_broken_answer_is_unknown() -> None:
    counted = meter()
    scope = Scope("a")
    counted.after(counted.before(call(model="m"), "k", scope), Answer(429, JSON, (b'{"error": {}}',)))
    assert counted.total.live == Amount(1)
    counted.after(counted.before(call(model="m"), "k", scope), Answer(0, failure="time-out"))
    assert counted.total.live == Amount(2, uncounted=1, unpriced=1)


def test_words() -> None:
    assert in_words(Amount(1, 10, 0.5)) == "1 call, 10 tokens, $0.50"
    assert in_words(Amount(2, uncounted=2, unpriced=2)) == "2 calls, tokens not counted, cost unknown"
    assert in_words(Amount(2, 10, 0.5, 1, 1)) == "2 calls, 10 tokens (1 not counted), $0.50 (1 without a price)"
    assert in_words(Amount()) == "0 calls"
    assert [dollars(money) for money in (0, 1234.5, 0.0123, 0.00012345)] == ["$0.00", "$1,234.50", "$0.01", "$0.00012"]


def stream(*words: str) -> Answer:
    """Events that don't say what they took."""
    events = [{"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": word}}]} for word in words]
    chunks = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in events]
    return Answer(200, (("content-type", "text/event-stream"),), (*chunks, b"data: [DONE]\n\n"))


@pytest.mark.parametrize(
    ("fields", "said", "most"),
    [
        ({}, stream("yes"), 9),  # 1,024 tokens each, and the question
        ({"max_tokens": 1}, stream(*["word "] * 2000), 3),  # more came than was asked for
        ({"max_tokens": 100, "n": 20}, stream("yes"), 4),
        ({"max_tokens": 100, "n": "20"}, stream("yes"), 4),
        ({"max_tokens": 100, "best_of": 20}, stream("yes"), 4),
        ({"generationConfig": {"maxOutputTokens": 100, "candidateCount": 20}}, stream("yes"), 4),
        ({"max_tokens": 1, "max_completion_tokens": 2000}, stream("yes"), 4),
        ({"prompt": ["a"] * 20, "max_tokens": 100}, stream("yes"), 4),
        ({"input": [[7] * 3000], "max_tokens": 1}, stream("yes"), 3),  # tokens as numbers
        ({"max_tokens": 1}, Answer(200, (), (b"x" * 9000,)), 4),
    ],
)
def test_a_limit_in_tokens_ends_calls_that_say_nothing_of_theirs(
    tmp_path: Path, fields: dict[str, Any], said: Answer, most: int
) -> None:
    ledger = Ledger(tmp_path)
    limits = Limits(tokens=10_000)
    for budget in (Budget(run=limits), Budget(month=limits, spent=lambda: ledger.spent(DAY))):
        counts = meter(budget=budget, ledger=ledger)
        made = 0
        with contextlib.suppress(BudgetExhaustedError):
            for _ in range(200):
                ticket = counts.before(call(model="m", messages=[{"content": "hi"}], **fields), "k", Scope("t"))
                counts.after(ticket, said)
                made += 1
        assert 1 <= made <= most
        spent = ledger.spent(DAY)
        assert (spent.calls, spent.uncounted) == (made, made)
        assert spent.tokens > 5_000
        assert spent.money > 0
        (tmp_path / "ledger" / f"{DAY:%Y-%m}.ndjson").unlink()


def test_what_the_case_of_a_stranger_took_before_says_nothing_of_his_requests() -> None:
    spent = [Spent("a", 0, "k", Usage(input=5, output=5, asked="m"))]
    asked = call(model="m", max_tokens=4000, messages=[])
    assert History(spent).call(asked, "other", "a").tokens == 10
    assert (History(spent, of_others=True).call(asked, "other", "a").tokens or 0) >= 4000
    assert History(spent, of_others=True).call(asked, "k", "a").tokens == 10
    assert (History(spent).call(call(model="m", n=8, max_tokens=500), "other", "a").tokens or 0) >= 4000
