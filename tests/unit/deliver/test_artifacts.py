"""Artifacts over HTTP: listed over all pages, downloaded from another host without the token, refused when odd."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from gate.deliver import artifacts, transport
from gate.deliver.artifacts import Artifact, list_artifacts, read_file, read_run, runs_of
from gate.deliver.problems import ApiError
from gate.errors import DeliveryError
from tests.support.github.faults import Fault, rate_limit
from tests.support.github.fixture import HEAD, NEXT_HEAD, NUMBER, TOKEN, Time, client, serve
from tests.support.github.server import GitHubServer, packed
from tests.support.github.state import Token, load_state

NAME = "robustness-gate-default-main"
KNOWN = {"candidate.json"}
CONTENT = b'{"tests": []}' * 1_000
LIMIT = 2**20


def uploaded(github: GitHubServer, files: dict[str, bytes] | bytes | None = None, **more: object) -> Artifact:
    """The one artifact of the server, as the client lists it."""
    run = github.add_run("main", HEAD, "push")
    github.add_artifact(NAME, run, {"candidate.json": CONTENT} if files is None else files, **more)
    (found,) = list_artifacts(client(github), NAME)
    return found


def fetched(
    github: GitHubServer, artifact: Artifact, *, limit: int = LIMIT, moments: Time | None = None
) -> bytes | None:
    api = client(github, moments=moments)
    return read_file(api, artifact, "candidate.json", known=KNOWN, limit=limit)


def test_an_artifact_says_where_it_came_from(github: GitHubServer) -> None:
    found = uploaded(github)
    assert (found.name, found.branch, found.commit, found.expired) == (NAME, "main", HEAD, False)
    assert found.of_own_branch
    assert found.digest.startswith("sha256:")
    assert fetched(github, found) == CONTENT


@pytest.mark.parametrize("enterprise", [False, True])
def test_all_pages_newest_run_first(enterprise: bool) -> None:
    with serve(enterprise=enterprise) as github:
        for place in range(250):
            run = github.add_run("main", HEAD, "push", id=1_000 + (place * 7) % 250)
            github.add_artifact(NAME if place % 2 else "another", run, b"", expired=place == 9)
        found = list_artifacts(client(github), NAME)
        runs = [one.run for one in found]
        assert len(runs) == 125
        assert runs == sorted(runs, reverse=True)
        assert sum(one.expired for one in found) == 1
        assert {one.name for one in found} == {NAME}


def test_thousands_of_artifacts_of_one_name_cost_three_requests(github: GitHubServer) -> None:
    run = github.add_run("main", HEAD, "push")
    for _ in range(450):
        github.add_artifact(NAME, run, b"")
    assert len(list_artifacts(client(github), NAME)) == 300
    assert github.count("GET", "/actions/artifacts") == 3


def test_a_fork_and_a_run_that_github_no_longer_names_are_nobodys_own(github: GitHubServer) -> None:
    fork = github.add_run("main", HEAD, "push", head_repository="stranger/model")
    gone = github.add_run("main", HEAD, "push", head_repository=None)
    github.add_artifact(NAME, fork, b"")
    github.add_artifact(NAME, gone, b"")
    github.add_artifact(NAME, github.add_run("main", HEAD, "push"), b"", orphan=True)
    assert [one.of_own_branch for one in list_artifacts(client(github), NAME)] == [False, False, False]


def test_a_run_and_the_runs_of_its_workflow(github: GitHubServer) -> None:
    first = github.add_run("main", HEAD, "push", conclusion="failure")
    second = github.add_run("main", NEXT_HEAD, "schedule", status="in_progress", head_repository="Stranger/Model")
    third = github.add_run("main", NEXT_HEAD, "push", head_repository=None)
    github.add_run("other", NEXT_HEAD, "push")
    github.add_run("main", NEXT_HEAD, "push", workflow=72)
    found = read_run(client(github), second.id)
    assert (found.event, found.finished, found.conclusion) == ("schedule", False, "")
    assert (found.repository, found.head_repository) == ("octo/model", "stranger/model")
    assert read_run(client(github), third.id).head_repository == ""
    listed = runs_of(client(github), first.workflow, "main")
    assert [run.id for run in listed] == [third.id, second.id, first.id]
    assert [run.conclusion for run in listed] == ["success", "", "failure"]
    assert [run.id for run in runs_of(client(github), first.workflow, "main", "schedule")] == [second.id]
    with pytest.raises(ApiError) as caught:
        read_run(client(github), 1)
    assert caught.value.status == 404


def test_how_commits_stand_to_each_other(github: GitHubServer) -> None:
    old, new, stray = "1" * 40, "2" * 40, "3" * 40
    github.state.history += [old, new]
    github.add_run("x", stray)
    api = client(github)
    assert artifacts.is_ancestor(api, old, new)
    assert artifacts.is_ancestor(api, "9" * 40, "9" * 40)
    assert not artifacts.is_ancestor(api, new, old)
    assert not artifacts.is_ancestor(api, stray, new)
    assert not artifacts.is_ancestor(api, "9" * 40, new)


def test_the_token_does_not_follow_to_the_other_host(github: GitHubServer) -> None:
    assert fetched(github, uploaded(github)) == CONTENT
    (seen,) = github.store.seen
    assert "authorization" not in seen
    assert not any(TOKEN in value for value in seen.values())
    assert set(seen) <= {"host", "user-agent", "accept", "accept-encoding", "connection"}
    assert github.seen_tokens[-1] == f"Bearer {TOKEN}"


def test_a_login_for_the_other_host_is_not_used(
    github: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login somebody password secret\n", "utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))
    assert fetched(github, uploaded(github)) == CONTENT


def test_the_token_does_not_come_back_once_it_was_left_behind(github: GitHubServer) -> None:
    found = uploaded(github)
    home = f"{github.url}/repos/octo/model/pulls/{NUMBER}"
    github.store.faults.add(Fault(status=302, headers={"Location": home}))
    github.seen_tokens.clear()
    # The API objects to a request that is not the client's own, and the next attempt begins at its own address.
    assert fetched(github, found) == CONTENT
    assert github.seen_tokens == [f"Bearer {TOKEN}", "", f"Bearer {TOKEN}"]
    github.violations.clear()


def test_a_redirect_to_plain_http_is_not_followed_from_https() -> None:
    follow = transport._may_follow
    assert follow("https://store.example/x", "https://api.github.com")
    assert not follow("http://store.example/x", "https://api.github.com")
    assert not follow("file:///etc/passwd", "https://api.github.com")
    assert not follow("ftp://store.example/x", "http://127.0.0.1:1")
    assert follow("http://127.0.0.1:2/x", "http://127.0.0.1:1")


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:1"])
def test_a_redirect_to_no_web_page_is_refused(github: GitHubServer, location: str) -> None:
    found = uploaded(github)
    github.faults.add(Fault(path="/zip", status=302, headers={"location": location}))
    with pytest.raises(ApiError, match="another host"):
        fetched(github, found)


def test_a_circle_of_redirects_ends(github: GitHubServer) -> None:
    found = uploaded(github)
    github.store.faults.add(Fault(status=302, headers={"Location": f"{github.store.root}/1"}, times=-1))
    with pytest.raises(ApiError, match="circle"):
        fetched(github, found)


@pytest.mark.parametrize("cut", ["before", "midway"])
def test_a_cut_download_is_tried_again_from_the_start(github: GitHubServer, cut: str) -> None:
    content = random.Random(1).randbytes(300_000)
    found, moments = uploaded(github, {"candidate.json": content}), Time()
    github.store.faults.add(Fault(cut=cut, times=2))  # type: ignore[arg-type]
    assert fetched(github, found, moments=moments) == content
    assert moments.slept == [1, 2]
    assert github.count("GET", "/zip") == 3


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_a_store_that_refuses_is_asked_again_by_a_new_address(github: GitHubServer, status: int) -> None:
    found = uploaded(github)
    github.store.faults.add(Fault(status=status, raw=b"<Error>secret</Error>"))
    assert fetched(github, found) == CONTENT
    github.store.faults.add(Fault(status=status, times=-1))
    with pytest.raises(ApiError, match=f"the store of its files answers with status {status}") as caught:
        fetched(github, found)
    assert "sig=" not in f"{caught.value} {caught.value.where} {caught.value.remedy}"


def test_a_download_that_is_packed_on_the_way_is_not_taken(github: GitHubServer) -> None:
    found = uploaded(github)
    github.store.faults.add(Fault(extra={"Content-Encoding": "gzip"}, times=-1))
    with pytest.raises(ApiError, match="asked not to"):
        fetched(github, found)


def test_a_limit_of_the_rate_is_waited_for(github: GitHubServer) -> None:
    found, moments = uploaded(github), Time()
    github.faults.add(rate_limit(17))
    assert fetched(github, found, moments=moments) == CONTENT
    assert moments.slept == [17]


def test_an_endless_download_ends(github: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    found, moments = uploaded(github, {"candidate.json": bytes(range(256)) * 4_000}), Time()
    monkeypatch.setattr(transport, "_CHUNK", 100)
    monkeypatch.setattr(moments, "clock", lambda: moments.slept.append(0) or 100.0 * len(moments.slept))
    with pytest.raises(ApiError, match="too long"):
        fetched(github, found, moments=moments)


def test_what_is_larger_than_anything_asked_for_is_not_downloaded(github: GitHubServer) -> None:
    found = uploaded(github, {"candidate.json": bytes(range(256)) * 4_000 + b"x" * 2**20})
    with pytest.raises(DeliveryError, match="more than the limit of 1,000,000"):
        fetched(github, found, limit=1_000_000)
    before = github.count("GET", "/zip")
    with pytest.raises(ApiError, match="larger than the limit"):
        read_file(client(github), replace(found, size=2**30), "candidate.json", known=KNOWN, limit=9)
    assert github.count("GET", "/zip") == before


def test_a_store_that_sends_more_than_github_announced_is_cut_off(github: GitHubServer) -> None:
    found = uploaded(github)
    github.store.faults.add(Fault(raw=b"x" * 3 * 2**20))
    with pytest.raises(ApiError, match="larger than the limit"):
        fetched(github, found, limit=2**20)
    assert len(github.store.seen) == 1


def test_other_bytes_than_those_of_the_digest_are_refused(github: GitHubServer) -> None:
    found = uploaded(github, digest="sha256:" + "0" * 64)
    with pytest.raises(DeliveryError, match="not what GitHub has a digest of"):
        fetched(github, found)


def test_an_old_artifact_has_no_digest(github: GitHubServer) -> None:
    assert fetched(github, uploaded(github, digest=None)) == CONTENT


def test_an_expired_artifact(github: GitHubServer) -> None:
    found = uploaded(github)
    github.state.artifacts[found.id] = replace(github.state.artifacts[found.id], expired=True)
    with pytest.raises(DeliveryError, match="has expired"):  # since it was listed
        fetched(github, found)
    assert github.log[-1][2] == 410
    (now,) = list_artifacts(client(github), NAME)
    before = len(github.log)
    with pytest.raises(DeliveryError, match="has expired"):
        fetched(github, now)
    assert len(github.log) == before


def test_an_artifact_that_is_gone(github: GitHubServer) -> None:
    found = uploaded(github)
    del github.state.artifacts[found.id]
    with pytest.raises(ApiError) as caught:
        fetched(github, found)
    assert (caught.value.status, github.count("GET", "/zip")) == (404, 1)
    assert artifacts.may_not_read(caught.value)


def test_a_token_without_the_permission() -> None:
    with serve(tokens={TOKEN: Token(actions="none")}) as github:
        with pytest.raises(ApiError) as caught:
            list_artifacts(client(github), NAME)
        assert (caught.value.status, len(github.log)) == (403, 1)
        assert artifacts.may_not_read(caught.value)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"../candidate.json": b"{}"}, "does not belong"),
        ({"candidate.json": b"{}", "setup.py": b""}, "does not belong"),
        ({"candidate.json": b"\0" * 2**25}, "more than the limit"),
        (b"no archive at all", "damaged"),
    ],
)
def test_a_hostile_archive_is_refused(github: GitHubServer, files: dict[str, bytes] | bytes, said: str) -> None:
    with pytest.raises(DeliveryError, match=said):
        fetched(github, uploaded(github, files))


@pytest.mark.parametrize(
    "body", [b"[]", b"{}", b'{"artifacts": 3}', b'{"artifacts": [{"id": 1}]}', b'{"artifacts": [7]}']
)
def test_an_answer_that_is_none_of_github(github: GitHubServer, body: bytes) -> None:
    github.faults.add(Fault(raw=body))
    with pytest.raises(DeliveryError, match="not a list of artifacts"):
        list_artifacts(client(github), NAME)
    github.faults.add(Fault(raw=body))
    with pytest.raises(DeliveryError, match="not a run"):
        read_run(client(github), 9000)


def test_a_server_that_starts_from_a_file_has_runs_and_artifacts() -> None:
    content = base64.b64encode(packed({"candidate.json": CONTENT})).decode()
    state = {
        "tokens": {TOKEN: {}},
        "runs": [{"id": 5, "branch": "main", "commit": HEAD, "event": "push"}],
        "artifacts": [{"id": 6, "name": NAME, "run": 5, "content": content}],
        "history": [NEXT_HEAD, HEAD],
    }
    with serve(state=load_state(json.dumps(state))) as github:
        (found,) = list_artifacts(client(github), NAME)
        assert fetched(github, found) == CONTENT
        assert artifacts.is_ancestor(client(github), NEXT_HEAD, HEAD)
