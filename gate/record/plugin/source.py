"""Digest of what a stochastic test is: its function's source, its own parameters, and what its marker asks for.

A baseline keeps it, and starts to count anew when it is another one. Decorators are left out: the marker's parameters
count by themselves, and one more entry in a list of parameters must not make all others start anew.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import json
import textwrap
from typing import Any, Protocol

_BYTES = 8


class Deciding(Protocol):
    """What a marker asks for."""

    def deciding(self) -> dict[str, str]:
        """The parameters that decide, as JSON text by name."""


def fingerprint(item: Any, asked: Deciding) -> str:
    """16 hexadecimal digits; empty where the source is nowhere to be read."""
    owner = getattr(item, "cls", None)  # asking for a method itself could make an instance
    name = getattr(item, "originalname", "") or ""
    function = getattr(item, "obj", None) if owner is None else getattr(owner, name, None)
    source = "" if function is None else source_of(getattr(function, "__func__", function))
    if not source:
        return ""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    known = {name: value for name, value in sorted(parameters.items()) if _is_plain(value)}
    text = json.dumps([source, asked.deciding(), repr(known)])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()


@functools.lru_cache(maxsize=256)
def source_of(function: Any) -> str:
    """Source of a function from its `def` on, without indentation and empty lines; empty where there is none."""
    try:
        text = textwrap.dedent("".join(inspect.getsourcelines(function)[0]))
    except (OSError, TypeError, SyntaxError):
        return ""
    try:
        found = ast.parse(text).body[0]
    except (SyntaxError, ValueError, IndexError):
        found = None  # a part of an expression
    first = found.lineno - 1 if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) else 0
    return "\n".join(line.rstrip() for line in text.splitlines()[first:] if line.strip())


def _is_plain(value: object, depth: int = 3) -> bool:
    """Whether the text of a value is the same in every process: no address, no order of a set."""
    if value is None or type(value) in (bool, int, float, str, bytes):
        return True
    if type(value) in (list, tuple) and depth:
        return all(_is_plain(each, depth - 1) for each in value)  # type: ignore[attr-defined]
    if type(value) is dict and depth:
        return all(_is_plain(each, depth - 1) for pair in value.items() for each in pair)
    return False
