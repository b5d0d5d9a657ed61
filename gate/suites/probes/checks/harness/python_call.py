"""One call of the answer's Python, in a process of its own; a part of `runner.py`, and run in the cell like it.

Everything from `load` on may have been changed by the code under test, so nothing in here decides anything: what it
writes is the value that the code gives, or the exception.
"""

from __future__ import annotations

import ast
import contextlib
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

import gate_encoding as encoding  # type: ignore[import-not-found]
import gate_failure as failure  # type: ignore[import-not-found]

_HIDDEN = ("canary", "schema")
"""What only traps need: it is taken away before the answer's code is loaded, unless the probe's own code names it."""


def read(plan: Any) -> Any:
    """The text of the answer's module."""
    with open(plan["file"], encoding="utf-8", newline="") as file:
        return file.read()


def load(plan: Any) -> Any:
    """The module of the answer's code, or the line that says why there is none."""
    name, path = plan["module"], os.path.abspath(plan["file"])
    source = read(plan)
    try:
        code = compile(source, path, "exec")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return None, {"syntax": f"{type(error).__name__}: {error}"}
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    sys.path.insert(0, os.path.dirname(path))
    if not plan["load"]:
        return module, {}
    try:
        exec(code, module.__dict__)  # noqa: S102 - this is what the cell is for
    except BaseException as error:
        return None, {"error": failure.about(error, name, source, plan["own"])}
    try:
        entry_of(module, plan["entry"])
    except AttributeError:
        return None, {"missing": plan["entry"]}
    return module, {}


def entry_of(module: Any, path: Any) -> Any:
    """What the calls are made to: a function, a class, or an attribute of one."""
    found = module
    for part in path.split(".") if path else ():
        found = getattr(found, part)
    return found


def evaluated(code: Any, names: Any) -> Any:
    """The value of the last expression of some statements."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<call>", "exec"), names)  # noqa: S102
    return eval(compile(ast.Expression(last.value), "<call>", "eval"), names) if last else None  # noqa: S307


def trapped(call: Any, ways: Any) -> Any:
    """The names that a call's trap leaves, laid before any code of the answer is loaded.

    Args:
        ways: descriptors that the trap may use, by name.
    """
    names = {"__name__": "gate_call", **encoding.decode(call["names"]), **ways}
    if call["folder"]:
        os.chdir(call["folder"])
    evaluated(call["trap"], names)
    for name in _HIDDEN:
        if name not in call["code"]:
            names.pop(name, None)
    return names


def as_program(plan: Any, call: Any) -> Any:
    """Run the file as a program; its exit code."""
    source = read(plan)
    sys.argv = [plan["file"], *map(str, encoding.decode(call["args"]))]
    main = types.ModuleType("__main__")
    main.__file__ = plan["file"]
    sys.modules["__main__"] = main
    code = 0
    try:
        exec(compile(source, os.path.abspath(plan["file"]), "exec"), main.__dict__)  # noqa: S102
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return code


def with_streams(plan: Any, call: Any, place: Any) -> Any:
    """As `as_program`, with standard streams that are files."""
    with open(f"{place}.in", "w", encoding="utf-8", newline="") as file:
        file.write(call["stdin"] or "")
    out = os.open(f"{place}.out", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(os.open(f"{place}.in", os.O_RDONLY), 0)
    os.dup2(out, 1)
    sys.stdin = open(0, encoding="utf-8", newline=None, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    code = as_program(plan, call)
    sys.stdout.flush()
    os.lseek(out, 0, os.SEEK_SET)
    return {"$program": [os.read(out, encoding.LONGEST // 2).decode("utf-8", "replace"), code]}


def perform(plan: Any, call: Any, module: Any, trap: Any) -> Any:
    """Do one call and return what it returned."""
    if call["kind"] == "program":
        return with_streams(plan, call, os.path.join(os.getcwd(), f".call-{call['index']}"))
    if call["kind"] == "call":
        entry = entry_of(module, plan["entry"])
        found = entry(*encoding.decode(call["args"]), **encoding.decode(call["kwargs"]))
    else:
        own = {name: value for name, value in vars(module).items() if not name.startswith("__")}
        names = {**own, "solution": module, **trap, "module": module}
        if plan["entry"]:
            names["entry"] = entry_of(module, plan["entry"])
        found = evaluated(call["code"], names)
    if isinstance(found, types.CoroutineType):
        import asyncio

        found = asyncio.run(found)
    return found


def record_of(plan: Any, call: Any, trap: Any) -> Any:
    """The line of one call; of the module alone where there is no call."""
    source = read(plan)
    home = os.getcwd()
    os.chdir(os.path.dirname(os.path.abspath(__file__)))  # where the answer's files are
    module, why = load(plan)
    if module is None or call is None:
        return encoding.as_line({"load": why})
    os.chdir(home)
    try:
        found = perform(plan, call, module, trap)
        record = {"value": found if call["kind"] == "program" else encoding.encode(found)}
    except BaseException as error:
        record = {"error": failure.about(error, plan["module"], source, plan["own"])}
    return encoding.as_line(record)


def answer(plan: Any, call: Any, trap: Any, into: Any) -> None:
    """The rest of a process's life: one call, one line, the end."""
    try:
        line = record_of(plan, call, trap)
    except BaseException as error:
        line = encoding.as_line({"error": {"mro": [type(error).__name__], "message": "", "frames": []}})
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    while line:
        line = line[os.write(into, line) :]
    threads = sys.modules.get("threading")
    watched = call is not None and any(call[one] for one in ("look", "watch", "tap", "serve"))
    if threads is not None and watched:
        with contextlib.suppress(BaseException):
            threads._shutdown()  # as at the end of any program: what a thread still does is seen too
    os._exit(0)
