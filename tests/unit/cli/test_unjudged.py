"""A pull request that can't even be judged: an earlier run's comment goes, and every output says why and what next."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from gate.cli import tools
from gate.deliver import publish, sticky
from tests.support.command_line import HELD, NUMBER, PullRequest, Shell, candidate, project, refused
from tests.support.github.fixture import TOKEN, serve
from tests.support.github.runner import commands
from tests.support.github.server import GitHubServer

CLOSED = "http://127.0.0.1:9"
NAME = "r.json"
OUTPUTS = {"verdict", "exit-code", "findings", "report", "comment-url"}
Files = dict[str, str | bytes | None]


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setattr(sticky, "_SETTLE_SECONDS", 0.0)
    return Shell(monkeypatch, capsys)


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with serve() as server:
        yield server


def reported(folder: Path, outcomes: Mapping[str, str] = HELD) -> Path:
    (folder / NAME).write_text(json.dumps(candidate(outcomes)), encoding="utf-8")
    return folder


def green_before(github: GitHubServer, pull: PullRequest, suite: str = "default") -> None:
    """An earlier run of this pull request found nothing, and said so."""
    github.add_pull_request(NUMBER, pull.head, pull.base)
    marker = f"<!-- robustness-gate:1 suite={suite} head={'c' * 40} attempt=1 order=4 -->"
    github.add_comment(NUMBER, f"{marker}\n### ✅ As robust as main\n")


BASE_TYPO: Files = {"gate.toml": "suite = 'default'\nalhpa = 1\n"}
MISSING: dict[str, tuple[Files, Files, dict[str, str], int, str, str]] = {
    # what the head changes, what main has, variables, exit code, what happened, what next
    "a typo of the head": ({"gate.toml": "alhpa = 1\n"}, {}, {}, 2, "unknown setting `alhpa`", "did you mean `alpha`?"),
    "a typo of the base": ({"x": "1"}, BASE_TYPO, {}, 2, "unknown setting `alhpa`", "did you mean `alpha`?"),
    "no TOML": ({"x": "1"}, {"gate.toml": "a = ["}, {}, 2, "is not TOML", "mend the file"),
    "a variable": ({"x": "1"}, {}, {"GATE_TIMEOUT": "soon"}, 2, "`timeout` can't be 'soon'", "`gate config` lists"),
    "a renamed suite": ({"x": "1"}, {}, {"GATE_SUITE": "other"}, 3, "none of the suite `other`", "default branch"),
    "a damaged baseline": ({"x": "1"}, {"baselines/default.jsonl": "{"}, {}, 3, "default.jsonl at ", ""),
    "a named baseline": ({"x": "1"}, {"gate.toml": "baseline = 'b.jsonl'\n"}, {}, 3, "names a file that is not", ""),
    "a linked baseline": ({"x": "1"}, {}, {}, 2, "is a symbolic link", "commit it as a plain file"),
}


@pytest.mark.parametrize("name", MISSING)
def test_the_comment_of_an_earlier_run_does_not_speak_for_this_one(
    gate: Shell, github: GitHubServer, tmp_path: Path, name: str
) -> None:
    change, main, variables, code, said, advice = MISSING[name]
    pull = linked(tmp_path) if name == "a linked baseline" else PullRequest(tmp_path, change, main)
    folder = reported(pull.checkout("work"))
    green_before(github, pull, variables.get("GATE_SUITE", "default"))
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN, **variables))
    refused(ended, code, said, advice=advice)
    step = pull.told({2: "usage", 3: "undecided"}[code], code, folder)
    (comment,) = github.comments(NUMBER)
    assert "As robust as main" not in comment.body
    for text in (comment.body, step.summary):
        assert "### ⛔ Not judged: " in text
        assert "**Next:** " in text
    assert set(step.outputs) == OUTPUTS
    assert step.outputs["findings"] == "0"
    assert step.outputs["comment-url"].endswith(f"#issuecomment-{comment.id}")
    ((command, message),) = commands(ended.out)
    assert (command, said in message) == ("error", True)
    assert {path.name for path in (folder / ".gate").iterdir()} == {"verdict.json", "comment.md", "report.html"}


def linked(tmp_path: Path) -> PullRequest:
    """A pull request whose main has a link where its baseline should be."""
    made = PullRequest(tmp_path, {"x": "1"})
    made.origin.checkout("main")
    baseline = made.origin.path / "baselines" / "default.jsonl"
    baseline.rename(made.origin.path / "elsewhere.jsonl")
    baseline.symlink_to("../elsewhere.jsonl")
    made.base = made.origin.commit({})
    made.merge = made.origin.merge_like_github("main", "change", NUMBER)
    return made


@pytest.mark.parametrize("broken", ["head", "base"])
def test_the_comment_of_the_suite_that_a_broken_file_names_is_found(
    gate: Shell, github: GitHubServer, tmp_path: Path, broken: str
) -> None:
    """Else the green comment of that suite would stay."""
    named = "suite = 'fraud'\n"
    typo: Files = {"gate.toml": f"{named}alhpa = 1\n"}
    pull = PullRequest(tmp_path, typo, {"gate.toml": named}) if broken == "head" else PullRequest(tmp_path, {}, typo)
    folder = reported(pull.checkout("work"))
    green_before(github, pull, "fraud")
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
    refused(ended, 2, "unknown setting `alhpa`")
    (comment,) = github.comments(NUMBER)
    assert "suite=fraud " in comment.body
    assert "Not judged" in comment.body


@pytest.mark.parametrize("manner", ["comment = 'never'\n", "annotations = false\n"])
def test_it_is_told_in_the_manner_that_the_base_asks_for(
    gate: Shell, github: GitHubServer, tmp_path: Path, manner: str
) -> None:
    pull = PullRequest(tmp_path, {"gate.toml": "alhpa = 1\n"}, {"gate.toml": manner})
    folder = reported(pull.checkout("work"))
    green_before(github, pull)
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
    assert ended.code == 2
    (comment,) = github.comments(NUMBER)
    assert ("Not judged" in comment.body) is (manner != "comment = 'never'\n")
    assert bool(commands(ended.out)) is (manner != "annotations = false\n")


def test_the_head_can_not_silence_what_is_told_of_it(gate: Shell, github: GitHubServer, tmp_path: Path) -> None:
    pull = PullRequest(tmp_path, {"gate.toml": "comment = 'never'\nannotations = false\n"})
    folder = reported(pull.checkout("work"), {**HELD, "test_a.py::test_two": "failed"})
    green_before(github, pull)
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
    assert ended.code == 1
    (comment,) = github.comments(NUMBER)
    assert "Less robust than main" in comment.body
    assert "error" in [name for name, _ in commands(ended.out)]


def test_an_error_of_our_own_is_told_without_its_trace(
    gate: Shell, github: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(TOKEN)

    monkeypatch.setattr(tools, "read_trusted", fail)
    pull = PullRequest(tmp_path, {"x": "1"})
    folder = reported(pull.checkout("work"))
    green_before(github, pull)
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
    assert ended.code == 4
    step = pull.told("internal", 4, folder)
    (comment,) = github.comments(NUMBER)
    for text in (comment.body, step.summary, ended.out):
        assert "internal error: ZeroDivisionError" in text
        assert "Traceback" not in text
        assert TOKEN not in text


def test_an_error_while_telling_hides_no_error(gate: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    pull = PullRequest(tmp_path, {"gate.toml": "alhpa = 1\n"})
    folder = reported(pull.checkout("work"))
    for place, name in ((tools, "read_readable"), (tools, "_delivery"), (publish.Publisher, "_outputs")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, fail)
            ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED))
        refused(ended, 2, "unknown setting `alhpa`")


def test_a_report_that_is_too_large_is_told_like_any_other_reason(
    gate: Shell, github: GitHubServer, tmp_path: Path
) -> None:
    pull = PullRequest(tmp_path, {"x": "1"}, {"gate.toml": "max-report-bytes = 1000\n"})
    folder = pull.checkout("work")
    green_before(github, pull)
    ended = gate("ci", cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
    assert ended.code == 3, ended.err
    (comment,) = github.comments(NUMBER)
    assert "larger than the limit of 1,000 bytes" in comment.body
    assert pull.step().outputs["verdict"] == "undecided"


def test_at_a_shell_the_error_is_all(gate: Shell, tmp_path: Path) -> None:
    repository = project(tmp_path / "project", {"gate.toml": "alhpa = 1\n"})
    refused(gate("ci", cwd=repository.path), 2, "unknown setting `alhpa`")
    assert not (repository.path / ".gate").exists()


def ends(**outcomes: str) -> Callable[[Path], Path]:
    return lambda folder: reported(
        folder, {**HELD, **{f"test_a.py::test_{name}": how for name, how in outcomes.items()}}
    )


@pytest.mark.parametrize(
    ("change", "leave", "word"),
    [
        ({"x": "1"}, ends(), "holds"),
        ({"x": "1"}, ends(two="failed"), "regression"),
        ({"gate.toml": "="}, ends(), "usage"),
        ({"x": "1"}, lambda folder: folder, "undecided"),
    ],
    ids=["holds", "regression", "usage", "undecided"],
)
def test_every_output_of_the_action_is_reached(
    gate: Shell, tmp_path: Path, change: Files, leave: Callable[[Path], Path], word: str
) -> None:
    """`internal` is above."""
    pull = PullRequest(tmp_path, change)
    folder = leave(pull.checkout("work"))
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED))
    step = pull.told(word, ended.code, folder)
    assert set(step.outputs) == OUTPUTS
    assert publish.VERDICTS[ended.code] == word  # type: ignore[index]
