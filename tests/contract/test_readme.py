"""The README says what the code does: settings, rules, exit codes, commands, messages, links and workflows."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gate import errors
from gate.schema.verdict import DECIDING_ORDER, ExitCode, RuleName
from gate.settings import Layer, inputs, names, resolve
from tests.support import readme

TEXT = readme.README.read_text(encoding="utf-8")
COMMANDS = readme.commands()
ORDER = (
    "What it looks like",
    "Add it to a repository",
    "Permissions, and why",
    "The first baseline",
    "Accepting an intended change",
    "Tests that vary",
    "Recorded answers",
    "How far an input may move",
    "Prompt mutation",
    "Coding agents",
    "Commands",
    "Options",
    "Exit codes",
    "Rules",
    "The trap of skipped required checks",
    '"Allow GitHub Actions to create pull requests"',
    "Troubleshooting",
    "More",
)


def section(heading: str) -> str:
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", TEXT, re.S | re.M)
    assert found is not None, heading
    return found[1]


def test_the_sections_stand_in_their_order() -> None:
    assert tuple(re.findall(r"^## (.+)$", TEXT, re.M)) == ORDER


@pytest.mark.parametrize("part", ["settings", "rules"])
def test_tables_are_those_of_the_code(part: str) -> None:
    assert readme.between(TEXT, part) == readme.between(readme.current(TEXT), part), (
        "run `python -m tests.support.readme`"
    )


def test_the_settings_table_has_every_setting_and_input() -> None:
    rows = readme.table_cells(readme.between(TEXT, "settings"))
    assert tuple(row[0].strip("`") for row in rows) == names()
    assert tuple(row[0].strip("`") for row in rows if row[3]) == inputs()


def test_the_rules_table_has_every_rule() -> None:
    rows = readme.table_cells(readme.between(TEXT, "rules"))
    named = [re.match(r"\[`([\w-]+)`\]\(docs/rules\.md#([\w-]+)\)", row[0]) for row in rows]
    assert all(match is not None and match[1] == match[2] for match in named)
    assert sorted(match[1] for match in named if match is not None) == sorted(rule.value for rule in RuleName)


def test_the_exit_codes() -> None:
    rows = readme.table_cells(section("Exit codes"))
    assert {int(code): meaning.split(":")[0] for code, meaning in rows} == {
        int(code): code.name.lower() for code in ExitCode
    }
    order = ", ".join(str(int(code)) for code in DECIDING_ORDER)
    assert f"the first of {order} counts" in section("Exit codes")


@pytest.mark.parametrize("block", readme.blocks(TEXT, "toml"))
def test_example_settings_can_be_read(block: str) -> None:
    resolve([Layer("README.md", tomllib.loads(block))])


def gate_calls(text: str) -> Iterator[list[str]]:
    """Command lines of `gate` in shell blocks, workflows and inline code."""
    for block in (*readme.blocks(text, "sh"), *readme.blocks(text, "sh try")):
        yield from (shlex.split(line) for line in block.splitlines() if line.startswith("gate "))
    yield from (shlex.split(code) for code in re.findall(r"(?<!`)`(gate [a-z][^`]*)`(?!`)", text))
    for block in readme.blocks(text, "yaml"):
        yield from (shlex.split(code) for code in re.findall(r"run: (gate [^,}\n]+)", block))


def parse(words: list[str]) -> None:
    """Parse a command line with click, without running it; click's own error says what it does not have."""
    name = next(key for key in (tuple(words[1:3]), tuple(words[1:2])) if key in COMMANDS)
    command = COMMANDS[name]
    if isinstance(command, click.Group) or (len(words) == 1 + len(name) and len(name) == 2):
        return
    command.make_context(name[-1], list(words[1 + len(name) :]))


@pytest.mark.parametrize("words", list(gate_calls(TEXT)), ids=" ".join)
def test_every_command_line_exists(words: list[str]) -> None:
    complete = {
        ("run",),
        ("ci",),
        ("compare",),
        ("show",),
        ("init",),
        ("report",),
        ("config",),
        ("demo",),
        ("sweep",),
        ("accept",),
        ("command",),
        ("doctor",),
        ("explain",),
        ("merge",),
    }
    if len(words) == 2 and tuple(words[1:]) in complete:
        return  # a mention of the command, not a line to type
    parse(words)


@pytest.mark.parametrize("wrong", ["gate ci --bass main", "gate baseline create --run 3", "gate demo now"])
def test_a_command_line_that_does_not_exist_is_found(wrong: str) -> None:
    with pytest.raises(click.UsageError):
        parse(shlex.split(wrong))


def test_every_command_is_in_the_reference_with_an_example() -> None:
    rows = readme.table_cells(section("Commands"))
    leaves = {name for name, command in COMMANDS.items() if not isinstance(command, click.Group)}
    assert {tuple(row[0].strip("`").split()[1:]) for row in rows} == leaves
    assert all(row[2].strip("`").startswith(row[0].strip("`")) for row in rows)


def test_blocks_to_be_tried_are_run_by_the_checks_of_the_project() -> None:
    checks = (readme.ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    lines = [line for block in readme.blocks(TEXT, "sh try") for line in block.splitlines()]
    assert lines
    assert [line for line in lines if line not in checks] == []


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)", TEXT))))
def test_links_lead_somewhere(target: str) -> None:
    assert (readme.ROOT / target).is_file()


def test_the_picture_has_words() -> None:
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", TEXT)
    assert [path for _, path in pictures] == ["docs/images/comment.png"]
    assert all(len(words) > 40 for words, _ in pictures)


ELSEWHERE = {"MissingObjectError": errors.RepositoryError, "ValueRefusedError": errors.UsageError}
"""Classes of errors that stand beside what raises them, with what they are."""


def messages() -> dict[str, set[int]]:
    """Every message of an error of the gate, with `…` for what varies, and the exit codes of its classes."""
    found: dict[str, set[int]] = {}
    for path in sorted(Path(errors.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                kind = ELSEWHERE.get(name) or getattr(errors, name, None)
                if isinstance(kind, type) and issubclass(kind, errors.GateError):
                    found.setdefault(shape(node.args[0]), set()).add(kind.exit_code)
    return found


def said() -> set[str]:
    """Every text of the gate's source, for warnings and reasons, which are no errors."""
    return {
        shape(node)
        for path in sorted(Path(errors.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant | ast.JoinedStr)
    }


def shape(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(shape(value) for value in node.values)
    if isinstance(node, ast.BinOp):
        return shape(node.left) + shape(node.right)
    return "…"


def test_every_message_of_the_troubleshooting_is_one_of_the_gate() -> None:
    known, sentences = messages(), said()
    rows = readme.table_cells(readme.between(TEXT, "messages"))
    assert len(rows) >= 20
    for message, code, advice in rows:
        text = message.strip("`").strip() if message.startswith("``") else message[1:-1]
        text = re.sub(r"^`` ?| ?``$", "", message) if message.startswith("``") else text
        assert text in known or text in sentences, f"the gate no longer says: {text}"
        if text in known and code != "–":
            assert int(code) in known[text], f"{text}: exits with {sorted(known[text])}"
        else:
            assert code in ("–", "3"), f"{text}: a warning or a reason why a run is not whole"
        assert advice


@pytest.mark.parametrize("block", readme.blocks(TEXT, "yaml"), ids=["own python", "container"])
def test_workflows_to_copy_are_short_and_least_privileged(block: str) -> None:
    from ruamel.yaml import YAML

    workflow = YAML(typ="safe").load(block)
    assert len(block.splitlines()) <= 12
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    steps = workflow["jobs"]["gate"]["steps"]
    assert steps[0]["with"] == {"fetch-depth": 2, "persist-credentials": False}
    assert all(set(step.get("with", {})) <= {*inputs()} for step in steps if "robustness-gate@" in step.get("uses", ""))


@pytest.mark.parametrize("block", readme.blocks(TEXT, "yaml"), ids=["own python", "container"])
def test_workflows_to_copy_are_workflows(block: str, tmp_path: Path) -> None:
    workflow = tmp_path / "robustness.yml"
    workflow.write_text(block, encoding="utf-8")
    program = shutil.which("actionlint", path=str(Path(sys.executable).parent)) or shutil.which("actionlint")
    if program is None:
        pytest.skip("actionlint is not installed")
    result = subprocess.run(
        [program, "-no-color", str(workflow)], capture_output=True, text=True, check=False, timeout=60
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_workflows_to_copy_start_on_every_pull_request() -> None:
    for block in readme.blocks(TEXT, "yaml"):
        assert "\non: pull_request\n" in block
        assert not re.search(r"paths:|if:|pull_request_target", block)
