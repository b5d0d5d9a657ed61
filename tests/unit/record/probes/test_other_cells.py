"""Agents and their answers in cells of every kind, as root and as an ordinary user: asked, graded, and held."""

from __future__ import annotations

import json

import pytest

from tests.support.cells import run_here_as

BY_ROOT, BY_USER = True, False
PROGRAM = """
import json, sys, tempfile, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from gate.record.probes.agents.agent import Task
from gate.sandbox.cell import open_cell
from gate.suites.probes.grading import grade
from tests.support.probe_cells import agent_in, asked
from tests.support.probe_checks import a_probe, answered
from tests.support.probe_runs import probe_of

class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {"message": {"content": "said " + body["messages"][-1]["content"]}, "finish_reason": "stop"}
        text = json.dumps({"model": "m", "choices": [said]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *more):
        pass

server = HTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
SCRIPT = '''
import os, sys
tried = []
for path in (sys.argv[1] + "/secret.txt", "/etc/shadow"):
    try:
        tried.append(open(path).read())
    except OSError:
        pass
print("said", sys.stdin.read(), len(tried), os.environ.get("GATE_MODEL_KEY"))
'''
with tempfile.TemporaryDirectory() as name, open_cell(among=(sys.argv[1],)) as cell:
    root = Path(name)
    (root / "secret.txt").write_text("of the checkout")
    command = asked(root, cell, SCRIPT, "hello", behind=name)
    settings = {"agent_url": f"http://127.0.0.1:{server.server_port}/v1", "agent_model": "m"}
    with agent_in(root, cell, environ={"GATE_MODEL_KEY": "key-of-mine"}, **settings) as agent:
        api = agent.ask(Task(probe_of("task"), 0, 1, "hello"))
    oracle = {"oracle": [{"name": "shell-injection", "options": {"payloads": ["x; echo 1 > {marker}"]}}]}
    bad = "import os\\ndef f(x):\\n    os.system('echo ' + x)\\n    os.path.exists('marker') and os.unlink('marker')"
    cases, good = {"cases": [{"args": [1], "expected": 2}]}, "def f(x): return 2"
    graded = [
        grade(a_probe("security", checks=oracle), [answered(bad)], cell).cause,
        str(grade(a_probe(checks=cases), [answered(good)], cell).standing),
    ]
    print(json.dumps([cell.attestation.held, command.text.strip(), api.text, graded]))
"""


@pytest.mark.parametrize(
    ("root", "means"),
    [(BY_ROOT, "bare"), (BY_USER, "namespaces"), (BY_USER, "bubblewrap"), (BY_USER, "bare")],
)
def test_agents_are_asked_and_graded(root: bool, means: str) -> None:
    ended = run_here_as(root, PROGRAM, means)
    said = ended.stderr.decode("utf-8", "replace")
    if "nothing on this machine holds" in said and "not held" not in said:
        pytest.skip(said.splitlines()[-1])
    held, command, api, graded = json.loads(ended.stdout or b"[0, 0, 0, 0]")
    assert command == "said hello 0 None", said
    assert api == "said hello"
    assert graded == ["insecure", "passed"]
    assert ("own uid" in held) is root
