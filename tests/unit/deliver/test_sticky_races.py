"""Two runs at once, held at each place where they can meet, end with one comment that says the newer thing."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from gate.deliver.client import GitHub
from gate.deliver.sticky import CommentResult, post_comment
from gate.render.marker import parse_marker
from tests.support.github.faults import Fault
from tests.support.github.fixture import NUMBER, TOKEN, client
from tests.support.github.server import GitHubServer
from tests.unit.deliver.test_sticky import body, texts

RUNS = ((10, 1), (11, 1))


def post_with(github: GitHubServer, text: str, sleep: Callable[[float], None]) -> CommentResult:
    api = GitHub(github.url, github.state.repository, TOKEN, sleep=sleep, clock=lambda: 0.0)
    return post_comment(api, NUMBER, text, parse_marker=parse_marker)


def race(github: GitHubServer, runs: tuple[tuple[int, int], ...] = RUNS) -> list[CommentResult]:
    results: list[CommentResult] = []

    def one(run: int, attempt: int) -> None:
        text = body(f"run {run}.{attempt}", run=run, attempt=attempt)
        results.append(post_comment(client(github), NUMBER, text, parse_marker=parse_marker))

    threads = [threading.Thread(target=one, args=run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()
    return results


@pytest.mark.parametrize(
    "runs", [RUNS, RUNS[::-1], ((10, 1), (10, 2)), ((10, 1), (10, 1)), ((10, 1), (11, 1), (12, 1))]
)
@pytest.mark.parametrize("held", [("GET",), ("GET", "POST"), ("GET", "POST", "GET")])
def test_runs_that_both_create(github: GitHubServer, runs: tuple[tuple[int, int], ...], held: tuple[str, ...]) -> None:
    for method in held:
        github.faults.add(Fault(method=method, path="comments", together=len(runs)))
    results = race(github, runs)
    run, attempt = max(runs)
    assert texts(github) == [f"run {run}.{attempt}"]
    assert len(results) == len(runs)
    assert github.count("POST") == len(runs)
    assert github.count("PATCH") == 0


@pytest.mark.parametrize("place", [1, 2])
def test_both_look_before_either_makes_it_and_again_before_either_mends(github: GitHubServer, place: int) -> None:
    for _ in range(place):
        github.faults.add(Fault(method="GET", path="comments", together=2))
    race(github)
    assert texts(github) == ["run 11.1"]
    assert github.count("POST") == 2


@pytest.mark.parametrize("first", ["older", "newer"])
def test_runs_that_both_update(github: GitHubServer, first: str) -> None:
    """Both have seen the old text; the newer one's second look comes after the older one is done."""
    github.add_comment(NUMBER, body("old", run=1))
    older_is_done, newer_wrote = threading.Event(), threading.Event()
    github.faults.add(Fault(method="GET", path="comments", together=2))

    def settle(_: float) -> None:
        newer_wrote.set()
        assert older_is_done.wait(20)

    def older() -> None:
        post_with(github, body("run 10.1", run=10), lambda _: None)
        older_is_done.set()

    if first == "newer":
        github.faults.add(Fault(method="PATCH", text="run 10.1", after=newer_wrote))
    newer = (github, body("run 11.1", run=11), settle)
    threads = [threading.Thread(target=older), threading.Thread(target=post_with, args=newer)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()
    assert texts(github) == ["run 11.1"]
    assert github.count("POST") == 0


def test_an_older_run_that_writes_after_the_newer_one_is_mended(github: GitHubServer) -> None:
    github.add_comment(NUMBER, body("old", run=1))
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            github.state.edit(github.comments(NUMBER)[0].id, body("run 10.1", run=10))

    result = post_with(github, body("run 11.1", run=11), sleep)
    assert texts(github) == ["run 11.1"]
    assert result.warning == ""
    assert len(slept) == 2


def test_the_next_run_mends_what_two_dead_ones_left(github: GitHubServer) -> None:
    github.faults.add(Fault(method="GET", path="comments", together=2))
    github.faults.add(Fault(method="DELETE", status=403, times=-1))
    race(github)
    github.faults.clear()
    post_comment(client(github), NUMBER, body("run 12.1", run=12), parse_marker=parse_marker)
    assert texts(github) == ["run 12.1"]


def test_many_runs_at_once(github: GitHubServer) -> None:
    runs = tuple((run, 1) for run in range(10, 16))
    github.faults.add(Fault(method="GET", path="comments", together=len(runs)))
    race(github, runs)
    assert texts(github) == ["run 15.1"]
