"""The client against a GitHub that checks every exchange, with each fault that E2E.md names."""

from __future__ import annotations

from email.utils import formatdate
from pathlib import Path

import pytest
import requests

from gate.deliver.client import GitHub
from gate.deliver.problems import ApiError
from gate.errors import DeliveryError
from tests.support.github.faults import Fault, exhausted, rate_limit
from tests.support.github.fixture import HEAD, NUMBER, TOKEN, Time, client, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import READ_ONLY, Token, person


def test_a_comment_is_made_changed_and_removed(github: GitHubServer) -> None:
    api = client(github)
    made = api.create_comment(NUMBER, "first")
    assert made.bot
    assert made.url.endswith(f"#issuecomment-{made.id}")
    assert api.update_comment(made.id, "second").body == "second"
    assert [one.body for one in api.list_comments(NUMBER)] == ["second"]
    api.delete_comment(made.id)
    api.delete_comment(made.id)
    assert api.list_comments(NUMBER) == []


@pytest.mark.parametrize("enterprise", [False, True])
def test_all_pages_under_the_path_of_the_server(enterprise: bool) -> None:
    with serve(enterprise=enterprise) as github:
        made = [github.add_comment(NUMBER, f"text {place}").id for place in range(250)]
        assert [one.id for one in client(github).list_comments(NUMBER)] == made
        assert github.count("GET", f"{github.prefix}/repositories/") == 2
        assert client(github).pull_request(NUMBER).head_sha == HEAD


def test_a_page_elsewhere_is_not_asked_for(github: GitHubServer) -> None:
    other = "http://localhost:1/repos/octo/model/issues/7/comments?page=2"
    github.add_comment(NUMBER, "text")
    github.faults.add(Fault(extra={"Link": f'<{other}>; rel="next"'}))
    with pytest.raises(DeliveryError, match="another host"):
        client(github).list_comments(NUMBER)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_redirect_is_followed_at_home_only(github: GitHubServer, status: int, method: str) -> None:
    api = client(github)
    home = f"{github.url}/repositories/186853002/issues/{NUMBER}/comments"
    act = {"GET": lambda: api.list_comments(NUMBER), "POST": lambda: api.create_comment(NUMBER, "text")}[method]
    github.faults.add(Fault(status=status, headers={"location": home}))
    assert act() is not None
    assert github.log[-1][:2] == (method, home.removeprefix(github.root))
    with serve() as stranger:
        github.faults.add(
            Fault(status=status, headers={"location": f"{stranger.url}/repos/octo/model/issues/7/comments"})
        )
        with pytest.raises(DeliveryError, match="another host"):
            act()
        assert not stranger.log


def test_a_circle_of_redirects_ends(github: GitHubServer) -> None:
    home = f"{github.url}/repos/octo/model/pulls/{NUMBER}"
    github.faults.add(Fault(status=302, headers={"location": home}, times=-1))
    with pytest.raises(DeliveryError, match="circle"):
        client(github).pull_request(NUMBER)


@pytest.mark.parametrize("status", [403, 429])
def test_retry_after_is_honoured(github: GitHubServer, status: int) -> None:
    moments = Time()
    github.faults.add(rate_limit(17, status))
    assert client(github, moments=moments).create_comment(NUMBER, "text").body == "text"
    assert moments.slept == [17]


def test_retry_after_as_a_date(github: GitHubServer) -> None:
    moments = Time()
    github.faults.add(Fault(status=429, headers={"retry-after": formatdate(moments.now + 30, usegmt=True)}))
    client(github, moments=moments).list_comments(NUMBER)
    assert moments.slept == [30]


@pytest.mark.parametrize("status", [403, 429])
def test_a_reset_is_honoured_when_nothing_remains(github: GitHubServer, status: int) -> None:
    moments = Time()
    github.faults.add(exhausted(int(moments.now) + 90, status))
    client(github, moments=moments).list_comments(NUMBER)
    assert moments.slept == [91]


@pytest.mark.parametrize(
    "headers", [{}, {"retry-after": "soon"}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "later"}]
)
def test_a_limit_without_a_time_waits_a_minute_and_grows(github: GitHubServer, headers: dict[str, str]) -> None:
    moments = Time()
    message = "You have exceeded a secondary rate limit"
    github.faults.add(Fault(status=403, message=message, headers=headers, times=2))
    client(github, moments=moments).list_comments(NUMBER)
    assert moments.slept == [60, 120]


def test_waiting_is_bounded(github: GitHubServer) -> None:
    moments = Time()
    github.faults.add(Fault(status=429, times=-1))
    with pytest.raises(ApiError, match="limits the rate") as caught:
        client(github, moments=moments).list_comments(NUMBER)
    assert sum(moments.slept) <= 300
    assert caught.value.status == 429
    assert caught.value.remedy
    github.faults.clear()
    github.faults.add(rate_limit(3600))
    moments = Time()
    with pytest.raises(ApiError, match="longer than"):
        client(github, moments=moments).list_comments(NUMBER)
    assert moments.slept == []


def test_a_missing_permission_is_not_tried_again() -> None:
    with serve(tokens={TOKEN: READ_ONLY}) as github:
        moments = Time()
        with pytest.raises(ApiError, match="may not do this") as caught:
            client(github, moments=moments).create_comment(NUMBER, "text")
        assert (caught.value.status, moments.slept, github.count("POST")) == (403, [], 1)
        assert "pull-requests: write" in caught.value.remedy


def test_a_missing_permission_as_the_last_request_of_the_hour_is_no_limit(github: GitHubServer) -> None:
    moments = Time()
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(moments.now) + 90)}
    github.faults.add(Fault(status=403, headers=headers, message="Resource not accessible by integration"))
    with pytest.raises(ApiError, match="may not do this"):
        client(github, moments=moments).create_comment(NUMBER, "text")
    assert moments.slept == []


@pytest.mark.parametrize("token", ["", "ghs_wrong"])
def test_an_absent_or_wrong_token(github: GitHubServer, token: str) -> None:
    with pytest.raises(ApiError) as caught:
        client(github, token).create_comment(NUMBER, "text")
    assert (caught.value.status, github.count("POST")) == (401, 1)
    assert "token" in caught.value.message
    assert github.seen_tokens == ([f"Bearer {token}"] if token else [""])


def test_a_login_in_netrc_is_not_used(github: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login somebody password secret\n", "utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))
    assert requests.utils.get_netrc_auth(github.url) == ("somebody", "secret")
    client(github).list_comments(NUMBER)
    client(github, "").list_comments(NUMBER)
    assert github.seen_tokens == [f"Bearer {TOKEN}", ""]


def test_a_proxy_of_the_environment_is_used(github: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with pytest.raises(ApiError, match=r"proxy|connection"):
        client(github).list_comments(NUMBER)
    assert not github.log


@pytest.mark.parametrize(
    "fault", [Fault(status=500, times=3), Fault(cut="before", times=3), Fault(cut="midway", times=3)]
)
def test_reading_is_tried_again(github: GitHubServer, fault: Fault) -> None:
    moments = Time()
    github.add_comment(NUMBER, "text")
    github.faults.add(fault)
    assert len(client(github, moments=moments).list_comments(NUMBER)) == 1
    assert moments.slept == [1, 2, 4]


@pytest.mark.parametrize("cut", ["before", "after", "midway"])
def test_a_cut_post_makes_one_comment(github: GitHubServer, cut: str) -> None:
    github.faults.add(Fault(method="POST", cut=cut))  # type: ignore[arg-type]
    made = client(github).create_comment(NUMBER, "text")
    assert [one.id for one in github.comments(NUMBER)] == [made.id]
    assert github.count("POST") == (2 if cut == "before" else 1)


def test_a_post_that_failed_is_made_again_beside_an_older_equal_one(github: GitHubServer) -> None:
    old = github.add_comment(NUMBER, "text")
    github.faults.add(Fault(method="POST", status=502))
    made = client(github).create_comment(NUMBER, "text", known=frozenset({old.id}))
    assert [one.id for one in github.comments(NUMBER)] == [old.id, made.id]


@pytest.mark.parametrize("fault", [Fault(status=503, times=-1), Fault(cut="before", times=-1)])
@pytest.mark.parametrize("act", [lambda api: api.list_comments(NUMBER), lambda api: api.create_comment(NUMBER, "text")])
def test_an_api_that_is_down_ends_in_a_clear_error(github: GitHubServer, fault: Fault, act: object) -> None:
    moments = Time()
    github.faults.add(fault)
    assert callable(act)
    with pytest.raises(ApiError) as caught:
        act(client(github, moments=moments))
    assert caught.value.uncertain
    assert caught.value.remedy
    assert sum(moments.slept) <= 300
    assert len(github.log) <= 25


def test_a_port_where_nobody_listens() -> None:
    moments = Time()
    api = GitHub("http://127.0.0.1:9", "octo/model", TOKEN, sleep=moments.sleep, clock=moments.clock)
    with pytest.raises(ApiError, match="can't be reached"):
        api.list_comments(NUMBER)
    assert moments.slept == [1, 2, 4, 8]


def test_a_silent_server_is_given_up(github: GitHubServer) -> None:
    github.faults.add(Fault(delay=0.5))
    moments = Time()
    assert client(github, moments=moments, timeouts=(1.0, 0.1)).list_comments(NUMBER) == []
    assert moments.slept == [1]


def test_slow_answers_use_up_the_patience(github: GitHubServer) -> None:
    moments = Time()

    def slowly(_: object) -> None:
        moments.now += 100

    github.faults.add(Fault(status=500, times=-1, first=slowly))
    with pytest.raises(ApiError):
        client(github, moments=moments).list_comments(NUMBER)
    assert len(github.log) == 3


def test_a_body_that_is_too_long_is_refused(github: GitHubServer) -> None:
    with pytest.raises(ApiError, match="too long") as caught:
        client(github).create_comment(NUMBER, "x" * 65_537)
    assert caught.value.status == 422


def test_a_file_at_a_commit(github: GitHubServer) -> None:
    content = bytes(range(256)) * 8_000
    github.add_file(HEAD, "baselines/a b#ü.jsonl", content)
    api = client(github)
    assert api.contents("baselines/a b#ü.jsonl", HEAD) == content
    assert api.contents("baselines/other.jsonl", HEAD) is None


def test_a_commit_that_can_not_be_seen_is_not_an_absent_file(github: GitHubServer) -> None:
    github.add_file(HEAD, "a", b"")
    assert client(github).contents("a", HEAD) == b""
    with pytest.raises(ApiError, match="can't see the commit") as caught:
        client(github).contents("a", "b" * 40)
    assert "fetch-depth" in caught.value.remedy
    github.state.tokens[TOKEN] = Token(contents="none")
    with pytest.raises(ApiError) as caught:
        client(github).contents("a", HEAD)
    assert caught.value.status == 403


@pytest.mark.parametrize("path", ["", "../issues/7/comments", "a/../../b", "a//b", "/a", "."])
def test_a_path_stays_in_the_repository(github: GitHubServer, path: str) -> None:
    with pytest.raises(DeliveryError, match="no path"):
        client(github).contents(path, HEAD)
    assert not github.log


def test_only_a_person_can_ask_who_it_is() -> None:
    with serve(tokens={"installation": Token(), "personal": Token(person("alice", 5))}) as github:
        assert client(github, "installation").whoami() is None
        assert client(github, "personal").whoami() == 5


def test_a_comment_of_a_deleted_account(github: GitHubServer) -> None:
    github.add_comment(NUMBER, "text", None)
    github.answers.gone = True
    (comment,) = client(github).list_comments(NUMBER)
    assert (comment.author, comment.bot) == (0, False)


@pytest.mark.parametrize("body", [b"<html>proxy</html>", b"{}", b"[1]", b'[{"id": 1}]', b"null"])
def test_an_answer_that_is_none_of_github(github: GitHubServer, body: bytes) -> None:
    github.faults.add(Fault(raw=body))
    with pytest.raises(DeliveryError, match="not a"):
        client(github).list_comments(NUMBER)


def test_reprs_tell_the_repository_alone(github: GitHubServer) -> None:
    assert repr(client(github)) == "<GitHub octo/model>"
