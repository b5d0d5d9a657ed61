"""Main's own latest run: which run may excuse a pull request, and all that may not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.deliver.main_report import NOTHING, MainReport, fetch_main_report, usable
from gate.errors import GateError, ReportError
from gate.schema.outcome import Outcome
from tests.support.github.faults import Fault
from tests.support.github.fixture import TOKEN, client, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import Run, Token
from tests.support.reports import document, entry

OLD, MIDDLE, BASE, NEWER = ("1" * 40, "2" * 40, "3" * 40, "4" * 40)
EVIL = "e" * 40
NAME = "robustness-gate-default-main"
LIMIT = 2**20


def candidate(outcome: str = "failed", suite: str = "default", **gate: Any) -> bytes:
    ours = {"schema": 1, "suite": suite, **gate}
    report = document(entry(outcome=outcome), exitcode=int(outcome == "failed"), gate=ours)
    return json.dumps(report).encode()


def left(github: GitHubServer, run: Run, data: bytes | None = None, **more: Any) -> None:
    """A run of main uploads its report."""
    github.add_artifact(NAME, run, {"candidate.json": candidate() if data is None else data}, **more)


def fetch(github: GitHubServer, branch: str = "main", base: str = BASE) -> MainReport:
    github.state.history[:] = [OLD, MIDDLE, BASE, NEWER]
    return fetch_main_report(client(github), suite="default", branch=branch, base=base, limit=LIMIT)


def outcomes(found: MainReport) -> list[Outcome | None]:
    assert found.report is not None, found.missing
    return [case.outcome for case in found.report.cases]


def push(github: GitHubServer, commit: str = BASE, **more: Any) -> Run:
    return github.add_run("main", commit, **{"event": "push", **more})


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch"])
@pytest.mark.parametrize("conclusion", ["success", "failure", "timed_out", None])
def test_a_run_of_the_base_itself(github: GitHubServer, event: str, conclusion: str | None) -> None:
    left(github, push(github, event=event, conclusion=conclusion))
    found = fetch(github)
    assert outcomes(found) == [Outcome.FAILED]
    assert (found.commit, found.missing) == (BASE, "")
    assert github.count("GET", "/compare/") == 0


def test_a_run_that_still_goes_on_has_its_report_already(github: GitHubServer) -> None:
    left(github, push(github, status="in_progress"))
    assert fetch(github).report is not None


def test_the_latest_at_or_before_the_base(github: GitHubServer) -> None:
    left(github, push(github, OLD), candidate("passed"))
    left(github, push(github, MIDDLE), candidate("failed"))
    left(github, push(github, NEWER), candidate("passed"))
    found = fetch(github)
    assert (found.commit, outcomes(found)) == (MIDDLE, [Outcome.FAILED])
    assert fetch(github, base=NEWER).commit == NEWER
    assert fetch(github, base=OLD).commit == OLD


def test_an_old_run_that_is_repeated_stays_old(github: GitHubServer) -> None:
    first, second = push(github, OLD), push(github, BASE)
    left(github, second, candidate("passed"))
    left(github, first, candidate("failed"))
    assert outcomes(fetch(github)) == [Outcome.PASSED]


def test_the_second_attempt_of_a_run_counts(github: GitHubServer) -> None:
    run = push(github)
    left(github, run, candidate("failed"))
    left(github, run, candidate("passed"))
    assert outcomes(fetch(github)) == [Outcome.PASSED]


@pytest.mark.parametrize(
    "run",
    [
        {"event": "pull_request"},
        {"event": "pull_request_target"},
        {"event": "merge_group"},
        {"event": "workflow_run"},
        {"event": "issue_comment"},
        {"event": "release"},
        {"branch": "change"},
        {"branch": "Main"},
        {"branch": "refs/heads/main"},
        {"head_repository": "stranger/model"},
        {"head_repository": None},
        # a tag that is called like the branch, on a commit of the pull request
        {"commit": EVIL},
        {"commit": EVIL, "event": "workflow_dispatch"},
        {"commit": NEWER},
    ],
    ids=str,
)
def test_nothing_that_a_pull_request_can_start_excuses_it(github: GitHubServer, run: dict[str, Any]) -> None:
    hostile = github.add_run(**{"branch": "main", "commit": BASE, "event": "push", **run})
    left(github, hostile)
    assert fetch(github) == NOTHING
    left(github, push(github, OLD, id=hostile.id - 1, workflow=99), candidate("passed"))
    assert outcomes(fetch(github)) == [Outcome.PASSED]


def test_neither_does_what_github_names_no_run_of(github: GitHubServer) -> None:
    left(github, push(github), orphan=True)
    assert fetch(github) == NOTHING


def test_the_artifact_alone_is_not_believed(github: GitHubServer) -> None:
    """The list says one thing, the run itself another: both must fit."""
    run = push(github)
    left(github, run)
    for wrong in ({"event": "pull_request"}, {"branch": "x"}, {"head_repository": "a/b"}, {"commit": EVIL}):
        changed = Run(**{**{name: getattr(run, name) for name in Run.__dataclass_fields__}, **wrong})
        asked: list[str] = []

        def swap(state: Any, changed: Run = changed, asked: list[str] = asked) -> None:
            asked.append("run")
            state.runs[changed.id] = changed

        github.faults.add(Fault(path="/actions/runs/", first=swap))
        assert fetch(github).report is None
        assert asked == ["run"]
        github.state.runs[run.id] = run
    assert fetch(github).report is not None


def test_of_another_branch_that_branch_decides(github: GitHubServer) -> None:
    left(github, push(github))
    assert fetch(github, branch="release/1.x") == NOTHING
    left(github, github.add_run("release/1.x", BASE, "push"), candidate("passed"))
    assert outcomes(fetch(github, branch="release/1.x")) == [Outcome.PASSED]


def test_another_suite_has_another_artifact(github: GitHubServer) -> None:
    run = push(github)
    github.add_artifact("robustness-gate-other-main", run, {"candidate.json": candidate()})
    assert fetch(github) == NOTHING


def test_a_later_run_that_left_nothing_excuses_nothing(github: GitHubServer) -> None:
    left(github, push(github, OLD))
    push(github, BASE, conclusion="failure")
    found = fetch(github)
    assert found.report is None
    assert f"its run of {BASE[:7]} left no report" in found.missing


@pytest.mark.parametrize(
    "later",
    [
        {"status": "in_progress"},
        {"status": "queued"},
        {"conclusion": "cancelled"},
        {"conclusion": "skipped"},
        {"event": "pull_request"},
        {"head_repository": "stranger/model"},
        {"commit": EVIL},
        {"commit": NEWER},
        {"workflow": 99},
    ],
    ids=str,
)
def test_a_later_run_that_says_nothing_of_main_does_not_count(github: GitHubServer, later: dict[str, Any]) -> None:
    left(github, push(github, OLD))
    push(github, **{"commit": BASE, **later})
    assert fetch(github).commit == OLD


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (candidate(suite="other"), "is of the suite `other`, not of `default`"),
        (candidate(schema=999), "newer"),
        (candidate(reasons=["stopped after 1 failure"]), "is not whole: stopped after 1 failure"),
        (json.dumps(document(exitcode=5, gate={"schema": 1})).encode(), "is not whole: no tests were collected"),
        (candidate()[:200], "ends in the middle"),
        (b"", "empty"),
        (b"\xff\xfe", "candidate.json"),
        (b"[" * 100_000, "candidate.json"),
        (b" " * 2 * LIMIT, "more than the limit"),
    ],
    ids=["suite", "newer", "cut short", "nothing", "truncated", "empty", "no text", "deep", "large"],
)
def test_a_report_that_may_not_stand_for_main(github: GitHubServer, data: bytes, said: str) -> None:
    left(github, push(github), candidate("failed"))
    left(github, push(github), data)
    found = fetch(github)
    assert found.report is None
    assert found.missing.startswith("main's own latest run excuses nothing: ")
    assert said in found.missing


def test_an_artifact_without_the_report(github: GitHubServer) -> None:
    github.add_artifact(NAME, push(github), {})
    assert "holds no candidate.json" in fetch(github).missing


def test_an_expired_one_is_not_replaced_by_an_older_one(github: GitHubServer) -> None:
    left(github, push(github, OLD))
    left(github, push(github, BASE), expired=True)
    assert "has expired" in fetch(github).missing


@pytest.mark.parametrize("path", ["/actions/artifacts\\?", "/actions/runs/", "/compare/", "/workflows/", "/zip"])
@pytest.mark.parametrize(("status", "said"), [(403, "actions: read"), (500, "status 500"), (429, "limits the rate")])
def test_a_failure_anywhere_is_said_and_excuses_nothing(
    github: GitHubServer, path: str, status: int, said: str
) -> None:
    left(github, push(github, OLD))
    github.faults.add(Fault(path=path, status=status, times=-1))
    found = fetch(github)
    assert found.report is None
    assert said in found.missing
    assert TOKEN not in found.missing


def test_a_missing_permission_is_said() -> None:
    with serve(tokens={TOKEN: Token(actions="none")}) as github:
        left(github, push(github))
        found = fetch(github)
        assert found.report is None
        assert found.missing.endswith("the token may not read it; add `permissions: actions: read` to the job")


def test_many_runs_of_strangers_do_not_cost_many_requests(github: GitHubServer) -> None:
    left(github, push(github, OLD))
    for _ in range(90):
        left(github, push(github, EVIL, head_repository="stranger/model"))
    for _ in range(9):
        left(github, push(github, EVIL))
    assert fetch(github).commit == OLD
    left(github, push(github, EVIL))
    assert fetch(github) == NOTHING
    assert github.count("GET") < 70


def test_a_report_by_hand() -> None:
    assert usable(candidate(), "main.json", "default", LIMIT).cases
    with pytest.raises(ReportError, match="suite") as caught:
        usable(candidate(suite="other"), "main.json", "default", LIMIT)
    assert caught.value.where == "main.json"
    with pytest.raises(GateError):
        usable(b"{}", "main.json", "default", LIMIT)


def test_a_report_of_another_tool_does_not_tell_its_suite() -> None:
    plain = json.dumps(document(entry())).encode()
    assert usable(plain, "main.json", "fraud", LIMIT).cases
