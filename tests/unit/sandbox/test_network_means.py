"""Which means of the kernel is taken, and what each of them refuses."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from gate.sandbox.network import CANNOT_ENTER
from gate.sandbox.network import guard as module
from gate.sandbox.network.guard import Guard, Kind, self_test, strongest
from gate.sandbox.worlds import SuiteUser
from tests.support.guards import C_CONNECT, OUTSIDE, ROOT, UNREADABLE, available, python, run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="means of Linux")


ADDRESSES = """
import fcntl, json, os, socket, struct, subprocess, sys
sys.path.insert(0, sys.argv[1])
from gate.sandbox.network.guard import Guard
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:  # gives the loopback interface an address of elsewhere
    address = struct.pack("16sHH4s8x8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("203.0.113.7"))
    fcntl.ioctl(sock, 0x8916, address)
code = "import socket, sys; print(socket.socket().connect_ex((sys.argv[1], int(sys.argv[2]))))"
found = {}
for kind in ("none", "seccomp"):
    for loopback in ("own", "host"):
        for host in ("203.0.113.7", "127.0.0.1"):
            with socket.create_server((host, 0)) as server:
                command = [sys.executable, "-c", code, host, str(server.getsockname()[1])]
                ended = subprocess.run(Guard(kind, loopback).wrap(command), capture_output=True, text=True)
                found[f"{kind} {loopback} {host}"] = os.strerror(int(ended.stdout))
print(json.dumps(found))
"""


def test_seccomp_tells_addresses_apart() -> None:
    available("seccomp")
    outer = available("user-namespace")
    if os.geteuid() != 0:
        pytest.skip("a network's addresses are root's to give")
    ended = python(outer, ADDRESSES, ROOT)
    assert ended.stderr == ""
    assert json.loads(ended.stdout) == {
        "none own 203.0.113.7": "Success",
        "none own 127.0.0.1": "Success",
        "none host 203.0.113.7": "Success",
        "none host 127.0.0.1": "Success",
        "seccomp own 203.0.113.7": "Network is unreachable",
        "seccomp own 127.0.0.1": "Connection refused",
        "seccomp host 203.0.113.7": "Network is unreachable",
        "seccomp host 127.0.0.1": "Success",
    }


WAYS = """
import ctypes, errno, json, os, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
def tried(call):
    try:
        call()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
def fast_open(send):
    with socket.socket() as sock:
        return send(sock)
to = ("192.0.2.1", 80)
uring = libc.syscall(425, 1, ctypes.create_string_buffer(256))
print(json.dumps({
    "fast-open": tried(lambda: fast_open(lambda sock: sock.sendto(b"x", 0x20000000, to))),
    "fast-open-message": tried(lambda: fast_open(lambda sock: sock.sendmsg([b"x"], [], 0x20000000, to))),
    "raw": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)),
    "packet": tried(lambda: socket.socket(17, socket.SOCK_RAW, 0)),
    "mptcp": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)),
    "sctp": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)),
    "vsock": tried(lambda: socket.socket(40, socket.SOCK_STREAM)),
    "flags": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)),
    "netlink": tried(lambda: socket.socket(16, socket.SOCK_RAW, 0).close()),
    "io-uring": errno.errorcode[ctypes.get_errno()] if uring < 0 else "done",
}))
"""


def test_seccomp_leaves_no_way_that_it_does_not_watch() -> None:
    ended = python(available("seccomp"), WAYS)
    assert ended.stderr == ""
    assert json.loads(ended.stdout) == {
        "fast-open": "ENOTSUP",
        "fast-open-message": "ENOTSUP",
        "raw": "EACCES",
        "packet": "EAFNOSUPPORT",
        "mptcp": "EPROTONOSUPPORT",
        "sctp": "EPROTONOSUPPORT",
        "vsock": "EAFNOSUPPORT",
        "flags": "EACCES",
        "netlink": "done",
        "io-uring": "ENOSYS",
    }


def test_many_threads_and_processes_connect_at_once_under_seccomp() -> None:
    code = """
import socket, threading
server = socket.create_server(("127.0.0.1", 0), backlog=128)
def serve():
    while True:
        server.accept()[0].close()
threading.Thread(target=serve, daemon=True).start()
found = []
def ask():
    for _ in range(20):
        with socket.create_connection(server.getsockname(), 5):
            found.append(1)
threads = [threading.Thread(target=ask) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(found))
"""
    assert python(available("seccomp"), code).stdout == "160\n"


def test_without_sockets_there_is_no_loopback_either() -> None:
    available("no-sockets")
    code = "import socket\ntry: socket.socket()\nexcept OSError as e: print(e.strerror)\nsocket.socketpair()[0].close()"
    ended = python(Guard("no-sockets"), code)
    assert ended.stdout == "Permission denied\n"


def test_the_first_that_passes_is_taken_and_the_others_say_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "self_test", lambda guard, user: "" if guard.kind == "seccomp" else "refused here")
    found = strongest()
    assert found.kind == "seccomp"
    assert "user-namespace: refused here" in found.failed
    assert found.describe() == "network guard: kernel (seccomp)"
    monkeypatch.setattr(module, "self_test", lambda guard, user: "refused here")
    found = strongest(loopback="none")
    assert (found.kind, found.describe()) == ("none", "network guard: Python only")
    assert found.failed[-1] == "no-sockets: refused here"
    assert found.wrap(["a", "b"]) == ["a", "b"]


@pytest.mark.parametrize(("loopback", "root"), [("own", True), ("own", False), ("host", True), ("none", True)])
def test_candidates_suit_what_must_be_reached(
    loopback: module.Loopback, root: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_is_root", lambda: root)
    found = module._candidates(loopback, None)
    assert ("network-namespace" in found) == (root and loopback != "host")
    assert ("no-sockets" in found) == (loopback == "none")
    assert (found == ("seccomp",)) == (loopback == "host")
    assert "network-namespace" not in module._candidates(loopback, SuiteUser(1, 1))


def test_what_refuses_nothing_does_not_pass() -> None:
    assert self_test(Guard("none")) == "what it should refuse was reached"


def test_what_refuses_too_much_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    available("no-sockets")
    monkeypatch.setattr(module, "_program", _swapped(module._program))
    assert self_test(Guard("seccomp")) == "a server of its own was not reached"


def _swapped(program: Any) -> Any:
    """A guard that claims to be seccomp's and refuses every socket."""

    def found(name: str) -> list[str]:
        command: list[str] = program(name)
        command[-2] = command[-2].replace("main(sys.argv[1:])", "main(['no-sockets', *sys.argv[2:]])", name == "enter")
        return command

    return found


def test_a_guard_that_can_not_be_entered_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    available("no-sockets")
    inner = Guard("network-namespace").wrap(["/bin/echo", "ran"])  # no socket can be made to raise the interface
    ended = run(Guard("no-sockets"), inner)
    assert (ended.returncode, ended.stdout) == (CANNOT_ENTER, "")
    assert ended.stderr.startswith("gate: the network guard `network-namespace` can't be entered: ")


def test_a_missing_interpreter_is_a_reason_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    found = strongest()
    assert found.kind == "none"
    assert all("No such file" in reason for reason in found.failed)


def test_elsewhere_there_is_no_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert strongest().describe() == "network guard: Python only"


def test_every_kind_has_its_words() -> None:
    told = {Guard(kind).describe() for kind in get_args(Kind)}
    assert len(told) == len(get_args(Kind))
    assert all(line.startswith("network guard: ") for line in told)


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An interpreter and a copy of the guard that every user may read; gives the interpreter."""
    if os.geteuid() != 0:
        pytest.skip("another user needs root")
    found = [path for path in ("/usr/bin/python3", "/usr/local/bin/python3") if Path(path).exists()]
    found = [path for path in found if _version(path) >= (3, 11)]
    if not found:
        pytest.skip("no interpreter that every user may run")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("__init__.py", "errors.py", "sandbox"):
            source = Path(ROOT, "gate", name)
            (copy / "gate").mkdir(exist_ok=True)
            copied = shutil.copytree if source.is_dir() else shutil.copy
            copied(source, copy / "gate" / name)
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o755)
        monkeypatch.setattr(module, "_ROOT", copy)
        monkeypatch.setattr(sys, "executable", found[0])
        yield found[0]


def _version(python: str) -> tuple[int, ...]:
    code = "import sys; print(*sys.version_info[:2])"
    told = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in told.split())


@pytest.mark.parametrize("kind", ["user-namespace", "seccomp"])
def test_the_suites_user_is_guarded_with_its_own_rights(kind: Kind, reachable: str) -> None:
    user = SuiteUser(54322, 54322)
    found = strongest(user=user, among=[kind])
    if found.kind == "none":
        pytest.skip(found.failed[0])
    more: dict[str, Any] = {"user": user.uid, "group": user.gid, "extra_groups": [], "cwd": "/"}
    assert python(found, C_CONNECT, OUTSIDE, 80, **more).stdout == "-1 Network is unreachable\n"
    assert python(found, "import os; print(os.getuid(), os.getgid())", **more).stdout == "54322 54322\n"
    if kind == "seccomp":
        assert python(found, UNREADABLE, **more).stdout == "False\n"  # what can't be read is refused


def test_a_struct_of_the_kernel_has_its_size() -> None:
    from gate.sandbox.network import namespace, supervisor

    assert supervisor._QUESTION.size == 80
    assert supervisor._ANSWER.size == 24
    assert namespace._IFREQ.size == 40
    assert struct.calcsize("P") == 8 or not strongest().failed
