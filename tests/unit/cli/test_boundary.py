"""The one error boundary: every way a command can end has its documented exit code and no traceback of a user's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from gate import __version__, cli
from gate.errors import (
    BaselineError,
    GateError,
    ReportError,
    RepositoryError,
    SettingsError,
    SuiteError,
)
from tests.support import fork_server


def raising(error: BaseException) -> click.Command:
    @click.command()
    def broken() -> None:
        raise error

    return broken


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch):
    def install(error: BaseException) -> int:
        monkeypatch.setattr(cli.LazyGroup, "get_command", lambda self, ctx, name: raising(error))
        return cli.exit_code_of(["run"])

    return install


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SettingsError("unknown setting `alpa`", where="gate.toml", remedy="did you mean `alpha`?"), 2),
        (RepositoryError("not a repository"), 2),
        (ReportError("truncated", where="candidate.json"), 3),
        (BaselineError("merge conflict markers"), 3),
        (SuiteError("pytest is not there"), 3),
        (GateError("odd"), 4),
        (click.UsageError("no such option"), 2),
        (click.BadParameter("not a number"), 2),
        (KeyboardInterrupt(), 3),
        (click.Abort(), 3),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_what_a_user_can_mend_has_its_code_and_no_traceback(command, capsys, error: BaseException, code: int) -> None:
    assert command(error) == code
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert told.lstrip("\n").startswith("gate: ")


def test_where_and_remedy_are_told(command, capsys) -> None:
    command(SettingsError("unknown setting `alpa`", where="gate.toml", remedy="did you mean `alpha`?"))
    assert capsys.readouterr().err == "gate: gate.toml: unknown setting `alpa`\n  next: did you mean `alpha`?\n"


def test_an_internal_error_is_told_apart_and_can_be_reported(command, capsys) -> None:
    assert command(ZeroDivisionError("division by zero")) == 4
    told = capsys.readouterr().err
    assert "internal error: ZeroDivisionError: division by zero" in told
    assert "Traceback" in told


def test_errors_can_not_write_to_the_terminal(command, capsys) -> None:
    command(ReportError("\x1b[2Jcleared\x07", where="a\x1b]0;title\x07"))
    assert "\x1b" not in capsys.readouterr().err


def gate(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return fork_server.run([sys.executable, "-m", "gate", *arguments], cwd=cwd)


def test_help_names_every_command_and_imports_none(tmp_path: Path) -> None:
    probe = (
        "import sys; from gate import cli; code = cli.exit_code_of(['--help']);"
        "heavy = {'pydantic', 'numpy', 'requests', 'markdown', 'pytest'} & set(sys.modules);"
        "assert not heavy, heavy; sys.exit(code)"
    )
    result = subprocess.run(
        [sys.executable, "-c", probe], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 0, result.stderr
    assert all(f"  {name} " in result.stdout for name in cli.COMMANDS)


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_every_command_has_help_with_an_example(name: str, tmp_path: Path) -> None:
    result = gate(name, "--help", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "Example: gate " in result.stdout


def test_version(tmp_path: Path) -> None:
    result = gate("--version", cwd=tmp_path)
    assert (result.returncode, result.stdout.strip()) == (0, f"gate, version {__version__}")


def test_an_unknown_command_is_a_usage_error(tmp_path: Path) -> None:
    result = gate("compere", cwd=tmp_path)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
