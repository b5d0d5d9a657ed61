"""The check run of a suite: one text in the end, that of the newest run, however many write at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from gate.deliver.checks import Check, CheckResult, Conclusion, check_name, publish_check
from tests.support.github.faults import Fault
from tests.support.github.fixture import HEAD, TOKEN, client, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import Token

NAME = check_name("default")


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with serve(tokens={TOKEN: Token(checks="write")}) as server:
        yield server


def check(run: int = 10, attempt: int = 1, conclusion: Conclusion = "success", text: str = "") -> Check:
    return Check(NAME, HEAD, conclusion, f"run {run}.{attempt}", text or f"text {run}.{attempt}", run, attempt)


def told(github: GitHubServer) -> list[tuple[str, str | None]]:
    """Titles and conclusions of all our check runs, oldest first."""
    return [(one.title, one.conclusion) for _, one in sorted(github.state.checks.items()) if one.external_id]


def test_made_then_updated_then_left_to_the_newer_run(github: GitHubServer) -> None:
    first = publish_check(client(github), check())
    assert first == CheckResult(f"{github.root}/octo/model/runs/70000")
    assert publish_check(client(github), check(11, conclusion="failure")) == first
    assert told(github) == [("run 11.1", "failure")]
    late = publish_check(client(github), check(10, 2))
    assert late.url == first.url
    assert "newer run" in late.warning
    assert told(github) == [("run 11.1", "failure")]
    # the same run judged again, after an acceptance
    assert publish_check(client(github), check(11, text="accepted")).warning == ""
    assert github.state.checks[70000].conclusion == "success"
    assert github.count("POST") == 1


def test_nothing_is_written_twice(github: GitHubServer) -> None:
    for _ in range(2):
        publish_check(client(github), check())
    assert (github.count("POST"), github.count("PATCH")) == (1, 0)


@pytest.mark.parametrize("runs", [((10, 1), (11, 1)), ((11, 1), (10, 1)), ((10, 1), (10, 2))])
@pytest.mark.parametrize("held", [("GET",), ("GET", "POST"), ("GET", "POST", "GET")])
def test_two_at_once(github: GitHubServer, runs: tuple[tuple[int, int], ...], held: tuple[str, ...]) -> None:
    for method in held:
        github.faults.add(Fault(method=method, path="check-runs", together=2))
    threads = [
        threading.Thread(
            target=lambda run=run: publish_check(
                client(github), check(*run, conclusion="failure" if run == max(runs) else "success")
            )
        )
        for run in runs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()
    run, attempt = max(runs)
    assert set(told(github)) == {(f"run {run}.{attempt}", "failure")}


def test_a_job_that_is_called_the_same_is_not_ours(github: GitHubServer) -> None:
    github.state.check(HEAD, NAME, conclusion="success", title="a job of the fork")
    result = publish_check(client(github), check(conclusion="failure"))
    assert "not ours" in result.warning
    assert told(github) == [("run 10.1", "failure")]
    assert github.state.checks[70000].title == "a job of the fork"


def test_another_app_with_our_mark_is_not_ours(github: GitHubServer) -> None:
    github.state.check(HEAD, NAME, app="evil", external_id="robustness-gate:1.1", conclusion="success", title="x")
    publish_check(client(github), check(conclusion="failure"))
    assert told(github) == [("x", "success"), ("run 10.1", "failure")]


def test_an_answer_that_is_lost_makes_no_second_one(github: GitHubServer) -> None:
    github.faults.add(Fault(method="POST", path="check-runs", cut="after"))
    assert publish_check(client(github), check()).warning == ""
    assert told(github) == [("run 10.1", "success")]


def test_what_github_refuses_is_a_warning() -> None:
    with serve() as github:
        result = publish_check(client(github), check())
        assert result.url == ""
        assert "checks: write" in result.warning
