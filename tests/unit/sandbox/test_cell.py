"""What a job is given, what it leaves, and how its end is told."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.sandbox.cell import Cell, Ended, Ending, Job, Limits, SandboxError, landlock, open_cell

EXPECTED_NAMES = {"GATE_RESULT_FD", "GIT_CONFIG_NOSYSTEM", "HOME", "LANG", "PATH", "TMPDIR"}
QUICK = ("-I", "-S", "main.py")


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    try:
        with open_cell() as opened:
            yield opened
    except SandboxError as error:
        pytest.skip(str(error))


def python(cell: Cell, code: str, *arguments: str, **more: object) -> Ended:
    files = {"main.py": code.encode(), **more.pop("files", {})}  # type: ignore[dict-item]
    return cell.run(Job((cell.python, *QUICK, *arguments), files=files, **more))  # type: ignore[arg-type]


def shell(cell: Cell, text: str, **more: object) -> Ended:
    return cell.run(Job(("sh", "-c", text), **more))  # type: ignore[arg-type]


def test_streams_code_and_verdict_are_told_apart(cell: Cell) -> None:
    ended = shell(cell, 'echo out; echo err >&2; eval "echo verdict >&$GATE_RESULT_FD"; exit 7')
    assert (ended.ending, ended.code, ended.signal) == (Ending.EXITED, 7, None)
    assert (ended.stdout, ended.stderr, ended.verdict) == (b"out\n", b"err\n", b"verdict\n")
    assert not ended.truncated
    assert ended.refused == ()
    assert ended.wall > 0


def test_a_signal_of_its_own_is_told(cell: Cell) -> None:
    ended = shell(cell, "kill -ABRT $$")
    assert (ended.ending, ended.code, ended.signal) == (Ending.SIGNAL, None, 6)


@pytest.mark.parametrize("child", [False, True])
def test_a_failure_after_too_much_memory_is_told_as_that_however_short_it_was(cell: Cell, child: bool) -> None:
    # faster than the first look
    held = "import mmap, os\nif {child} and os.fork(): os.wait(); os._exit(1)\n"
    code = held + "mmap.mmap(-1, 24 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)\nos._exit(1)"
    ended = python(cell, code.format(child=child), limits=Limits(memory=24 * 2**20))
    assert (ended.ending, ended.code) in ((Ending.MEMORY, 1), (Ending.MEMORY, None))


def test_a_program_that_is_not_there_ends_like_in_a_shell(cell: Cell) -> None:
    ended = cell.run(Job(("no-such-program",)))
    assert (ended.ending, ended.code) == (Ending.EXITED, 127)
    assert b"`no-such-program` can't be started" in ended.stderr
    assert cell.run(Job(("./data",), files={"data": b"\x00\x01"})).code == 126


def test_standard_input_is_given_whole_or_is_empty(cell: Cell) -> None:
    given = bytes(range(256)) * 4096
    assert shell(cell, "cat", stdin=given, limits=Limits(output=2**21)).stdout == given
    assert shell(cell, "cat").stdout == b""


def test_the_environment_is_clean(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    ended = shell(cell, "env; cat /proc/1/environ | tr '\\0' '\\n'", environment={"MODEL": "x", "HOME": "/nowhere"})
    names = {line.partition("=")[0] for line in ended.stdout.decode().splitlines()}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == EXPECTED_NAMES | {"MODEL"}
    assert b"HOME=/nowhere" in ended.stdout


def test_files_are_laid_out_and_collected(cell: Cell) -> None:
    ended = shell(
        cell,
        "cat ~/.config/agent.json a/b.txt; mkdir -p out/deep; echo 1 > out/one.txt; echo 2 > out/deep/two.txt;"
        " echo 3 > out/three.log; echo home > ~/left; echo tmp > $TMPDIR/t",
        files={"a/b.txt": b"work", "~/.config/agent.json": b"home"},
        collect=("out/**/*.txt", "out/three.log", "~/left", "absent", "a/?.txt"),
    )
    assert ended.stdout == b"homework"
    assert ended.files == {
        "a/b.txt": b"work",
        "out/deep/two.txt": b"2\n",
        "out/one.txt": b"1\n",
        "out/three.log": b"3\n",
        "~/left": b"home\n",
    }


def test_links_pipes_and_second_names_are_not_collected(cell: Cell) -> None:
    ended = shell(
        cell,
        "echo x > plain; ln -s /etc/passwd link; ln -s /etc folder; mkfifo pipe; echo y > one; ln one two",
        collect=("**",),
    )
    assert ended.files == {"plain": b"x\n"}


def test_what_would_not_fit_is_left_out_and_said(cell: Cell) -> None:
    limits = Limits(disk=2**20)
    ended = shell(cell, "head -c 700000 /dev/zero > a; truncate -s 1000000 b", collect=("*",), limits=limits)
    assert ended.truncated
    assert list(ended.files) == ["a"]


def test_programs_may_be_among_the_files(cell: Cell) -> None:
    ended = cell.run(Job(("./tool",), files={"tool": b"#!/bin/sh\necho ran\n"}))
    assert ended.stdout == b"ran\n"


def test_what_is_refused_is_told_and_blames_the_end(cell: Cell) -> None:
    code = "import socket\nsocket.socket()\n"
    ended = python(cell, code)
    assert (ended.ending, ended.code, ended.refused) == (Ending.BLOCKED, 1, ("socket",))
    handled = python(cell, "import socket\ntry: socket.socket()\nexcept OSError: pass\n")
    assert (handled.ending, handled.refused) == (Ending.EXITED, ("socket",))


def test_jobs_of_several_threads_do_not_meet(cell: Cell) -> None:
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda n: shell(cell, f"echo {n} > f; ls; cat f").stdout, range(8)))
    assert found == [f"f\n{n}\n".encode() for n in range(8)]


def test_a_tree_that_is_named_can_be_read_and_not_written(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool/run").write_text("#!/bin/sh\necho from the tree; echo x > $(dirname $0)/new\n", encoding="ascii")
    (tmp_path / "beside").write_text("x", encoding="ascii")
    for path in (tmp_path / "tool", tmp_path / "tool/run"):
        path.chmod(0o755)
    ended = shell(cell, f"{tmp_path}/tool/run; cat {tmp_path}/beside", readable=(tmp_path / "tool",))
    assert ended.stdout == b"from the tree\n"
    assert not (tmp_path / "tool/new").exists()


class Server:
    """Answers each connection with what it read."""

    def __init__(self, family: int = socket.AF_INET, host: str = "127.0.0.1") -> None:
        self.socket = socket.create_server((host, 0), family=family)
        self.port = int(self.socket.getsockname()[1])
        self.connections = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                connection.sendall(b"echo " + connection.recv(100))


CONNECTS = """
import socket, sys
def reach(host, port, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(5)
        one.connect((host, port))
        one.sendall(b"hello")
        return one.recv(100)
for host, port, family in (
    ("127.0.0.1", int(sys.argv[1]), 2), ("localhost", int(sys.argv[1]), 2), ("::1", int(sys.argv[1]), 10),
    ("127.0.0.1", int(sys.argv[2]), 2), ("192.0.2.1", int(sys.argv[1]), 2),
):
    try:
        print(reach(host, port, family))
    except OSError as error:
        print(type(error).__name__)
for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
    try:
        socket.socket(socket.AF_INET, kind)
        print("made")
    except OSError as error:
        print(type(error).__name__)
with socket.socket() as one:
    try:
        one.bind(("127.0.0.1", 0))
        print("bound")
    except OSError as error:
        print(type(error).__name__)
"""


def test_one_port_may_be_reached_and_nothing_else(cell: Cell) -> None:
    proxy, other = Server(), Server()
    with proxy.socket, other.socket:
        ended = python(cell, CONNECTS, str(proxy.port), str(other.port), network=proxy.port)
    assert ended.stderr == b""
    reached, refused = [str(b"echo hello")] * 3, ["PermissionError"] * 5
    assert ended.stdout.decode().splitlines() == reached + refused
    assert (proxy.connections, other.connections) == (3, 0)


def test_a_proxy_that_is_gone_refuses(cell: Cell) -> None:
    with socket.socket() as bound:  # and does not listen
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        code = f"import socket\nprint(socket.socket().connect_ex(('127.0.0.1', {port})))"
        assert python(cell, code, network=port).stdout == b"111\n"


def test_event_loops_reach_the_port(cell: Cell) -> None:
    """A client library puts its socket into non-blocking mode before it connects."""
    code = """
import asyncio, sys
async def main():
    reader, writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
    writer.write(b"hello")
    print(await reader.read(100))
asyncio.run(main())
"""
    proxy = Server()
    with proxy.socket:
        ended = python(cell, code, str(proxy.port), network=proxy.port)
    assert ended.stdout == b"b'echo hello'\n", ended.stderr


def test_node_reaches_the_port_too(cell: Cell) -> None:
    if shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip("no node")
    code = (
        "const s = require('net').connect(+process.argv[2], '127.0.0.1', () => s.write('hello'));"
        "s.on('data', d => { console.log(String(d)); s.end() }); s.on('error', e => console.log(e.code))"
    )
    proxy = Server()
    with proxy.socket:
        job = Job(("node", "main.js", str(proxy.port)), files={"main.js": code.encode()}, network=proxy.port)
        ended = cell.run(job)
    assert ended.stdout == b"echo hello\n", ended.stderr


def test_a_compiled_program_is_collected_and_run(cell: Cell) -> None:
    if shutil.which("gcc", path="/usr/bin:/bin") is None:
        pytest.skip("no gcc")
    source = b'#include <stdio.h>\nint main(void) { return printf("built\\n") != 6; }\n'
    built = cell.run(Job(("gcc", "-o", "out", "main.c"), files={"main.c": source}, collect=("out",)))
    assert built.code == 0, built.stderr
    assert cell.run(Job(("./out",), files={"out": built.files["out"]})).stdout == b"built\n"


@pytest.mark.parametrize(
    "code",
    [
        "print('plain')",
        "import sys; print(sys.argv, sys.path, __name__, __file__, sorted(n for n in sys.modules if 'gate' in n))",
        "def f(n): return f(n - 1) if n else 1 / 0\nf(2)",
        "this is no Python",
        "raise SystemExit('a message')",
        "import sys; sys.exit(300)",
        "import atexit; atexit.register(print, 'at the end'); print('first')",
        "import threading, time\ndef late(): time.sleep(0.05); print('late')\nthreading.Thread(target=late).start()",
        "import os; print(os.fork() and os.wait()[1])",
        "import sys; print(sys.stdin.read(), len(sys.stdin.read()), sys.stdout.encoding, sys.flags.no_site)",
        "import gate",
        "print(sorted(vars()))",
        "import os; print(sorted(os.listdir('/proc/self/fd')))",
        "import sys; print(sys.getrecursionlimit()); sys.stdout.close()",
        "'\\udc80'.encode()",
        "import signal; print(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGCHLD))",
    ],
)
def test_a_quick_start_is_like_a_plain_one(cell: Cell, code: str) -> None:
    """The job that goes on in a fork is told from one that was started only by its time."""
    files = {"main.py": code.encode()}
    quick = cell.run(Job((cell.python, "-I", "-S", "main.py", "x"), files=files, stdin=b"in"))
    plain = cell.run(Job((cell.python, "-IS", "main.py", "x"), files=files, stdin=b"in"))
    assert (quick.code, quick.signal, quick.stdout) == (plain.code, plain.signal, plain.stdout)
    assert quick.stderr == plain.stderr


def test_a_quick_start_finds_little_loaded(cell: Cell) -> None:
    """Neither the gate's own modules nor heavy ones, which would make every fork slower and hide a missing import."""
    found = python(cell, "import sys; print(*sys.modules)").stdout.decode().split()
    assert "json" in found
    assert not {"gate", "dataclasses", "inspect", "pathlib", "subprocess", "tempfile", "threading"} & set(found)
    assert not [name for name in found if name.startswith("gate.")]


def test_hashes_are_the_same_in_every_quick_start() -> None:
    """What a verdict is made of must not depend on the run."""
    code = "print(hash('a'), list({'a', 'b', 'c', 'd'}))"
    found = set()
    for _ in range(2):
        try:
            with open_cell() as opened:
                found.add(python(opened, code).stdout)
        except SandboxError as error:
            pytest.skip(str(error))
    assert len(found) == 1


CLIENT = """
import pathlib, sys
from gate.sandbox.cell import Job, open_cell
with open_cell(scratch=pathlib.Path(sys.argv[1])) as cell:
    print("open", flush=True)
    cell.run(Job((cell.python, "-I", "-S", "-c", "import time; time.sleep(30)", sys.argv[2])))
"""


def test_a_client_that_is_killed_leaves_nothing(cell: Cell, tmp_path: Path) -> None:
    marker = f"marker-{tmp_path.name}-{tmp_path.parent.name}"
    with subprocess.Popen([sys.executable, "-c", CLIENT, str(tmp_path), marker], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        _wait_until(lambda: _running(marker.encode()) == 1)
        process.kill()
        process.wait()
        _wait_until(lambda: _running(marker.encode()) == 0)
        _wait_until(lambda: not list(tmp_path.iterdir()))


def _running(marker: bytes) -> int:
    found = 0
    for process in Path("/proc").glob("[0-9]*"):  # without a look into it, since it may just end
        try:
            command = (process / "cmdline").read_bytes()
            found += marker in command and b"open_cell" not in command
        except OSError:
            continue
    return found


def _wait_until(happened: Callable[[], bool]) -> None:
    for _ in range(600):
        if happened():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "~/../x", "", "~/", "a\0b"])
def test_paths_out_of_the_folders_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        Job(("true",), files={name: b""})
    with pytest.raises(UsageError):
        Job(("true",), collect=(name,))


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "1", None])
def test_limits_are_finite_and_positive(value: object) -> None:
    with pytest.raises(UsageError):
        Limits(wall=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"argv": ()}, {"argv": ("a\0",)}, {"environment": {"A=B": ""}}, {"environment": {"": ""}}, {"network": 0}]
)
def test_jobs_that_can_not_be_run_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Job(**{"argv": ("true",), **wrong})  # type: ignore[arg-type]


def test_without_a_sandbox_it_is_said(tmp_path: Path) -> None:
    with open_cell(unsafe=True, scratch=tmp_path) as unsafe:
        assert unsafe.attestation.as_json() == {"held": [], "missing": ["everything: not asked for"], "unsafe": True}
        assert "UNSANDBOXED" in unsafe.attestation.describe()
        code = (
            "import os, sys; open('f', 'w').write('x'); print(sys.stdin.read(), end=''); print('err', file=sys.stderr);"
            " os.write(int(os.environ['GATE_RESULT_FD']), b'v'); sys.exit(3)"
        )
        ended = unsafe.run(Job((unsafe.python, "-c", code), stdin=b"in", collect=("f",)))
        assert (ended.ending, ended.code, ended.stdout, ended.stderr) == (Ending.EXITED, 3, b"in", b"err\n")
        assert (ended.verdict, ended.files) == (b"v", {"f": b"x"})
        assert shell(unsafe, "sleep 60", limits=Limits(wall=0.2)).ending is Ending.TIMEOUT
        assert shell(unsafe, "yes", limits=Limits(output=1000)).ending is Ending.OUTPUT
        assert unsafe.run(Job(("no-such-program",))).code == 127
    assert list(tmp_path.iterdir()) == []


def test_without_landlock_no_means_is_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    with (
        pytest.raises(SandboxError, match=r"namespaces: .*no Landlock.*bare: "),
        open_cell(scratch=tmp_path),
    ):
        pass
    with pytest.raises(SandboxError, match="no Landlock"), open_cell(container="none", scratch=tmp_path):
        pass


def test_where_nothing_holds_it_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from gate.sandbox.cell import opening

    monkeypatch.setattr(opening, "escapes", lambda *_: "not held: TCP")
    with pytest.raises(SandboxError, match=r"namespaces: not held: TCP.*bare: ") as caught, open_cell(scratch=tmp_path):
        pass
    assert "--unsafe-no-sandbox" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []
