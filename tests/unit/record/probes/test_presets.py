"""Known command lines, played by scripts of the same name that say how they were called."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.record.probes.agents.agent import Task
from gate.record.probes.agents.presets import PRESETS, preset_of
from gate.record.recordings import canonical
from gate.record.recordings.exchange import Request
from gate.record.recordings.volatile import read_volatile
from gate.sandbox.cell import Cell
from gate.sandbox.cell.folder import PARTS
from gate.suites.probes.answer import Ended
from tests.support.probe_cells import PYTHON, agent_in
from tests.support.probe_runs import probe_of

CALLED = "import json, os, sys; called = json.dumps([sys.argv[1:], sys.stdin.read(), dict(os.environ)])\n"
PRINTS = {
    "claude": "print(json.dumps({'type': 'result', 'subtype': 'success', 'result': called, 'total_cost_usd': 0.5}))",
    "codex": "print(json.dumps({'type': 'item.completed', 'item': {'type': 'agent_message', 'text': called}}))",
    "gemini": "print(json.dumps({'response': called, 'stats': {'models': {'m': {'tokens': {'total': 9}}}}}))",
    "opencode": "print(json.dumps({'type': 'text', 'part': {'text': called}}))",
    "aider": "print(called)",
}
KEYS = {
    "OPENAI_API_KEY": "sk-real-openai-key",
    "ANTHROPIC_API_KEY": "sk-ant-real-key",
    "GEMINI_API_KEY": "AIza-real-key",
}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where a program is installed: not in the temporary folder, in whose place a cell has its own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as found:
        Path(found).chmod(0o755)
        yield Path(found)


def called(folder: Path, cell: Cell, name: str, model: str = "") -> tuple[list[str], str, dict[str, str]]:
    """How a preset's program is called: its arguments, its standard input, its variables."""
    program = folder / name
    program.write_text(f"#!{PYTHON}\n{CALLED}{PRINTS[name]}\n", encoding="utf-8")
    program.chmod(0o755)
    environ = {"PATH": f"{folder}:/usr/bin:/bin", **KEYS}
    with agent_in(folder / "nothing", cell, environ=environ, agent_preset=name, agent_model=model) as agent:
        answer = agent.ask(Task(probe_of("task"), 0, 1, "Write it."))
    assert answer.ended is Ended.ANSWERED, answer
    words, stdin, variables = json.loads(answer.text)
    assert not [value for value in variables.values() if value in KEYS.values()]
    return words, stdin, variables


def test_claude(folder: Path, cell: Cell) -> None:
    words, stdin, variables = called(folder, cell, "claude", "opus")
    assert words == ["-p", "--output-format", "json", "--permission-mode", "bypassPermissions", "--model", "opus"]
    assert stdin == "Write it."
    assert variables["ANTHROPIC_BASE_URL"].startswith("http://127.0.0.1:")
    assert variables["IS_SANDBOX"] == "1"
    assert "OPENAI_API_KEY" not in variables


def test_codex_is_given_a_provider_of_its_own(folder: Path, cell: Cell) -> None:
    words, stdin, variables = called(folder, cell, "codex")
    assert words[:3] == ["-c", 'model_provider="api"', "-c"]
    assert f'base_url="{variables["OPENAI_BASE_URL"]}"' in words[3]
    assert words[4:] == ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    assert stdin == "Write it."


def test_gemini(folder: Path, cell: Cell) -> None:
    words, stdin, variables = called(folder, cell, "gemini")
    assert words == ["--output-format", "json", "--approval-mode", "yolo"]
    assert stdin == "Write it."
    assert variables["GOOGLE_GEMINI_BASE_URL"].startswith("http://127.0.0.1:")
    assert variables["GEMINI_CLI_TRUST_WORKSPACE"] == "true"
    chosen = json.loads(PRESETS["gemini"].files[".gemini/settings.json"])
    assert chosen["security"]["auth"]["selectedType"] == "gemini-api-key"


def test_files_of_a_preset_lie_in_the_working_folder_and_are_no_answer(folder: Path, cell: Cell) -> None:
    program = folder / "gemini"
    program.write_text(f"#!{PYTHON}\nprint(open('.gemini/settings.json').read())\n", encoding="utf-8")
    program.chmod(0o755)
    with agent_in(folder / "nothing", cell, environ={"PATH": f"{folder}:/usr/bin"}, agent_preset="gemini") as agent:
        answer = agent.ask(Task(probe_of("task"), 0, 1, "Write it."))
    assert json.loads(answer.text) == json.loads(PRESETS["gemini"].files[".gemini/settings.json"])
    assert answer.files == {}


def test_opencode_is_configured_inline(folder: Path, cell: Cell) -> None:
    words, stdin, variables = called(folder, cell, "opencode", "anthropic/opus")
    assert words == ["run", "--format", "json", "--title", "Task", "--model", "anthropic/opus"]
    assert stdin == "Write it."
    providers = json.loads(variables["OPENCODE_CONFIG_CONTENT"])["provider"]
    assert providers["anthropic"]["options"]["baseURL"] == variables["ANTHROPIC_BASE_URL"] + "/v1"
    assert set(providers) == {"anthropic", "google", "openai"}


def test_aider_is_given_a_file(folder: Path, cell: Cell) -> None:
    words, stdin, variables = called(folder, cell, "aider")
    assert words[0] == "--message-file"
    assert words[1].endswith(".md")
    assert {"--yes-always", "--no-git", "--no-stream"} <= set(words)
    assert stdin == ""
    assert variables["OPENAI_API_BASE"].startswith("http://127.0.0.1:")
    assert int(variables["COLUMNS"]) > 10_000, "it would break lines of code at the edge of a terminal"


def test_every_preset_has_a_player() -> None:
    assert set(PRINTS) == set(PRESETS)


def test_a_misspelt_preset_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="codex"):
        preset_of("codx")


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_dates_folders_and_sessions_do_not_count(name: str) -> None:
    volatile = read_volatile(PRESETS[name].volatile)

    def digest(day: str, folder: str, session: str) -> str:
        system = f"Working directory: {folder}\nToday's date: {day}\n<cwd>{folder}</cwd>"
        body = {
            "model": "m",
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": "Write it."}],
            **({"metadata": {"user_id": session}} if name == "claude" else {}),
            **({"prompt_cache_key": session} if name in ("codex", "opencode") else {}),
        }
        return canonical.key(Request("POST", "https://api.test/v1/x", (), json.dumps(body).encode()), volatile).digest

    assert digest("2026-11-30", "/tmp/a", "s1") == digest("Monday, 1 December 2026", "/tmp/b/c", "s2")


CELLS = ("/cell", "/tmp/gate-cell-l1_2dz0o/bare/job-1779", "/var/tmp/x-y/gate-cell-abc/job-q3_x")
SEEN = {
    "claude": ["OS Version: {machine}", "{cell}/home/.claude/projects/{mangled}-work/memory/"],
    "codex": [
        "<cwd>{cell}/work</cwd>\n  <shell>{shell}</shell>\n  <timezone>{zone}</timezone>",
        '{{"chunk_id":"{hex}","wall_time_seconds":0.00000{number},"exit_code":0}}',
        "Script completed\nWall time 0.{number} seconds\nOutput:\n",
        "- `r0` = `{cell}/home/.codex/skills/.system`",
    ],
    "gemini": [
        "Today's date is {day}(formatted according to the user's locale).\n",
        "The project's temporary directory is: {cell}/home/.gemini/tmp/work\n",
        "Output: (empty)\nProcess Group PGID: {number}\n",
        "wrote to new file: {cell}/{own}/a.py. Here",
    ],
    "opencode": ["  Today's date: {day}\n</env>\nInstructions from: {cell}/home/.config/opencode/AGENTS.md\n"],
    "aider": ["- Platform: {machine}\n- Shell: SHELL=None\n- Current date: {day}\n"],
}
"""What the real programs say of their machine, their cell and the moment."""


@pytest.mark.parametrize("name", sorted(SEEN))
def test_what_a_program_says_of_its_machine_does_not_count(name: str) -> None:
    volatile = read_volatile(PRESETS[name].volatile)

    def digest(at: int) -> str:
        cell = CELLS[at]
        facts = {
            "cell": cell,
            "own": PARTS[0],
            "mangled": "".join(letter if letter.isalnum() else "-" for letter in cell),
            "machine": ("Linux-6.18.4-x86_64-with-glibc2.36", "Linux-6.1.0-aarch64-with-glibc2.41", "Linux 5")[at],
            "shell": ("sh", "bash", "zsh")[at],
            "zone": ("Etc/UTC", "Europe/Vienna", "Asia/Tokyo")[at],
            "hex": ("e44ef4", "a2ef9d", "0011ff")[at],
            "number": (12, 9624, 577)[at],
            "day": ("Friday, May 1, 2026 ", "Wednesday, November 30, 2026 ", "Tue Dec 1 2026 ")[at],
        }
        body = {"system": [line.format(**facts) for line in SEEN[name]]}
        return canonical.key(Request("POST", "https://api.test/v1/x", (), json.dumps(body).encode()), volatile).digest

    assert len({digest(at) for at in range(len(CELLS))}) == 1


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_an_instruction_below_home_counts(name: str) -> None:
    volatile = read_volatile(PRESETS[name].volatile)
    found = {
        canonical.key(
            Request("POST", "https://a.test/", (), json.dumps({"s": f"Contents of {cell}/home/A.md: {rule}"}).encode()),
            volatile,
        ).digest
        for cell in CELLS[:2]
        for rule in ("Check the bounds.", "Be quick.")
    }
    assert len(found) == 2


def test_the_prompt_counts() -> None:
    volatile = read_volatile(PRESETS["claude"].volatile)
    found = {
        canonical.key(Request("POST", "https://api.test/v1/x", (), json.dumps({"p": prompt}).encode()), volatile).digest
        for prompt in ("Write it.", "Write it well.")
    }
    assert len(found) == 2
