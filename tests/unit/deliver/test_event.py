"""Events as GitHub sends them, and payloads that lack what they must have."""

from __future__ import annotations

import copy
import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from gate.deliver.event import Event, read_event
from gate.errors import UsageError
from tests.support.corpus import corpus

MERGE = "c" * 40
HEAD = "a" * 40
BASE = "b" * 40
REQUIRED = (
    "pull_request.number",
    "pull_request.base.ref",
    "pull_request.base.sha",
    "pull_request.head.sha",
)


def environment(name: str, **more: str) -> dict[str, str]:
    return {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_REPOSITORY": "octo/model",
        "GITHUB_SHA": MERGE,
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_RUN_ID": "42",
        "GITHUB_RUN_ATTEMPT": "3",
        **more,
    }


def pull_request(**head: Any) -> dict[str, Any]:
    return {
        "action": "synchronize",
        "pull_request": {
            "number": 7,
            "base": {"ref": "main", "sha": BASE, "repo": {"full_name": "octo/model"}},
            "head": {"sha": HEAD, "repo": {"full_name": "octo/model"}, **head},
        },
    }


def without(payload: dict[str, Any], path: str, value: object = None) -> dict[str, Any]:
    changed = copy.deepcopy(payload)
    *parents, last = path.split(".")
    place = changed
    for key in parents:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return changed


def test_a_pull_request_names_its_commits_and_not_the_merge_commit() -> None:
    event = read_event(environment("pull_request"), pull_request())
    assert (event.head_sha, event.base_sha, event.base_ref, event.pull_request) == (HEAD, BASE, "main", 7)
    assert event.checkout_sha == MERGE
    assert (event.run_id, event.attempt) == (42, 3)
    assert event.is_pull_request
    assert (event.refs.number, event.refs.ref, event.refs.repository) == (7, "refs/pull/7/merge", "octo/model")
    assert event.run_url == "https://github.com/octo/model/actions/runs/42/attempts/3"


@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
@pytest.mark.parametrize(
    ("head", "lives"),
    [
        ({}, "octo/model"),
        ({"repo": {"full_name": "Octo/Model"}}, "Octo/Model"),
        ({"repo": {"full_name": "stranger/model"}}, "stranger/model"),
        ({"repo": None}, None),
    ],
)
def test_where_the_head_lives(name: str, head: dict[str, Any], lives: str | None) -> None:
    assert read_event(environment(name), pull_request(**head)).head_repository == lives


@pytest.mark.parametrize(
    "name", ["pull_request_review", "pull_request_review_comment", "push", "schedule", "an_event_of_tomorrow"]
)
def test_a_payload_with_a_pull_request_is_a_proposal_whatever_the_event_is_called(name: str) -> None:
    event = read_event(environment(name), pull_request())
    assert (event.head_sha, event.base_sha, event.base_ref, event.pull_request) == (HEAD, BASE, "main", 7)
    assert event.is_pull_request
    odd: object
    for odd in ([], "x", {"number": 7}):
        with pytest.raises(UsageError, match="payload of"):
            read_event(environment(name), {"pull_request": odd})


def test_a_schedule_runs_on_the_default_branch_alone() -> None:
    environ = environment("schedule", GITHUB_REF="refs/heads/trunk")
    assert read_event(environ, {}).base_ref == "trunk"
    assert read_event({**environ, "GITHUB_EVENT_NAME": "workflow_dispatch"}, {}).base_ref == ""


@pytest.mark.parametrize("path", REQUIRED)
@pytest.mark.parametrize("value", [None, 0, [], {}, ""])
def test_a_missing_or_odd_field_is_named(path: str, value: object) -> None:
    with pytest.raises(UsageError) as caught:
        read_event(environment("pull_request"), without(pull_request(), path, value))
    assert f"`{path}`" in caught.value.message
    assert "GITHUB_EVENT_PATH" in caught.value.remedy
    assert ("missing" in caught.value.message) == (value is None)


@pytest.mark.parametrize("path", ["pull_request.base.sha", "pull_request.head.sha"])
def test_a_commit_is_no_other_text(path: str) -> None:
    with pytest.raises(UsageError, match="is not a commit"):
        read_event(environment("pull_request"), without(pull_request(), path, "--upload-pack=x"))


@pytest.mark.parametrize("payload", [{}, [], None, "text", {"pull_request": None}, {"pull_request": []}])
def test_an_empty_payload_is_a_clear_error(payload: Any) -> None:
    with pytest.raises(UsageError, match="payload of `pull_request`"):
        read_event(environment("pull_request"), payload)


def test_a_merge_group_names_its_own_commits() -> None:
    payload = {
        "merge_group": {
            "head_sha": HEAD,
            "base_sha": BASE,
            "base_ref": "refs/heads/release/1",
            "head_ref": "refs/heads/gh-readonly-queue/main/pr-1",
        }
    }
    event = read_event(environment("merge_group"), payload)
    assert (event.base_sha, event.head_sha, event.base_ref) == (BASE, HEAD, "release/1")
    assert event.refs.merge_group_base == BASE
    assert event.is_pull_request
    assert event.pull_request is None
    with pytest.raises(UsageError, match=r"`merge_group\.base_sha` is missing"):
        read_event(environment("merge_group"), without(payload, "merge_group.base_sha"))


@pytest.mark.parametrize(("before", "base"), [(BASE, BASE), ("0" * 40, ""), (None, "")])
def test_a_push_has_the_commit_before(before: str | None, base: str) -> None:
    payload = {"before": before, "after": HEAD, "repository": {"default_branch": "trunk"}}
    event = read_event(environment("push"), payload)
    assert (event.base_sha, event.head_sha, event.base_ref) == (base, HEAD, "trunk")
    assert not event.is_pull_request


def test_a_push_that_deletes_falls_back_to_the_checkout() -> None:
    assert read_event(environment("push"), {"after": "0" * 40}).head_sha == MERGE


@pytest.mark.parametrize("name", ["schedule", "workflow_dispatch", "repository_dispatch", "an_event_of_tomorrow"])
@pytest.mark.parametrize("payload", [{}, {"repository": {"default_branch": "main"}}, {"repository": None}])
def test_other_events_propose_nothing(name: str, payload: dict[str, Any]) -> None:
    event = read_event(environment(name), payload)
    assert (event.pull_request, event.is_pull_request, event.head_sha) == (None, False, MERGE)


def test_an_enterprise_server_is_kept_with_its_path() -> None:
    more = {"GITHUB_API_URL": "https://ghe.example/api/v3/", "GITHUB_SERVER_URL": "https://ghe.example"}
    event = read_event(environment("pull_request", **more), pull_request())
    assert (event.api_url, event.server_url) == ("https://ghe.example/api/v3", "https://ghe.example")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GITHUB_EVENT_NAME", ""),
        ("GITHUB_REPOSITORY", ""),
        ("GITHUB_REPOSITORY", "octo"),
        ("GITHUB_REPOSITORY", "octo/model/../other"),
        ("GITHUB_API_URL", "file:///etc"),
        ("GITHUB_RUN_ID", "-1"),
        ("GITHUB_RUN_ATTEMPT", "many"),
        ("GITHUB_RUN_ATTEMPT", "²"),
    ],
)
def test_an_odd_environment_names_the_variable(variable: str, value: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_event(environment("pull_request", **{variable: value}), pull_request())
    assert f"`{variable}`" in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("name", "checked_out", "unsafe"),
    [
        ("pull_request_target", MERGE, False),
        ("pull_request_target", BASE, False),
        ("pull_request_target", HEAD, True),
        ("pull_request_target", "", True),
        ("pull_request", HEAD, False),
    ],
)
def test_whose_code_stands_in_the_workspace(name: str, checked_out: str, unsafe: bool) -> None:
    assert read_event(environment(name), pull_request(), checked_out=checked_out).checkout_is_head is unsafe


def test_an_event_can_not_be_changed() -> None:
    event = read_event(environment("pull_request"), pull_request())
    with pytest.raises(FrozenInstanceError):
        event.base_ref = "mine"  # type: ignore[misc]


def test_every_real_payload_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    read: dict[str, list[Event]] = {}
    files = sorted((corpus() / "gh_events").glob("*.json"))
    for file in files:
        name = file.name.partition(".")[0]
        if name == "rest_pull":
            continue
        payload = json.loads(file.read_text("utf-8"))
        environ = environment(name)
        read.setdefault(name, []).append(read_event(environ, payload))
    assert len(read["pull_request"]) >= 20
    assert all(event.head_sha != MERGE and event.base_sha and event.pull_request for event in read["pull_request"])
    assert all(len(event.head_sha) == 40 and event.base_ref == "main" for event in read["merge_group"])
    assert len(read["push"]) >= 7
    assert sum(map(len, read.values())) >= 70
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("kind", "lives"), [("fork", True), ("null", False)])
def test_real_pull_requests_of_forks(kind: str, lives: bool) -> None:
    files = sorted((corpus() / "gh_events").glob(f"rest_pull.{kind}.*.json"))
    assert files
    for file in files:
        value = json.loads(file.read_text("utf-8"))
        repository = value["base"]["repo"]["full_name"]
        event = read_event(environment("pull_request", GITHUB_REPOSITORY=repository), {"pull_request": value})
        assert (event.head_repository is not None) is lives
        assert event.head_repository != repository
