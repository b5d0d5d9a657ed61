"""Runs a program once for each call, and writes what it printed, or what it told of a function, to GATE_RESULT_FD.

The counterpart of `python_runner.py` for languages whose code is a program: the same plan, with `command`, and the same
lines. A program that calls one function finds its number in the last argument and a descriptor for one line of JSON in
GATE_RESULT_FD.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

sys.path.insert(0, os.getcwd())
import gate_encoding as encoding  # type: ignore[import-not-found]

sys.path.pop(0)
RESULTS = int(os.environ.pop("GATE_RESULT_FD"))
os.set_inheritable(RESULTS, False)


def tell(record: Any) -> None:
    """Write one line to whoever started the cell."""
    line = encoding.as_line(record)
    while line:
        line = line[os.write(RESULTS, line) :]


def ended(child: Any, wall: Any) -> Any:
    """Wait for a process without polling; false when its time was over."""
    watch = os.pidfd_open(child.pid)
    try:
        return bool(select.select([watch], [], [], wall)[0])
    finally:
        os.close(watch)


def stop(child: Any) -> Any:
    """End a program and all that it started in its group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except OSError:
        child.kill()
    return child.wait()


def run(plan: Any, call: Any) -> Any:
    """One start of the program."""
    place = f".call-{call['index']}"
    with open(f"{place}.in", "w", encoding="utf-8", newline="") as file:
        file.write(call["stdin"] or "")
    arguments = [str(call["index"])] if call["kind"] == "call" else [str(one) for one in encoding.decode(call["args"])]
    source, into = os.pipe()
    with open(f"{place}.in", "rb") as given, open(f"{place}.out", "wb") as out, open(f"{place}.err", "wb") as err:
        child = subprocess.Popen(
            [*plan["command"], *arguments],
            stdin=given,
            stdout=out,
            stderr=err,
            pass_fds=(into,),
            env={**os.environ, "GATE_RESULT_FD": str(into)},
            start_new_session=True,
        )
    os.close(into)
    in_time = ended(child, plan["wall"])
    code = child.wait() if in_time else stop(child)
    os.set_blocking(source, False)
    try:
        line = os.read(source, 1_000_000)
    except BlockingIOError:
        line = b""
    os.close(source)
    if not in_time:
        return {"timeout": True}
    if code < 0:
        return {"died": -code}
    if call["kind"] == "call":
        return as_result(line)
    with open(f"{place}.out", "rb") as file:
        return {"value": {"$program": [file.read(encoding.LONGEST // 2).decode("utf-8", "replace"), code]}}


def as_result(line: Any) -> Any:
    """What a function returned, by the line that its caller wrote."""
    try:
        return {"value": json.loads(line)["value"]}
    except (ValueError, KeyError, TypeError):
        return {"died": 0}


def main() -> None:
    """One call after the other."""
    with open("plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    for name in plan.get("remove", ()):
        os.unlink(name)
    for name in plan.get("executable", ()):
        os.chmod(name, 0o700)
    tell({"started": True, "load": {}})
    for call in plan["calls"]:
        tell({"index": call["index"], "begun": True})
        try:
            record = run(plan, call)
        except OSError as error:
            record = {"error": {"mro": ["OSError"], "message": str(error), "errno": error.errno, "frames": []}}
        tell({"index": call["index"], **record})
    tell({"finished": True})


if __name__ == "__main__":
    main()
