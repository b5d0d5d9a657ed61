"""One issue about main: opened, updated, closed; whose it is; infrastructure apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.deliver.rolling_issue import IssueResult, tell_main
from gate.render.main_issue import MainMarker, issue_text, parse_main_marker
from gate.schema.verdict import ExitCode, Finding, Level, Problem, Provenance, RuleName, Verdict
from tests.support.github.fixture import HEAD, NEXT_HEAD, TOKEN, client, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import Issue, Token, person

FINDING = Finding(
    RuleName.NEWLY_FAILING, Level.ERROR, "test_a.py::t", "test_a.py::t", "newly fails", "passed", "failed"
)


def verdict(code: ExitCode = ExitCode.REGRESSION, head: str = HEAD, suite: str = "default") -> Verdict:
    origin = Provenance(suite=suite, head=head, report_url="https://github.com/octo/model/actions/runs/1/attempts/1")
    if code is ExitCode.REGRESSION:
        return Verdict(findings=(FINDING,), exit_code=code, would_exit=code, provenance=origin)
    problem = None if code is ExitCode.HOLDS else Problem("the model service is away", "suite", "wait")
    return Verdict(exit_code=code, would_exit=code, provenance=origin, problem=problem)


def only(github: GitHubServer) -> Issue:
    (issue,) = github.state.issues.values()
    return issue


def test_red_red_green_is_one_issue_opened_updated_closed(github: GitHubServer) -> None:
    api = client(github)
    opened = tell_main(api, verdict(), order=1)
    assert opened == IssueResult("opened", f"{github.root}/octo/model/issues/101")
    assert only(github).labels == ("robustness-regression",)
    assert "newly fails" in only(github).body
    assert tell_main(api, verdict(head=NEXT_HEAD), order=2).done == "updated"
    assert f"in 2 runs in a row, first at `{HEAD[:7]}`" in only(github).body
    assert tell_main(api, verdict(ExitCode.HOLDS, NEXT_HEAD), order=3).done == "closed"
    assert (only(github).state, only(github).reason) == ("closed", "completed")
    (said,) = github.comments(101)
    assert said.body.startswith(f"Main holds again at `{NEXT_HEAD[:7]}`")
    assert tell_main(api, verdict(ExitCode.HOLDS), order=4) == IssueResult()
    assert tell_main(api, verdict(), order=5).done == "opened", "another fall is another issue"
    assert len(github.state.issues) == 2


def test_infrastructure_is_told_apart(github: GitHubServer) -> None:
    api = client(github)
    assert tell_main(api, verdict(ExitCode.UNDECIDED), order=1).done == "opened"
    issue = only(github)
    assert issue.labels == ("robustness-infrastructure",)
    assert issue.title == "Robustness of main could not be judged: default"
    assert "worse" not in issue.title + issue.body
    assert "regression" not in issue.body
    tell_main(api, verdict(), order=2)
    assert only(github).labels == ("robustness-regression",)
    assert "in 1 run," in only(github).body, "counted from where main was first seen to be worse"


def test_a_run_that_could_not_be_judged_closes_nothing(github: GitHubServer) -> None:
    api = client(github)
    tell_main(api, verdict(), order=1)
    tell_main(api, verdict(ExitCode.INTERNAL), order=2)
    assert (only(github).state, only(github).labels) == ("open", ("robustness-regression",))
    assert "could not be judged" in only(github).body
    assert "in 1 run," in only(github).body
    assert "no run has shown since that it holds" in only(github).body


def test_labels_of_persons_stay(github: GitHubServer) -> None:
    api = client(github)
    tell_main(api, verdict(), order=1)
    github.state.issues[101] = replace(only(github), labels=("robustness-regression", "mine"))
    tell_main(api, verdict(), order=2)
    assert only(github).labels == ("mine", "robustness-regression")


def test_a_suite_has_its_own_and_a_pasted_marker_is_not_ours(github: GitHubServer) -> None:
    body = issue_text(verdict(), MainMarker("default", "regression", HEAD, 1, 10**9))
    github.state.issue("pasted", body, person("mallory", 666))
    api = client(github)
    assert tell_main(api, verdict(), order=1).done == "opened"
    assert tell_main(api, verdict(suite="slow"), order=1).done == "opened"
    tell_main(api, verdict(ExitCode.HOLDS), order=2)
    assert [issue.state for issue in github.state.issues.values()] == ["open", "closed", "open"]


def test_a_newer_run_is_not_written_over(github: GitHubServer) -> None:
    api = client(github)
    tell_main(api, verdict(), order=5)
    late = tell_main(api, verdict(ExitCode.HOLDS), order=4)
    assert (late.done, "a newer run" in late.warning) == ("", True)
    assert only(github).state == "open"


def test_of_two_the_older_stays(github: GitHubServer) -> None:
    body = issue_text(verdict(), MainMarker("default", "regression", HEAD, 1, 1))
    for _ in range(2):
        github.state.issue("Robustness", body)
    assert tell_main(client(github), verdict(), order=2).done == "updated"
    assert [issue.state for issue in github.state.issues.values()] == ["open", "closed"]


def test_without_permission_it_is_a_warning() -> None:
    with serve(tokens={TOKEN: Token(issues="read", pull_requests="read")}) as github:
        told = tell_main(client(github), verdict(), order=1)
        assert told.done == ""
        assert told.warning.startswith("the issue about main could not be brought up to date")
        assert github.state.issues == {}


def test_foreign_text_is_escaped() -> None:
    hostile = "@all <img src=x> [x](javascript:1)\n# head -->"
    shown = replace(verdict(), findings=(replace(FINDING, subject=hostile, what=hostile, before=hostile),))
    text = issue_text(shown, MainMarker("default", "regression", HEAD, 1, 1))
    assert "<img" not in text
    assert "&#60;img src=x&#62;" in text
    assert " @all" not in text
    assert "\n# head" not in text
    assert parse_main_marker(text) == MainMarker("default", "regression", HEAD, 1, 1)


@pytest.mark.parametrize("text", ["", "<!-- robustness-gate-main:1 suite=a -->", "x\n<!-- robustness-gate-main:1"])
def test_what_is_no_marker(text: str) -> None:
    assert parse_main_marker(text) is None
