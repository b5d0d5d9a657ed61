"""What leaves the gate for one verdict, with a token that may, one that may not, and places that can't be written."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gate.deliver.event import Event
from gate.deliver.publish import Publisher
from gate.deliver.runner import RunnerFiles
from gate.render import parse_marker
from gate.schema.verdict import ExitCode, Provenance, Verdict
from gate.settings import Settings
from tests.support.github.faults import Fault
from tests.support.github.fixture import HEAD, NUMBER, TOKEN, Time, serve
from tests.support.github.runner import commands, outputs
from tests.support.github.server import GitHubServer
from tests.support.github.state import READ_ONLY
from tests.support.verdicts import failing

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
        self, verdict: Verdict, *, token: str = TOKEN, comment: str = "always", **more: object
    ) -> tuple[str, ...]:
        self.run += 1
        environ = {
            "GITHUB_ACTIONS": "true",
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
    assert [warning.partition(" could not")[0].split()[-1] for warning in warnings] == [
        str(desk.folder / "gate"),
        "summary",
    ]
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
