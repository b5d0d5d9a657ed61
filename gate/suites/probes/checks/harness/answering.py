"""The process of the code under test when tests are written for pytest: it answers calls, and nothing else.

Started by `test_process.py` with two pipes: requests come in on descriptor 0, replies go out on the one that its first
argument names. Both are lines of JSON. It holds no test and no expected value.
"""

from __future__ import annotations

import json
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

sys.path.append(os.getcwd())  # last, so that no file of the answer stands in for the library's
import gate_apart as apart  # type: ignore[import-not-found]
import gate_encoding as encoding  # type: ignore[import-not-found]
import gate_failure as failure  # type: ignore[import-not-found]

sys.path.pop()
_held: dict[int, Any] = {}
_FEW = (int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None))


class Channel:
    """Lines of JSON both ways; while a reply is awaited the other side may ask back."""

    def __init__(self, into: Any, out: Any) -> None:
        self._into = os.fdopen(into, "rb")
        self._out = out

    def read(self) -> Any:
        """The next message, or None at the end."""
        line = self._into.readline()
        return json.loads(line) if line else None

    def write(self, message: Any) -> None:
        """Send one message."""
        line = json.dumps(message).encode() + b"\n"
        while line:
            line = line[os.write(self._out, line) :]


def told(value: Any) -> Any:
    """A value for the other side; what is no plain value is held here and told by its number."""

    def hold(other: Any) -> Any:
        number = len(_held) + 1
        _held[number] = other
        kind = type(other)
        return {"$handle": number, "type": kind.__qualname__, "callable": callable(other)}

    return encoding.encode(value, 0, hold)


def given(value: Any, channel: Any) -> Any:
    """A value from the other side."""
    if isinstance(value, list):
        return [given(one, channel) for one in value]
    if isinstance(value, dict) and len(value) == 1:
        ((tag, inner),) = value.items()
        if tag == "$held":
            return _held[inner]
        if tag == "$callback":
            return _callback(inner, channel)
        if tag == "$tuple":
            return tuple(given(one, channel) for one in inner)
        if tag.startswith("$"):
            return encoding.decode(value)
    if isinstance(value, dict):
        return {key: given(one, channel) for key, one in value.items()}
    return value


def _callback(number: Any, channel: Any) -> Any:
    def ask(*arguments: Any, **named: Any) -> Any:
        channel.write(
            {
                "callback": number,
                "args": [told(one) for one in arguments],
                "kwargs": {k: told(v) for k, v in named.items()},
            }
        )
        reply = channel.read()
        while reply is not None and "op" in reply:
            answer(reply, channel)
            reply = channel.read()
        if reply is None:
            os._exit(0)
        if "raised" in reply:
            raise RuntimeError(reply["raised"])
        return given(reply["value"], channel)

    return ask


def described(module: Any) -> Any:
    """The names of the module, each with its kind, so that the other side can stand in for them."""
    names = {}
    for name, value in vars(module).items():
        if name.startswith("__"):
            continue
        if isinstance(value, type) and issubclass(value, BaseException):
            names[name] = {
                "kind": "exception",
                "bases": [one.__name__ for one in value.__mro__[1:]],
                "own": value.__qualname__,
            }
        elif isinstance(value, type):
            names[name] = {"kind": "class", "own": value.__qualname__, "held": told_handle(value)}
        elif isinstance(value, _FEW) and not callable(value):
            names[name] = {"kind": "value", "value": told(value)}
        elif not isinstance(value, types.ModuleType):
            names[name] = {"kind": "held", "held": told_handle(value)}
    return names


def told_handle(value: Any) -> Any:
    """The number under which something is held."""
    number = len(_held) + 1
    _held[number] = value
    return number


def perform(request: Any, channel: Any) -> Any:
    """One operation on something that is held."""
    thing, name = _held[request["on"]], request["op"]
    arguments = [given(one, channel) for one in request["args"]]
    named = {key: given(one, channel) for key, one in request["kwargs"].items()}
    if name == "call":
        found = thing(*arguments, **named)
    elif name == "get":
        found = getattr(thing, arguments[0])
    elif name == "set":
        setattr(thing, arguments[0], arguments[1])
        found = None
    else:
        found = getattr(thing, name)(*arguments, **named)
    if isinstance(found, types.CoroutineType):
        import asyncio

        found = asyncio.run(found)
    changed = [told(one) if isinstance(one, (list, dict, set, bytearray)) else None for one in arguments]
    return {"value": told(found), "changed": changed}


def answer(request: Any, channel: Any) -> None:
    """Carry out one request and send what came of it."""
    try:
        reply = perform(request, channel)
    except BaseException as error:
        reply = {"error": {"mro": [base.__name__ for base in type(error).__mro__][:20], "message": _text(error)}}
    channel.write(reply)


def _text(error: Any) -> Any:
    try:
        return str(error)[:1000]
    except Exception:
        return ""


def main() -> None:
    """Load the module, describe it, answer until the other side is gone."""
    out = int(sys.argv[1])
    os.set_inheritable(out, False)
    into = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    channel = Channel(into, out)
    first = channel.read()
    apart.leave()
    sys.path[:0] = [os.getcwd()]
    sys.path.extend(first["paths"])
    with open(first["file"], encoding="utf-8", newline="") as file:
        source = file.read()
    module = types.ModuleType(first["module"])
    module.__file__ = os.path.abspath(first["file"])
    sys.modules[first["module"]] = module
    try:
        exec(compile(source, module.__file__, "exec"), module.__dict__)  # noqa: S102
    except SyntaxError as error:
        channel.write({"load": {"syntax": str(error)}})
        return
    except BaseException as error:
        channel.write({"load": {"error": failure.about(error, first["module"], source)}})
        return
    channel.write({"load": {}, "names": described(module)})
    while (request := channel.read()) is not None:
        answer(request, channel)


if __name__ == "__main__":
    main()
    os._exit(0)
