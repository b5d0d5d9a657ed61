"""Servers that the suite starts are the code under review: they are asked in every mode, and never replayed."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from gate.sandbox.network import lsof
from tests.support.fake_model import Project, by_name
from tests.support.model_server import ModelServer

pytest.importorskip("urllib3")

SERVERS = """
import subprocess, sys, threading, urllib.request
import pytest, urllib3
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"%s"
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

PORT = %d

@pytest.fixture
def port():
    with HTTPServer(("127.0.0.1", PORT), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()

def test_urllib3(port):
    assert urllib3.request("GET", f"http://127.0.0.1:{port}/").data == b"right"

def test_by_name(port):
    assert urllib.request.urlopen(f"http://localhost:{port}/").read() == b"right"

def test_of_a_child():
    code = "import http.server as h; s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)"
    code += "; print(s.server_address[1], flush=True); s.handle_request()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        port = int(child.stdout.readline())
        assert urllib3.request("GET", f"http://127.0.0.1:{port}/nowhere", retries=False).status == 404
"""
ASKING = """
import os, urllib3

def test_model():
    url = os.environ["MODEL"] + "/v1/chat/completions"
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    assert urllib3.request("POST", url, json=body, retries=False).json()["choices"]
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


needs_lsof = pytest.mark.skipif(not lsof.program(), reason="needs lsof, as other systems than Linux do")


@pytest.mark.parametrize(
    ("fixed", "options"),
    [(False, ()), (True, ()), pytest.param(True, ("-p", "without_proc"), marks=needs_lsof)],
)
def test_a_server_of_the_suite_is_asked_and_not_recorded(
    project: Project, fixed: bool, options: tuple[str, ...]
) -> None:
    """Its own, and one of a child that knows nothing of the gate; also as on macOS, where `lsof` says who listens."""
    port = free_port() if fixed else 0
    project.write("without_proc.py", WITHOUT_PROC)
    project.write("test_a.py", SERVERS % ("right", port))
    recorded, _ = project.run("--gate-mode=record", *options)
    assert {str(case.outcome) for case in recorded.cases} == {"passed"}
    assert not list((project.path / "recordings").rglob("*.jsonl")), "nothing of it is a recording"
    assert all(case.calls is None or not case.calls.live for case in recorded.cases)
    project.write("test_a.py", SERVERS % ("wrong", port))
    replayed, result = project.run("--gate-mode=replay", *options)
    assert {name: str(case.outcome) for name, case in by_name(replayed).items()} == {
        "test_urllib3": "failed",
        "test_by_name": "failed",
        "test_of_a_child": "passed",
    }
    assert "no answer is stored" not in "\n".join(result.outlines)


FORKED = """
import os, socket

def test_of_a_fork():
    ready, told = os.pipe()
    child = os.fork()
    if not child:
        try:
            with HTTPServer(("127.0.0.1", 0), Handler) as server:
                os.write(told, b"%05d" % server.server_address[1])
                server.handle_request()
        finally:
            os._exit(0)
    port = int(os.read(ready, 5))
    assert urllib3.request("GET", f"http://127.0.0.1:{port}/").data == b"right"
    os.waitpid(child, 0)
"""
WITHOUT_PROC = """
from pathlib import Path
from gate.sandbox.network import loopback
loopback._PROC = Path("nowhere")
"""
BLIND = f"{WITHOUT_PROC}loopback.lsof.program = str\n"


@pytest.mark.parametrize("options", [(), ("-p", "xdist", "-n1")])
def test_where_the_machine_does_not_say_who_listens_the_sockets_do(project: Project, options: tuple[str, ...]) -> None:
    """As on systems without /proc: seen are the servers of this process, of its workers, and of what these fork."""
    project.write("blind.py", BLIND)
    suite, _ = SERVERS.split("def test_of_a_child")
    project.write("test_a.py", suite % ("right", 0) + FORKED)
    recorded, _ = project.run("--gate-mode=record", "-p", "blind", *options)
    assert {str(case.outcome) for case in recorded.cases} == {"passed"}
    assert not list((project.path / "recordings").rglob("*.jsonl")), "nothing of it is a recording"
    replayed, result = project.run("--gate-mode=replay", "-p", "blind", *options)
    assert {name: str(case.outcome) for name, case in by_name(replayed).items()} == {
        "test_urllib3": "passed",
        "test_by_name": "passed",
        "test_of_a_fork": "passed",
    }
    assert "no answer is stored" not in "\n".join(result.outlines)


def test_where_the_machine_does_not_say_who_listens_others_are_recorded(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("blind.py", BLIND)
    monkeypatch.setenv("PYTHONPATH", str(project.path))  # for the workers, which import the plugin too
    project.write("test_a.py", ASKING)
    with ModelServer() as server:
        monkeypatch.setenv("MODEL", server.url)
        _, told = project.run("--gate-mode=record", "-p", "blind")
        assert f"who listens at port {server.port} of this machine can't be told here" in "\n".join(told.outlines)
    replayed, _ = project.run("--gate-mode=replay", "-p", "blind")
    assert [str(case.outcome) for case in replayed.cases] == ["passed"]


def test_a_server_that_ran_before_is_recorded_and_needed_no_more(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("test_a.py", ASKING)
    with ModelServer() as server:
        monkeypatch.setenv("MODEL", server.url)
        project.run("--gate-mode=record")
        assert len(server.requests) == 1
        while_it_runs, _ = project.run("--gate-mode=replay")
        assert len(server.requests) == 1
    without, _ = project.run("--gate-mode=replay")
    for report in (while_it_runs, without):
        assert [str(case.outcome) for case in report.cases] == ["passed"]


def test_a_server_that_a_variable_names_is_recorded_wherever_it_comes_from(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.setenv("GROQ_BASE_URL", f"http://127.0.0.1:{port}")
    project.write("test_a.py", SERVERS % ("right", port))
    recorded, _ = project.run("--gate-mode=record", "-k", "test_urllib3")
    assert [case.calls.live for case in recorded.cases if case.calls] == [1]
    stored = Path(project.path, "recordings", "test_a.py.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["case"] for line in stored if "case" in line] == ["test_a.py::test_urllib3"]


def test_a_server_of_the_suite_that_is_down_stays_its_own(project: Project) -> None:
    down = """
def test_down():
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        assert urllib3.request("GET", url).status == 200
        server.shutdown()
    with pytest.raises(urllib3.exceptions.HTTPError):
        urllib3.request("GET", url, retries=False)
"""
    project.write("test_a.py", SERVERS % ("right", 0) + down)
    for mode in ("record", "replay"):
        report, _ = project.run(f"--gate-mode={mode}", "-k", "down")
        assert [str(case.outcome) for case in report.cases] == ["passed"], mode


AWAITED = """
import socket, subprocess, sys, time
import pytest, urllib3

LATE = '''
import http.server, sys
sys.stdin.readline()
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler)
print(flush=True)
server.serve_forever()
'''

@pytest.fixture(scope="module")
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]

def ask(port):
    try:
        return urllib3.request("GET", f"http://127.0.0.1:{port}/nowhere", retries=False).status
    except urllib3.exceptions.HTTPError:
        return None

@pytest.fixture(scope="module")
def server(port):
    command = [sys.executable, "-c", LATE, str(port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert [ask(port), ask(port)] == [None, None]
        child.stdin.write(b"\\n")
        child.stdin.flush()
        child.stdout.readline()
        assert ask(port) == 404
        yield
        child.kill()

def test_waits(server, port):
    assert ask(port) == 404

@pytest.mark.stochastic
def test_trials(port):
    assert ask(port) == 404
"""


def test_a_server_of_the_suite_is_asked_until_it_listens(project: Project) -> None:
    """Nothing of it is recorded, not even that it was not there; and a replay lacks nothing."""
    project.write("test_a.py", AWAITED)
    for mode in ("record", "replay"):
        report, result = project.run(f"--gate-mode={mode}")
        assert [str(case.outcome) for case in report.cases] == ["passed", "passed"], result.outlines
        assert not [line for line in result.outlines if line.startswith("recordings:")]
    assert not list((project.path / "recordings").rglob("*.jsonl"))


def test_a_server_that_never_comes_is_a_call_that_lacks_its_answer(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a local model, which is not there in a replay, of whose test the prompt was edited."""
    swallows = ASKING.replace("assert urllib3", "try: urllib3").replace(
        '.json()["choices"]', "\n    except urllib3.exceptions.HTTPError: pass"
    )
    project.write("test_a.py", ASKING + swallows.replace("test_model", "test_swallows").replace("hello", "edited"))
    with ModelServer() as server:
        monkeypatch.setenv("MODEL", server.url)
        project.run("--gate-mode=record", "-k", "test_model")
    replayed, result = project.run("--gate-mode=replay")
    found = by_name(replayed)
    assert {name: str(case.outcome) for name, case in found.items()} == {
        "test_model": "passed",
        "test_swallows": "error",
    }
    assert [case.calls.missing for case in found.values() if case.calls] == [0, 1]
    assert "no answer is stored for POST" in "\n".join(result.outlines)
    kept = "\n".join(project.run("--gate-mode=record")[1].outlines)
    assert "older answers of test_a.py::test_model were kept" in kept, "a model that is down costs no answers"
