"""An exception as facts: its classes, where it was raised, and which object lacked what; runs in the cell."""

from __future__ import annotations

import ast
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_FRAMES = 12
_ROOT = os.getcwd() + "/"  # of this run alone, so it is taken out of every text


def about(error: Any, module_name: Any, source: Any, own_names: Any = ()) -> Any:
    """Facts of an exception, as JSON; strings are capped.

    Args:
        error: any exception.
        module_name: of the answer's module: its file's frames are its own.
        source: text of that module.
        own_names: relative paths of all files that belong to the answer.
    """
    own_file = getattr(sys.modules.get(module_name), "__file__", None)
    own_files = {own_file, *(_ROOT + name for name in own_names)}
    frames, last_own = [], None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        own = code.co_filename in own_files
        if own:
            last_own = trace
        if code.co_filename != __file__ and not code.co_filename.endswith("gate_runner.py"):
            frames.append({"own": own, "name": code.co_name[:100], "line": trace.tb_lineno, "file": _short(code)})
        trace = trace.tb_next
    found = {
        "mro": [base.__name__ for base in type(error).__mro__ if base is not object][:20],
        "module": type(error).__module__,
        "message": _text(error),
        "frames": frames[-_MOST_FRAMES:],
    }
    if isinstance(error, OSError) and isinstance(error.errno, int):
        found["errno"] = error.errno
    for attribute in ("name", "name_from"):
        value = getattr(error, attribute, None)
        if isinstance(value, str):
            found[attribute] = value[:200]
    if isinstance(error, AttributeError) and getattr(error, "obj", None) is not None:
        found["object"] = _object(error.obj)
    if last_own is not None:
        file = last_own.tb_frame.f_code.co_filename
        found.update(_at(last_own, source if file == own_file else _read(file)))
    return found


def _read(file: Any) -> Any:
    try:
        with open(file, encoding="utf-8", newline="") as opened:
            return opened.read(1_000_000)
    except (OSError, ValueError):
        return ""


def _short(code: Any) -> Any:
    return code.co_filename.replace(_ROOT, "")[-200:]


def _text(error: Any) -> Any:
    try:
        return str(error).replace(_ROOT, "")[:1000]
    except Exception:
        return ""


def _object(thing: Any) -> Any:
    import types

    if isinstance(thing, types.ModuleType):
        return {"kind": "module", "name": getattr(thing, "__name__", "")[:200]}
    kind = thing if isinstance(thing, type) else type(thing)
    bases = [f"{base.__module__}.{base.__qualname__}"[:200] for base in kind.__mro__[:20]]
    return {"kind": "class" if kind is thing else "instance", "name": bases[0], "bases": bases}


def _at(trace: Any, source: Any) -> Any:
    """The call or attribute in the answer's own line that was being evaluated, and what it belongs to."""
    code, line = trace.tb_frame.f_code, trace.tb_lineno
    found = {"line": line}
    try:
        place = list(code.co_positions())[trace.tb_lasti // 2]
        tree = ast.parse(source)
    except (AttributeError, IndexError, SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for node in ast.walk(tree):
        if not isinstance(node, (ast.expr, ast.stmt)):
            continue
        if (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) != place:
            continue
        if isinstance(node, ast.Call):
            found["callee"] = _callee(node.func, trace.tb_frame)
            found["keywords"] = [one.arg for one in node.keywords if one.arg]
            break
        if isinstance(node, ast.Attribute):
            found["attribute"] = node.attr
            owner = _resolve(node.value, trace.tb_frame)
            if owner is not None:
                found["owner"] = _object(owner)
            break
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found["import"] = True
            break
    return found


def _callee(node: Any, frame: Any) -> Any:
    thing = _resolve(node, frame)
    if thing is None:
        return {"text": ast.unparse(node)[:200]}
    owner = getattr(thing, "__self__", None)
    module = getattr(thing, "__module__", None)
    if module is None and owner is not None:
        kind = owner if isinstance(owner, type) else type(owner)
        module = getattr(owner, "__name__", "") if type(owner).__name__ == "module" else kind.__module__
    return {"text": ast.unparse(node)[:200], "module": str(module or "builtins")[:200]}


def _resolve(node: Any, frame: Any) -> Any:
    """The object that a plain dotted name stands for, or None."""
    if isinstance(node, ast.Name):
        for names in (frame.f_locals, frame.f_globals, frame.f_builtins):
            if node.id in names:
                return names[node.id]
        return None
    if isinstance(node, ast.Attribute):
        owner = _resolve(node.value, frame)
        try:
            return None if owner is None else getattr(owner, node.attr)
        except Exception:
            return None
    return None
