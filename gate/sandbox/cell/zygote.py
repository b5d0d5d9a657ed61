"""The process of a cell from which the wardens of its jobs fork, so that none of them waits for an interpreter.

It is an isolated interpreter that knows nothing but the cell's settings. Modules here and all that they import need
only the standard library, and no more of it than they use: a job that is Python goes on in a fork of this process.
"""

from __future__ import annotations

import builtins
import json
import os
import signal
import socket
import sys
import types
from typing import NoReturn

from gate.sandbox.cell.enclosed import Become
from gate.sandbox.cell.warden import attend

BOOT = (
    "import sys; sys.path.append(sys.argv[1])\n"
    "from gate.sandbox.cell.zygote import main\n"
    "code, names = main(int(sys.argv[2]), sys.argv[3])\n"
    "exec(code, names)"
)


def main(control: int, settings: str) -> tuple[types.CodeType, dict[str, object]]:
    """Fork a warden for each channel that comes in; ends with the client.

    Args:
        control: a socket on which each message carries the channel of one job.
        settings: what all jobs of the cell share, as JSON.

    Returns only in a process that is to be a job's Python program: what it runs, and in which names.
    """
    try:
        _serve(control, json.loads(settings))
    except Become as become:
        arguments = become.arguments
    return _as_python(arguments)


def _serve(control: int, cell: dict[str, object]) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # wardens are not waited for
    with socket.socket(fileno=control) as asked:
        asked.send(b"+")
        while True:
            try:
                word, handles, _, _ = socket.recv_fds(asked, 1, 1)
            except InterruptedError:
                continue
            if not word:
                os._exit(0)
            if os.fork() == 0:
                asked.detach()
                os.close(control)
                attend(socket.socket(fileno=handles[0]), cell)
                os._exit(0)
            os.close(handles[0])


def _as_python(arguments: list[str]) -> tuple[types.CodeType, dict[str, object]]:
    """Look like an interpreter that was started with `-I -S` and a script."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.argv[:] = arguments
    sys.path.pop()
    for name in [name for name in sys.modules if name.partition(".")[0] == "gate"]:
        del sys.modules[name]
    main_module = types.ModuleType("__main__")
    main_module.__file__ = arguments[0]
    main_module.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = main_module
    try:
        with open(arguments[0], "rb") as stream:
            source = stream.read()
    except OSError as error:
        sys.stderr.write(f"{sys.executable}: can't open file {arguments[0]!r}: {error}\n")
        sys.exit(2)
    return compile(source, arguments[0], "exec", dont_inherit=True), main_module.__dict__
