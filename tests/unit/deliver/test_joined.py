"""One comment of several suites: each has its section, whoever else writes at the same moment."""

from __future__ import annotations

import threading

import pytest

from gate.deliver.joined import post_alone, post_joined
from gate.deliver.sticky import CommentResult
from gate.render.joined import sections_of
from tests.support.github.faults import Fault
from tests.support.github.fixture import HEAD, NEXT_HEAD, NUMBER, client
from tests.support.github.server import GitHubServer
from tests.support.github.state import Account, person
from tests.unit.deliver.test_sticky import body


def post(github: GitHubServer, text: str, *, create: bool = True) -> CommentResult:
    return post_joined(client(github), NUMBER, text, create=create)


def told(github: GitHubServer) -> dict[str, str]:
    """What the one joined comment says, by suite."""
    (only,) = [one for one in github.comments(NUMBER) if sections_of(one.body) is not None]
    found = sections_of(only.body) or {}
    return {suite: each.text.partition("`**\n\n")[2] for suite, each in found.items()}


def test_each_suite_updates_its_own_section(github: GitHubServer) -> None:
    first = post(github, body("worse", suite="slow"))
    assert post(github, body("fine", suite="fast")) == first
    post(github, body("better\nnow", suite="slow", run=11))
    assert told(github) == {"fast": "fine", "slow": "better\nnow"}
    assert list(told(github)) == ["fast", "slow"]
    assert len(github.comments(NUMBER)) == 1
    edits = github.comments(NUMBER)[0].edits
    post(github, body("fine", suite="fast"))
    assert github.comments(NUMBER)[0].edits == edits


@pytest.mark.parametrize("held", [("GET",), ("GET", "POST"), ("GET", "POST", "GET"), ("GET", "POST", "GET", "PATCH")])
@pytest.mark.parametrize("suites", [("a", "b"), ("a", "b", "c")])
def test_writers_at_once_lose_nothing(github: GitHubServer, suites: tuple[str, ...], held: tuple[str, ...]) -> None:
    for method in held:
        github.faults.add(Fault(method=method, path="comments", together=len(suites) if method != "PATCH" else 2))
    together(github, suites, 10)
    assert told(github) == {suite: f"{suite} of 10" for suite in suites}


def test_updates_at_once_lose_nothing(github: GitHubServer) -> None:
    for suite in ("a", "b", "c"):
        post(github, body("old", suite=suite, run=9))
    for method in ("GET", "PATCH"):
        github.faults.add(Fault(method=method, path="comments", together=2))
    together(github, ("a", "b"), 10)
    assert told(github) == {"a": "a of 10", "b": "b of 10", "c": "old"}


def together(github: GitHubServer, suites: tuple[str, ...], run: int) -> None:
    threads = [
        threading.Thread(target=post, args=(github, body(f"{suite} of {run}", suite=suite, run=run)))
        for suite in suites
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()


def test_a_late_older_run_leaves_the_newer_section(github: GitHubServer) -> None:
    post(github, body("new", run=12))
    assert "newer run" in post(github, body("old", run=11)).warning
    assert told(github) == {"default": "new"}


def test_a_section_of_an_old_head_is_old_whatever_its_number(github: GitHubServer) -> None:
    github.add_pull_request(NUMBER, NEXT_HEAD)
    post(github, body("of the old head", head=NEXT_HEAD, run=12))
    github.add_pull_request(NUMBER, HEAD)
    post(github, body("of the new one", run=11))
    assert told(github) == {"default": "of the new one"}


def test_a_run_whose_head_is_gone_says_nothing(github: GitHubServer) -> None:
    assert "newer commit" in post(github, body("old", head=NEXT_HEAD)).warning
    assert github.comments(NUMBER) == []


def test_the_comment_that_a_suite_had_by_itself_goes(github: GitHubServer) -> None:
    github.add_comment(NUMBER, body("alone"), Account())
    github.add_comment(NUMBER, body("alone", suite="slow"), Account())
    github.add_comment(NUMBER, body("pasted"), person("stranger", 666))
    post(github, body("joined", run=11))
    assert told(github) == {"default": "joined"}
    left = [one.body for one in github.comments(NUMBER) if sections_of(one.body) is None]
    assert left == [body("alone", suite="slow"), body("pasted")]


def alone(github: GitHubServer, text: str, *, create: bool = True) -> CommentResult:
    return post_alone(client(github), NUMBER, text, create=create)


def test_turned_off_each_suite_has_its_own_again_and_the_joined_comment_goes_with_the_last(
    github: GitHubServer,
) -> None:
    for suite in ("fast", "slow"):
        post(github, body("joined", suite=suite))
    first = alone(github, body("alone", suite="slow", run=11))
    assert told(github) == {"fast": "joined"}
    assert first.url and not first.warning
    alone(github, body("alone too", suite="fast", run=11))
    assert sorted(one.body for one in github.comments(NUMBER)) == [
        body("alone too", suite="fast", run=11),
        body("alone", suite="slow", run=11),
    ]


def test_turned_off_at_once_no_section_is_left(github: GitHubServer) -> None:
    for suite in ("a", "b", "c"):
        post(github, body("joined", suite=suite))
    for _ in range(3):
        github.faults.add(Fault(method="GET", path="comments", together=3))
    threads = [
        threading.Thread(target=alone, args=(github, body("alone", suite=suite, run=11))) for suite in ("a", "b", "c")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()
    assert sorted(one.body for one in github.comments(NUMBER)) == [
        body("alone", suite=suite, run=11) for suite in ("a", "b", "c")
    ]


def test_turned_off_with_nothing_to_say_the_old_section_does_not_stay_red(github: GitHubServer) -> None:
    post(github, body("red", suite="slow"))
    post(github, body("red", suite="fast"))
    alone(github, body("green", suite="slow", run=11), create=False)
    assert told(github) == {"fast": "red"}
    assert [one.body for one in github.comments(NUMBER)][1:] == [body("green", suite="slow", run=11)]


def test_turned_off_a_newer_runs_section_and_a_pasted_one_stay(github: GitHubServer) -> None:
    post(github, body("newer", run=12))
    (ours,) = github.comments(NUMBER)
    github.add_comment(NUMBER, ours.body.replace("newer", "pasted"), person("stranger", 666))
    alone(github, body("older", run=11))
    assert [one.body.count("newer") + one.body.count("pasted") for one in github.comments(NUMBER)] == [1, 1, 0]


def test_a_suite_that_was_removed_is_told_for_one_more_head(github: GitHubServer) -> None:
    heads = ("a" * 40, "b" * 40, "c" * 40)
    for run, head in enumerate(heads, start=10):
        github.add_pull_request(NUMBER, head)
        post(github, body(f"fast {run}", suite="fast", head=head, run=run))
        if run == 10:
            post(github, body("slow 10", suite="slow", head=head, run=run))
        assert ("slow" in told(github)) == (run < 12)
    # it speaks again: it was slow, and not removed
    post(github, body("slow 12", suite="slow", head=heads[2], run=12))
    assert told(github) == {"fast": "fast 12", "slow": "slow 12"}


def test_a_pasted_joined_comment_is_nobodys(github: GitHubServer) -> None:
    post(github, body("ours"))
    (ours,) = github.comments(NUMBER)
    forged = ours.body.replace("ours", "forged").replace("order=10", "order=99")
    github.add_comment(NUMBER, forged, person("stranger", 666))
    post(github, body("newer", run=11))
    assert [one.body.count("newer") for one in github.comments(NUMBER)] == [1, 0]


def test_nothing_to_say_only_updates(github: GitHubServer) -> None:
    post(github, body("red", suite="slow"))
    assert post(github, body("green"), create=False) == CommentResult("")
    post(github, body("green", suite="slow", run=11), create=False)
    assert told(github) == {"slow": "green"}


def test_a_text_can_neither_end_its_section_nor_begin_another(github: GitHubServer) -> None:
    post(github, body("fine", suite="fast"))
    forged = (
        f"```\n<!-- robustness-gate:end -->\n{body('forged', suite='fast', run=99)}\n<!--  ROBUSTNESS-gate:end -->\n```"
    )
    post(github, body(forged))
    assert set(told(github)) == {"default", "fast"}
    assert told(github)["fast"] == "fine"


def test_long_sections_share_the_room(github: GitHubServer) -> None:
    """GitHub refuses more than 65,536 characters; what was cut once is cut alike again."""
    lines = "\n".join(["x" * 99] * 500)
    for suite in ("a", "b"):
        post(github, body(lines, suite=suite))
    post(github, body("short", suite="c"))
    (only,) = github.comments(NUMBER)
    assert 35_000 < len(only.body) <= 60_000
    assert told(github)["c"] == "short"
    assert "Cut here" in told(github)["a"]
    edits = []
    for suite in ("a", "b", "a", "b", "a"):
        post(github, body(lines, suite=suite))
        edits.append(github.comments(NUMBER)[0].edits)
    assert len(set(edits[1:])) == 1
