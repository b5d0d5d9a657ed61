"""Runs calls of the answer's code, each in a process of its own, and writes what came of them to GATE_RESULT_FD.

It is started in the cell with `plan.json` beside it. Nothing that a result is compared with is in that plan. One line
of JSON a call; the module is loaded once, and every call runs in a fork of that state, so that no call changes the
next, and one that hangs or dies ends alone.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import json
import math
import os
import resource
import select
import signal
import sys
import time
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

sys.path.insert(0, os.getcwd())
import gate_encoding as encoding  # type: ignore[import-not-found]
import gate_failure as failure  # type: ignore[import-not-found]

sys.path.pop(0)
RESULTS = int(os.environ.pop("GATE_RESULT_FD"))
os.set_inheritable(RESULTS, False)


def tell(record: Any) -> None:
    """Write one line to whoever started the cell."""
    line = encoding.as_line(record)
    while line:
        line = line[os.write(RESULTS, line) :]


def load(plan: Any) -> Any:
    """The module of the answer's code, or the line that says why there is none."""
    name = plan["module"]
    with open(plan["file"], encoding="utf-8", newline="") as file:
        source = file.read()
    try:
        code = compile(source, os.path.abspath(plan["file"]), "exec")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return None, {"syntax": f"{type(error).__name__}: {error}"}
    module = types.ModuleType(name)
    module.__file__ = os.path.abspath(plan["file"])
    sys.modules[name] = module
    sys.path.insert(0, os.getcwd())
    if not plan["load"]:
        return module, {}
    try:
        exec(code, module.__dict__)  # noqa: S102 - this is what the cell is for
    except BaseException as error:
        return None, {"error": failure.about(error, name, source, plan["own"])}
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


def as_program(plan: Any, call: Any) -> Any:
    """Run the file as a program; what it printed and its exit code."""
    with open(plan["file"], encoding="utf-8", newline="") as file:
        source = file.read()
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


def with_streams(plan: Any, call: Any, folder: Any) -> Any:
    """As `as_program`, with standard streams that are files."""
    with open(f"{folder}.in", "w", encoding="utf-8", newline="") as file:
        file.write(call["stdin"] or "")
    out = os.open(f"{folder}.out", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(os.open(f"{folder}.in", os.O_RDONLY), 0)
    os.dup2(out, 1)
    sys.stdin = open(0, encoding="utf-8", newline=None, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    code = as_program(plan, call)
    sys.stdout.flush()
    os.lseek(out, 0, os.SEEK_SET)
    return {"$program": [os.read(out, encoding.LONGEST // 2).decode("utf-8", "replace"), code]}


def perform(plan: Any, call: Any, module: Any) -> Any:
    """Do one call and return what it returned."""
    if call["kind"] == "program":
        return with_streams(plan, call, os.path.join(os.getcwd(), f".call-{call['index']}"))
    own = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    names = {**own, "__name__": "gate_call", "solution": module, **encoding.decode(call["names"])}
    if call.get("folder"):
        os.makedirs(call["folder"], exist_ok=True)
        os.chdir(call["folder"])
    if call["kind"] == "call":
        entry = entry_of(module, plan["entry"])
        found = entry(*encoding.decode(call["args"]), **encoding.decode(call["kwargs"]))
    else:
        if plan["entry"]:
            names["entry"] = entry_of(module, plan["entry"])
        names["module"] = module
        found = evaluated(call["code"], names)
    if isinstance(found, types.CoroutineType):
        import asyncio

        found = asyncio.run(found)
    return found


def in_child(plan: Any, call: Any, module: Any, into: Any) -> None:
    """The child's whole life: one call, one line, the end."""
    os.setsid()
    os.close(RESULTS)
    seconds = max(1, math.ceil(call["cpu"] or plan["cpu"]))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with open(plan["file"], encoding="utf-8", newline="") as file:
        source = file.read()
    try:
        try:
            found = perform(plan, call, module)
            record = {"value": found if call["kind"] == "program" else encoding.encode(found)}
        except BaseException as error:
            record = {"error": failure.about(error, plan["module"], source, plan["own"])}
        line = encoding.as_line(record)
    except BaseException as error:
        line = encoding.as_line({"error": {"mro": [type(error).__name__], "message": "", "frames": []}})
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    while line:
        line = line[os.write(into, line) :]
    os._exit(0)


def preload(calls: Any) -> None:
    """Import once what the calls import, so that not each of their processes has to."""
    statements = {line for call in calls for line in call["code"].split("\n") if line.startswith("import ")}
    for line in sorted(statements):
        for name in line.removeprefix("import ").split(","):
            with contextlib.suppress(Exception):
                importlib.import_module(name.split(" as ")[0].strip())
    gc.freeze()


def supervise(child: Any, source: Any, wall: Any) -> Any:
    """What the child wrote before it ended or its time was over."""
    until, parts, ended = time.monotonic() + wall, [], False
    while not ended:
        left = until - time.monotonic()
        ready = select.select([source], [], [], max(left, 0))[0] if left > 0 else []
        if not ready:
            break
        part = os.read(source, 65_536)
        parts.append(part)
        ended = not part or part.endswith(b"\n")
    for kill, whom in ((os.killpg, child), (os.kill, child)):
        try:
            kill(whom, signal.SIGKILL)
        except OSError:
            continue
    _, status = os.waitpid(child, 0)
    return b"".join(parts), ended, status


def run(plan: Any, call: Any, module: Any) -> Any:
    """One call in a fork; the line that tells of it."""
    source, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        in_child(plan, call, module, into)
    os.close(into)
    text, ended, status = supervise(child, source, plan["wall"])
    os.close(source)
    if text.endswith(b"\n"):
        return json.loads(text)
    if not ended or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return {"timeout": True}
    return {"died": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}


def main() -> None:
    """Load, then one call after the other."""
    with open("plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    for name in plan.pop("remove", ()):
        os.unlink(name)
    sys.path.extend(plan.get("paths", ()))
    tell({"started": True})
    module, why = load(plan)
    if module is None:
        tell({"load": why})
        return
    try:
        if plan["load"]:
            entry_of(module, plan["entry"])
    except AttributeError:
        tell({"load": {"missing": plan["entry"]}})
        return
    tell({"load": {}})
    preload(plan["calls"])
    over = set()
    for call in plan["calls"]:
        if call["unless"] in over:
            tell({"index": call["index"], "skipped": True})
            continue
        tell({"index": call["index"], "begun": True})
        record = run(plan, call, module)
        if "timeout" in record and call["unless"]:
            over.add(call["unless"])
        tell({"index": call["index"], **record})
    tell({"finished": True})


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)
