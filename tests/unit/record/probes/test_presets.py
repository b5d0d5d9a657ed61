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


def test_opencode_is_configured_inline(folder: Path, cell: Cell) -> None:
    words, stdin, variables = called(folder, cell, "opencode", "anthropic/opus")
    assert words == ["run", "--format", "json", "--model", "anthropic/opus"]
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


def test_the_prompt_counts() -> None:
    volatile = read_volatile(PRESETS["claude"].volatile)
    found = {
        canonical.key(Request("POST", "https://api.test/v1/x", (), json.dumps({"p": prompt}).encode()), volatile).digest
        for prompt in ("Write it.", "Write it well.")
    }
    assert len(found) == 2
