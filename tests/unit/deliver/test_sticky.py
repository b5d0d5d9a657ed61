"""One comment a suite: found, updated, left to a newer run, and never a stranger's."""

from __future__ import annotations

import pytest

from gate.deliver.sticky import CommentResult, post_comment
from gate.render.marker import marker, parse_marker
from tests.support.github.faults import Fault
from tests.support.github.fixture import HEAD, NEXT_HEAD, NUMBER, TOKEN, Time, client, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import READ_ONLY, Account, State, Token, person

STRANGER = person("stranger", 666)
OTHER_BOT = Account("other-app[bot]", 777, "Bot", "other-app")


def body(text: str, *, suite: str = "default", head: str = HEAD, run: int = 10, attempt: int = 1) -> str:
    return f"{marker(suite, head, attempt, run)}\n{text}"


def post(github: GitHubServer, text: str, *, token: str = TOKEN, create: bool = True) -> CommentResult:
    return post_comment(client(github, token), NUMBER, text, parse_marker=parse_marker, create=create)


def texts(github: GitHubServer) -> list[str]:
    return [one.body.partition("\n")[2] for one in github.comments(NUMBER)]


def test_the_first_run_makes_it_and_the_second_updates_it(github: GitHubServer) -> None:
    first = post(github, body("worse", run=10))
    second = post(github, body("better", run=11))
    (only,) = github.comments(NUMBER)
    assert first == second == CommentResult(f"{github.root}/octo/model/pull/7#issuecomment-{only.id}")
    assert (texts(github), only.edits) == (["better"], 1)


def test_the_same_text_is_not_sent_again(github: GitHubServer) -> None:
    post(github, body("same"))
    post(github, body("same"))
    assert github.comments(NUMBER)[0].edits == 0


def test_it_is_found_among_all_pages(github: GitHubServer) -> None:
    for place in range(120):
        github.add_comment(NUMBER, f"talk {place}", STRANGER)
    post(github, body("worse"))
    for place in range(130):
        github.add_comment(NUMBER, f"more talk {place}", STRANGER)
    post(github, body("better", run=11))
    ours = [one for one in github.comments(NUMBER) if parse_marker(one.body)]
    assert [one.body for one in ours] == [body("better", run=11)]
    assert len(github.comments(NUMBER)) == 251


def test_each_suite_has_its_own(github: GitHubServer) -> None:
    post(github, body("one"))
    post(github, body("two", suite="slow"))
    post(github, body("three", suite="slow", run=11))
    assert texts(github) == ["one", "three"]


def test_a_marker_inside_a_text_is_no_marker(github: GitHubServer) -> None:
    github.add_comment(NUMBER, f"look at this:\n{body('quoted')}", Account())
    post(github, body("ours"))
    assert texts(github)[0] == body("quoted")
    assert len(github.comments(NUMBER)) == 2


@pytest.mark.parametrize("edits_others", [False, True])
@pytest.mark.parametrize("account", [Account(), OTHER_BOT, person("alice", 5)])
def test_a_stranger_who_pastes_our_marker_changes_nothing(edits_others: bool, account: Account) -> None:
    with serve(tokens={TOKEN: Token(account, edits_others=edits_others)}) as github:
        forged = body("all is well", run=999_999, attempt=9)
        theirs = github.add_comment(NUMBER, forged, STRANGER)
        post(github, body("worse"))
        post(github, body("worst", run=11))
        assert github.state.comments[theirs.id] == theirs
        assert [one.body for one in github.comments(NUMBER)] == [forged, body("worst", run=11)]
        assert github.comments(NUMBER)[1].author == account


def test_a_comment_of_another_bot_is_left_alone(github: GitHubServer) -> None:
    theirs = github.add_comment(NUMBER, body("theirs", run=3), OTHER_BOT)
    post(github, body("ours"))
    post(github, body("ours again", run=11))
    assert texts(github) == ["theirs", "ours again"]
    assert github.state.comments[theirs.id] == theirs


def test_a_person_with_a_token_finds_the_own_comment() -> None:
    with serve(tokens={TOKEN: Token(person("alice", 5))}) as github:
        post(github, body("worse"))
        post(github, body("better", run=11))
        assert texts(github) == ["better"]


def test_a_newer_head_is_not_overwritten(github: GitHubServer) -> None:
    github.add_pull_request(NUMBER, NEXT_HEAD)
    post(github, body("of the new head", head=NEXT_HEAD, run=11))
    late = post(github, body("of the old head", run=10))
    assert texts(github) == ["of the new head"]
    assert late.url == ""
    assert "newer commit" in late.warning


def test_an_old_head_says_nothing_even_where_nobody_has_spoken(github: GitHubServer) -> None:
    github.add_pull_request(NUMBER, NEXT_HEAD)
    assert "newer commit" in post(github, body("late")).warning
    assert github.comments(NUMBER) == []


def test_a_head_that_is_pushed_back_speaks_again(github: GitHubServer) -> None:
    post(github, body("of a head that is gone", head=NEXT_HEAD, run=99))
    assert texts(github) == []
    github.add_pull_request(NUMBER, NEXT_HEAD)
    post(github, body("of a head that is gone", head=NEXT_HEAD, run=99))
    github.add_pull_request(NUMBER, HEAD)
    assert post(github, body("back", run=10, attempt=2)).warning == ""
    assert texts(github) == ["back"]


@pytest.mark.parametrize(("newer", "older"), [((10, 2), (10, 1)), ((11, 1), (10, 3))])
def test_a_newer_attempt_is_not_overwritten(
    github: GitHubServer, newer: tuple[int, int], older: tuple[int, int]
) -> None:
    said = post(github, body("newer", run=newer[0], attempt=newer[1]))
    late = post(github, body("older", run=older[0], attempt=older[1]))
    assert texts(github) == ["newer"]
    assert late.url == said.url
    assert "newer run" in late.warning


def test_a_head_that_moves_while_we_write(github: GitHubServer) -> None:
    def push(state: State) -> None:
        github.add_pull_request(NUMBER, NEXT_HEAD)
        state.comment(NUMBER, body("of the new head", head=NEXT_HEAD, run=11))

    github.faults.add(Fault(method="POST", first=push))
    late = post(github, body("of the old head", run=10))
    assert texts(github) == ["of the new head"]
    assert "newer commit" in late.warning


def test_a_head_that_can_not_be_seen_leaves_the_order_of_runs() -> None:
    with serve(tokens={TOKEN: Token(pull_requests="none")}) as github:
        post(github, body("newer", head=NEXT_HEAD, run=11))
        post(github, body("older", run=10))
        assert texts(github) == ["newer"]
        post(github, body("newest", run=12))
        assert texts(github) == ["newest"]


def test_a_comment_that_is_deleted_in_between_is_made_again(github: GitHubServer) -> None:
    post(github, body("worse"))
    (old,) = github.comments(NUMBER)

    def remove(state: State) -> None:
        del state.comments[old.id]

    github.faults.add(Fault(method="PATCH", first=remove))
    result = post(github, body("better", run=11))
    (new,) = github.comments(NUMBER)
    assert new.id != old.id
    assert result == CommentResult(f"{github.root}/octo/model/pull/7#issuecomment-{new.id}")


def test_one_that_is_deleted_again_and_again_ends_with_a_word(github: GitHubServer) -> None:
    github.faults.add(Fault(method="GET", path="comments", times=-1, first=lambda state: state.comments.clear()))
    result = post(github, body("text"))
    assert github.count("POST") <= 2
    assert result.url


def test_duplicates_of_a_run_that_died_become_one(github: GitHubServer) -> None:
    for run in (8, 9, 7):
        github.add_comment(NUMBER, body(f"run {run}", run=run))
    post(github, body("ours"))
    assert texts(github) == ["ours"]
    for run in (20, 30, 25):
        github.add_comment(NUMBER, body(f"run {run}", run=run))
    post(github, body("late", run=11))
    assert texts(github) == ["run 30"]


@pytest.mark.parametrize("length", [65_537, 200_000])
def test_a_text_that_is_too_long_is_cut(github: GitHubServer, length: int) -> None:
    for run in (10, 11):
        result = post(github, body("line\n" * (length // 5 + 1), run=run))
        (only,) = github.comments(NUMBER)
        assert result.url
        assert result.warning == ""
        assert len(only.body) <= 60_000
        assert parse_marker(only.body)
        assert "Cut here" in only.body
    assert github.comments(NUMBER)[0].edits == 1


def test_a_shortened_text_comes_from_the_caller(github: GitHubServer) -> None:
    asked: list[int] = []

    def shorten(text: str, limit: int) -> str:
        asked.append(limit)
        return body("x" * 70_000 if limit == 60_000 else "short")

    result = post_comment(client(github), NUMBER, body("y" * 80_000), parse_marker=parse_marker, shorten=shorten)
    assert result.url
    assert asked == [60_000, 30_000]
    assert texts(github) == ["short"]


def test_a_refusal_that_is_not_about_length_is_told(github: GitHubServer) -> None:
    github.faults.add(Fault(method="POST", status=422, message="spam", times=-1))
    assert "spam" in post(github, body("text")).warning


@pytest.mark.parametrize(
    ("token", "word"),
    [(TOKEN, "pull-requests: write"), ("ghs_wrong", "does not accept the token"), ("", "wants a token")],
)
def test_a_token_that_may_not_becomes_a_warning(token: str, word: str) -> None:
    with serve(tokens={TOKEN: READ_ONLY}) as github:
        github.add_comment(NUMBER, body("of another day", run=3))
        result = post(github, body("text"), token=token)
        assert result.url == ""
        assert word in result.warning
        assert texts(github) == ["of another day"]


@pytest.mark.parametrize("fault", [Fault(status=502, times=-1), Fault(cut="before", times=-1)])
def test_an_api_that_is_down_for_the_whole_run_becomes_a_warning(github: GitHubServer, fault: Fault) -> None:
    github.faults.add(fault)
    moments = Time()
    result = post_comment(client(github, moments=moments), NUMBER, body("text"), parse_marker=parse_marker)
    assert result.url == ""
    assert result.warning.startswith("no comment: ")
    assert sum(moments.slept) <= 300
    assert github.comments(NUMBER) == []


@pytest.mark.parametrize("cut", ["before", "after", "midway"])
@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "GET"])
def test_one_cut_connection_anywhere_is_survived(github: GitHubServer, cut: str, method: str) -> None:
    if method != "POST":
        github.add_comment(NUMBER, body("one", run=1))
        github.add_comment(NUMBER, body("two", run=2))
    github.faults.add(Fault(method=method, cut=cut))  # type: ignore[arg-type]
    assert post(github, body("text")).url
    assert texts(github) == ["text"]


def test_a_failing_last_look_does_not_hide_the_comment(github: GitHubServer) -> None:
    def break_down(_: State) -> None:
        github.faults.add(Fault(method="GET", status=500, times=-1))

    post(github, body("worse"))
    github.faults.add(Fault(method="PATCH", first=break_down))
    result = post(github, body("better", run=11))
    assert result == CommentResult(f"{github.root}/octo/model/pull/7#issuecomment-{github.comments(NUMBER)[0].id}")
    assert texts(github) == ["better"]


def test_without_creation_only_what_is_there_is_changed(github: GitHubServer) -> None:
    assert post(github, body("fine"), create=False) == CommentResult("")
    assert github.comments(NUMBER) == []
    post(github, body("worse", run=11))
    assert post(github, body("fine again", run=12), create=False).url
    assert texts(github) == ["fine again"]


def test_a_text_without_a_marker_is_never_posted(github: GitHubServer) -> None:
    assert "no marker" in post(github, "text").warning
    assert not github.log
