"""Whether code looks at who calls it: it could behave well while it is attacked, so nothing of it is called secure.

Ordinary work does not ask for the frames of its callers, for all objects of the process, or for where a function of the
library comes from. Code that hides such a question is not found here.
"""

from __future__ import annotations

import ast
import re

_NAMES = frozenset(
    {
        *("_getframe", "_current_frames", "_current_exceptions", "currentframe", "getouterframes", "getinnerframes"),
        *("extract_stack", "walk_stack", "f_back", "f_globals", "f_locals", "settrace", "setprofile"),
        *("get_objects", "get_referrers", "__globals__", "__closure__", "__code__", "co_filename"),
    }
)
_OF_MODULES = frozenset({("sys", "modules"), ("inspect", "stack"), ("inspect", "getsource"), ("inspect", "getfile")})
_TEXT = re.compile(r"^(?:gate_|GATE_|/proc/self/(?:mem|maps|fd|environ|task)|/proc/\d)")
_SCRIPT = re.compile(r"require\.cache|native code|prepareStackTrace|captureStackTrace|getBuiltinModule|GATE_")


def prying(source: str, language: str) -> str:
    """What in the code looks at who calls it, one line; empty where nothing does, or it can't be read."""
    if language in ("javascript", "typescript"):
        found = _SCRIPT.search(source)
        return f"it looks at who calls it: `{found[0]}`" if found else ""
    if language != "python":
        return ""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    told = next((what for node in nodes if (what := _pries(node))), "")
    return f"it looks at who calls it: {told}" if told else ""


def _pries(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        owner = node.value.id if isinstance(node.value, ast.Name) else ""
        of_function = node.attr == "__module__" and isinstance(node.value, ast.Attribute)
        if node.attr in _NAMES or (owner, node.attr) in _OF_MODULES or of_function:
            return f"line {node.lineno}, `{node.attr}`"
    elif isinstance(node, ast.ImportFrom) and node.module in ("sys", "inspect", "gc", "traceback"):
        for one in node.names:
            if one.name in _NAMES or (node.module, one.name) in _OF_MODULES:
                return f"line {node.lineno}, `{one.name}`"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _TEXT.match(node.value):
        return f"line {node.lineno}, {node.value[:40]!r}"
    return ""
