"""Agents' calls of models: through a proxy that alone holds the key, recorded, counted, limited."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gate.errors import BudgetExhaustedError, UsageError
from gate.record.probes.agents.agent import Task
from gate.record.probes.agents.http import check_address
from gate.record.probes.calls import DUMMY_KEY, KeyRefusedError
from gate.record.probes.chosen import chosen_agent
from gate.record.recordings.store import Store
from gate.sandbox.cell import Cell
from gate.settings import Settings
from gate.suites.probes.answer import Answer, Ended
from tests.support.model_server import ModelServer
from tests.support.probe_cells import agent_in, asked
from tests.support.probe_runs import probe_of

KEY = "sk-proj-0123456789abcdefghijklmnop"
CLIENT = """
import json, os, pathlib, sys, urllib.error, urllib.request
rules = pathlib.Path.home() / "rules.md"
messages = [{"role": "user", "content": sys.stdin.read()}]
if rules.exists():
    messages.insert(0, {"role": "system", "content": rules.read_text()})
body = json.dumps({"model": "gpt-4o-mini", "messages": messages}).encode()
head = {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"}
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, head)
try:
    with urllib.request.urlopen(request) as answer:
        print(json.load(answer)["choices"][0]["message"]["content"])
except urllib.error.HTTPError as error:
    sys.exit("status %d: %s" % (error.code, error.read()[:200]))
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as found:
        yield found


class _Failing(BaseHTTPRequestHandler):
    """Answers with the status that its path begins with; `/0` goes away, `/200` is no chat completion."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        status = int(self.path.split("/")[1])
        if status:
            body = b'{"error": {"message": "why not"}}'
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def failing() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Failing) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def headers_of(server: ModelServer) -> dict[str, str]:
    return {name.lower(): value for name, value in server.requests[0].headers}


def environ(server: ModelServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": KEY}


def task(name: str = "task", **fields: str) -> Task:
    return Task(probe_of(name, **fields), 0, 1, "Write it.")


def test_the_provider_sees_the_key_and_the_agent_does_not(tmp_path: Path, cell: Cell, server: ModelServer) -> None:
    show = "import os; print(sorted(os.environ.items()))\n"
    answer = asked(tmp_path, cell, show + CLIENT, environ=environ(server), mode="record")
    assert answer.ended is Ended.ANSWERED, answer.message
    assert headers_of(server)["authorization"] == f"Bearer {KEY}"
    assert KEY not in answer.text
    assert DUMMY_KEY in answer.text
    assert KEY not in "".join(path.read_text("utf-8") for path in (tmp_path / "recordings").rglob("*.jsonl"))


def test_no_answer_is_asked_for_in_a_coding_that_needs_a_library(
    tmp_path: Path, cell: Cell, server: ModelServer
) -> None:
    modern = CLIENT.replace('head = {"', 'head = {"Accept-Encoding": "gzip, deflate, br, zstd", "')
    asked(tmp_path, cell, modern, environ=environ(server))
    assert headers_of(server)["accept-encoding"] == "gzip, deflate"


def test_what_a_call_took_is_told_by_the_proxy(tmp_path: Path, cell: Cell, server: ModelServer) -> None:
    answer = asked(tmp_path, cell, CLIENT, environ=environ(server))
    assert answer.tokens == 13
    assert answer.cost == pytest.approx((7 * 0.15 + 6 * 0.6) / 1e6)
    assert answer.models == ("gpt-4o-mini-2024-08-06",)
    assert not (tmp_path / "recordings").exists()


def test_an_instruction_of_the_overlay_reaches_the_recorded_request(
    tmp_path: Path, cell: Cell, server: ModelServer
) -> None:
    (tmp_path / "agent-home").mkdir()
    (tmp_path / "agent-home" / "rules.md").write_text("Always check the bounds.", encoding="utf-8")
    asked(tmp_path, cell, CLIENT, "Write it.", environ=environ(server), mode="record", agent_home="agent-home")
    (entry,) = Store(tmp_path / "recordings").entries()
    assert entry.case == "probe:task[0.1]"
    shown = json.dumps(entry.request)
    assert "Always check the bounds." in shown
    assert "Write it." in shown


def test_recording_again_replaces_what_this_task_had_and_nothing_else(
    tmp_path: Path, cell: Cell, server: ModelServer
) -> None:
    (tmp_path / "agent.py").write_text(CLIENT, encoding="utf-8")
    options = {"agent_cmd": "/usr/bin/python3 -I agent.py"}
    for _ in range(2):
        with agent_in(tmp_path, cell, "record", environ(server), **options) as agent:
            agent.ask(task("one"))
    with agent_in(tmp_path, cell, "record", environ(server), **options) as agent:
        agent.ask(task("two"))
    cases = [entry.case for entry in Store(tmp_path / "recordings").entries()]
    assert cases == ["probe:one[0.1]", "probe:two[0.1]"]


def test_an_overloaded_provider_is_no_fault_of_the_agent(tmp_path: Path, cell: Cell, failing: str) -> None:
    def ask(status: int) -> Answer:
        reached = {"OPENAI_BASE_URL": f"{failing}/{status}", "OPENAI_API_KEY": KEY}
        return asked(tmp_path, cell, CLIENT, environ=reached)

    busy = ask(529)
    assert (busy.ended, busy.message) == (Ended.INFRASTRUCTURE, "the provider answered with status 529")
    assert ask(400).ended is Ended.CRASHED
    assert ask(400).message == "the provider answered with status 400"


SWALLOWS = CLIENT.replace('sys.exit("status', 'print("status')


def test_an_error_of_the_provider_that_an_agent_prints_is_no_answer(tmp_path: Path, cell: Cell, failing: str) -> None:
    reached = {"OPENAI_BASE_URL": f"{failing}/500", "OPENAI_API_KEY": KEY}
    assert asked(tmp_path, cell, SWALLOWS, environ=reached).ended is Ended.INFRASTRUCTURE
    refused = asked(tmp_path, cell, SWALLOWS, environ={**reached, "OPENAI_BASE_URL": f"{failing}/400"})
    assert (refused.ended, refused.text) == (Ended.CRASHED, "")


def test_a_refused_key_stops_the_run(tmp_path: Path, cell: Cell, failing: str) -> None:
    reached = {"OPENAI_BASE_URL": f"{failing}/401", "OPENAI_API_KEY": KEY}
    with pytest.raises(KeyRefusedError, match="refuses the key"):
        asked(tmp_path, cell, SWALLOWS, environ=reached)
    with (
        agent_in(tmp_path, cell, agent_url=f"{failing}/401", agent_model="m") as agent,
        pytest.raises(KeyRefusedError, match="refuses the key"),
    ):
        agent.ask(task())


def test_an_address_counts_under_each_of_an_apis_names(tmp_path: Path, cell: Cell, server: ModelServer) -> None:
    only = {"OPENAI_API_BASE": server.base_url, "OPENAI_API_KEY": KEY}
    assert asked(tmp_path, cell, CLIENT, environ=only).ended is Ended.ANSWERED
    assert len(server.requests) == 1


def test_a_provider_that_is_not_there_is_no_fault_of_the_agent(tmp_path: Path, cell: Cell) -> None:
    gone = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": KEY}
    assert asked(tmp_path, cell, CLIENT, environ=gone).ended is Ended.INFRASTRUCTURE


def test_a_call_beyond_the_budget_is_not_sent_and_gives_no_answer(
    tmp_path: Path, cell: Cell, server: ModelServer
) -> None:
    with pytest.raises(BudgetExhaustedError):
        asked(tmp_path, cell, CLIENT, environ=environ(server), probe_max_cost=1e-9)
    assert not server.requests


def test_only_providers_with_a_key_are_there(tmp_path: Path, cell: Cell, server: ModelServer) -> None:
    names = "import os; print(sorted(name for name in os.environ if name.endswith(('_KEY', '_URL'))))"
    assert asked(tmp_path, cell, names, environ=environ(server)).text == "['OPENAI_API_KEY', 'OPENAI_BASE_URL']\n"
    elsewhere = CLIENT.replace('"] + "/chat', '"].replace("openai-base-url", "mistral") + "/chat')
    assert "status 404" in asked(tmp_path, cell, elsewhere, environ=environ(server)).message
    assert not server.requests


def test_a_suite_that_replays_beside_it_does_not_miss_the_use_of_its_recordings(
    tmp_path: Path, cell: Cell, server: ModelServer
) -> None:
    asked(tmp_path, cell, CLIENT, environ=environ(server), mode="record")
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--gate-mode=replay"]
    subprocess.run([*command, "--gate-report=report.json"], cwd=tmp_path, check=True, capture_output=True)
    told = json.loads((tmp_path / "report.json").read_text("utf-8"))["gate"]["recordings"]
    assert told["unused"] == []
    assert list(Store(tmp_path / "recordings").entries()) != []


# --- over HTTP


def over_http(root: Path, cell: Cell, server: ModelServer) -> Answer:
    surroundings = {"GATE_MODEL_KEY": "another-key-of-mine"}
    settings = {"agent_url": server.base_url, "agent_model": "gpt-4o-mini"}
    with agent_in(root, cell, "record", surroundings, **settings) as agent:
        return agent.ask(Task(probe_of("task", setup={"data.csv": "a,b\n"}), 0, 1, "Write it."))


def test_an_api_is_asked_with_the_prompt_and_the_files(tmp_path: Path, cell: Cell, server: ModelServer) -> None:
    answer = over_http(tmp_path, cell, server)
    assert answer.ended is Ended.ANSWERED
    assert len(answer.text.split()) == 6
    assert (answer.tokens, answer.models) == (13, ("gpt-4o-mini-2024-08-06",))
    (seen,) = server.requests
    assert seen.path == "/v1/chat/completions"
    assert headers_of(server)["authorization"] == "Bearer another-key-of-mine"
    body = seen.json()
    assert body["messages"] == [{"role": "user", "content": "Write it.\n\nFile `data.csv`:\n\n```\na,b\n```"}]
    (entry,) = Store(tmp_path / "recordings").entries()
    assert "another-key-of-mine" not in json.dumps(entry.request)


def test_instructions_of_the_overlay_are_the_first_message(tmp_path: Path, cell: Cell, server: ModelServer) -> None:
    (tmp_path / "home").mkdir()
    settings = {"agent_url": server.base_url, "agent_model": "gpt-4o-mini", "agent_home": "home"}
    (tmp_path / "home" / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match=r"AGENTS\.md"), agent_in(tmp_path, cell, **settings):
        pass
    (tmp_path / "home" / "AGENTS.md").write_text("Be careful.", encoding="utf-8")
    with agent_in(tmp_path, cell, **settings) as agent:
        agent.ask(task())
    assert server.requests[0].json()["messages"][0] == {"role": "system", "content": "Be careful."}


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        (429, Ended.INFRASTRUCTURE),
        (503, Ended.INFRASTRUCTURE),
        (403, Ended.CRASHED),
        (0, Ended.INFRASTRUCTURE),
        (200, Ended.CRASHED),
    ],
)
def test_failures_over_http_are_told_apart(tmp_path: Path, cell: Cell, failing: str, status: int, ended: Ended) -> None:
    with agent_in(tmp_path, cell, agent_url=f"{failing}/{status}", agent_model="m") as agent:
        answer = agent.ask(task())
    assert answer.ended is ended
    assert answer.message


@pytest.mark.parametrize("url", ["ftp://x", "nonsense", "http://", "http://user:secret@host/v1", "http://h/v1?key=1"])
def test_an_address_that_can_not_be_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_address(url)
    assert "secret" not in str(refused.value)


def test_an_address_may_name_the_whole_path() -> None:
    assert check_address("https://api.openai.com/v1/chat/completions/") == "https://api.openai.com/v1"


@pytest.mark.parametrize(
    "settings",
    [
        {"agent_url": "http://h/v1", "agent_cmd": "a"},
        {"agent_url": "http://h/v1"},
        {"agent_preset": "clade"},
        {"agent_cmd": "agent --key sk-proj-0123456789abcdefghijklmnop"},
    ],
)
def test_an_agent_that_can_not_be_is_refused(tmp_path: Path, settings: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        chosen_agent(Settings.model_validate(settings), tmp_path)
