"""Settings, rules, inputs, options and commands that do not exist or can't be: told with place and nearest name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import pytest

from gate.cli import COMMANDS
from tests.support import fork_server, readme
from tests.support.command_line import HELD, PullRequest, Shell, candidate, environment, project, refused
from tests.support.github.runner import commands
from tests.support.repository import Repository

NAME = "r.json"
CLOSED = "http://127.0.0.1:9"
BAD = {
    "unknown setting": ("suite = 'default'\nalpa = 1\n", ":2: unknown setting `alpa`", "did you mean `alpha`?"),
    "far from all": ("zzzzzz = 1\n", ":1: unknown setting `zzzzzz`", "known are: accept-self, accept-team, "),
    "unknown rule": (
        "[rules.negative-flp]\nlevel = 'off'\n",
        ":1: no rule is called `negative-flp`",
        "did you mean `negative-flip`?",
    ),
    "unknown level": (
        "[rules.negative-flip]\nlevel = 'of'\n",
        ":2: `rules.negative-flip.level` can't be 'of'",
        "`gate config` lists",
    ),
    "impossible value": ("alpha = 2\n", ":1: `alpha` can't be '2'", "`gate config` lists what `alpha` may be"),
    "wrong kind": ("timeout = 'soon'\n", ":1: `timeout` can't be 'soon'", "`gate config` lists what `timeout` may be"),
    "suite with a path": ("suite = '../other'\n", ":1: `suite` can't be '../other'", "`gate config` lists"),
    "no table": ("rules = 3\n", ":1: `rules` is a table of rule names", "docs/rules.md"),
    "not TOML": ("alpha = \n", ":1", "mend the file"),
    "not UTF-8": (b"# \xe9\n", ":1: is not UTF-8", "save it as UTF-8"),
}


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """On its main; a test writes settings beside it and commits nothing."""
    made = project(tmp_path_factory.mktemp("settings") / "project")
    (made.path / NAME).write_text(json.dumps(candidate(HELD)))
    return made


@pytest.fixture
def settings(repository: Repository) -> Path:
    path = repository.path / "gate.toml"
    path.unlink(missing_ok=True)
    return path


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(
    "command",
    [["ci", "--report", NAME], ["run"], ["compare", "baselines/default.jsonl", NAME], ["config"], ["baseline", "show"]],
    ids=lambda command: command[0],
)
def test_a_settings_file(gate: Shell, settings: Path, name: str, command: list[str]) -> None:
    content, said, advice = BAD[name]
    settings.write_bytes(content.encode() if isinstance(content, str) else content)
    refused(gate(*command, cwd=settings.parent), 2, f"gate: gate.toml{said}", advice=advice)


def test_settings_in_two_places(gate: Shell, settings: Path) -> None:
    settings.write_text("alpha = 0.01\n")
    shared = settings.with_name("pyproject.toml")
    shared.write_text("[tool.gate]\nalpha = 0.02\n")
    try:
        ended = gate("ci", "--report", NAME, cwd=settings.parent)
        refused(ended, 2, "`gate.toml` and `[tool.gate]` of `pyproject.toml` both hold settings", advice="keep one")
        settings.unlink()
        shared.write_text("[project]\nname = 'x'\n\n[tool.gate]\nalpa = 0.02\n")
        ended = gate("ci", "--report", NAME, cwd=settings.parent)
        refused(ended, 2, "gate: pyproject.toml:5: unknown setting `alpa`", advice="`alpha`")
    finally:
        shared.unlink()


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"GATE_ALPHA": "2"}, "environment: `alpha` can't be '2'"),
        ({"GATE_OBSERVE": "maybe"}, "environment: `observe` can't be 'maybe'"),
        ({"GATE_MAX_REPORT_BYTES": "1e9"}, "environment: `max-report-bytes` can't be '1e9'"),
        ({"GATE_RULES": "off"}, "environment: `rules` is a table of rule names"),
    ],
    ids=str,
)
def test_the_environment(gate: Shell, settings: Path, variables: dict[str, str], said: str) -> None:
    for command in (["ci", "--report", NAME], ["run"]):
        refused(gate(*command, cwd=settings.parent, **variables), 2, f"gate: {said}")


@pytest.mark.parametrize("side", ["base", "head"])
def test_on_a_pull_request_the_commit_is_named(gate: Shell, tmp_path: Path, side: str) -> None:
    """Also the head's own file: once merged, it would stop every pull request."""
    files = {"gate.toml": "[rules.negative-flp]\nlevel = 'off'\n"}
    pull = PullRequest(tmp_path, *([{"x.txt": "x"}, files] if side == "base" else [files]))
    commit = pull.base if side == "base" else pull.merge
    ended = gate("ci", "--report", NAME, cwd=pull.checkout("work"), **pull.variables(CLOSED))
    where = f"{side} {commit[:7]}:gate.toml:1"
    refused(ended, 2, f"gate: {where}: no rule is called `negative-flp`", advice="did you mean `negative-flip`?")
    pull.told("usage", 2, tmp_path / "work")
    assert "did you mean" in pull.step().summary


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the action is a container")
@pytest.mark.parametrize(
    ("name", "advice"),
    [("INPUT_REPROT", "did you mean `report`?"), ("INPUT_ALPHA", "known are: "), ("INPUT_Q", "known")],
)
def test_an_input_that_the_action_does_not_have(tmp_path: Path, name: str, advice: str) -> None:
    """The action itself: its entry point, before any of the suite's world is needed."""
    pull = PullRequest(tmp_path, {"x.txt": "x"})
    variables = pull.variables(CLOSED, GITHUB_WORKSPACE=str(pull.checkout("work")), **{name: "x"})
    command = [sys.executable, "-m", "gate.cli.action"]
    result = fork_server.run(command, cwd=readme.ROOT, environ=environment(variables))
    key = name.removeprefix("INPUT_").lower()
    assert (result.returncode, "Traceback" in result.stderr) == (2, False), result.stderr
    assert f"gate: action: unknown input `{key}`\n  next: {advice}" in result.stderr
    pull.told("usage", 2, tmp_path / "work")
    assert f"unknown input `{key}`" in pull.step().summary
    ((command, message),) = commands(result.stdout)
    assert (command, message.startswith(f"action: unknown input `{key}`")) == ("error", True)


def test_arguments_that_no_shell_could_split(gate: Shell, settings: Path) -> None:
    settings.write_text('arguments = "-k \'one"\n')
    for command in ("ci", "run"):
        ended = gate(command, cwd=settings.parent)
        refused(ended, 2, "gate: arguments: can't be split: no closing quotation", advice="as for a shell")


@pytest.mark.parametrize(
    ("arguments", "said", "advice"),
    [
        (["run", "--suite", "a/b"], "command line: `suite` can't be 'a/b'", "`gate config` lists"),
        (["ci", "--suite", "a/b"], "command line: `suite` can't be 'a/b'", "`gate config` lists"),
        (["init", "--yes", "--suite", "a/b"], "--suite: `suite` can't be 'a/b'", "`gate config` lists"),
        (["run", "--timeout", "nan"], "command line: `timeout` can't be", "`gate config` lists"),
        (["run", "--timeout", "0"], "'--timeout': 0.0 is not in the range x>0", "--help` shows the options"),
        (["run", "--timeout", "soon"], "'--timeout': 'soon' is not a valid float", "--help` shows the options"),
        (["ci", "--comment", "some"], "'some' is not one of 'always', 'findings', 'never'", " ci --help`"),
        (["compare", NAME], "Missing argument 'CANDIDATE'", " compare --help`"),
        (["compare", NAME, NAME, "--max-report-bytes", "0"], "0 is not in the range x>=1", " compare --help`"),
        (["compere"], "No such command 'compere'. Did you mean 'compare'?", "--help` shows the options"),
        (["zzz"], "No such command 'zzz'.", "--help` shows the options"),
        (["baseline", "adpot"], "No such command 'adpot'. Did you mean 'adopt'?", " baseline --help`"),
        (["ci", "--bass", "main"], "No such option '--bass'. Did you mean '--base'?", " ci --help`"),
        (["baseline", "show", "--sute", "a"], "No such option '--sute'. Did you mean '--suite'?", "show --help`"),
        (["ci", "-q"], "No such option '-q'", "put -q before the command: `"),
        (["baseline", "show", "--no-colour"], "No such option '--no-colour'", "--no-colour baseline show`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_command_line(gate: Shell, settings: Path, arguments: list[str], said: str, advice: str) -> None:
    refused(gate(*arguments, cwd=settings.parent), 2, said, advice=advice)


@pytest.mark.parametrize("arguments", [[], ["baseline"]], ids=str)
def test_a_group_without_a_command_shows_its_help(gate: Shell, tmp_path: Path, arguments: list[str]) -> None:
    ended = gate(*arguments, cwd=tmp_path)
    assert (ended.out, "\nCommands:\n" in ended.err) == ("", True)
    assert ended.err.startswith("Usage: ")


@pytest.mark.parametrize("words", readme.commands(), ids=" ".join)
def test_every_help_explains_each_option_and_its_example_can_be_typed(words: tuple[str, ...]) -> None:
    command = readme.commands()[words]
    assert command.help
    unexplained = [each.name for each in command.params if isinstance(each, click.Option) and not each.help]
    assert unexplained == []
    example = (command.epilog or "").removeprefix("\b\n").removeprefix("Example: ").split()
    assert example[: 1 + len(words)] == ["gate", *words]
    rest = example[1 + len(words) :]
    if isinstance(command, click.Group):
        command, rest = command.commands[rest[0]], rest[1:]
    command.make_context(words[-1], rest)


def test_the_list_of_commands_cuts_no_sentence(gate: Shell, tmp_path: Path) -> None:
    for words in ([], ["baseline"]):
        assert "..." not in gate(*words, "--help", cwd=tmp_path).out.partition("Commands:")[2]
    assert len(COMMANDS) > 5
