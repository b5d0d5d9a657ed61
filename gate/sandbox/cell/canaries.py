"""Attempts to escape, made in a cell before anything else runs there; a cell from which one succeeds is not used."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.sandbox.cell.client import PYTHON, Zygote
from gate.sandbox.cell.values import Ending, Job, Limits, SandboxError

_PROCESSES = 16
_FORKS = 3 * _PROCESSES
_LIMITS = Limits(wall=20, cpu=10, processes=_PROCESSES)
_SECRET = b"nobody in the cell may read this"
_KEPT = b"kept"
_HARMLESS = "import sys; sys.stdin.read()"
_SCRIPT = """
import ctypes, json, os, socket, sys, time
given = json.loads(sys.argv[1])
escaped = []
def attempt(name, action):
    try:
        if action() is not False:
            escaped.append(name)
    except OSError:
        pass
def connect(family, kind, address):
    with socket.socket(family, kind) as one:
        one.settimeout(1)
        one.connect(address)
        one.send(b"x")
def read(path):
    with open(path, "rb") as stream:
        return bool(stream.read(64))
def write(path):
    with open(path, "wb") as stream:
        stream.write(b"changed")
attempt("TCP", lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", given["tcp"])))
attempt("UDP", lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", given["udp"])))
attempt("an abstract socket", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + given["abstract"]))
attempt("reading a file", lambda: read(given["secret"]))
attempt("reading an environment", lambda: read(f"/proc/{given['process']}/environ"))
attempt("writing a file", lambda: write(given["outside"]))
attempt("emptying a file", lambda: os.truncate(given["outside"], 0) or os.close(os.open(given["outside"], os.O_TRUNC)))
attempt("changing the mode of a file", lambda: os.chmod(given["outside"], 0o777))
attempt("adding a file", lambda: write(given["outside"] + "-new"))
attempt("mounting", lambda: ctypes.CDLL(None).unshare(0x10020000) == 0)
with __import__("contextlib").suppress(OSError):
    os.kill(given["process"], 9)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, given["name"].encode(), 0, 0, 0)
        time.sleep(60)
    os._exit(0)
os.wait()
result = int(os.environ["GATE_RESULT_FD"])
os.write(result, json.dumps(escaped).encode() + b"\\n")
for _ in range(given["forks"]):
    try:
        child = os.fork()
    except OSError:
        break
    if child == 0:
        time.sleep(60)
        os._exit(0)
    os.write(result, b"+")
else:
    time.sleep(5)
"""


@dataclass(frozen=True, slots=True)
class _Outside:
    """What stands outside of the cell and must be as it was afterwards."""

    tcp: socket.socket
    udp: socket.socket
    abstract: socket.socket
    folder: Path
    process: subprocess.Popen[bytes]

    def reached(self) -> Iterator[str]:
        for server, name in ((self.tcp, "TCP"), (self.abstract, "an abstract socket")):
            with contextlib.suppress(BlockingIOError):
                server.accept()[0].close()
                yield name
        with contextlib.suppress(BlockingIOError):
            self.udp.recv(1)
            yield "UDP"
        outside = self.folder / "outside"
        if outside.read_bytes() != _KEPT or outside.stat().st_mode & 0o777 != 0o666:
            yield "writing a file"
        if self.process.poll() is not None:
            yield "a signal"


def escapes(zygote: Zygote, folder: Path) -> str:
    """How a job got out, one sentence; empty where it did not.

    Args:
        folder: an empty folder of this process's user, whose files another user could read and write.
    """
    name = f"gate-{os.urandom(4).hex()}"
    try:
        with _outside(folder) as outside:
            ended = zygote.run(_job(zygote.python, outside, name))
            found = list(outside.reached())
    except (SandboxError, OSError) as error:
        return str(getattr(error, "message", error))
    told, _, forks = ended.verdict.partition(b"\n")
    try:
        found += json.loads(told)
    except ValueError:
        return _last_line(ended.stderr) or f"a first job ended with {ended.ending} and told nothing"
    if len(forks) > _PROCESSES and ended.ending is not Ending.BLOCKED:  # counting them takes a moment
        found.append("the number of processes")
    if _is_running(name):
        found.append("a daemon")
    return f"not held: {', '.join(dict.fromkeys(found))}" if found else ""


def _job(python: str, outside: _Outside, name: str) -> Job:
    given = {
        "tcp": outside.tcp.getsockname()[1],
        "udp": outside.udp.getsockname()[1],
        "abstract": outside.abstract.getsockname()[1:].decode("ascii"),
        "secret": str(outside.folder / "secret"),
        "outside": str(outside.folder / "outside"),
        "process": outside.process.pid,
        "name": name,
        "forks": _FORKS,
    }
    return Job((python, "-I", "-S", "-c", _SCRIPT, json.dumps(given)), limits=_LIMITS)


@contextlib.contextmanager
def _outside(folder: Path) -> Iterator[_Outside]:
    (folder / "secret").write_bytes(_SECRET)
    (folder / "outside").write_bytes(_KEPT)
    (folder / "outside").chmod(0o666)
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as abstract,
        subprocess.Popen(
            [PYTHON, "-I", "-S", "-c", _HARMLESS], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as other,
    ):
        udp.bind(("127.0.0.1", 0))
        abstract.bind("")  # the kernel gives it an abstract name
        abstract.listen()
        for server in (tcp, udp, abstract):
            server.setblocking(False)
        try:
            yield _Outside(tcp, udp, abstract, folder, other)
        finally:
            other.kill()


def _is_running(name: str) -> bool:
    for process in Path("/proc").glob("[0-9]*"):  # without a look into it, since it may just end
        with contextlib.suppress(OSError):
            if (process / "comm").read_text(encoding="utf-8", errors="replace").strip() == name:
                return True
    return False


def _last_line(text: bytes) -> str:
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else ""
