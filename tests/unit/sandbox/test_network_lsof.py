"""Who listens where there is no /proc: what `lsof` and `ps` say, as /proc says it where there is both."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.sandbox.network import loopback, lsof

TCP = """p431
f5
d0x8d5e1c6a7f0b1c2d
n*:5000
f6
d0x8d5e1c6a7f0b1c2e
n[::1]:8080
f7
nlocalhost:nobody-knows
p977
f3
n127.0.0.1:9001 (LISTEN)
f4
d0x8d5e1c6a7f0b1c2f
n127.0.0.1:52111->127.0.0.1:9001
"""
PROCESSES = "    1     0\n  431     1\n  977   431\nbroken\n"
SAYING = """#!/bin/sh
case "$*" in *-iTCP*) cat <<'END'
{said}END
;; esac
exit 1
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine with two processes, 977 a child of 431."""
    for name, text in (("lsof", SAYING.format(said=TCP)), ("ps", f"#!/bin/sh\ncat <<'END'\n{PROCESSES}END\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    lsof.program.cache_clear()
    yield
    lsof.program.cache_clear()


def test_sockets_by_port_and_the_kernels_number(said: None) -> None:
    assert lsof.listening("tcp") == {
        ("tcp", 5000, 0x8D5E1C6A7F0B1C2D),
        ("tcp", 8080, 0x8D5E1C6A7F0B1C2E),
        ("tcp", 9001, 977),
    }
    assert lsof.listening("udp") == set()


def test_of_a_process_and_its_descendants(said: None) -> None:
    assert lsof.held_by_tree(977) == {977}
    assert lsof.held_by_tree(1) == {0x8D5E1C6A7F0B1C2D, 0x8D5E1C6A7F0B1C2E, 977}
    assert lsof.held_by_tree(5) == frozenset()


def test_a_machine_without_either_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "_PROC", Path("nowhere"))
    monkeypatch.setattr(lsof, "program", str)
    assert not loopback.tells()
    assert loopback.foreign_listeners() == loopback.Listeners()
    monkeypatch.setattr(lsof, "program", lambda: "/nowhere/lsof")
    assert loopback.tells()
    assert lsof.listening("tcp") == set()


@pytest.mark.skipif(not lsof.program(), reason="needs lsof")
def test_servers_of_this_tree_are_its_own_and_another_on_the_same_port_is_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loopback, "_PROC", Path("nowhere"))
    code = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child, socket.create_server(("127.0.0.1", 0)) as server:
        ports = {server.getsockname()[1], int(child.stdout.readline())}
        before = loopback.foreign_listeners()
        assert not {port for _, port, _ in before.sockets} & ports, "its own and its child's are none of others"
        assert all(before.others_listen("tcp", port) for port in ports)
        as_foreign = loopback.Listeners(frozenset(lsof.listening("tcp")))
        assert all(as_foreign.hold("tcp", port) and not as_foreign.others_listen("tcp", port) for port in ports)
        child.communicate(b"\n", timeout=30)
        assert [as_foreign.hold("tcp", port) for port in ports].count(True) == 1, "one is down"
