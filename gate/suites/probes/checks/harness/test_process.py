"""Runs the tests of a probe against code that runs in another process, and writes one line a test to GATE_RESULT_FD.

The tests see a module that stands in for the answer's: its functions send a request and wait for the reply. The code
under test gets neither the tests nor this process's memory or descriptors: the tests are read and removed before it is
started, and this process can't be traced. What it sends is plain data, so that it can make a test fail, or pass by the
right value; an object that it holds is equal to no plain value, whatever it says itself.
"""

import builtins
import ctypes
import importlib
import inspect
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import types

sys.path.insert(0, os.getcwd())
import gate_encoding as encoding

sys.path.pop(0)
RESULTS = int(os.environ.pop("GATE_RESULT_FD"))
os.set_inheritable(RESULTS, False)
_PR_SET_DUMPABLE = 4


class Gone(BaseException):
    """The code under test died, hangs, or could not be loaded."""

    def __init__(self, record):
        super().__init__(str(record))
        self.record = record


def tell(record):
    """Write one line to whoever started the cell."""
    line = encoding.as_line(record)
    while line:
        line = line[os.write(RESULTS, line) :]


class Remote:
    """The other process."""

    def __init__(self, plan):
        self.plan = plan
        self.until = time.monotonic() + plan["wall"]
        self.callbacks = []
        source, out = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "gate_answering.py", str(out)],
            stdin=subprocess.PIPE,
            pass_fds=(out,),
            start_new_session=True,
        )
        os.close(out)
        self.source, self.buffer = source, b""
        self.send({"file": plan["file"], "module": plan["module"], "paths": plan["paths"]})
        first = self.read()
        if first.get("load"):
            self.stop()
            raise Gone({"load": first["load"]})
        self.names = first.get("names", {})

    def send(self, message):
        """Send one message."""
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise Gone({"died": 0}) from None

    def read(self):
        """The next message; `Gone` when there is none in time."""
        while b"\n" not in self.buffer:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([self.source], [], [], left)[0]:
                self.stop()
                raise Gone({"timeout": True})
            part = os.read(self.source, 65_536)
            if not part:
                self.stop()
                raise Gone({"died": 0})
            self.buffer += part
            if len(self.buffer) > 8_000_000:
                self.stop()
                raise Gone({"died": 0})
        line, _, self.buffer = self.buffer.partition(b"\n")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self.stop()
            raise Gone({"died": 0})
        return message

    def stop(self):
        """End it with all that it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:
            pass
        self.process.wait()

    def ask(self, on, op, arguments=(), named=None):
        """One operation; serves what it asks back until the reply is there."""
        named = named or {}
        message = {"on": on, "op": op, "args": [self.told(one) for one in arguments]}
        self.send({**message, "kwargs": {key: self.told(one) for key, one in named.items()}})
        reply = self.read()
        while "callback" in reply:
            self.send(self.called(reply))
            reply = self.read()
        if "error" in reply:
            raise self.exception(reply["error"])
        for one, changed in zip(arguments, reply.get("changed") or (), strict=False):
            _update(one, self.given(changed) if changed is not None else None)
        return self.given(reply.get("value"))

    def called(self, request):
        """What a function of the tests gives that was passed as an argument."""
        try:
            function = self.callbacks[request["callback"]]
            named = {key: self.given(one) for key, one in request["kwargs"].items()}
            return {"value": self.told(function(*[self.given(one) for one in request["args"]], **named))}
        except Exception as error:
            return {"raised": f"{type(error).__name__}: {error}"}

    def told(self, value):
        """A value for the other side."""
        if isinstance(value, Held):
            return {"$held": object.__getattribute__(value, "_number")}
        if isinstance(value, list):
            return [self.told(one) for one in value]
        if isinstance(value, tuple):
            return {"$tuple": [self.told(one) for one in value]}
        if isinstance(value, dict) and all(isinstance(key, str) and key[:1] != "$" for key in value):
            return {key: self.told(one) for key, one in value.items()}
        if isinstance(value, type) and getattr(value, "_remote_number", None):
            return {"$held": value._remote_number}
        if callable(value) and not isinstance(value, type):
            self.callbacks.append(value)
            return {"$callback": len(self.callbacks) - 1}
        return encoding.encode(value)

    def given(self, value):
        """A value from the other side: plain data, or something that is held there."""
        if isinstance(value, list):
            return [self.given(one) for one in value]
        if isinstance(value, dict):
            if isinstance(value.get("$handle"), int):
                return Held(self, value["$handle"], str(value.get("type", "object")))
            if set(value) == {"$tuple"} and isinstance(value["$tuple"], list):
                return tuple(self.given(one) for one in value["$tuple"])
            if len(value) == 1 and next(iter(value)).startswith("$"):
                return encoding.decode(value)
            return {key: self.given(one) for key, one in value.items()}
        return value

    def exception(self, error):
        """A local exception for a remote one: the module's own class, else the nearest builtin."""
        mro = [str(one) for one in error.get("mro", [])]
        for name in mro:
            kind = self.exceptions.get(name) or getattr(builtins, name, None)
            if isinstance(kind, type) and issubclass(kind, Exception):
                return kind(str(error.get("message", "")))
        return RuntimeError(f"{mro[0] if mro else 'error'}: {error.get('message', '')}")

    def module(self):
        """The module that the tests import."""
        made = types.ModuleType(self.plan["module"])
        self.exceptions = {}
        for name, about in self.names.items():
            kind = about.get("kind")
            if kind == "exception":
                base = next(
                    (
                        getattr(builtins, one)
                        for one in about["bases"]
                        if isinstance(getattr(builtins, one, None), type)
                    ),
                    Exception,
                )
                base = next((self.exceptions[one] for one in about["bases"] if one in self.exceptions), base)
                value = self.exceptions[about["own"]] = type(
                    name, (base if issubclass(base, Exception) else Exception,), {}
                )
            elif kind == "class":
                value = _class(self, about["held"], str(about["own"]))
            elif kind == "value":
                value = self.given(about["value"])
            else:
                value = Held(self, about["held"], "function")
            setattr(made, name, value)
        return made


def _update(mine, theirs):
    """Bring a list, dict or set that was passed to the state that the call left it in."""
    if isinstance(mine, list) and isinstance(theirs, list) and mine != theirs:
        mine[:] = theirs
    elif isinstance(mine, (dict, set)) and type(mine) is type(theirs) and mine != theirs:
        mine.clear()
        mine.update(theirs)


class Held:
    """Something that the other process holds. Equal to nothing but what it holds as well."""

    def __init__(self, remote, number, kind):
        object.__setattr__(self, "_remote", remote)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_kind", kind)

    def _ask(self, op, *arguments, **named):
        remote = object.__getattribute__(self, "_remote")
        return remote.ask(object.__getattribute__(self, "_number"), op, arguments, named)

    def __call__(self, *arguments, **named):
        return self._ask("call", *arguments, **named)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._ask("get", name)

    def __setattr__(self, name, value):
        self._ask("set", name, value)

    def __eq__(self, other):
        return self._ask("__eq__", other) is True if isinstance(other, Held) else NotImplemented

    def __hash__(self):
        found = self._ask("__hash__")
        return found if isinstance(found, int) else 0

    def __bool__(self):
        try:
            return self._ask("__bool__") is not False
        except AttributeError:
            return True

    def __iter__(self):
        found = self._ask("__iter__")
        return found if isinstance(found, Held) else iter(found)

    def __next__(self):
        return self._ask("__next__")

    def __enter__(self):
        return self._ask("__enter__")

    def __exit__(self, kind, error, trace):
        return bool(self._ask("__exit__", None, None, None)) and kind is None

    def __repr__(self):
        found = self._ask("__repr__")
        return found if isinstance(found, str) else object.__repr__(self)

    def __str__(self):
        found = self._ask("__str__")
        return found if isinstance(found, str) else object.__repr__(self)


def _forward(name):
    def method(self, *arguments):
        if name in ("__lt__", "__le__", "__gt__", "__ge__") and not isinstance(arguments[0], Held):
            return NotImplemented
        try:
            return self._ask(name, *arguments)
        except AttributeError as error:
            raise TypeError(str(error)) from None

    return method


for _name in ["__len__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__lt__", "__le__", "__gt__", "__ge__", "__add__", "__sub__", "__mul__"]:
    setattr(Held, _name, _forward(_name))


def _class(remote, number, name):
    class Meta(type):
        def __call__(cls, *arguments, **named):
            return remote.ask(number, "call", arguments, named)

        def __instancecheck__(cls, thing):
            return isinstance(thing, Held) and object.__getattribute__(thing, "_kind") == name

        def __getattr__(cls, attribute):
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            return remote.ask(number, "get", (attribute,))

    return Meta(name, (), {"_remote_number": number})


def _fixture(function=None, **_options):
    """Our own: what it makes is made for each test that names it."""

    def mark(one):
        one._gate_fixture = True
        return one

    return mark(function) if function else mark


def tests_of(names):
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


def _rows(name, function):
    rows = [(name, {})]
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


def arguments_of(function, row, names):
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


def run_one(function, row, names):
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
        line = error.__traceback__
        while line.tb_next is not None and line.tb_next.tb_frame.f_code.co_filename == "<tests>":
            line = line.tb_next
        return {"failed": f"{type(error).__name__}: {error}"[:500], "at": line.tb_lineno}
    return {"passed": True}


def load(plan, text):
    """The names of the tests' module, with the module of the answer standing in."""
    import pytest

    pytest.fixture = _fixture
    remote = Remote(plan)
    sys.modules[plan["module"]] = remote.module()
    names = {"__name__": "gate_tests", "pytest": pytest}
    exec(compile(text, "<tests>", "exec"), names)  # noqa: S102
    return remote, names


def main():
    """All tests, each with its own time; after one that took the other process with it, a new one."""
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    with open("plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    os.unlink("plan.json")
    text = plan.pop("tests")
    sys.path.extend(plan["test_paths"])
    importlib.import_module("pytest")
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
