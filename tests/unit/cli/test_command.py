"""`gate command`: who may accept what, for which head, and what the same head's next attempt does then."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from gate.cli.explain import rule_sections
from gate.deliver.shorten import LIMITS, cut
from gate.render.joined import compose, section, sections_of
from gate.render.marker import marker
from tests.support.command_line import NUMBER, Shell, candidate
from tests.support.commented import ARTIFACT, STRANGER, Judged, Review, review
from tests.support.github.state import OCTOCAT, Account, Token


def ran(folder: Path) -> int:
    """How often the suite has run there."""
    path = folder / "ran"
    return len(path.read_text()) if path.exists() else 0


def test_a_second_person_accepts_and_the_same_head_turns_green_without_the_suite(at: Review) -> None:
    assert at.ask("/gate accept F1 the fixture was wrong").code == 0
    assert (at.reaction(), at.reply()) == ("+1", "")
    assert at.github.state.reruns == [5]
    assert "### ✅ As robust as main, 1 finding is accepted" in at.body.replace(": ", ", ")
    assert "accepted by `mona`: the fixture was wrong" in at.body
    ended = at.ci()
    assert ended.code == 0, ended.out + ended.err
    assert ran(at.made.work) == 0
    verdict = json.loads((at.made.work / ".gate/verdict.json").read_text())
    (finding,) = verdict["findings"]
    assert finding["accepted"]["who"] == "mona"
    assert finding["accepted"]["reason"] == "the fixture was wrong"
    assert (at.made.work / ".gate/candidate.json").read_bytes() == at.made.files["candidate.json"]
    merged = at.ci("--merged", "absent.json")
    assert merged.code == 0, "of a suite in shards the job that judges finds it, too"
    assert "accepted by `mona`" in at.body
    assert len(at.github.comments(NUMBER)) == 2


def test_a_finding_of_the_comment_that_all_suites_share_is_accepted_there(at: Review, made: Judged) -> None:
    other = section(f"{marker('slow', made.pull.head, 1, 4)}\nholds")
    ours = section(made.body)
    assert ours is not None
    assert other is not None
    at.github.state.comments[at.sticky.id] = replace(at.sticky, body=compose([ours, other], LIMITS[0], cut))
    at.ask("/gate accept F1 the fixture was wrong")
    assert (at.reaction(), at.reply()) == ("+1", "")
    sections = sections_of(at.body) or {}
    assert "accepted by `mona`: the fixture was wrong" in sections["default"].text
    assert sections["slow"].text.endswith("holds")
    ended = at.ci(GATE_COMMENT_JOIN="true")
    assert (ended.code, ran(made.work)) == (0, 0), ended.out + ended.err
    assert list(sections_of(at.body) or {}) == ["default", "slow"]


def test_the_author_can_t_unless_the_base_says_so(at: Review) -> None:
    at.ask("/gate accept F1 I know", OCTOCAT)
    assert "a second person can" in at.refused()


def test_a_stranger_can_t(at: Review) -> None:
    at.ask("/gate accept all please", STRANGER)
    assert "may write to this repository" in at.refused()


@pytest.mark.parametrize(("role", "may"), [("maintain", True), ("admin", True), ("triage", False), ("none", False)])
def test_the_role_decides(at: Review, role: str, may: bool) -> None:
    at.github.state.permissions["mona"] = role
    at.ask("/gate accept F1 known")
    assert at.reaction() == ("+1" if may else "confused")


def test_on_a_moved_head(at: Review, made: Judged) -> None:
    at.github.add_pull_request(NUMBER, "c" * 40, made.pull.base, author=OCTOCAT)
    at.ask("/gate accept F1 known")
    assert "the head has moved since the verdict" in at.refused()


def test_while_the_run_goes_on(at: Review) -> None:
    at.github.add_run("change", at.made.pull.head, id=5, status="in_progress")
    at.ask("/gate accept F1 known")
    assert "has not ended" in at.refused()


@pytest.mark.parametrize(
    "text",
    [
        "> /gate accept F1 known",
        "```\n/gate accept F1 known\n```",
        "    /gate accept F1 known",
        "`/gate accept F1 known`",
        "<!--\n/gate accept F1 known\n-->",
        "as in: /gate accept F1 known",
        "thanks!",
    ],
)
def test_what_is_no_command_is_passed_over(at: Review, text: str) -> None:
    asked = len(at.github.log)
    assert "nothing to do" in at.ask(text).err
    assert len(at.github.log) == asked


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({"action": "edited"}, "one that is edited does not"),
        ({"issue": {"number": NUMBER, "state": "open"}}, "on no pull request"),
        ({"issue": {"number": NUMBER, "state": "closed", "pull_request": {}}}, "the pull request is closed"),
    ],
)
def test_other_events_of_comments_are_passed_over(at: Review, event: dict[str, object], why: str) -> None:
    ended = at.ask("/gate accept F1 known", **event)
    assert (ended.code, why in ended.err) == (0, True)
    assert at.github.state.reactions == []


def test_a_pull_request_that_was_closed_meanwhile(at: Review, made: Judged) -> None:
    at.github.add_pull_request(NUMBER, made.pull.head, made.pull.base, author=OCTOCAT, state="closed")
    assert "the pull request is closed" in at.ask("/gate accept F1 known").err
    assert at.github.state.reactions == []


def test_an_app_asks_for_nothing(at: Review) -> None:
    assert "an app asks for nothing" in at.ask("/gate accept F1 known", Account()).err


def test_a_comment_that_was_edited_or_deleted_before_it_is_read(at: Review) -> None:
    comment = at.say("/gate accept F1 known")
    at.github.state.edit(comment.id, "/gate accept F1 known, really")
    assert "was edited" in at.answer(comment).err
    gone = at.say("/gate accept F1 known")
    del at.github.state.comments[gone.id]
    assert "the comment is gone" in at.answer(gone).err
    assert at.github.state.reactions == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("/gate accept F1", "say why"),
        ("/gate accept F1 ...", "say why"),
        ("/gate accept F9 known", "there is no F9 here; there are F1 to F1"),
        ("/gate accept", "say which"),
        ("/gate acept F1 known", "there is no such command"),
        ("/gate explain F7", "there is no F7 here"),
        ("/gate record", "lacked no answer"),
        ("/gate refresh", "GitHub finds no such thing"),
    ],
)
def test_what_can_t_be_done_is_said(at: Review, text: str, why: str) -> None:
    at.ask(text)
    assert why in at.refused().replace("`", "")


def test_all(at: Review) -> None:
    at.ask("/gate accept all known")
    assert at.reaction() == "+1"
    assert "accepted by `mona`: known" in at.body


def test_twice(at: Review) -> None:
    at.ask("/gate accept F1 known")
    at.ask("/gate accept F1 again")
    assert "F1 was accepted before" in at.reply()


def test_a_reason_with_markdown_and_in_another_script(at: Review) -> None:
    at.ask("/gate accept F1 *правда* <img src=x> @octo/all | ![x](http://x) 理由 " + "x" * 900)
    assert at.reaction() == "+1"
    assert "правда" in at.body
    drawn = MarkdownIt("commonmark").enable("table").render(at.body)
    assert "<img" not in drawn
    assert '<a href="http://x' not in drawn
    assert at.ci().code == 0
    (finding,) = json.loads((at.made.work / ".gate/verdict.json").read_text())["findings"]
    assert len(finding["accepted"]["reason"]) == 500


def test_explain_shows_the_finding_and_what_its_rule_finds(at: Review) -> None:
    at.ask("/gate explain f1", OCTOCAT)
    assert at.reaction() == "+1"
    assert at.reply().startswith("```text\nF1 newly-failing (error)")
    documented = rule_sections()["newly-failing"].partition("\n\n")[2]
    assert documented.partition("[")[0] in at.reply(), "the same words as `gate explain newly-failing`"
    assert "*What to do:*" in at.reply()
    at.ask("/gate explain F1", STRANGER)
    assert at.reaction() == "confused"


def test_refresh_starts_the_workflow_of_the_baseline(at: Review) -> None:
    at.github.add_file("main", ".github/workflows/baseline.yml", b"on: workflow_dispatch")
    at.ask("/gate refresh")
    assert at.github.state.dispatches == [("baseline.yml", "main")]
    assert "baseline.yml was started" in at.reply().replace("`", "")


def test_record_hands_what_was_missing_to_a_later_job(at: Review, made: Judged) -> None:
    at.github.add_artifact(ARTIFACT, at.run, {**made.files, "missing.jsonl": b"{}\n"})
    at.ask("/gate record")
    assert (made.clone / ".gate/missing.jsonl").read_bytes() == b"{}\n"
    assert made.pull.step().outputs == {"record": "true", "run": "5", "head": made.pull.head}


def test_without_the_permission_to_run_jobs_again_it_says_so(made: Judged, gate: Shell) -> None:
    with review(made, gate, Token()) as at:
        at.ask("/gate accept F1 known")
        assert "the jobs must be run again by hand" in at.reply()
        assert "accepted by `mona`" in at.body


FORGED: dict[str, bytes] = {
    "another outcome": json.dumps(candidate()).encode(),
    "no report": b"<script>",
    "nothing": b"",
}


@pytest.mark.parametrize("name", FORGED)
def test_a_candidate_that_does_not_lead_to_the_comment(at: Review, name: str) -> None:
    at.github.add_artifact(ARTIFACT, at.run, {"candidate.json": FORGED[name]})
    at.ask("/gate accept F1 known")
    assert "no longer leads to the verdict that its comment shows" in at.refused()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"../candidate.json": b"{}"}, "holds"),
        ({"verdict.json": b"{}"}, "left no candidate"),
    ],
)
def test_an_artifact_that_is_no_run_s(at: Review, files: dict[str, bytes], why: str) -> None:
    at.github.state.artifacts.clear()
    at.github.add_artifact(ARTIFACT, at.run, files)
    at.ask("/gate accept F1 known")
    assert why in at.refused()


def test_an_artifact_of_another_run_counts_for_nothing(at: Review, made: Judged) -> None:
    at.github.state.artifacts.clear()
    other = at.github.add_run("change", made.pull.head, id=4)
    at.github.add_artifact(ARTIFACT, other, made.files)
    at.ask("/gate accept F1 known")
    assert "left no candidate" in at.refused()


def test_a_persons_comment_with_our_marker_is_none_of_ours(at: Review) -> None:
    del at.github.state.comments[at.sticky.id]
    at.sticky = at.say(at.made.body, STRANGER)
    at.ask("/gate accept F1 known")
    assert "there is no verdict" in at.refused()
