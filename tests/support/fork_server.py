"""Processes of `python -m pytest` and `python -m gate` that start in milliseconds: forked from one that has it all.

Most of a short run is the start of its interpreter and what it imports. What is forked is a process of its own in all
but its start: its own group, folder, environment, streams and path of modules; it ends with a status or by a signal.
It shares one thing with the others, the seed of the hashes of strings: who tries that sets `PYTHONHASHSEED`, and gets
an ordinary process, as does every command that is not known here.

As a script this file is the server; it imports nothing of the tests, whose names belong to the suites that it runs.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

import pytest

_MODULES = ("pytest", "gate", "gate.cli.action")
_STARTS = ("PYTHON", "LC_", "LANG", "LD_", "OPENBLAS_", "OMP_")
_PATH, _NO_BYTECODE = "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"
_SHARED = "FORKS_OF_THE_TESTS"


class Forked:
    """A process that was forked for us, as `subprocess.Popen` shows one; its output is a pipe or a given file."""

    def __init__(self, command: Sequence[str], connection: socket.socket, stdout: IO[bytes] | None = None) -> None:
        self.args = command
        self.stdout = stdout
        self.returncode: int | None = None
        self._answers = connection.makefile("rb", buffering=0)
        connection.close()
        self.pid = int(self._answers.readline())

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._answers], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = int(self._answers.readline() or -signal.SIGKILL)
            self._answers.close()
        return self.returncode

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def share() -> None:
    """Start the server that this process's children use as well, and with it import everything only once."""
    os.environ[_SHARED] = address()


@functools.cache
def address(*modules: str) -> str:
    """Where a server listens: the shared one, else one that is started at first and ends with this process.

    Args:
        modules: what it imports beside what all of them do; then it is this process's own.
    """
    if not modules and os.environ.get(_SHARED):
        return os.environ[_SHARED]
    folder = Path(tempfile.mkdtemp(prefix="forks-"))
    path = str(folder / "socket")
    environ = {name: value for name, value in os.environ.items() if name != _PATH}
    server = subprocess.Popen(
        [sys.executable, __file__, path, *modules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ,
        cwd=folder,
    )
    assert server.stdin is not None and server.stdout is not None
    with server.stdout as told:
        assert told.readline() == b"ready\n"

    def end() -> None:
        assert server.stdin is not None
        server.stdin.close()
        server.wait(10)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return path


def can_fork(command: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Whether a forked process would be as one that is started: nothing is asked of the interpreter itself."""
    if command[0] != sys.executable or not _module_of(command):
        return False
    if any(_of_start(environ, name) != _of_start(os.environ, name) for name in {*environ, *os.environ}):
        return False
    places = filter(None, environ.get(_PATH, "").split(os.pathsep))
    return not any(Path(place, f"{who}customize.py").exists() for place in places for who in ("site", "user"))


def _module_of(command: Sequence[str]) -> list[str]:
    """The module that Python is to run, or `-c` and a program, and its arguments; empty for anything else."""
    asked = list(command[2:] if command[1:2] == ["-P"] else command[1:])
    if asked[:1] == ["-c"] and len(asked) > 1:
        return asked
    return asked[1:] if asked[:1] == ["-m"] and asked[1] in _MODULES else []


def _of_start(environ: Mapping[str, str], name: str) -> str | None:
    return environ.get(name) if name.startswith(_STARTS) and name not in (_PATH, _NO_BYTECODE) else None


def fork(
    command: Sequence[str], *, at: str, cwd: Path, environ: Mapping[str, str], streams: Sequence[int]
) -> socket.socket:
    """Ask the server at an address for a process; what it answers is read from the socket: a pid, then a status."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(at)
    order = {"command": list(command), "cwd": str(cwd), "environ": dict(environ), "at": at}
    data = json.dumps(order).encode()
    socket.send_fds(connection, [len(data).to_bytes(8, "big")], list(streams))
    connection.sendall(data)
    return connection


def begin(command: Sequence[str], environ: Mapping[str, str]) -> Forked:
    """A process whose output goes where this one's goes, to be waited for or killed."""
    assert can_fork(command, environ), "an ordinary process is needed"
    with Path(os.devnull).open("rb") as nothing:
        streams = [nothing.fileno(), 1, 2]
        return Forked(command, fork(command, at=address(), cwd=Path.cwd(), environ=environ, streams=streams))


def start(otherwise: Callable[..., Any], at: str, command: Sequence[str], world: Any) -> Any:
    """`gate.record.run._start` for a world: forked where nothing is asked that a fork can't do."""
    if world.user is not None or world.guard.wrap(command) != list(command) or not can_fork(command, world.environ):
        return otherwise(command, world)
    if not world.cwd.is_dir():
        return otherwise(command, world)
    read, write = os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        connection = fork(command, at=at, cwd=world.cwd, environ=world.environ, streams=[nothing, write, write])
    finally:
        os.close(write)
        os.close(nothing)
    return Forked(command, connection, os.fdopen(read, "rb", buffering=0))


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str] | None = None,
    typed: str = "",
    timeout: float = 120,
    at: str = "",
) -> subprocess.CompletedProcess[str]:
    """Like `subprocess.run` of a command with its output captured, and forked where that is the same.

    Args:
        environ: the whole environment; by default this process's.
        typed: what it reads.
        timeout: seconds; then it is killed, and the test fails.
        at: address of the server; by default the one that imports nothing more.
    """
    environ = dict(os.environ if environ is None else environ)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(typed.encode())
        given.seek(0)
        process: Forked | subprocess.Popen[bytes]
        if can_fork(command, environ):
            streams = [given.fileno(), out.fileno(), err.fileno()]
            process = Forked(command, fork(command, at=at or address(), cwd=cwd, environ=environ, streams=streams))
        else:
            process = subprocess.Popen(command, cwd=cwd, env=environ, stdin=given, stdout=out, stderr=err)
        try:
            code = process.wait(timeout)
        except BaseException:
            process.kill()
            process.wait()
            raise
        texts = [_whole(stream) for stream in (out, err)]
    return subprocess.CompletedProcess(command, code, *texts)


def run_pytest(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """As `Pytester.runpytest_subprocess`, and forked."""
    command = [sys.executable, "-m", "pytest", f"--basetemp={pytester.path / 'of-child'}", *arguments]
    ended = run(command, cwd=pytester.path)
    print(ended.stdout, ended.stderr)
    return pytest.RunResult(ended.returncode, ended.stdout.splitlines(), ended.stderr.splitlines(), 0.0)


def _whole(stream: IO[bytes]) -> str:
    stream.seek(0)
    return io.StringIO(stream.read().decode("utf-8"), newline=None).read()


# What follows runs in the server alone.


def _serve(path: str) -> None:
    _import_all()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            asked, _, _ = select.select([listener, 0], [], [])
            if 0 in asked:  # it says nothing: who started this has ended
                return
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    _attend(connection)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _import_all() -> None:
    """What the processes import: pytest with its plugins, and all of the gate."""
    import gc
    import importlib
    import pkgutil
    from importlib import metadata

    import _pytest.config
    import hypothesis  # noqa: F401  (its plugin imports it at the end of every run)
    import numpy  # noqa: F401
    from _pytest.assertion.rewrite import AssertionRewritingHook

    import gate

    for name in (*_pytest.config.default_plugins, "unraisableexception", "threadexception"):
        importlib.import_module(f"_pytest.{name}")
    for plugin in metadata.entry_points(group="pytest11"):
        plugin.load()
    for module in pkgutil.walk_packages(gate.__path__, "gate."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(module.name)
    for name in sys.argv[2:]:
        importlib.import_module(name)
    from gate.suites.mutation import mutants, prompt

    mutants.mutants_of(prompt.parse("- You must never say more than 3 words."))  # its patterns are compiled here
    # plugins have no assertions of their own to rewrite, and here all of them are imported already
    AssertionRewritingHook._warn_already_imported = lambda self, name: None  # type: ignore[method-assign]
    gc.collect()
    gc.freeze()  # else each process's own collections walk, and copy, all of this
    gc.set_threshold(20_000, 50, 50)


def _attend(connection: socket.socket) -> NoReturn:
    """Fork the process that is asked for, and say its pid and how it ended."""
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    left = int.from_bytes(head, "big")
    parts = []
    while left:
        parts.append(connection.recv(left))
        left -= len(parts[-1])
    child = os.fork()
    if child == 0:
        os.setsid()
        connection.sendall(b"%d\n" % os.getpid())
        _become(json.loads(b"".join(parts)), streams)
    for stream in streams:
        os.close(stream)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(OSError):
        connection.sendall(b"%d\n" % code)
    os._exit(0)


def _become(order: Mapping[str, Any], streams: Sequence[int]) -> NoReturn:
    """Be what `python -m` starts, from here to the end of the process."""
    import runpy
    import threading
    import traceback

    code: object = 1
    try:
        os.chdir(order["cwd"])
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, 1024)
        os.environ.clear()
        os.environ.update(order["environ"])
        time.tzset()
        sys.dont_write_bytecode = bool(os.environ.get(_NO_BYTECODE))
        _open_streams()
        own = [] if order["command"][1] == "-P" else [order["cwd"]]
        sys.path[:1] = [*own, *filter(None, os.environ.get(_PATH, "").split(os.pathsep))]
        if (workers := sys.modules.get("xdist.plugin")) is not None:
            workers._sys_path[:] = sys.path  # type: ignore[attr-defined]  # kept from its import for the workers
        sys.orig_argv = list(order["command"])
        module, *arguments = _module_of(order["command"])
        if module == "-c":
            sys.argv = ["-c", *arguments[1:]]
            exec(compile(arguments[0], "<string>", "exec"), {"__name__": "__main__"})
            raise SystemExit(0)
        sys.argv = ["-m", *arguments]
        if module != "pytest":
            sys.modules.pop(module, None) if "." in module else None
            _fork_from_the_gate(order["at"])
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    with contextlib.suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code or 0)


def _fork_from_the_gate(at: str) -> None:
    """Let the gate, which this process is, have forked what it starts."""
    from types import SimpleNamespace

    from gate.cli import demo_mutation, demo_repository
    from gate.record import run as started

    def instead(command: list[str], *, cwd: Path, env: Mapping[str, str], timeout: float, **_: object) -> Any:
        return run(command, cwd=cwd, environ=env, timeout=timeout, at=at)

    started._start = functools.partial(start, started._start, at)
    for module in (demo_mutation, demo_repository):
        module.subprocess = SimpleNamespace(run=instead, CompletedProcess=subprocess.CompletedProcess)


def _open_streams() -> None:
    through = bool(os.environ.get("PYTHONUNBUFFERED"))
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        mode = "w" if number else "r"
        new = os.fdopen(number, mode, encoding=old.encoding, errors=old.errors, closefd=False)
        if number:
            new.reconfigure(line_buffering=number == 2, write_through=through)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


if __name__ == "__main__":
    _serve(sys.argv[1])
