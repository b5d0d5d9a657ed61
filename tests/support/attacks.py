"""Attacks on a cell, and what must be so after each; the same list runs on the machine and inside the container.

As a program with a means, and perhaps a version of Landlock, it opens a cell, runs every attack and prints one JSON
object: `held`, and for each attack how it ended and what it broke. It needs the standard library and the gate alone, so
that it runs wherever the gate does.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gate.sandbox.cell import Cell, Ended, Ending, Job, Limits, calls, kernel, landlock, open_cell
from gate.sandbox.cell.opening import ALL_MEANS

MIB = 1024 * 1024
LIMITS = Limits(wall=15, cpu=5, memory=64 * MIB, disk=4 * MIB, output=65536, processes=16)
SECRET = "a-secret-that-must-stay-outside"
_NAME = "gate-attack"
_PRELUDE = f"""
import ctypes, json, os, signal, socket, sys, time
given = json.loads(os.environ["GIVEN"])
ctypes.CDLL(None).prctl(15, b"{_NAME}", 0, 0, 0)
def escaped(how):
    print("ESCAPED", how, flush=True)
def try_all(*actions):
    for action in actions:
        try:
            print(repr(action()), flush=True)
        except OSError as error:
            print("refused", error, flush=True)
"""
_ESCAPED = b"ESCAPED"
"""What an attack prints that sees by itself that it got out."""
_CALLS = """prlimit64 unshare mount ptrace bpf io_uring_setup userfaultfd perf_event_open process_vm_readv kexec_load
    memfd_create keyctl"""


def _program_of_32_bits(machine: int, flags: int, code: str) -> str:
    """A program that writes one byte by a call of its own architecture and then does what no processor can."""
    base, start = 0x100000, 84
    size = start + len(code) // 2
    head = b"\x7fELF\1\1\1" + bytes(9)
    head += struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, base + start, 52, 0, flags, 52, 32, 1, 0, 0, 0)
    return (head + struct.pack("<8I", 1, 0, base, base, size, size, 5, 0x10000)).hex() + code


_PROGRAMS = {
    "i386": _program_of_32_bits(3, 0, "b804000000bb01000000b96c001000ba01000000cd800f0b78"),
    "arm": _program_of_32_bits(40, 0x05000000, "0470a0e30100a0e308108fe20120a0e3000000eff000f0e778"),
}


@dataclass(frozen=True, slots=True)
class Attack:
    """What a job does, and how it may end; whatever it does, nothing outside may have changed.

    Attributes:
        code: Python, after a prelude that has `given` (what stands outside) and `try_all`.
        endings: how the cell may end it.
        limits: what it may use.
    """

    name: str
    code: str
    endings: frozenset[Ending]
    limits: Limits = LIMITS


def _attack(name: str, code: str, *endings: Ending, **limits: Any) -> Attack:
    given = {slot: limits.get(slot, getattr(LIMITS, slot)) for slot in Limits.__slots__}
    return Attack(name, code, frozenset(endings), Limits(**given))


_DONE = (Ending.EXITED, Ending.BLOCKED)

ATTACKS = (
    _attack(
        "fork bomb",
        "while True:\n try:\n  os.fork()\n except OSError:\n  time.sleep(0.05); os._exit(0)",
        *_DONE,
        Ending.SIGNAL,
        Ending.TIMEOUT,
        Ending.CPU,
        wall=5,
    ),
    _attack("memory bomb", "held = []\nwhile True: held.append(b'x' * (8 << 20))", Ending.MEMORY),
    _attack(
        "memory bomb in children",
        "for _ in range(8):\n if os.fork() == 0:\n  held = b'x' * (24 << 20); time.sleep(60)\ntime.sleep(60)",
        Ending.MEMORY,
    ),
    _attack(
        "memory bomb in socket buffers",
        "held = []\nwhile True:\n one, other = socket.socketpair(); one.setblocking(False); held += [one, other]\n"
        " try:\n  while True: one.send(b'x' * 65536)\n except BlockingIOError: pass\n"
        " if len(held) == 480: time.sleep(60)",
        Ending.MEMORY,
    ),
    _attack(
        "memory bomb in page tables",
        # a page of a table tells of as many pages as it has words
        "import mmap\nstep = mmap.PAGESIZE ** 2 // 8\nsize = step * (160 << 20) // mmap.PAGESIZE\n"
        "held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)\n"
        "for place in range(0, size, step): held[place]\ntime.sleep(60)",
        Ending.MEMORY,
    ),
    _attack("CPU loop", "while True: pass", Ending.CPU, cpu=0.1),
    _attack(
        "CPU loop in children", "for _ in range(4): os.fork()\nwhile True: pass", Ending.CPU, Ending.BLOCKED, cpu=0.2
    ),
    _attack(
        "sleep", "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(600)", Ending.TIMEOUT, wall=0.3
    ),
    _attack("10 GB output", "while True: os.write(1, b'x' * 65536); os.write(2, b'x' * 65536)", Ending.OUTPUT),
    _attack("10 GB result", "while True: os.write(int(os.environ['GATE_RESULT_FD']), b'x' * 65536)", Ending.OUTPUT),
    _attack(
        "10 GB files",
        "for n in range(10000):\n with open(f'f{n}', 'wb') as s: s.write(b'x' * (1 << 20))",
        Ending.DISK,
    ),
    _attack(
        "10 GB in one file",
        "h = os.open('f', os.O_CREAT | os.O_WRONLY)\nwhile True: os.write(h, b'x' * (1 << 20))",
        Ending.DISK,
    ),
    _attack(
        "10 GB in files without names",
        "held = []\nfor n in range(10000):\n"
        " h = os.open('f', os.O_CREAT | os.O_WRONLY); os.unlink('f'); held.append(h)\n"
        " try: os.write(h, b'x' * (1 << 20))\n except OSError: os._exit(0)",
        Ending.DISK,
        Ending.EXITED,
        Ending.MEMORY,  # where they lie in memory, which a group limits
    ),
    _attack(
        "write outside",
        "try_all(lambda: open(given['outside'], 'a').write('x'), lambda: open(given['folder'] + '/new', 'w'),"
        " lambda: os.truncate(given['outside'], 1), lambda: os.open(given['outside'], os.O_TRUNC),"
        " lambda: os.open(given['outside'], os.O_TRUNC | 3), lambda: os.chmod(given['outside'], 0), lambda:"
        " os.rename(given['outside'], 'mine'), lambda: os.link(given['outside'], 'mine'), lambda:"
        " os.unlink(given['outside']), lambda: os.utime(given['outside'], (0, 0)), lambda: os.chmod('/usr/bin', 0),"
        " lambda: open('/usr/bin/new', 'w'), lambda: open('/etc/passwd', 'a'), lambda: open('/dev/shm/new', 'w'))\n"
        "os.symlink(given['outside'], 'link')\n"
        "try_all(lambda: open('link', 'a').write('x'), lambda: os.chmod('link', 0), lambda: os.utime('link', (0, 0)))",
        *_DONE,
    ),
    _attack(
        "read of secrets and /proc",
        "p = given['process']\n"
        "try_all(*[lambda path=path: open(path, 'rb').read() for path in (given['secret'], f'/proc/{p}/environ',"
        " f'/proc/{p}/mem', f'/proc/{p}/cmdline', f'/proc/{p}/root' + given['secret'], '/proc/1/environ',"
        " '/proc/1/cmdline', f'/proc/{os.getppid()}/environ', '/proc/self/environ', '/etc/shadow')],"
        " lambda: os.listdir(given['folder']), lambda: os.listdir(f'/proc/{p}/fd'), lambda: dict(os.environ))\n"
        "os.symlink(given['secret'], 'stolen')\n"
        "try_all(lambda: os.link(given['secret'], 'linked'))\n"
        "try_all(lambda: ctypes.CDLL(None, use_errno=True).ptrace(16, p, 0, 0), lambda:"
        " ctypes.CDLL(None).open_by_handle_at(0, 0, 0))",
        *_DONE,
    ),
    _attack(
        "TCP",
        "def connect():\n s = socket.socket(); s.settimeout(1); s.connect(('127.0.0.1', given['tcp'])); s.send(b'x')\n"
        "def listen():\n s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); return 'listens'\n"
        "try_all(connect, listen)",
        *_DONE,
    ),
    _attack(
        "UDP, raw, netlink and vsock",
        "def send():\n s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        " s.sendto(b'x', ('127.0.0.1', given['udp']))\n"
        "try_all(send, lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1), lambda: socket.socket(16, 3, 0),"
        " lambda: socket.socket(17, 3, 0), lambda: socket.socket(40, 1, 0), lambda: socket.socket(38, 5, 0))",
        *_DONE,
    ),
    _attack(
        "abstract and docker sockets",
        "def reach(address):\n s = socket.socket(socket.AF_UNIX); s.settimeout(1); s.connect(address); s.send(b'x')\n"
        "def reach_by_pair(address):\n a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        " a.sendto(b'x', address)\n"
        "try_all(lambda: reach('\\0' + given['abstract']), lambda: reach(given['engine']), lambda:"
        " reach('/var/run/docker.sock'), lambda: reach_by_pair(given['datagrams']))",
        *_DONE,
    ),
    _attack(
        "kill of the parent",
        "for target in (given['process'], -1, os.getppid(), given['gate']):\n"
        " if target != 1 and target > -2:\n  try_all(lambda: os.kill(target, signal.SIGTERM))\n"
        "limit = given['calls']['prlimit64'], given['process'], 0, b'\\0' * 16, None\n"
        "try_all(lambda: ctypes.CDLL(None).syscall(*limit))",
        *_DONE,
        Ending.SIGNAL,
    ),
    _attack(
        "daemonised child",
        "if os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n"
        "  signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(600)\n os._exit(0)\nos.wait()",
        Ending.EXITED,
    ),
    _attack(
        "namespaces, mounts and other kernel doors",
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for name in ('unshare', 'mount', 'ptrace', 'bpf', 'io_uring_setup', 'userfaultfd', 'perf_event_open',"
        " 'process_vm_readv', 'kexec_load', 'memfd_create', 'keyctl'):\n"
        " ctypes.set_errno(0)\n"
        " done, why = libc.syscall(given['calls'][name], 0x10000000, 0, 0, 0, 0), ctypes.get_errno()\n"
        " print(name, done, why) if done == -1 and why in (1, 38) else escaped(f'{name}: {why}')",
        *_DONE,
    ),
    _attack(
        "calls of another architecture",
        "import mmap, subprocess\n"
        "for name, data in given['programs'].items():\n"
        " with open(name, 'wb') as s: s.write(bytes.fromhex(data))\n"
        " os.chmod(name, 0o700)\n"
        " try: ended = subprocess.run(['./' + name], capture_output=True)\n"
        " except OSError as error: print('not of this machine', name, error)\n"
        " else: print(name, ended.returncode) if not ended.stdout else escaped(name)\n"
        "if os.uname().machine == 'x86_64':\n"
        " if ctypes.CDLL(None).syscall(0x40000000 + 39) > 0: escaped('x32')\n"
        " if os.fork() == 0:\n"
        "  code = mmap.mmap(-1, 4096, prot=7); code.write(bytes.fromhex('b814000000cd80c3'))\n"  # getpid by int 0x80
        "  asked = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))\n"
        "  if asked() > 0: escaped('int 0x80')\n"
        "  os._exit(0)\n"
        " os.wait()",
        *_DONE,
    ),
    _attack(
        "a folder that is hard to remove",
        "for n in range(300):\n os.mkdir('d'); os.chdir('d')\n"
        "open('f', 'w'); os.chmod('.', 0); os.chmod(os.environ['HOME'], 0)",
        *_DONE,
        Ending.DISK,
    ),
)


@dataclass(slots=True)
class Outside:
    """What stands outside of the cell: all of it must be as it was, and nothing may have been reached."""

    folder: Path
    process: subprocess.Popen[bytes]
    servers: dict[str, socket.socket] = field(default_factory=dict)

    def given(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "secret": str(self.folder / "secret"),
            "outside": str(self.folder / "outside"),
            "process": self.process.pid,
            "gate": os.getpid(),
            "tcp": self.servers["TCP"].getsockname()[1],
            "udp": self.servers["UDP"].getsockname()[1],
            "abstract": self.servers["abstract"].getsockname()[1:].decode("ascii"),
            "engine": str(self.folder / "engine.sock"),
            "datagrams": str(self.folder / "datagrams.sock"),
            "calls": {name: calls.number(name, kernel.architecture()) for name in _CALLS.split()},
            "programs": _PROGRAMS,
        }

    def broken(self, ended: Ended) -> Iterator[str]:
        """What an attack broke."""
        for name, server in self.servers.items():
            with contextlib.suppress(BlockingIOError):
                server.recv(1) if server.type == socket.SOCK_DGRAM else server.accept()[0].close()
                yield f"{name} was reached"
        outside = (self.folder / "outside").stat()
        if (outside.st_size, outside.st_mode & 0o777, outside.st_mtime) != (4, 0o666, 1_000_000_000):
            yield "a file outside was changed"
        names = {path.name for path in self.folder.iterdir()}
        if names != {"secret", "outside", "engine.sock", "datagrams.sock"}:
            yield f"files outside were added or removed: {sorted(names)}"
        if self.process.poll() is not None:
            yield "a process outside was ended"
        told = b"".join((ended.stdout, ended.stderr, ended.verdict, *ended.files.values()))
        if SECRET.encode() in told:
            yield "a secret was read"
        for line in told.splitlines():
            if line.startswith(_ESCAPED):
                yield line.decode("utf-8", "replace")
        if _running():
            yield "a process is left"


def attack(cell: Cell, one: Attack, outside: Outside) -> dict[str, Any]:
    """Run one attack; gives how it ended and what it broke."""
    job = Job(
        (cell.python, "-I", "-S", "attack.py"),
        files={"attack.py": (_PRELUDE + one.code + "\n").encode()},
        environment={"GIVEN": json.dumps(outside.given())},
        limits=one.limits,
        collect=("**", "~/**"),
    )
    ended = cell.run(job)
    broken = list(outside.broken(ended))
    if ended.ending not in one.endings:
        broken.append(f"ended with {ended.ending}: {ended.stderr[-300:]!r}")
    if ended.ending is Ending.EXITED and b"Traceback" in ended.stderr:
        broken.append(f"the attack itself failed: {ended.stderr[-300:]!r}")
    if one.limits.output < max(len(ended.stdout), len(ended.stderr), len(ended.verdict)):
        broken.append("more output than the limit")
    if one.limits.disk < sum(map(len, ended.files.values())):
        broken.append("more files than the limit")
    return {"attack": one.name, "ending": ended.ending.value, "broken": broken}


@contextlib.contextmanager
def outside_world() -> Iterator[Outside]:
    """Files, servers and a process with a secret, which any user could reach if the cell let it."""
    with tempfile.TemporaryDirectory(prefix="gate-outside-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "secret").write_text(SECRET, encoding="ascii")
        (folder / "outside").write_text("kept", encoding="ascii")
        (folder / "outside").chmod(0o666)
        os.utime(folder / "outside", (1_000_000_000, 1_000_000_000))
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()", SECRET],
                stdin=subprocess.PIPE,
                env={"SECRET": SECRET},
            )
        )
        stack.callback(process.kill)
        servers = {
            "TCP": socket.create_server(("127.0.0.1", 0)),
            "UDP": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "abstract": socket.socket(socket.AF_UNIX),
            "engine": socket.socket(socket.AF_UNIX),
            "datagrams": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
        }
        for server in servers.values():
            stack.enter_context(server)
            server.setblocking(False)
        servers["UDP"].bind(("127.0.0.1", 0))
        servers["abstract"].bind("")
        servers["engine"].bind(str(folder / "engine.sock"))
        servers["datagrams"].bind(str(folder / "datagrams.sock"))
        for one in folder.glob("*.sock"):
            one.chmod(0o666)
        servers["abstract"].listen()
        servers["engine"].listen()
        yield Outside(folder, process, servers)


def run_all(means: Any) -> dict[str, Any]:
    """Run the attacks in a cell of one means, or of the `strongest`: what held, how each went, and what is left."""
    with tempfile.TemporaryDirectory(prefix="gate-scratch-") as name, outside_world() as outside:
        Path(name).chmod(0o711)
        os.environ["SECRET"] = SECRET
        with open_cell(scratch=Path(name), among=ALL_MEANS if means == "strongest" else (means,)) as cell:
            results = [attack(cell, one, outside) for one in ATTACKS]
            jobs = sorted(path.name for path in Path(name).rglob("job-*"))
            held = list(cell.attestation.held)
        left = [*jobs, *sorted(path.name for path in Path(name).iterdir())]
    return {"held": held, "attacks": results, "left": left}


def _running() -> bool:
    for process in Path("/proc").glob("[0-9]*"):  # without a look into it, since it may just end
        with contextlib.suppress(OSError):
            if (process / "comm").read_text(encoding="utf-8", errors="replace").strip() == _NAME:
                return True
    return False


def pretend(version: int) -> None:
    """Use no more of Landlock than a kernel with this version of it would have."""
    landlock.version = lambda: version


if __name__ == "__main__":
    if len(sys.argv) > 2:
        pretend(int(sys.argv[2]))
    sys.stdout.write(json.dumps(run_all(sys.argv[1])) + "\n")
