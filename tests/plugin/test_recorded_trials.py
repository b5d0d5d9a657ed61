"""Trials of a replay: when they are one sample, and how many answers the present requests have."""

from __future__ import annotations

import json

import pytest

from gate.record.recordings.canonical import key
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.store import Store
from gate.trials.plan import Ask
from tests.support.fake_model import Project, by_name, outcomes, trials

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
        ("made != 1", "0" + "1" * 9),
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
