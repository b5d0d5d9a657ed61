"""Runs the tests of a probe against code that runs in another process, and writes one line a test to GATE_RESULT_FD.

The tests see a module that stands in for the answer's: its functions send a request and wait for the reply. The code
under test gets neither the tests nor this process's memory or descriptors: the tests are read and removed before it is
started, and it enters a domain from which this process can't be traced (`apart.py`). What it sends is plain data, so
that it can make a test fail, or pass by the right value; an object that it holds is equal to no plain value, whatever
it says itself.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import tempfile
import time
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

sys.path.append(os.getcwd())  # last, so that no file of the answer stands in for the library's
import gate_encoding as encoding  # type: ignore[import-not-found]
from gate_remote import Gone, Remote  # type: ignore[import-not-found]

sys.path.pop()
RESULTS = int(os.environ.pop("GATE_RESULT_FD"))
os.set_inheritable(RESULTS, False)


def tell(record: Any) -> None:
    """Write one line to whoever started the cell."""
    line = encoding.as_line(record)
    while line:
        line = line[os.write(RESULTS, line) :]


def _fixture(function: Any = None, **_options: Any) -> Any:
    """Our own: what it makes is made for each test that names it."""

    def mark(one: Any) -> Any:
        one._gate_fixture = True
        return one

    return mark(function) if function else mark


def tests_of(names: Any) -> Any:
    """(name, function, arguments) of every test: functions, methods of classes, and each row of `parametrize`."""
    found = []
    for name, value in list(names.items()):
        if name.startswith("test") and inspect.isfunction(value):
            found += _rows(name, value)
        elif name.startswith("Test") and inspect.isclass(value):
            for method, function in vars(value).items():
                if method.startswith("test") and inspect.isfunction(function):
                    found += [
                        (f"{name}.{one}", getattr(value(), method), row) for one, _, row in _rows(method, function)
                    ]
    return found


def _rows(name: Any, function: Any) -> Any:
    rows: list[Any] = [(name, {})]
    for mark in getattr(function, "pytestmark", ()):
        if mark.name == "parametrize":
            keys = mark.args[0]
            keys = [one.strip() for one in keys.split(",")] if isinstance(keys, str) else list(keys)
            sets = [getattr(one, "values", one) for one in mark.args[1]]
            sets = [
                one if len(keys) > 1 or (hasattr(raw, "values") and not isinstance(raw, dict)) else (one,)
                for one, raw in zip(sets, mark.args[1], strict=True)
            ]
            rows = [
                (
                    f"{label}[{index}]" if label == name else f"{label[:-1]}-{index}]",
                    {**given, **dict(zip(keys, row, strict=True))},
                )
                for label, given in rows
                for index, row in enumerate(sets)
            ]
    return [(label, function, row) for label, row in rows]


def arguments_of(function: Any, row: Any, names: Any) -> Any:
    """What a test is called with: its row, its fixtures, and `tmp_path`."""
    made, ends = {}, []
    for parameter in inspect.signature(function).parameters:
        if parameter in row:
            made[parameter] = row[parameter]
        elif parameter == "tmp_path":
            import pathlib

            made[parameter] = pathlib.Path(tempfile.mkdtemp(dir=os.getcwd()))
        elif getattr(names.get(parameter), "_gate_fixture", False):
            inner, more = arguments_of(names[parameter], row, names)
            value = names[parameter](**inner)
            if inspect.isgenerator(value):
                ends.append(value)
                value = next(value)
            made[parameter], ends = value, ends + more
        else:
            raise TypeError(f"there is no fixture `{parameter}`")
    return made, ends


def run_one(function: Any, row: Any, names: Any) -> Any:
    """The line of one test."""
    import _pytest.outcomes

    try:
        made, ends = arguments_of(function, row, names)
        found = function(**made)
        if isinstance(found, types.CoroutineType):
            import asyncio

            asyncio.run(found)
        for one in ends:
            next(one, None)
    except Gone:
        raise
    except _pytest.outcomes.Skipped as error:
        return {"skipped": str(error)[:200]}
    except (Exception, _pytest.outcomes.Failed, SystemExit) as error:
        line: Any = error.__traceback__
        while line.tb_next is not None and line.tb_next.tb_frame.f_code.co_filename == "<tests>":
            line = line.tb_next
        return {"failed": f"{type(error).__name__}: {error}"[:500], "at": line.tb_lineno}
    return {"passed": True}


def load(plan: Any, text: Any) -> Any:
    """The names of the tests' module, with the module of the answer standing in."""
    import pytest

    setattr(pytest, "fixture", _fixture)  # noqa: B010
    remote = Remote(plan)
    sys.modules[plan["module"]] = remote.module()
    names = {"__name__": "gate_tests", "pytest": pytest}
    exec(compile(text, "<tests>", "exec"), names)  # noqa: S102
    return remote, names


def main() -> None:
    """All tests, each with its own time; after one that took the other process with it, a new one."""
    with open("plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    os.unlink("plan.json")
    text = plan.pop("tests")
    sys.path.extend(plan["test_paths"])
    importlib.import_module("pytest")
    tell({"started": True})
    remote, number = None, 0
    try:
        remote, names = load(plan, text)
        todo = tests_of(names)
    except Gone as gone:
        tell({"load": gone.record.get("load", gone.record)})
        return
    except Exception as error:
        tell({"load": {"error": {"mro": [type(error).__name__], "message": str(error), "frames": []}}})
        return
    tell({"load": {}, "tests": [label for label, _, _ in todo]})
    while number < len(todo):
        label, function, row = todo[number]
        remote.until = time.monotonic() + plan["wall"]
        try:
            record = run_one(function, row, names)
        except Gone as gone:
            record = gone.record
        tell({"test": number, "name": label, **record})
        number += 1
        if remote.process.poll() is not None and number < len(todo):
            remote, names = load(plan, text)
            todo = tests_of(names)
    remote.stop()
    tell({"finished": True})


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)
