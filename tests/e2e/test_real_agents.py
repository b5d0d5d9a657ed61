"""The agents' own programs, of pinned versions, asked by `gate probes run` against a provider that this test plays.

What is tried of each preset: it answers, by a tool of its own where it has one; what it took is read; an instruction of
the overlay reaches the recorded request; a replay asks nobody and comes to the same bytes; it finds neither the key nor
the checkout nor another way out; and it is clear what happened where the provider refuses.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from gate.record.recordings.store import Store
from gate.suites.probes.catalog import load_probes
from tests.support import real_programs
from tests.support.command_line import environment
from tests.support.model_apis import FILE, RECEIVED, SENT, Provider, Scene, Seen
from tests.support.probe_cells import held_cell

PROBE = "csv-line"
RULE = "Always mind rule 4711 of this house."
SECRET = "what only the checkout knows"
DUMMY = "unused-key-of-this-machine"


@dataclass(frozen=True)
class Way:
    """How a preset is asked, and led to the provider."""

    key: str
    value: str
    address: str
    path: str = ""
    rules: str = "AGENTS.md"
    model: str = ""
    tool: bool = True


OPENAI = "OPENAI_API_KEY", "sk-proj-0123456789abcdefghijkl"
WAYS = {
    "opencode": Way(*OPENAI, "OPENAI_BASE_URL", "/v1", ".config/opencode/AGENTS.md", "openai/gpt-5"),
    "claude": Way(
        "ANTHROPIC_API_KEY", "sk-ant-api03-0123456789abcdef", "ANTHROPIC_BASE_URL", rules=".claude/CLAUDE.md"
    ),
    "codex": Way(*OPENAI, "OPENAI_BASE_URL", "/v1", ".codex/AGENTS.md"),
    "gemini": Way("GEMINI_API_KEY", "AIzaSyA0123456789abcdefgh", "GOOGLE_GEMINI_BASE_URL", rules=".gemini/GEMINI.md"),
    "aider": Way(*OPENAI, "OPENAI_API_BASE", "/v1", "CONVENTIONS.md", "openai/gpt-4o", tool=False),
}


def answer(_: str) -> str:
    """What the provider's model says: the reference answer of the probe."""
    (entry,) = [entry for entry in load_probes([], shipped=True) if entry.probe.id == PROBE]
    assert entry.probe.reference is not None
    return entry.probe.reference.text


@dataclass(frozen=True)
class Ran:
    """What a run left."""

    code: int
    told: str
    answers: list[dict[str, object]]
    results: bytes


class Project:
    """A checkout in which one preset is asked."""

    def __init__(self, root: Path, preset: str) -> None:
        self.root = root
        self.preset = preset
        self.way = WAYS[preset]
        rules = root / "agent-home" / self.way.rules
        rules.parent.mkdir(parents=True)
        rules.write_text(RULE + "\n", encoding="utf-8")
        if preset == "aider":
            (root / "agent-home" / ".aider.conf.yml").write_text("read: ~/CONVENTIONS.md\n", encoding="utf-8")
        (root / "gate.toml").write_text('agent-home = "agent-home"\nagent-timeout = 120\n', encoding="utf-8")
        (root / "secret.txt").write_text(SECRET, encoding="utf-8")

    @property
    def answers(self) -> Path:
        return self.root / "recordings" / "probes" / "answers.ndjson"

    def run(self, provider: Provider, mode: str) -> Ran:
        """`gate probes run` as a process of its own."""
        way = self.way
        folder = real_programs.of_pypi() if self.preset == "aider" else real_programs.of_npm()
        variables = {
            way.key: way.value,
            way.address: provider.address + way.path,
            "PATH": os.pathsep.join((str(folder), os.environ["PATH"])),
        }
        command = [sys.executable, "-m", "gate", "probes", "run", "--preset", self.preset, "--mode", mode]
        command += ["--only", PROBE, "--date", "2026-11-30", *(("--model", way.model) if way.model else ())]
        own = ("_KEY", "_TOKEN", "_URL", "_BASE")
        surroundings = {name: value for name, value in environment({}).items() if not name.endswith(own)}
        options = {"cwd": self.root, "env": surroundings | variables, "timeout": 300}
        done = subprocess.run(command, check=False, capture_output=True, text=True, **options)
        lines = self.answers.read_text("utf-8").splitlines() if self.answers.exists() else []
        found = [line for line in map(json.loads, lines) if "probe" in line]
        results = (self.root / ".gate" / "probes" / "results.csv").read_bytes()
        return Ran(done.returncode, done.stdout + done.stderr, found, results)


@dataclass(frozen=True)
class Story:
    """A preset's runs: recorded, replayed from its answers, asked again of stored calls alone, and refused."""

    recorded: Ran
    sent: list[Seen]
    shown: str
    replayed: Ran
    again: Ran
    asked_again: int
    refused: Ran
    escaped: bool


def story(root: Path, preset: str) -> Story:
    scene = Scene(answer, by="shell" if WAYS[preset].tool else "")
    project = Project(root / "project", preset)
    with Provider(scene) as provider, socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        connect = f"import socket; socket.create_connection({elsewhere.getsockname()}, 2)".replace("'", '"')
        scene.line = f"cat {project.root}/secret.txt 2>&1; echo key ${WAYS[preset].key}; "
        scene.line += f"python3 -c '{connect}' 2>&1 | tail -n 1"
        recorded = project.run(provider, "record")
        sent = list(scene.requests)
        shown = "".join(json.dumps(entry.request) for entry in Store(project.root / "recordings").entries())
        replayed = project.run(provider, "replay")
        project.answers.unlink(missing_ok=True)
        again = project.run(provider, "auto")
        asked_again = len(scene.requests) - len(sent)
        scene.status = 401
        shutil.rmtree(project.root / "recordings", ignore_errors=True)
        refused = project.run(provider, "record")
        escaped = bool(select.select([elsewhere], [], [], 0)[0])
    return Story(recorded, sent, shown, replayed, again, asked_again, refused, escaped)


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Story]]]:
    """All presets at once, since they mostly wait."""
    with held_cell():
        pass
    for fetch in (real_programs.of_npm, real_programs.of_pypi):
        with contextlib.suppress(real_programs.AgentsAbsentError):
            fetch()
    with ThreadPoolExecutor(3) as pool:
        yield {preset: pool.submit(story, tmp_path_factory.mktemp(preset), preset) for preset in WAYS}


@pytest.fixture(params=WAYS)
def preset(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def told(stories: dict[str, Future[Story]], preset: str) -> Story:
    try:
        return stories[preset].result()
    except real_programs.AgentsAbsentError as reason:
        pytest.skip(str(reason))


def test_answers_and_says_what_it_took(told: Story, preset: str) -> None:
    assert told.recorded.code == 0, told.recorded.told
    (kept,) = told.recorded.answers
    assert kept["ended"] == "answered"
    assert str(kept["text"]).strip() == answer("").strip()
    assert kept["tokens"] == len(told.sent) * (SENT + RECEIVED)
    assert "100.0" in told.recorded.told


def test_its_tool_wrote_a_file(told: Story, preset: str) -> None:
    if not WAYS[preset].tool:
        pytest.skip("it has no tools")
    assert FILE in json.dumps(told.recorded.answers[0].get("files"))


def test_an_instruction_of_the_overlay_reaches_the_recorded_request(told: Story) -> None:
    assert RULE in told.shown


def test_it_has_neither_the_key_nor_the_checkout_nor_another_way_out(told: Story, preset: str) -> None:
    real = WAYS[preset].value
    assert all(real in json.dumps(dict(seen.headers)) for seen in told.sent)
    assert not any(real in seen.body.decode() for seen in told.sent)
    if WAYS[preset].tool:
        said = told.sent[-1].body.decode()
        assert f"key {DUMMY}" in said
        assert SECRET not in said
        assert "No such file" in said or "Permission denied" in said
        assert "PermissionError" in said or "ConnectionRefusedError" in said
    assert not told.escaped


def test_a_replay_asks_nobody_and_comes_to_the_same(told: Story) -> None:
    assert told.replayed.code == 0
    assert told.replayed.results == told.recorded.results
    assert told.replayed.answers == told.recorded.answers


def test_stored_calls_answer_the_program_itself(told: Story) -> None:
    assert told.asked_again == 0
    before, after = ({**each.answers[0], "seconds": 0} for each in (told.recorded, told.again))
    assert before == after
    assert told.again.results == told.recorded.results


def test_a_refused_key_is_told(told: Story) -> None:
    assert told.refused.code == 3
    assert "the provider refuses the key (status 401)" in told.refused.told
