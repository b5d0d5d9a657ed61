"""An acceptance later on: its comment edited, its author gone, another commit, another report, another fork."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tests.support.command_line import NUMBER, Shell, candidate
from tests.support.commented import ARTIFACT, REPORT, Judged, Review, judged, push, review
from tests.support.github.faults import Fault
from tests.support.github.state import OCTOCAT, State, Token


def ran(folder: Path) -> int:
    """How often the suite has run there."""
    path = folder / "ran"
    return len(path.read_text()) if path.exists() else 0


def red(at: Review) -> str:
    """The jobs run again, and nothing is accepted."""
    ended = at.ci("--report", REPORT)
    assert ended.code == 1, ended.out + ended.err
    (finding,) = json.loads((at.made.work / ".gate/verdict.json").read_text())["findings"]
    assert "accepted" not in finding
    return ended.out + ended.err


def test_an_acceptance_that_is_edited_afterwards(at: Review) -> None:
    comment = at.say("/gate accept F1 known")
    at.answer(comment)
    at.github.state.edit(comment.id, "/gate accept F1 F2 known")
    assert "1 acceptance no longer holds" in red(at)


def test_an_acceptance_that_is_deleted(at: Review) -> None:
    comment = at.say("/gate accept F1 known")
    at.answer(comment)
    del at.github.state.comments[comment.id]
    red(at)


def test_somebody_who_may_no_longer(at: Review) -> None:
    at.ask("/gate accept F1 known")
    at.github.state.permissions["mona"] = "read"
    red(at)


def test_an_acceptance_that_nobody_answered_counts_for_nothing(at: Review) -> None:
    at.say("/gate accept F1 known")
    red(at)


def test_a_candidate_that_was_exchanged_after_the_acceptance(at: Review) -> None:
    """It does not lead to what the comment shows, so the suite runs; what it finds is what was accepted."""
    at.ask("/gate accept F1 known")
    before = ran(at.made.work)
    at.github.add_artifact(ARTIFACT, at.run, {"candidate.json": json.dumps(candidate()).encode()})
    assert at.ci().code == 0
    assert ran(at.made.work) == before + 1


def test_a_further_commit_needs_an_acceptance_of_its_own(gate: Shell, tmp_path: Path) -> None:
    made = judged(tmp_path, gate)
    with review(made, gate) as at:
        at.ask("/gate accept F1 known")
        head, work = push(made, {"x.txt": "more"})
        at.github.add_pull_request(NUMBER, head, made.pull.base, author=OCTOCAT)
        worse = json.dumps(candidate({"test_a.py::test_one": "failed", "test_a.py::test_two": "failed"}))
        (work / REPORT).write_text(worse)
        assert at.ci("--report", REPORT, attempt=1, work=work, GITHUB_RUN_ID="6").code == 1
        assert "accepted" not in (work / ".gate/verdict.json").read_text()
        assert "accepted by" not in at.body


def test_what_the_base_s_settings_say(gate: Shell, tmp_path: Path) -> None:
    """`accept-self` lets the author, `accept-team` nobody else than its members; the head's own file has no say."""
    made = judged(tmp_path, gate, {"gate.toml": "accept-self = true\naccept-team = 'octo/leads'\n"})
    with review(made, gate, Token(actions="write", members="read")) as at:
        at.github.state.teams["octo/leads"] = ["octocat"]
        at.ask("/gate accept F1 known")
        assert "only members of the team" in at.refused()
        assert "gate doctor" in at.reply(), "where the token may not see them, that is the way out"
        at.ask("/gate accept F1 my own", OCTOCAT)
        assert "accepted by `octocat`: my own" in at.body


def test_with_two_suites_the_one_that_is_meant_is_named(at: Review, made: Judged) -> None:
    at.github.add_comment(NUMBER, made.body.replace("suite=default ", "suite=nightly "))
    at.ask("/gate accept F1 known")
    assert "2 suites have findings here" in at.reply()
    at.ask("/gate accept nightly:F1 known")
    assert "left no candidate" in at.refused()
    at.ask("/gate accept default:F1 known")
    assert at.reaction() == "+1"
    assert "accepted by `mona`: known" in at.body


def test_a_pull_request_of_a_fork(at: Review, made: Judged) -> None:
    """Whose artifact it is follows from the run's own repository, whatever its name."""
    at.github.add_pull_request(NUMBER, made.pull.head, made.pull.base, author=OCTOCAT, head_repository="eve/model")
    at.ask("/gate accept F1 known")
    assert "left no candidate" in at.refused()


def test_where_github_does_not_say_who_may_nobody_may(at: Review) -> None:
    at.github.faults.add(Fault(path="/permission", status=403, times=-1))
    at.ask("/gate accept F1 known")
    assert "does not say who may ask for this" in at.refused()


def test_an_acceptance_that_nobody_can_be_told_of_stands(at: Review) -> None:
    at.github.faults.add(Fault(path="/reactions", status=403, times=-1))
    ended = at.ask("/gate accept F1 known")
    assert (ended.code, "nobody could be told" in ended.err) == (0, True)
    assert "accepted by `mona`: known" in at.body


def test_a_head_that_moves_while_it_is_answered(at: Review, made: Judged) -> None:
    def moved(state: State) -> None:
        state.pulls[NUMBER] = replace(state.pulls[NUMBER], head_sha="d" * 40)

    at.github.faults.add(Fault(path="/artifacts/", first=moved))
    at.ask("/gate accept F1 known")
    assert "the pull request has a newer commit" in at.refused()
