"""The guard of a process tree: each means of the kernel that this machine has, on real processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.sandbox.network.guard import Guard
from tests.support.guards import C_CONNECT, OUTSIDE, available, python, run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="means of Linux")


@pytest.fixture(params=["network-namespace", "user-namespace", "seccomp"])
def guard(request: pytest.FixtureRequest) -> Guard:
    return available(request.param)


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """A server outside of the guard, which nothing may reach."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        found.setblocking(False)
        yield found
        with pytest.raises(BlockingIOError):
            found.accept()


def test_a_connect_in_c_is_refused(guard: Guard, server: socket.socket) -> None:
    assert python(guard, C_CONNECT, "127.0.0.1", server.getsockname()[1]).stdout == "-1 Connection refused\n"
    assert python(guard, C_CONNECT, OUTSIDE, 80).stdout == "-1 Network is unreachable\n"


GRANDCHILD = """
import os, socket, subprocess, sys
os.setsid()
code = "import socket, sys; sys.exit(socket.socket().connect_ex(('127.0.0.1', int(sys.argv[1]))) == 0)"
print(subprocess.run([sys.executable, "-c", code, sys.argv[1]]).returncode)
"""


def test_descendants_in_sessions_of_their_own_are_guarded(guard: Guard, server: socket.socket) -> None:
    assert python(guard, GRANDCHILD, server.getsockname()[1]).stdout == "0\n"


DATAGRAMS = """
import socket, sys
for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.sendto(b"x", (host, int(sys.argv[1])))
    except OSError:
        pass
"""


def test_datagrams_do_not_arrive(guard: Guard) -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as receiver:
        receiver.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        receiver.bind(("::", 0))
        receiver.setblocking(False)
        python(Guard("none"), DATAGRAMS, receiver.getsockname()[1])
        assert receiver.recv(1) == b"x"
        while _received(receiver):
            pass
        assert python(guard, DATAGRAMS, receiver.getsockname()[1]).returncode == 0
        assert not _received(receiver)


def _received(sock: socket.socket) -> bool:
    try:
        return bool(sock.recv(1))
    except BlockingIOError:
        return False


OWN = """
import asyncio, socket, subprocess, sys, threading
code = "import socket, sys; s = socket.create_connection(sys.argv[1:], 5); s.sendall(b'hi'); s.close()"
for host in ("127.0.0.1", "::1"):
    try:
        server = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError:
        continue
    with server:
        port = server.getsockname()[1]
        child = subprocess.Popen([sys.executable, "-c", code, host, str(port)])
        print(server.accept()[0].recv(9).decode(), child.wait())

async def both():
    async def answer(reader, writer):
        writer.write(b"there")
        writer.close()
    async with await asyncio.start_server(answer, "localhost", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        print((await reader.read()).decode())
        writer.close()
asyncio.run(both())
left, right = socket.socketpair()
left.sendmsg([b"pair"]); print(right.recv(9).decode())
print(socket.gethostbyname("localhost"))
"""


def test_servers_of_the_tree_itself_can_be_reached(guard: Guard) -> None:
    ended = python(guard, OWN)
    assert ended.stderr == ""
    lines = ended.stdout.splitlines()
    assert lines[-3:] == ["there", "pair", "127.0.0.1"]
    assert set(lines[:-3]) == {"hi 0"}


def test_nothing_of_how_a_command_is_run_changes(guard: Guard, tmp_path: Path) -> None:
    code = "import os, sys; print(sorted(os.environb.items()), os.getcwd(), os.getuid(), os.getgid(), sys.stdin.read())"
    environ = {"PATH": "/usr/bin", "A": "b=c\nd", "E": "", "LC_ALL": "C.UTF-8"}
    plain, guarded = (
        python(found, code, input="typed", env=environ, cwd=tmp_path).stdout for found in (Guard("none"), guard)
    )
    assert guarded == plain
    assert "b=c" in guarded


def test_signals_that_an_interpreter_ignores_are_given_back(guard: Guard) -> None:
    cat = ["/bin/sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status"]
    assert run(guard, cat).stdout == run(Guard("none"), cat).stdout


def test_it_ends_as_the_command_ends(guard: Guard) -> None:
    assert run(guard, ["/bin/sh", "-c", "exit 7"]).returncode == 7
    assert run(guard, ["/bin/sh", "-c", "kill -KILL $$"]).returncode == -signal.SIGKILL
    assert run(guard, ["/bin/sh", "-c", "kill -TERM $$"]).returncode == -signal.SIGTERM


def test_a_command_that_can_not_be_started_is_named(guard: Guard, tmp_path: Path) -> None:
    ended = run(guard, ["no-such-command"])
    assert (ended.returncode, ended.stderr) == (
        127,
        "gate: `no-such-command` can't be started: No such file or directory\n",
    )
    assert run(guard, [str(tmp_path)]).returncode == 126


def test_ending_its_group_ends_the_command_and_ending_it_alone_too(guard: Guard, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = f"trap 'echo told > {mark}; exit 3' TERM; echo ready; while :; do sleep 0.05; done"
    with subprocess.Popen(
        guard.wrap(["/bin/sh", "-c", code]), stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(10) == 3
        assert mark.read_text() == "told\n"
    with subprocess.Popen(
        guard.wrap(["/bin/sh", "-c", "echo $$; exec sleep 60"]), stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
        assert process.wait(10) == -signal.SIGKILL
        deadline = time.monotonic() + 10
        while _alive(child):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def _alive(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
