"""What leaves the gate for one verdict, with a token that may, one that may not, and places that can't be written."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gate import render
from gate.deliver import publish
from gate.deliver.event import Event
from gate.deliver.publish import Publisher
from gate.deliver.runner import RunnerFiles
from gate.render import parse_marker, verdict_from_json
from gate.schema.verdict import ExitCode, Problem, Provenance, Verdict
from gate.settings import Settings
from tests.support.github.faults import Fault
from tests.support.github.fixture import HEAD, NUMBER, TOKEN, Time, serve
from tests.support.github.runner import commands, outputs
from tests.support.github.server import GitHubServer
from tests.support.github.state import READ_ONLY
from tests.support.verdicts import failing

PROBLEM = Problem("unknown setting `alhpa` <b>", "base 3f9c1e2:gate.toml:2", "did you mean `alpha`?")
UNJUDGED = Verdict(
    exit_code=ExitCode.USAGE,
    would_exit=ExitCode.USAGE,
    provenance=Provenance(head=HEAD, pull_request=NUMBER),
    problem=PROBLEM,
)
RED = Verdict(
    findings=(failing(1, "test_iban", "KeyError"),),
    exit_code=ExitCode.REGRESSION,
    would_exit=ExitCode.REGRESSION,
    provenance=Provenance(head=HEAD, pull_request=NUMBER),
)
GREEN = Verdict(provenance=Provenance(head=HEAD, pull_request=NUMBER))


class Desk:
    """One place of work: a publisher and what it left."""

    def __init__(self, github: GitHubServer, folder: Path) -> None:
        self.github, self.folder, self.log = github, folder, io.StringIO()
        self.run = 10

    def publish(
        self, verdict: Verdict, *, token: str = TOKEN, comment: str = "always", shell: bool = False, **more: object
    ) -> tuple[str, ...]:
        self.run += 1
        environ = {
            "GITHUB_ACTIONS": "" if shell else "true",
            "GITHUB_OUTPUT": str(self.folder / "outputs"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
        }

        def write(path: Path, data: bytes) -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

        publisher = Publisher(
            output=self.folder / "gate",
            runner=RunnerFiles(environ, self.log),
            write=write,
            tokens={"GITHUB_TOKEN": token},
            sleep=Time().sleep,
        )
        event = Event(
            "octo/model", "pull_request", api_url=self.github.url, pull_request=NUMBER, run_id=self.run, head_sha=HEAD
        )
        publisher = replace(publisher, **more)  # type: ignore[arg-type]
        return publisher.publish(verdict, event, Settings(comment=comment))  # type: ignore[arg-type]

    @property
    def outputs(self) -> dict[str, str]:
        return outputs((self.folder / "outputs").read_bytes())


@pytest.fixture
def desk(github: GitHubServer, tmp_path: Path) -> Iterator[Desk]:
    yield Desk(github, tmp_path)


def test_everything_is_told_once(desk: Desk) -> None:
    assert desk.publish(RED) == ()
    assert desk.publish(RED) == ()
    (comment,) = desk.github.comments(NUMBER)
    marker = parse_marker(comment.body)
    assert marker is not None
    assert (marker.head, marker.order, marker.suite) == (HEAD, 12, "default")
    assert desk.outputs["verdict"] == "regression"
    assert desk.outputs["exit-code"] == "1"
    assert desk.outputs["findings"] == "1"
    assert desk.outputs["comment-url"].endswith(f"#issuecomment-{comment.id}")
    assert json.loads(Path(desk.outputs["report"]).read_bytes())
    assert "test_iban" in (desk.folder / "summary").read_text("utf-8")
    assert commands(desk.log.getvalue())[0][0] == "error"
    assert desk.github.count("PATCH") == 1


@pytest.mark.parametrize("token", [TOKEN, "", "ghs_wrong"])
def test_a_token_that_may_not_leaves_all_the_rest(tmp_path: Path, token: str) -> None:
    with serve(tokens={TOKEN: READ_ONLY}) as github:
        desk = Desk(github, tmp_path)
        (warning,) = desk.publish(RED, token=token)
    assert warning.startswith("no comment: ")
    assert desk.outputs["exit-code"] == "1"
    assert desk.outputs["comment-url"] == ""
    assert "no comment: " in (tmp_path / "summary").read_text("utf-8")
    assert "no comment: " in (tmp_path / "gate" / "verdict.json").read_text("utf-8")
    assert commands(desk.log.getvalue())


def test_an_api_that_is_down_leaves_all_the_rest(desk: Desk) -> None:
    desk.github.faults.add(Fault(cut="before", times=-1))
    (warning,) = desk.publish(RED)
    assert "can't be reached" in warning
    assert desk.outputs["verdict"] == "regression"


def test_places_that_can_not_be_written_stop_nothing(desk: Desk) -> None:
    def refuse(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    (desk.folder / "summary").mkdir()
    warnings = desk.publish(RED, write=refuse)
    files = [str(desk.folder / "gate" / name) for name in ("verdict.json", "comment.md", "report.html")]
    assert warnings == (
        f"{files[0]}, {files[1]} and {files[2]} could not be written: No space left on device",
        "the step summary could not be written: can't write the file of GITHUB_STEP_SUMMARY: Is a directory; "
        "check the step's container and user",
    )
    assert desk.outputs["exit-code"] == "1"
    assert len(desk.github.comments(NUMBER)) == 1


def test_never_means_never(desk: Desk) -> None:
    assert desk.publish(RED, comment="never") == ()
    assert not desk.github.log
    assert desk.outputs["comment-url"] == ""


def test_findings_alone_make_a_comment_but_good_news_end_it(desk: Desk) -> None:
    desk.publish(GREEN, comment="findings")
    assert desk.github.comments(NUMBER) == []
    desk.publish(RED, comment="findings")
    desk.publish(GREEN, comment="findings")
    (comment,) = desk.github.comments(NUMBER)
    assert "test_iban" not in comment.body
    desk.publish(replace(GREEN, welcome=True), comment="findings")
    assert len(desk.github.comments(NUMBER)) == 1


@pytest.mark.parametrize("comment", ["always", "findings"])
def test_that_nothing_could_be_judged_replaces_the_comment_of_an_earlier_commit(desk: Desk, comment: str) -> None:
    desk.publish(GREEN)
    assert "As robust as main" in desk.github.comments(NUMBER)[0].body
    assert desk.publish(UNJUDGED, comment=comment) == ()
    (told,) = desk.github.comments(NUMBER)
    assert "Not judged: wrong usage or configuration" in told.body
    assert "`base 3f9c1e2:gate.toml:2`: unknown setting `alhpa` &#60;b&#62;." in told.body
    assert "**Next:** did you mean `alpha`?" in told.body
    assert desk.outputs == {
        "verdict": "usage",
        "exit-code": "2",
        "findings": "0",
        "report": str(desk.folder / "gate" / "verdict.json"),
        "comment-url": desk.outputs["comment-url"],
    }
    assert desk.outputs["comment-url"].endswith(f"#issuecomment-{told.id}")
    assert verdict_from_json((desk.folder / "gate" / "verdict.json").read_text("utf-8")).problem == PROBLEM
    assert "alhpa" in (desk.folder / "summary").read_text("utf-8")
    assert "alhpa" in (desk.folder / "gate" / "report.html").read_text("utf-8")
    _, (name, said) = commands(desk.log.getvalue())
    assert (name, said.split("%0A")) == (
        "error",
        ["base 3f9c1e2:gate.toml:2: unknown setting `alhpa` <b>", "next: did you mean `alpha`?"],
    )


def test_that_nothing_could_be_judged_is_worth_a_comment(desk: Desk) -> None:
    desk.publish(UNJUDGED, comment="findings")
    assert len(desk.github.comments(NUMBER)) == 1


def test_at_a_shell_an_error_leaves_nothing_behind(desk: Desk) -> None:
    assert desk.publish(UNJUDGED, shell=True) == ()
    assert not desk.github.log
    assert not (desk.folder / "gate").exists()


@pytest.mark.parametrize("name", ["comment", "summary", "page", "verdict_json", "annotations"])
def test_a_text_that_can_not_be_made_stops_nothing_else(desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def fail(*_: object, **__: object) -> str:
        raise ZeroDivisionError(TOKEN)

    monkeypatch.setattr(render, name, fail)
    warnings = desk.publish(RED)
    places = {"comment": 2, "summary": 1, "page": 1, "verdict_json": 1, "annotations": 1}
    assert len(warnings) == places[name]
    assert all("internal error: ZeroDivisionError" in warning and TOKEN not in warning for warning in warnings)
    assert (desk.outputs["verdict"], desk.outputs["exit-code"]) == ("regression", "1")
    assert len(desk.github.comments(NUMBER)) == (name != "comment")
    made = {path.name for path in (desk.folder / "gate").iterdir()}
    lost = {"comment": "comment.md", "page": "report.html", "verdict_json": "verdict.json"}.get(name)
    assert made == {"comment.md", "report.html", "verdict.json"} - {lost}
    assert bool(commands(desk.log.getvalue())) is (name != "annotations")
    if name == "verdict_json":
        assert "internal error" not in desk.github.comments(NUMBER)[0].body


def test_a_client_that_breaks_stops_nothing_else(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError(TOKEN)

    monkeypatch.setattr(publish, "post_alone", fail)
    assert desk.publish(RED) == ("no comment: internal error: KeyError",)
    assert desk.outputs["exit-code"] == "1"


def test_no_text_shows_a_token_that_the_suite_has_found(desk: Desk) -> None:
    """It stands in a message of a failing test, where it would be escaped, folded and wrapped."""
    found = failing(1, f"test_{TOKEN}", f"leaked: ghp_another_token_of_mine {'.' * 80}{TOKEN}{'.' * 200}")
    environ = {"GITHUB_TOKEN": TOKEN, "GH_TOKEN": "ghp_another_token_of_mine"}
    assert desk.publish(replace(RED, findings=(found,)), tokens=environ) == ()
    texts = [path.read_text("utf-8") for path in (desk.folder / "gate").iterdir()]
    texts += [(desk.folder / "summary").read_text("utf-8"), desk.log.getvalue()]
    texts += [comment.body for comment in desk.github.comments(NUMBER)]
    assert len(texts) == 6
    for text in texts:
        assert "***" in text
        assert TOKEN[:12] not in text, "neither whole nor cut in the middle, as long texts are"
        assert "another_token" not in text
        assert "another&#95;token" not in text
