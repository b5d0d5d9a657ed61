"""The process of a cell from which the wardens of its jobs fork, so that none of them waits for an interpreter.

It is an isolated interpreter that knows nothing but the cell's settings. Modules here and all that they import need
only the standard library, and no more of it than they use: a job that is Python goes on in a fork of this process.
"""

# pathlib would make every fork larger
# ruff: noqa: PTH100, PTH101, PTH119, PTH120, PTH123

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import json
import os
import signal
import socket
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from gate.sandbox.cell import kernel
from gate.sandbox.cell.enclosed import Become
from gate.sandbox.cell.folder import remove
from gate.sandbox.cell.warden import attend

BOOT = (
    "import sys; sys.path.append(sys.argv[1])\n"
    "from gate.sandbox.cell.zygote import main\n"
    "code, names, end = main(sys.argv[2], sys.argv[3])\n"
    "try: exec(code, names)\n"
    "except BaseException as error: end(error)\n"
    "else: end(None)"
)
GOODBYE = b"."
"""What a client sends that ends by itself."""
_LONGEST_WORD = 1 << 18
_Program = tuple[types.CodeType, dict[str, object], Callable[[BaseException | None], NoReturn]]


def main(control: str, settings: str) -> _Program:
    """Fork a warden for each channel that comes in; ends with the client.

    Args:
        control: the number of a socket, or a path at which to listen for it, on which each message carries the
            channel of one job; the first message, the other way, is the path of the interpreter.
        settings: what all jobs of the cell share, as JSON.

    Returns only in a process that is to be a job's Python program: what it runs, in which names, and
    what to call at its end.
    """
    gc.freeze()
    gc.disable()  # collecting would copy what a fork shares
    try:
        _serve(int(control) if control.isdecimal() else _accept(control), json.loads(settings))
    except Become as become:
        arguments = become.arguments
    return _as_python(arguments)


def _serve(control: int, cell: dict[str, Any]) -> NoReturn:
    cell["python"] = os.path.realpath(sys.executable)
    cell["readable"] = [*cell["readable"], sys.base_prefix]
    _leave_network(cell)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # wardens are not waited for
    with socket.socket(fileno=control) as asked:
        asked.send(os.fsencode(str(cell["python"])))
        while True:
            try:
                word, handles, _, _ = socket.recv_fds(asked, _LONGEST_WORD, 1)
            except InterruptedError:
                continue
            if not handles:
                if word != GOODBYE:
                    _remove_all(str(cell["folder"]))
                os._exit(0)
            if os.fork() == 0:
                asked.detach()
                os.close(control)
                attend(socket.socket(fileno=handles[0]), cell, json.loads(word))
                os._exit(0)
            os.close(handles[0])


def _accept(path: str) -> int:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.bind(path)
        os.chmod(path, 0o666)  # noqa: S103 -- the folder that it is in is the client's alone
        server.listen()
        return server.accept()[0].detach()


def _remove_all(folder: str) -> None:
    """Remove what a client leaves that was killed, once no warden works in there."""
    with contextlib.suppress(ChildProcessError):
        os.wait()  # returns when all are gone, since none is kept to be waited for
    with contextlib.suppress(OSError):
        parent = os.open(os.path.dirname(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        remove(parent, os.path.basename(folder))


def _leave_network(cell: dict[str, object]) -> None:
    """Have a network in which there is nothing, for all jobs; the client makes the connections that they may have."""
    if cell["means"] == "namespaces":
        uid, gid = os.geteuid(), os.getegid()
        if uid == 0:
            kernel.unshare(kernel.CLONE_NEWNET)
        else:
            kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNET)
            kernel.map_user(uid, gid)


def _as_python(arguments: list[str]) -> _Program:
    """Look like an interpreter that was started with `-I -S` and a script."""
    gc.enable()
    sys.argv[:] = arguments
    sys.path.pop()
    for name in [name for name in sys.modules if name.partition(".")[0] == "gate"]:
        del sys.modules[name]
    path = os.path.abspath(arguments[0])
    main_module = types.ModuleType("__main__")
    main_module.__file__ = path
    main_module.__dict__.update(__cached__=None, __annotations__={}, __builtins__=builtins)
    sys.modules["__main__"] = main_module
    try:
        with open(path, "rb") as stream:
            source = stream.read()
    except OSError as error:
        sys.stderr.write(f"{sys.executable}: can't open file {path!r}: {error}\n")
        sys.exit(2)
    try:
        code = compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        _end(error.with_traceback(None))
    return code, main_module.__dict__, _end


def _end(error: BaseException | None) -> NoReturn:
    """End as an interpreter does, but for taking its objects apart one by one, which would copy all that is shared."""
    code = 0
    if isinstance(error, SystemExit):
        code = _exit_code(error.code)
    elif error is not None:
        code = 1
        trace = error.__traceback__
        trace = trace.tb_next if trace else None  # without the frame that called
        sys.excepthook(type(error), error.with_traceback(trace), trace)
    threading = sys.modules.get("threading")
    try:
        if threading is not None:
            threading._shutdown()
    finally:
        atexit._run_exitfuncs()
        code = _flush() or code
        os._exit(code)


def _exit_code(given: object) -> int:
    if given is None:
        return 0
    if isinstance(given, int):
        return given & 0xFF
    sys.stderr.write(f"{given}\n")
    return 1


def _flush() -> int:
    """What an interpreter answers when its output can't be written: 120."""
    code = 0
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except Exception:  # whatever stands in the place of a stream
            code = 120
    return code
