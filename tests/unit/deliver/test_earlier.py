"""Trials and verdicts that earlier runs of one pull request left: whose they are, in which order, what is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.deliver import earlier
from gate.deliver.earlier import History, earlier_trials, joined, latest_verdict, local_trials
from gate.deliver.problems import ApiError
from gate.errors import DeliveryError
from gate.trials import carry
from tests.support.github.faults import Fault
from tests.support.github.fixture import HEAD, NUMBER, TOKEN, client, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import Run, Token

NAME = f"robustness-gate-default-pr-{NUMBER}"
FIRST, SECOND = "1" * 40, "2" * 40


def line(number: int, head: str = FIRST, **more: Any) -> bytes:
    """One trial."""
    return json.dumps({"id": f"t{number}", "digest": "d", "head": head, **more}).encode()


def ran(github: GitHubServer, commit: str, *lines: bytes, **more: Any) -> Run:
    """A run of the pull request that uploads trials; none of them where it had no stochastic test."""
    run = github.add_run(more.pop("branch", "change"), commit, **more)
    files = {"verdict.json": b"{}"}
    if lines:
        files["trials.jsonl"] = b"\n".join(lines) + b"\n"
    github.add_artifact(NAME, run, files)
    return run


def history(github: GitHubServer, **more: Any) -> History:
    return earlier_trials(client(github), "default", NUMBER, **more)


def test_the_first_run_has_no_history_and_misses_none(github: GitHubServer) -> None:
    this = github.add_run("change", HEAD, status="in_progress")
    found = history(github, head=HEAD, run=this.id)
    assert found == History()
    assert found.data == b""


def test_trials_of_all_heads_oldest_first_each_once(github: GitHubServer) -> None:
    ran(github, FIRST, line(1), line(2))
    ran(github, SECOND, line(1), line(2), line(3, SECOND))
    this = github.add_run("change", HEAD, status="in_progress")
    found = history(github, head=HEAD, run=this.id)
    assert found.lines == (line(1), line(2), line(3, SECOND))
    assert (found.heads, found.missing) == (2, "")
    assert found.data == line(1) + b"\n" + line(2) + b"\n" + line(3, SECOND) + b"\n"


def test_an_earlier_attempt_of_this_very_run_counts_but_is_no_other_head(github: GitHubServer) -> None:
    this = ran(github, HEAD, line(1, HEAD))
    found = history(github, head=HEAD, run=this.id)
    assert (found.lines, found.heads, found.missing) == ((line(1, HEAD),), 0, "")


def test_this_run_is_none_of_those_before_it(github: GitHubServer) -> None:
    github.add_run("change", FIRST, conclusion="failure")
    this = github.add_run("change", HEAD, status="in_progress")
    assert history(github, run=this.id).heads == 1


def test_a_run_without_stochastic_tests_left_nothing_and_misses_nothing(github: GitHubServer) -> None:
    ran(github, FIRST)
    found = history(github, head=HEAD, run=github.add_run("change", HEAD).id)
    assert (found.lines, found.heads, found.missing) == ((), 1, "")


@pytest.mark.parametrize(
    "stranger",
    [
        {"branch": "other"},
        {"branch": "main", "event": "push"},
        {"head_repository": "stranger/model"},
        {"head_repository": None},
    ],
    ids=str,
)
def test_nobody_else_can_add_to_it(github: GitHubServer, stranger: dict[str, Any]) -> None:
    ran(github, FIRST, line(9), **stranger)
    found = history(github, head=HEAD, run=github.add_run("change", HEAD).id)
    assert (found.lines, found.heads, found.missing) == ((), 0, "")


def test_a_fork_is_its_own_history(github: GitHubServer) -> None:
    github.add_pull_request(NUMBER, HEAD, head_repository="stranger/model")
    ran(github, FIRST, line(1), head_repository="stranger/model")
    ran(github, FIRST, line(9))
    this = github.add_run("change", HEAD, head_repository="stranger/model")
    found = history(github, head=HEAD, run=this.id)
    assert (found.lines, found.heads, found.missing) == ((line(1),), 1, "")


def test_of_a_deleted_fork_only_the_last_head_is_known(github: GitHubServer) -> None:
    github.add_pull_request(NUMBER, HEAD, head_repository=None)
    ran(github, FIRST, line(1), head_repository=None)
    ran(github, HEAD, line(2, HEAD), head_repository=None)
    found = history(github, head=HEAD)
    assert (found.lines, found.heads) == ((line(2, HEAD),), 0)


def test_heads_that_left_nothing_are_counted_and_said(github: GitHubServer) -> None:
    ran(github, FIRST, line(1))
    github.add_run("change", SECOND, conclusion="cancelled")
    github.add_run("change", "3" * 40, conclusion="failure")
    github.add_run("change", "4" * 40, conclusion="skipped")
    github.add_run("change", "5" * 40, workflow=99)
    github.add_run("change", "6" * 40, event="push")
    found = history(github, head=HEAD, run=github.add_run("change", HEAD).id)
    assert (found.lines, found.heads) == ((line(1),), 3)
    assert found.missing == (
        "earlier trials of this pull request are missing: 2 earlier commits left none that can be read"
    )


def test_a_head_whose_trials_a_later_file_carries_is_not_missing(github: GitHubServer) -> None:
    github.add_run("change", FIRST)
    ran(github, SECOND, line(1, FIRST), line(2, SECOND))
    found = history(github, head=HEAD, run=github.add_run("change", HEAD).id)
    assert (found.heads, found.missing) == (2, "")


def test_without_a_number_of_this_run_what_was_uploaded_tells_the_heads(github: GitHubServer) -> None:
    ran(github, FIRST, line(1))
    github.add_run("change", SECOND)
    assert history(github, head=HEAD).heads == 1
    assert history(github, head=HEAD, run=123).heads == 1


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"expired": True}, "has expired"),
        ({"digest": "sha256:0"}, "digest"),
    ],
)
def test_a_part_that_is_lost_is_said_and_the_rest_is_kept(
    github: GitHubServer, damage: dict[str, Any], said: str
) -> None:
    run = github.add_run("change", FIRST)
    github.add_artifact(NAME, run, {"trials.jsonl": line(1)}, **damage)
    ran(github, SECOND, line(2, SECOND))
    found = history(github, head=HEAD)
    assert (found.lines, found.heads) == ((line(2, SECOND),), 2)
    assert "1 earlier commit left none that can be read" in found.missing
    assert said in found.missing


@pytest.mark.parametrize(
    "files", [{"../trials.jsonl": b""}, {"trials.jsonl": b"", "x": b""}, {"trials.jsonl": b"\0" * 2**26}, b"no zip"]
)
def test_a_hostile_archive_adds_nothing(github: GitHubServer, files: Any) -> None:
    github.add_artifact(NAME, github.add_run("change", FIRST), files)
    found = history(github, head=HEAD)
    assert found.lines == ()
    assert found.missing


@pytest.mark.parametrize("path", ["/pulls/", "/actions/artifacts\\?", "/actions/runs/", "/workflows/", "/zip"])
@pytest.mark.parametrize(("status", "said"), [(403, "actions: read"), (500, "status 500")])
def test_a_failure_anywhere_is_said(github: GitHubServer, path: str, status: int, said: str) -> None:
    this = ran(github, FIRST, line(1))
    github.faults.add(Fault(path=path, status=status, times=-1))
    found = history(github, head=HEAD, run=this.id)
    assert found.lines == ()
    assert said in found.missing
    assert TOKEN not in found.missing


def test_a_missing_permission_is_said() -> None:
    with serve(tokens={TOKEN: Token(actions="none")}) as github:
        ran(github, FIRST, line(1))
        found = history(github, head=HEAD)
        assert found == History(
            missing="earlier trials of this pull request are missing: the token may not read them; "
            "add `permissions: actions: read` to the job"
        )


def test_a_long_history_costs_ten_downloads(github: GitHubServer) -> None:
    for number in range(14):
        ran(github, f"{number:040x}", line(number, f"{number:040x}"))
    found = history(github, head=HEAD)
    assert found.lines == tuple(line(number, f"{number:040x}") for number in range(4, 14))
    assert found.heads == 14
    assert "4 earlier commits" in found.missing
    assert github.count("GET", "/zip") == 10


@pytest.mark.parametrize(
    "bad",
    [
        b"{",
        b"[]",
        b"7",
        b"null",
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"id": "a", "digest": "d", "head": "h", "x": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"id": "a", "digest": "d", "head": "h", "x": "' + b"y" * 2**20 + b'"}',
        b'{"id": "a", "digest": "d", "head": "h", "x": ' + b"1" * 10_000 + b"}",
    ],
    ids=lambda bad: repr(bad[:40]),
)
def test_lines_that_are_no_trials_are_dropped_and_counted(bad: bytes) -> None:
    found = joined([line(1) + b"\n" + bad + b"\n\n" + line(2)])
    assert (found.lines, found.dropped) == ((line(1), line(2)), 1)


def test_the_same_content_written_in_another_way_is_the_same_line() -> None:
    again = b'{"head": "h",  "digest":"d", "id": "a"}\r'
    found = joined([b'{"id": "a", "digest": "d", "head": "h"}', again + b"\n" + line(1)])
    assert found.lines == (b'{"id": "a", "digest": "d", "head": "h"}', line(1))
    assert found.heads == {"h", FIRST}


def test_the_oldest_files_are_dropped_whole_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a file may lack what its other lines refer to."""
    files = [line(10) + b"\n" + line(11), line(12), line(13) + b"\n" + line(14)]
    monkeypatch.setattr(earlier, "MOST_BYTES", 4 * (len(line(10)) + 1))
    found = joined(files)
    assert (found.lines, found.dropped) == ((line(12), line(13), line(14)), 2)
    assert found.data == line(12) + b"\n" + line(13) + b"\n" + line(14) + b"\n"
    monkeypatch.setattr(earlier, "MOST_BYTES", 10)
    assert joined(files) == earlier.Joined((), frozenset(), 5)


@pytest.mark.parametrize("more", [{}, {"head": None}, {"head": 7}])
def test_a_line_need_not_name_its_commit(more: dict[str, Any]) -> None:
    data = json.dumps({"inputs": "x", **more}).encode()
    assert joined([data]) == earlier.Joined((data,), frozenset(), 0)


def test_a_file_as_the_plugin_writes_it_stays_readable() -> None:
    """Lists come before the entries that use them, also where two runs share them."""
    lists = carry.Inputs(("a.py",))
    name = carry.inputs_name(lists)
    entries = [carry.Entry("t", carry.Carried(print_, "101", inputs=lists), session=print_) for print_ in ("p", "q")]
    files = [(carry.inputs_line(name, lists) + carry.entry_line(entry, name)).encode() for entry in entries]
    found = joined([*files, files[0]])
    assert (len(found.lines), found.dropped) == (3, 0)
    assert carry.read_entries(found.data.decode(), "trials.jsonl") == tuple(entries)


def test_the_file_of_the_last_run_here_is_a_history_too() -> None:
    found = local_trials(line(1) + b"\n" + line(2, SECOND) + b"\n{half", head=SECOND)
    assert (found.lines, found.heads) == ((line(1), line(2, SECOND)), 1)
    assert found.missing == "earlier trials of this pull request are missing: 1 line can't be used"


def verdict(github: GitHubServer, commit: str, data: bytes, **more: Any) -> None:
    run = github.add_run("change", commit)
    github.add_artifact(NAME, run, {"verdict.json": data, "trials.jsonl": line(1)}, **more)


def test_the_latest_verdict_of_the_pull_request(github: GitHubServer) -> None:
    api = client(github)
    assert latest_verdict(api, "default", NUMBER) is None
    verdict(github, FIRST, b"old")
    verdict(github, SECOND, b"new")
    stranger = github.add_run("change", SECOND, head_repository="stranger/model")
    github.add_artifact(NAME, stranger, {"verdict.json": b"forged"})
    github.add_artifact(NAME, github.add_run("change", HEAD), {"trials.jsonl": line(1)})
    found = latest_verdict(api, "default", NUMBER)
    assert found is not None
    assert (found.data, found.commit, found.head) == (b"new", SECOND, HEAD)
    assert latest_verdict(api, "other", NUMBER) is None


def test_a_latest_verdict_that_expired_is_an_error_not_an_older_one(github: GitHubServer) -> None:
    verdict(github, FIRST, b"old")
    verdict(github, SECOND, b"new", expired=True)
    with pytest.raises(DeliveryError, match="has expired"):
        latest_verdict(client(github), "default", NUMBER)


def test_no_such_pull_request(github: GitHubServer) -> None:
    with pytest.raises(ApiError) as caught:
        latest_verdict(client(github), "default", 99)
    assert caught.value.status == 404
    assert caught.value.where.endswith("/pulls/99")
