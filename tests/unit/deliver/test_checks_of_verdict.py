"""A verdict, or the end of a run, as a check run: what a ruleset sees of it, and what no text of it shows."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from gate import render
from gate.deliver.artifacts import Run
from gate.deliver.checks import LONGEST_SUMMARY
from gate.deliver.checks_of_verdict import Checking, check_of, check_of_run, conclusion_of
from gate.deliver.event import Event
from gate.deliver.publish import Publisher
from gate.deliver.runner import RunnerFiles
from gate.schema.verdict import ExitCode, Problem, Provenance, Verdict
from gate.settings import Settings
from tests.support import verdicts
from tests.support.github.faults import Fault
from tests.support.github.fixture import HEAD, NUMBER, TOKEN, Time, client, serve
from tests.support.github.state import Token

RUN = Run(9, 71, "pull_request", True, "success", "change", HEAD, "octo/model", "octo/model", attempt=2)


@pytest.mark.parametrize(
    ("verdict", "conclusion"),
    [
        (Verdict(), "success"),
        (Verdict(exit_code=ExitCode.REGRESSION, would_exit=ExitCode.REGRESSION), "failure"),
        (Verdict(would_exit=ExitCode.REGRESSION, observe=True), "neutral"),
        (Verdict(welcome=True), "neutral"),
        *((Verdict(exit_code=code, would_exit=code), "action_required") for code in (2, 3, 4)),
    ],
)
def test_only_what_holds_is_a_success(verdict: Verdict, conclusion: str) -> None:
    assert conclusion_of(verdict) == conclusion


@pytest.mark.parametrize(
    ("ended", "conclusion"),
    [
        ("success", "success"),
        ("neutral", "neutral"),
        *((word, "failure") for word in ("skipped", "cancelled", "", "x")),
    ],
)
def test_a_run_is_told_as_it_ended(ended: str, conclusion: str) -> None:
    check = check_of_run(replace(RUN, conclusion=ended), "slow", "https://github.com/octo/model/actions/runs/9")
    assert (check.conclusion, check.name) == (conclusion, "Robustness Gate (slow)")
    assert (check.head, check.run, check.attempt) == (HEAD, 9, 2)


def test_its_text_is_the_comments_without_the_hidden_line() -> None:
    verdict = verdicts.hostile()
    check = check_of(verdict, head=HEAD, run=9, url="")
    assert check.summary == render.comment(verdict, LONGEST_SUMMARY, order=9).partition("\n")[2]
    assert "robustness-gate:1" not in check.summary
    assert "\n" not in check.title
    assert len(check.title) <= 200


def test_no_token_is_shown_and_a_check_that_fails_is_a_sentence(tmp_path: Path) -> None:
    verdict = Verdict(
        exit_code=ExitCode.UNDECIDED,
        would_exit=ExitCode.UNDECIDED,
        provenance=Provenance(head=HEAD, pull_request=NUMBER),
        problem=Problem(f"the suite said {TOKEN}", "candidate.json", "look"),
    )
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_TOKEN": TOKEN}
    with serve(tokens={TOKEN: Token(checks="write")}) as github:
        inner = Publisher(
            output=tmp_path,
            runner=RunnerFiles(environ, io.StringIO()),
            write=lambda path, data: None,
            tokens=environ,
            sleep=Time().sleep,
        )
        event = Event("octo/model", "pull_request", github.url, pull_request=NUMBER, head_sha=HEAD, run_id=9)
        url = "https://github.com/octo/model/actions/runs/10"
        checking = Checking(inner, client(github), HEAD, url, environ)
        assert checking.publish(verdict, event, Settings()) == ()
        (check,) = github.state.checks.values()
        assert (check.conclusion, check.details_url) == ("action_required", url)
        for text in (check.title, check.summary, github.comments(NUMBER)[0].body):
            assert TOKEN not in text
        assert url in github.comments(NUMBER)[0].body
        github.faults.add(Fault(method="PATCH", path="check-runs", status=401))
        (sentence,) = checking.publish(replace(verdict, problem=None), event, Settings())
        assert sentence.startswith("no check: ")
