"""Trials of a replay: when they are one sample, and how many answers the present requests have."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gate.record.recordings.canonical import key
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.missing import read_missing
from gate.record.recordings.store import Store
from gate.trials.plan import Ask
from tests.support.fake_model import Project, by_name, outcomes, trials
from tests.support.model_server import ModelServer

pytest.importorskip("urllib3")

URL = "https://api.openai.com/v1/chat/completions"
CASE = "test_a.py::test_a"
SUITE = """
import pytest, urllib3

made = 0

def ask(text):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}
    return urllib3.request("POST", "https://api.openai.com/v1/chat/completions", json=body, retries=False).json()

@pytest.mark.stochastic
def test_a():
    global made
    made += 1
    answer = ask("PROMPT")
    assert CONDITION
"""
ASK = Ask(n0=200, s0=200, cap=60, share=0.01, delta=0.3, power=0.9)
PATIENT = Ask(n0=10, s0=9, cap=60, share=0.0001, delta=0.3, power=0.9)
"""Ten trials decide nothing."""


def stored(trial: int, text: str, said: str = "yes") -> Entry:
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}
    asked = key(Request("POST", URL, (("content-type", "application/json"),), json.dumps(body).encode()))
    answer = Answer(200, (("content-type", "application/json"),), (json.dumps({"said": said}).encode(),))
    return Entry(asked.digest, CASE, trial, 0, answer, Meta("9999-01-01", "gpt-4o-2"), request=asked.shown)


def suite(project: Project, condition: str, prompt: str = "first") -> None:
    project.write("test_a.py", SUITE.replace("PROMPT", prompt).replace("CONDITION", condition))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("made == 1", "1" + "0" * 9),  # the code varies by itself: these are draws of its own chance
        ("answer", "1"),
        ("not answer", "0"),
    ],
)
def test_equal_answers_are_one_sample_only_where_all_trials_end_alike(
    project: Project, condition: str, expected: str
) -> None:
    suite(project, condition)
    Store(project.path / "recordings").put([stored(trial, "first") for trial in range(10)])
    report, _ = project.run("--gate-mode=replay")
    (session,) = trials(by_name(report)["test_a"]).sessions
    assert session.outcomes == expected
    assert session.alike == 10
    assert session.answers


def test_answers_that_differ_are_no_one_sample(project: Project) -> None:
    suite(project, "answer")
    Store(project.path / "recordings").put([stored(trial, "first", f"yes {trial}") for trial in range(10)])
    report, _ = project.run("--gate-mode=replay")
    (session,) = trials(by_name(report)["test_a"]).sessions
    assert (session.outcomes, session.alike, session.answers) == ("1" * 10, 0, "")


def test_one_pass_hides_no_failures(project: Project) -> None:
    suite(project, "made == 1")
    Store(project.path / "recordings").put([stored(trial, "first") for trial in range(60)])
    report, _ = project.run("--gate-mode=replay", plan=project.plan(test_a=ASK))
    assert outcomes(by_name(report)["test_a"]).count("0") >= 2
    assert by_name(report)["test_a"].outcome == "failed"


def test_an_edited_prompt_asks_for_all_its_trials_at_once(project: Project) -> None:
    store = Store(project.path / "recordings")
    store.put([stored(trial, "first") for trial in range(10)])
    suite(project, "answer", "edited")
    report, _ = project.run("--gate-mode=replay", "--gate-missing=missing.jsonl")
    (entry,) = read_missing((project.path / "missing.jsonl").read_bytes())
    assert [(each.trial, each.n) for each in entry.asked] == [(trial, 0) for trial in range(10)]
    calls = by_name(report)["test_a"].calls
    assert calls is not None
    assert calls.missing == 10
    store.put([stored(each.trial, "edited", f"yes {each.trial}") for each in entry.asked])
    report, _ = project.run("--gate-mode=replay", "--gate-missing=missing.jsonl")
    assert outcomes(by_name(report)["test_a"]) == "1" * 10
    assert not (project.path / "missing.jsonl").exists()


def test_a_test_without_recordings_asks_for_as_many_trials_as_a_baseline_has(project: Project) -> None:
    suite(project, "answer")
    project.run("--gate-mode=replay", "--gate-missing=missing.jsonl")
    (entry,) = read_missing((project.path / "missing.jsonl").read_bytes())
    assert len(entry.asked) == 10


@pytest.mark.parametrize("merged", [True, False])
def test_trials_of_the_old_prompt_are_no_trials_of_the_new_one(project: Project, merged: bool) -> None:
    """A limit ended `gate record` after four of ten: decided is on these."""
    old = [stored(trial, "first", f"yes {trial}") for trial in range(10)]
    new = [stored(trial, "edited", f"yes {trial}") for trial in range(4)]
    Store(project.path / "recordings").put([*old, *new] if merged else old)
    Store(project.path / "overlay").put(new)
    suite(project, "answer", "edited")
    report, _ = project.run("--gate-mode=replay", "--gate-overlay=overlay", plan=project.plan(test_a=PATIENT))
    case = by_name(report)["test_a"]
    assert (case.outcome, outcomes(case), trials(case).recorded) == ("passed", "1" * 4, 4)
    assert case.calls is not None
    assert case.calls.missing == 0


def test_requests_that_differ_from_trial_to_trial_all_count(project: Project) -> None:
    suite(project, "answer", '" + str(made) + "')
    Store(project.path / "recordings").put([stored(trial, str(trial + 1), f"yes {trial}") for trial in range(10)])
    report, _ = project.run("--gate-mode=replay")
    assert outcomes(by_name(report)["test_a"]) == "1" * 10


def test_a_trial_that_lacks_an_answer_after_others_measured_nothing(project: Project) -> None:
    """What an answer led to must not decide which trials count."""
    suite(project, 'ask("more") if made == 3 else answer')
    Store(project.path / "recordings").put([stored(trial, "first", f"yes {trial}") for trial in range(10)])
    report, _ = project.run("--gate-mode=replay", "--gate-missing=missing.jsonl", plan=project.plan(test_a=PATIENT))
    (entry,) = read_missing((project.path / "missing.jsonl").read_bytes())
    assert [each.trial for each in entry.asked] == list(range(2, 10))
    calls = by_name(report)["test_a"].calls
    assert calls is not None
    assert calls.missing == 8


LIVE = """
import pytest, urllib3

@pytest.mark.stochastic(max_trials=MOST)
def test_a():
    body = {"model": "m", "messages": [{"role": "user", "content": "say a colour"}]}
    assert not urllib3.request("POST", URL, json=body, retries=False).json()["choices"]
"""


@pytest.mark.parametrize(("cap", "expected"), [(60, 10), (8, 8)])
def test_a_recording_that_decides_early_records_what_a_later_replay_needs(
    project: Project, cap: int, expected: int
) -> None:
    plan = project.plan(test_a=replace(ASK, cap=cap, delta=0.6))
    with ModelServer() as server:
        url = repr(f"{server.url}/v1/chat/completions")
        project.write("test_a.py", LIVE.replace("URL", url).replace("MOST", str(cap)))
        recorded, _ = project.run("--gate-mode=record", plan=plan)
        assert len(server.requests) == expected
    decided = trials(by_name(recorded)["test_a"])
    assert decided.count < expected, "fewer were enough"
    assert {entry.trial for entry in Store(project.path / "recordings").entries()} == set(range(expected))
    replayed, _ = project.run("--gate-mode=replay", plan=plan)
    again = trials(by_name(replayed)["test_a"])
    assert [session.outcomes for session in again.sessions] == [session.outcomes for session in decided.sessions]
    assert by_name(replayed)["test_a"].outcome == by_name(recorded)["test_a"].outcome
