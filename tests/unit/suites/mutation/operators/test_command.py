"""A command that rewrites a rule, by itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.suites.mutation.operators.command import LONGEST_ANSWER, Command, rewritten


def python(code: str) -> Command:
    return Command((sys.executable, "-c", code))


def test_the_rule_is_its_input_and_what_it_writes_takes_its_place() -> None:
    upper = python("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read().upper())")
    assert upper("Don’t tell.\n") == "Don’t tell.\n".encode().upper().decode().strip()
    assert python("print()")("Never lie.") is None


def test_folder_and_environment_are_given(tmp_path: Path) -> None:
    told = python("import os; print(os.getcwd(), os.environ.get('ONLY'))")
    assert rewritten(told, "x", folder=tmp_path, environ={"ONLY": "this"}) == f"{tmp_path.resolve()} this"


def test_the_name_is_that_of_the_program() -> None:
    assert Command(("/opt/tools/rewrite", "--gently")).name == "rewrite"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (Command(("./no-such-program",)), "can't be started"),
        (python("import sys; sys.exit(3)"), "ended with 3: it said nothing"),
        (python(f"print('x' * {LONGEST_ANSWER + 1})"), f"wrote {LONGEST_ANSWER + 1:,} characters"),
    ],
)
def test_what_is_no_answer_is_refused(command: Command, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        command("Never lie.")


def test_one_that_takes_too_long_is_ended() -> None:
    with pytest.raises(UsageError, match=r"took longer than 0\.05 s"):
        rewritten(python("import time; time.sleep(60)"), "x", timeout=0.05)
