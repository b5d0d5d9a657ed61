"""A suite in replay whose tests go past Python's sockets: the kernel refuses, or the guard names Python alone.

A server outside of the suite's process tree stands for the network and counts who reaches it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.ingest import read_report
from gate.record.run import World, run_command
from gate.sandbox.network.guard import Guard, Kind, strongest

ROOT = Path(__file__).parents[2]
CONFTEST = """
import pytest
from gate.sandbox.network import sockets
from gate.sandbox.network.loopback import Listeners

@pytest.fixture(autouse=True)
def guarded(request):
    sockets.install(case=lambda: request.node.nodeid, note=lambda refusal: print("REFUSED", refusal))
    yield
    sockets.uninstall()
"""
TESTS = """
import ctypes, os, shutil, socket, struct, subprocess, sys
import pytest

PORT = int(os.environ["OUTSIDE_PORT"])

def test_socket():
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", PORT), timeout=5)
    with pytest.raises(ConnectionRefusedError, match="test_a.py::test_socket: .* 192.0.2.1:80 was refused"):
        socket.create_connection(("192.0.2.1", 80), timeout=5)

def test_ctypes():
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0)
    address = struct.pack("=H", socket.AF_INET) + struct.pack("!H", PORT) + socket.inet_aton("127.0.0.1") + bytes(8)
    assert libc.connect(handle, address, 16) == -1, "connected"

@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_curl():
    command = ["curl", "-sS", "-m", "2", "--noproxy", "*", "http://127.0.0.1:%d/" % PORT]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 7, ended  # 7: no connection; 28: connected, and waited for an answer

def test_grpc():
    grpc = pytest.importorskip("grpc")
    seen = []
    with grpc.insecure_channel("127.0.0.1:%d" % PORT) as channel:
        channel.subscribe(seen.append, try_to_connect=True)
        with pytest.raises((grpc.RpcError, grpc.FutureTimeoutError)):
            channel.unary_unary("/a.B/C")(b"", timeout=3)

def test_http2_of_another_process():
    # the preface and the settings that a client of gRPC sends first, from a process without the gate
    first = "505249202a20485454502f322e300d0a0d0a534d0d0a0d0a" "000000040000000000"
    code = "import socket; s = socket.create_connection(('127.0.0.1', %d), 5); s.sendall(bytes.fromhex('%s'))"
    code += "; print('sent')"
    ended = subprocess.run([sys.executable, "-I", "-S", "-c", code % (PORT, first)], capture_output=True, text=True)
    assert "sent" not in ended.stdout, "connected"
    assert "ConnectionRefusedError" in ended.stderr, ended

def test_own_server():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5):
        server.accept()[0].close()
"""


@pytest.fixture
def outside() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def connections(server: socket.socket) -> int:
    """How many have come."""
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def outcomes(guard: Guard, outside: socket.socket, folder: Path) -> dict[str, str]:
    """The outcome of each test of the project, run as the gate runs a suite, within a guard."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_a.py").write_text(TESTS)
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OUTSIDE_PORT": str(outside.getsockname()[1])}
    options = ["-p", "no:cacheprovider", "-p", "gate", "--gate-report=c.json"]
    if importlib.util.find_spec("pytest_timeout"):
        options += ["--timeout=60"]
    command, world = [sys.executable, "-m", "pytest", *options], World(sys.executable, folder, environ, guard=guard)
    ended = run_command(command, world=world, timeout=120)
    assert (folder / "c.json").exists(), ended.tail
    report = read_report((folder / "c.json").read_bytes(), "c.json")
    return {case.id.partition("::")[2]: str(case.outcome) for case in report.cases}


@pytest.mark.parametrize("kind", ["user-namespace", "seccomp"])
def test_the_kernel_refuses_what_python_does_not_see(kind: Kind, outside: socket.socket, tmp_path: Path) -> None:
    guard = strongest(among=[kind])
    if guard.kind == "none":
        pytest.skip(guard.failed[0])
    found = outcomes(guard, outside, tmp_path)
    skipped = {"test_curl"} if not shutil.which("curl") else set()
    if not importlib.util.find_spec("grpc"):
        skipped.add("test_grpc")
    assert {name for name, outcome in found.items() if "skipped" in outcome} == skipped
    assert {name for name, outcome in found.items() if "passed" in outcome} == found.keys() - skipped
    assert len(found) == 6
    assert connections(outside) == 0
    assert guard.describe().startswith("network guard: kernel")


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_without_the_kernel_they_get_out_and_the_guard_does_not_claim_otherwise(
    outside: socket.socket, tmp_path: Path
) -> None:
    guard = strongest(among=[])
    found = outcomes(guard, outside, tmp_path)
    assert {name: "passed" in outcome for name, outcome in found.items() if name != "test_grpc"} == {
        "test_socket": True,
        "test_ctypes": False,
        "test_curl": False,
        "test_http2_of_another_process": False,
        "test_own_server": True,
    }
    assert connections(outside) >= (4 if importlib.util.find_spec("grpc") else 3)  # gRPC tries more than once
    assert guard.describe() == "network guard: Python only"
