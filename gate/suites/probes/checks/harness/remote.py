"""Stand-ins for what another process holds; a part of `test_process.py`, and run in the cell like it.

What comes from there is plain data, or a number for something that is held. A held object is equal to no plain value,
whatever it says itself.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

import gate_encoding as encoding  # type: ignore[import-not-found]


class Gone(BaseException):
    """The code under test died, hangs, or could not be loaded."""

    def __init__(self, record: Any) -> None:
        super().__init__(str(record))
        self.record = record


class Remote:
    """The other process."""

    def __init__(self, plan: Any) -> None:
        self.plan = plan
        self.until = time.monotonic() + plan["wall"]
        self.callbacks: list[Any] = []
        source, out = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "gate_answering.py", str(out)],
            stdin=subprocess.PIPE,
            pass_fds=(out,),
            start_new_session=True,
        )
        os.close(out)
        self.requests: Any = self.process.stdin
        self.source, self.buffer = source, b""
        self.send({"file": plan["file"], "module": plan["module"], "paths": plan["paths"]})
        first = self.read()
        if first.get("load"):
            self.stop()
            raise Gone({"load": first["load"]})
        self.names = first.get("names", {})

    def send(self, message: Any) -> None:
        """Send one message."""
        try:
            self.requests.write(json.dumps(message).encode() + b"\n")
            self.requests.flush()
        except OSError:
            raise Gone({"died": 0}) from None

    def read(self) -> Any:
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

    def stop(self) -> None:
        """End it with all that it started."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def ask(self, on: Any, op: Any, arguments: Any = (), named: Any = None) -> Any:
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

    def called(self, request: Any) -> Any:
        """What a function of the tests gives that was passed as an argument."""
        try:
            function = self.callbacks[request["callback"]]
            named = {key: self.given(one) for key, one in request["kwargs"].items()}
            return {"value": self.told(function(*[self.given(one) for one in request["args"]], **named))}
        except Exception as error:
            return {"raised": f"{type(error).__name__}: {error}"}

    def told(self, value: Any) -> Any:
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
            return {"$held": getattr(value, "_remote_number")}  # noqa: B009
        if callable(value) and not isinstance(value, type):
            self.callbacks.append(value)
            return {"$callback": len(self.callbacks) - 1}
        return encoding.encode(value)

    def given(self, value: Any) -> Any:
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

    def exception(self, error: Any) -> Any:
        """A local exception for a remote one: the module's own class, else the nearest builtin."""
        mro = [str(one) for one in error.get("mro", [])]
        for name in mro:
            kind = self.exceptions.get(name) or getattr(builtins, name, None)
            if isinstance(kind, type) and issubclass(kind, Exception):
                return _made(kind, str(error.get("message", "")))
        return RuntimeError(f"{mro[0] if mro else 'error'}: {error.get('message', '')}")

    def module(self) -> Any:
        """The module that the tests import."""
        made = types.ModuleType(self.plan["module"])
        self.exceptions: dict[str, Any] = {}
        for name, about in self.names.items():
            kind = about.get("kind")
            value: Any
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


def _made(kind: Any, message: Any) -> Any:
    """An exception with a message, also of a class that is made with more than that (`UnicodeDecodeError`)."""
    try:
        return kind(message)
    except TypeError:
        made = kind.__new__(kind)
        made.args = (message,)
        return made


def _update(mine: Any, theirs: Any) -> None:
    """Bring a list, dict or set that was passed to the state that the call left it in."""
    if isinstance(mine, list) and isinstance(theirs, list) and mine != theirs:
        mine[:] = theirs
    elif isinstance(mine, (dict, set)) and type(mine) is type(theirs) and mine != theirs:
        mine.clear()
        mine.update(theirs)


class Held:
    """Something that the other process holds. Equal to nothing but what it holds as well."""

    def __init__(self, remote: Any, number: Any, kind: Any) -> None:
        object.__setattr__(self, "_remote", remote)
        object.__setattr__(self, "_number", number)
        object.__setattr__(self, "_kind", kind)

    def _ask(self, op: Any, *arguments: Any, **named: Any) -> Any:
        remote = object.__getattribute__(self, "_remote")
        return remote.ask(object.__getattribute__(self, "_number"), op, arguments, named)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._ask("call", *arguments, **named)

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._ask("get", name)

    def __setattr__(self, name: Any, value: Any) -> None:
        self._ask("set", name, value)

    def __eq__(self, other: Any) -> Any:
        return self._ask("__eq__", other) is True if isinstance(other, Held) else NotImplemented

    def __hash__(self) -> Any:
        found = self._ask("__hash__")
        return found if isinstance(found, int) else 0

    def __bool__(self) -> Any:
        try:
            return self._ask("__bool__") is not False
        except AttributeError:
            return True

    def __iter__(self) -> Any:
        found = self._ask("__iter__")
        return found if isinstance(found, Held) else iter(found)

    def __next__(self) -> Any:
        return self._ask("__next__")

    def __enter__(self) -> Any:
        return self._ask("__enter__")

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        return bool(self._ask("__exit__", None, None, None)) and kind is None

    def __repr__(self) -> Any:
        found = self._ask("__repr__")
        return found if isinstance(found, str) else object.__repr__(self)

    def __str__(self) -> Any:
        found = self._ask("__str__")
        return found if isinstance(found, str) else object.__repr__(self)


def _forward(name: Any) -> Any:
    def method(self: Any, *arguments: Any) -> Any:
        if name in ("__lt__", "__le__", "__gt__", "__ge__") and not isinstance(arguments[0], Held):
            return NotImplemented
        try:
            return self._ask(name, *arguments)
        except AttributeError as error:
            raise TypeError(str(error)) from None

    return method


for _name in [
    "__len__",
    "__getitem__",
    "__setitem__",
    "__delitem__",
    "__contains__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__add__",
    "__sub__",
    "__mul__",
]:
    setattr(Held, _name, _forward(_name))


def _class(remote: Any, number: Any, name: Any) -> Any:
    class Meta(type):
        def __call__(cls: Any, *arguments: Any, **named: Any) -> Any:
            return remote.ask(number, "call", arguments, named)

        def __instancecheck__(cls: Any, thing: Any) -> Any:
            return isinstance(thing, Held) and object.__getattribute__(thing, "_kind") == name

        def __getattr__(cls: Any, attribute: Any) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            return remote.ask(number, "get", (attribute,))

    return Meta(name, (), {"_remote_number": number})
