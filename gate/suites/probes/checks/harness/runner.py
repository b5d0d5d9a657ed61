"""Does the calls of a plan, each in a process of its own, and writes what came of them to GATE_RESULT_FD.

It is started in the cell with `plan.json` and `calls.ndjson` beside it. Nothing that a result is compared with is in
there, and no code of the answer is ever run in this process: every call loads it anew, in a child that can neither open
the result of the job, nor trace or signal this process, nor read the calls that come after it. Of a child only one line
is taken, which is no more than the value that its code gave. What an attack came to is looked at from here, when all
processes of the call are gone.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import json
import math
import os
import re
import resource
import shutil
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

sys.path.append(os.getcwd())  # last, so that no file of the answer stands in for the library's
import gate_apart as apart  # type: ignore[import-not-found]
import gate_encoding as encoding  # type: ignore[import-not-found]
import gate_python as python_call  # type: ignore[import-not-found]
import gate_watching as watching  # type: ignore[import-not-found]

sys.path.pop()
RESULTS = int(os.environ.pop("GATE_RESULT_FD"))
os.set_inheritable(RESULTS, False)
_NO_PRELOAD = frozenset({"antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "test", "__main__"})
_PATIENCE = 2.0
_CLOCK = 0.7  # the counts of a process's time, of limits and of usage, are not the same
_OUT_OF_MEMORY = b"JavaScript heap out of memory"
_NEW = os.O_RDWR | os.O_CREAT | os.O_TRUNC
_BROKEN = re.compile(
    rb"^(?:\*\*\* (.+) \*\*\*: terminated"
    rb"|[^\n]*runtime error: (.+)"
    rb"|((?:malloc|free|realloc)\(\): .+|double free .+))$",
    re.MULTILINE,
)


def tell(record: Any) -> None:
    """Write one line to whoever started the cell."""
    line = encoding.as_line(record)
    while line:
        line = line[os.write(RESULTS, line) :]


def preload(plan: Any, calls: Any) -> None:
    """Import once what traps and code import of the library and of the packages, so that not each process has to."""
    texts = {text for call in calls for text in (call["trap"], call["look"], call["serve"], call["code"])}
    with contextlib.suppress(OSError, ValueError):
        texts.add(python_call.read(plan))
    names = {name for text in sorted(texts) for name in imported(text)}
    own = {name.partition(".")[0] for name in os.listdir(plan["home"])}
    for name in sorted(names):
        top = name.partition(".")[0]
        known = top not in own and (top in sys.stdlib_module_names or plan["paths"])
        if known and top not in _NO_PRELOAD and not top.startswith("gate"):
            with contextlib.suppress(BaseException):
                importlib.import_module(name)
    gc.freeze()


def imported(text: Any) -> Any:
    """Names of the modules that a text of Python imports; of JavaScript and of no code, nothing."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


class Child:
    """A process that does one call; it waits, with its trap laid, until it is let go."""

    def __init__(self, plan: Any, call: Any, shared: Any, ways: Any) -> None:
        self.source, self.into = os.pipe()
        self.gate_source, self.gate = os.pipe()
        self.ready, self.tells_ready = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            for one in (RESULTS, self.source, self.gate, self.ready, *shared):
                os.close(one)
            self._be(plan, call, ways)
        for one in (self.into, self.gate_source, self.tells_ready):
            os.close(one)

    def _be(self, plan: Any, call: Any, ways: Any) -> None:
        os.setsid()
        apart.leave()
        seconds = seconds_of(plan, call)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # no signal that it could handle comes first
        trap: Any = {}
        line = b"\n"
        if call is not None:
            try:
                trap = python_call.trapped(call, ways)
            except BaseException as error:
                line = f"{type(error).__name__}: {error}".replace("\n", " ").encode() + b"\n"
        os.write(self.tells_ready, line)
        os.close(self.tells_ready)
        os.read(self.gate_source, 1)
        os.close(self.gate_source)
        START[plan["how"]](plan, call, trap, self.into)
        os._exit(0)

    def laid(self) -> Any:
        """Wait until the trap is laid; why it could not be, or nothing."""
        parts = []
        while part := os.read(self.ready, 65_536):
            parts.append(part)
        os.close(self.ready)
        return b"".join(parts).decode("utf-8", "replace").strip()

    def let_go(self) -> None:
        """Let the answer's code be loaded."""
        with contextlib.suppress(OSError):
            os.write(self.gate, b"+")
        os.close(self.gate)


def as_command(plan: Any, call: Any, trap: Any, into: Any) -> None:
    """Become the program: what it reads and prints are files, and `into` is where a caller of functions tells."""
    place, kind = place_of(plan, call), call["kind"] if call else "load"
    if kind == "program":
        text, arguments = call["stdin"] or "", [str(one) for one in encoding.decode(call["args"])]
    else:
        given = call and {**call, "names": {**call["names"], **encoding.plain(trap)}}
        text, arguments = json.dumps({"plan": plan, "call": given}), [str(call["index"])] if call else []
    with open(f"{place}.in", "w", encoding="utf-8", newline="") as file:
        file.write(text)
    for number, (ending, flags) in enumerate((("in", os.O_RDONLY), ("out", _NEW), ("err", _NEW))):
        os.dup2(os.open(f"{place}.{ending}", flags, 0o600), number)
    for handle in (into, *(trap[name] for name in ("ask", "hear", "tap") if isinstance(trap.get(name), int))):
        os.set_inheritable(handle, True)
    os.environ.update(plan["environment"], GATE_RESULT_FD=str(into))
    command = plan["program"] if kind == "program" else plan["command"]
    try:
        os.execv(command[0], [*command, *arguments])  # noqa: S606
    except OSError as error:
        record = {"error": {"mro": ["OSError"], "message": str(error), "errno": error.errno, "frames": []}}
        os.write(into, encoding.as_line(record))


def place_of(plan: Any, call: Any) -> Any:
    """How the files of a call begin."""
    return os.path.join(plan["home"], f".call-{call['index'] if call else 'load'}")


START: Any = {"python": python_call.answer, "command": as_command}


def run(plan: Any, call: Any, shared: Any) -> Any:
    """One call; the record that tells of it. Without a call the code is loaded and nothing else."""
    folder = os.path.join(plan["home"], call["folder"]) if call else plan["home"]
    if call and call["folder"]:
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    tap = watching.Tap() if call and (call["tap"] or call["serve"]) else None
    server = watching.Server(call, tap) if call and call["serve"] else None
    ways = {"ask": server.ask, "hear": server.hear, "streams": server.streams} if server else {}
    ways = {"tap": tap.into} if tap and not server else ways
    begun = time.monotonic()
    child = Child(plan, call, [*shared, *([tap.source] if tap else [])], ways)
    if server:
        server.leave()
    elif tap:
        os.close(tap.into)
    failed = child.laid()
    watch = call["watch"] if call else ()
    events = None
    try:
        events = apart.Events(folder, watch) if watch else None
    except OSError as error:
        failed = failed or f"files can't be watched: {error}"
    before = watching.looked(call, folder) if call else None
    child.let_go()
    until = begun + plan["wall"] + plan["load_wall"] if call else math.inf
    text, ended = watching.follow(child.process, child.source, min(until, begun + 1e6), events, tap)
    os.close(child.source)
    alive = not ended
    watched = call is not None and bool(call["look"] or watch or tap)
    status, used, forced = watching.end_all(child.process, _PATIENCE if watched and ended else 0.0)
    record = {"trap": failed} if failed else told(plan, call, text, status, used, alive)
    if call is not None:
        seen = {"before": before, "after": watching.looked(call, folder)} if call["look"] else {}
        seen.update({"tapped": tap.close()} if tap else {})
        lost = (tap and tap.lost) or (watched and ended and forced)
        notes = [*(events.close() if events else ()), *([["lost", ""]] if lost else ())]
        seen.update({"events": notes} if notes else {})
        record = {**record, "watched": seen} if seen else record
    return {**record, "cpu": used, "wall": time.monotonic() - begun}


def seconds_of(plan: Any, call: Any) -> Any:
    """Processor seconds of a call, whole ones, beside those that loading takes."""
    return max(1, round(math.ceil((call and call["cpu"]) or plan["cpu"]) + plan["load_cpu"]))


def told(plan: Any, call: Any, text: Any, status: Any, used: Any, alive: Any) -> Any:
    """What a child's line, its end and the time that it took come to; its own word counts least."""
    died = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if alive or (died == signal.SIGKILL and used >= _CLOCK * seconds_of(plan, call)):
        return {"timeout": True}
    if plan["how"] == "command" and call is not None and call["kind"] == "program":
        return of_program(plan, call, status)
    found = encoding.line_of(text)
    if call is None:
        return {"load": found["load"] if isinstance(found.get("load"), dict) else {"died": 0}}
    if "value" in found:
        return {"value": found["value"]}
    if isinstance(found.get("error"), dict):
        return {"error": found["error"]}
    said = errors_of(plan, call)
    if _OUT_OF_MEMORY in said:
        return {"memory": True}
    broken = _BROKEN.search(said)
    told = next((one for one in broken.groups() if one), b"") if broken else b""
    return {"died": died, "sanitizer": told.decode("ascii", "replace")[:80]}


def of_program(plan: Any, call: Any, status: Any) -> Any:
    """What a program printed, and its exit code."""
    if os.WIFSIGNALED(status):
        return {"died": os.WTERMSIG(status)}
    printed = left(f"{place_of(plan, call)}.out", encoding.LONGEST // 2).decode("utf-8", "replace")
    return {"value": {"$program": [printed, os.WEXITSTATUS(status)]}}


def left(path: Any, size: Any) -> Any:
    """The begin of a file that code under test could replace: by a link into this process, or by one that blocks."""
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        return file.read(size) or b""


def errors_of(plan: Any, call: Any) -> Any:
    """What a program wrote to standard error, as far as it matters."""
    if plan["how"] != "command":
        return b""
    with contextlib.suppress(OSError):
        return left(f"{place_of(plan, call)}.err", 100_000)
    return b""


def begin() -> Any:
    """The plan, and the calls as a file without a name, which children close before anything else."""
    with open("plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    for name in plan.get("executable", ()):
        os.chmod(name, 0o700)
    handle = os.open("calls.ndjson", os.O_RDONLY | os.O_CLOEXEC)
    os.unlink("plan.json")
    os.unlink("calls.ndjson")
    home = os.getcwd()
    for name in ("command", "program"):
        plan[name] = [os.path.join(home, one[2:]) if one.startswith("./") else one for one in plan.get(name, ())]
    plan.update(home=home, file=os.path.abspath(plan["file"]), load_cpu=0.0, load_wall=0.0)
    sys.path.extend(plan.get("paths", ()))
    return plan, Calls(handle)


class Calls:
    """The calls, read one by one from a file without a name that children close before anything else: none of them
    has those that come after its own in its memory."""

    def __init__(self, handle: Any) -> None:
        self.handle, self.place = handle, 0

    def next(self) -> Any:
        """The next one, or nothing."""
        parts = []
        while part := os.pread(self.handle, 8_192, self.place):
            line, end, _ = part.partition(b"\n")
            parts.append(line)
            self.place += len(line) + len(end)
            if end:
                return json.loads(b"".join(parts))
        self.place = 0
        return None


def main() -> None:
    """Load, then one call after the other."""
    plan, calls = begin()
    apart.adopt()
    tell({"started": True})
    if plan["how"] == "python":
        preload(plan, iter(calls.next, None))
    shared = [calls.handle]
    if plan["load"]:
        found = run(plan, None, shared)
        why = found.get("load", {key: one for key, one in found.items() if key not in ("cpu", "wall")})
        if why:
            tell({"load": why})
            return
        plan.update(load_cpu=found["cpu"], load_wall=found["wall"])
    tell({"load": {}})
    over = set()
    while call := calls.next():
        if call["unless"] in over:
            tell({"index": call["index"], "skipped": True})
            continue
        tell({"index": call["index"], "begun": True})
        try:
            record = run(plan, call, shared)
        except OSError as error:
            record = {"error": {"mro": ["OSError"], "message": str(error), "errno": error.errno, "frames": []}}
        if "timeout" in record and call["unless"]:
            over.add(call["unless"])
        tell({"index": call["index"], **record})
    tell({"finished": True})


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)
