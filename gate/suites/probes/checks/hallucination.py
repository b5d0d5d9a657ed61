"""Invented names: what the answer's code calls and imports that does not exist where it is to run.

Two sources. The exception of a run says which object lacked what: an attribute of a module or of a library's class, a
keyword or a number of arguments at the answer's own call into a library, an import of what the probe's environment has
not, a function that nothing defines. And `ty`, a type checker, reads the branches that did not run; its word counts for
modules and names alone, since types of values are inferred.

Ordinary bugs are none: what the answer's own classes lack, `None` in the place of a match, a method of another builtin
type, a misspelt variable, a forgotten import of a real module, an import under `try`.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from gate.suites.probes.checks.calls import Call, Outcome, Raised, Status
from gate.suites.probes.checks.ty_check import Told, ty_findings
from gate.suites.probes.extract import Code
from gate.suites.probes.probe import HallucinationPart

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell

_ARITY = re.compile(
    r"got an unexpected keyword argument|is an invalid keyword argument|takes no (?:keyword )?arguments"
    r"|positional arguments? but|takes (?:exactly|at least|at most|from)? ?\w* ?(?:positional )?arguments?"
    r"|missing \d+ required|expected (?:at least|at most|exactly)? ?\d+ arguments?|got multiple values for"
    r"|missing required argument|required argument|unexpected keyword|keyword arguments? .* not"
)
_MOST_FILES = 20
_BUILTIN_TYPES = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, range, memoryview)


@dataclass(frozen=True, slots=True)
class Invented:
    """One name that does not exist; `told` is one line for people."""

    name: str
    told: str
    line: int = 0


def call_of(part: HallucinationPart, language: str) -> Call:
    """What exercises the answer; without `run` the import of it alone."""
    return Call("code", code=part.run or ("None" if language == "python" else "null"))


def at_run_time(outcomes: Sequence[Outcome], code: Code) -> tuple[Invented, ...]:
    """What the exceptions of some calls show, each name once."""
    found: dict[str, Invented] = {}
    for outcome in outcomes:
        if outcome.raised is not None and outcome.status is Status.RAISED:
            one = _from_exception(outcome.raised, code)
            if one is not None:
                found.setdefault(one.name, one)
    return tuple(found.values())


def _from_exception(raised: Raised, code: Code) -> Invented | None:
    facts, names = raised.facts, raised.mro
    if code.language != "python":
        return _from_javascript(raised, code)
    if not any(frame.get("own") for frame in _frames(facts)):
        return None
    line = facts.get("line") if isinstance(facts.get("line"), int) else 0
    line = int(line or 0)
    if "ImportError" in names:
        return _import(raised, facts, line)
    if "AttributeError" in names:
        return _attribute(raised, facts, line, _own(code))
    if "UnboundLocalError" in names:
        return None
    if "NameError" in names:
        return _name(raised, facts, code, line)
    if "TypeError" in names:
        return _arity(raised, facts, code, line)
    return None


def _frames(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    frames = facts.get("frames")
    return [one for one in frames if isinstance(one, dict)] if isinstance(frames, list) else []


def _at_own_line(facts: Mapping[str, Any]) -> bool:
    """Whether it was raised in the answer's own code, or in the `__getattr__` that it reached from there."""
    frames = _frames(facts)
    while frames and frames[-1].get("name") in ("__getattr__", "__getattribute__", "_raise_attribute_error"):
        frames = frames[:-1]
    return bool(frames) and bool(frames[-1].get("own"))


def _import(raised: Raised, facts: Mapping[str, Any], line: int) -> Invented | None:
    if not facts.get("import"):
        return None
    name = facts.get("name")
    return Invented(str(name or raised.message), raised.shown, line)


def _attribute(raised: Raised, facts: Mapping[str, Any], line: int, own: frozenset[str]) -> Invented | None:
    if not _at_own_line(facts):
        return None
    thing = facts.get("owner") or facts.get("object")
    if not isinstance(thing, dict):
        return None
    owner, name = str(thing.get("name", "")), str(facts.get("name") or facts.get("attribute") or "")
    if thing.get("kind") == "module":
        if owner.split(".", maxsplit=1)[0] in own:
            return None
        return Invented(f"{owner}.{name}", raised.shown, line)
    module = owner.rpartition(".")[0]
    bases = thing.get("bases") if isinstance(thing.get("bases"), list) else []
    if module.split(".")[0] in own or owner in ("builtins.NoneType", "builtins.function", "builtins.object"):
        return None
    if module == "builtins":
        known = any(hasattr(kind, name) for kind in _BUILTIN_TYPES)
        return None if known else Invented(f"{owner.removeprefix('builtins.')}.{name}", raised.shown, line)
    if any(str(base).split(".")[0] in own for base in bases or ()):
        return None
    return Invented(f"{owner}.{name}", raised.shown, line)


def _own(code: Code) -> frozenset[str]:
    """Top-level names of modules that belong to the answer or to the probe, and to no library."""
    files = (code.file, *code.files)
    stems = {name.rsplit("/", 1)[-1].removesuffix(".py").replace("-", "_") for name in files if name.endswith(".py")}
    folders = {name.split("/")[0] for name in files if "/" in name and name.endswith(".py")}
    return frozenset({"solution", "__main__", "gate_call", *stems, *folders})


def _name(raised: Raised, facts: Mapping[str, Any], code: Code, line: int) -> Invented | None:
    name = str(facts.get("name") or "")
    whole = "\n".join(text for _, text in code.parts)
    return Invented(name, raised.shown, line) if _at_own_line(facts) and _is_invented(name, whole) else None


def _is_invented(name: str, text: str) -> bool:
    """Whether a name is used as a function and nothing defines it: no typing error, no import that was forgotten."""
    if not name or name in sys.stdlib_module_names or name in _stdlib_names() or not _is_called(name, text):
        return False
    defined = _defined(text)
    return name not in defined and not difflib.get_close_matches(name, defined, n=1, cutoff=0.8)


@cache
def _stdlib_names() -> frozenset[str]:
    """Names that a forgotten `from ... import` of the standard library would have brought."""
    import collections
    import dataclasses
    import datetime
    import functools
    import itertools
    import math
    import typing

    modules = (typing, collections, dataclasses, functools, itertools, math, datetime)
    return frozenset(
        name
        for module in modules
        for name in (*getattr(module, "__all__", ()), *vars(module))
        if not name.startswith("_")
    ) | {"Path", "Decimal", "Fraction", "Enum", "StringIO", "BytesIO", "pprint", "np", "pd", "plt"}


def _defined(text: str) -> set[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
    return names


def _is_called(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}\s*[(.]|@{re.escape(name)}\b", text) is not None


def _arity(raised: Raised, facts: Mapping[str, Any], code: Code, line: int) -> Invented | None:
    callee = facts.get("callee")
    if not isinstance(callee, dict) or not _ARITY.search(raised.message):
        return None
    module = str(callee.get("module", ""))
    if not module or module.split(".", maxsplit=1)[0] in _own(code):
        return None
    blamed = re.match(r"([\w.<>]+)\(\)", raised.message)  # a function of the answer's own that a library calls back
    if blamed and (
        "<" in blamed[1] or re.search(rf"\b(?:def|class) {re.escape(blamed[1].split('.')[0])}\b", code.text)
    ):
        return None
    if not _at_own_line(facts):
        given = facts.get("keywords")
        said = re.search(r"keyword argument '?(\w+)'?", raised.message)
        if not said or said[1] not in (given if isinstance(given, list) else []):
            return None
    return Invented(f"{callee.get('text', '')}()", raised.shown, line)


def _from_javascript(raised: Raised, code: Code) -> Invented | None:
    """`x.y is not a function` for a global or an imported module, a module that is not there, a function of no one."""
    found = re.match(
        r"(?:\(intermediate value\)\S*|([\w$.]+)(?:\(\.\.\.\)\S*)?) is not a (?:function|constructor)", raised.message
    )
    name = re.search(r"\.([\w$]+) is not a (?:function|constructor)", raised.message)
    if (
        name
        and raised.facts.get("builtin") is False
        and not re.search(rf"\b{re.escape(name[1])}\s*(?:\([^)]*\)\s*\{{|[:=])", code.text)
    ):
        return Invented(name[1], raised.shown)
    if found and found[1] and "." in found[1]:
        head = found[1].split(".")[0]
        imported = re.search(rf"\b(?:require\(|from\s)[^;\n]*|\bimport\b[^;\n]*\b{re.escape(head)}\b", code.text)
        if head in _JS_GLOBALS or (
            imported and re.search(rf"\b{re.escape(head)}\b[^;\n]*(?:require\(|from\s)", code.text)
        ):
            return Invented(found[1], raised.shown)
    if raised.facts.get("code") in ("MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"):
        return Invented(raised.message.split("\n")[0][:100], raised.shown.split("\n")[0])
    missing = re.match(r"([\w$]+) is not defined$", raised.message)
    if missing and re.search(rf"(?<![\w$.]){re.escape(missing[1])}\s*\(", code.text):
        return Invented(missing[1], raised.shown)
    if "does not provide an export named" in raised.message:
        return Invented(raised.message[:100], raised.shown)
    return None


_JS_GLOBALS = frozenset("Array Object String Number Math JSON Promise Date RegExp Map Set Symbol Reflect".split())  # noqa: SIM905


def by_reading(code: Code, cell: Cell, packages: tuple[str, ...]) -> tuple[Invented, ...]:
    """Imports outside of the environment, and names that `ty` does not find; `NotReadError` where it can't read it."""
    if code.language != "python":
        return ()
    found: dict[str, Invented] = {}
    for name, text in code.parts[:_MOST_FILES]:
        others = {other: one for other, one in {**code.files, code.file: code.text}.items() if other != name}
        for one in _in_file(replace(code, text=text, file=name, files=others), cell, packages):
            found.setdefault(one.name, one)
    return tuple(found.values())


def _in_file(code: Code, cell: Cell, packages: tuple[str, ...]) -> tuple[Invented, ...]:
    try:
        tree = ast.parse(code.text)
        guarded = _guarded_lines(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    known = sys.stdlib_module_names | _own(code) | _importable(packages)
    found: dict[str, Invented] = {}
    for name, line in _imports(tree):
        if line not in guarded and name.split(".")[0] not in known:
            found.setdefault(name, Invented(name, f"ModuleNotFoundError: `{name}` is not in the environment", line))
    for told in ty_findings(code, cell, packages):
        if told.line not in guarded and _counts(told, code, known):
            found.setdefault(told.name, Invented(told.name, told.message, told.line))
    return tuple(found.values())


def _imports(tree: ast.Module) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(one.name, node.lineno) for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append((node.module, node.lineno))
    return found


_ASKED = r"hasattr|TYPE_CHECKING|version_info|find_spec|sys\.platform|os\.name"


def _guarded_lines(tree: ast.Module) -> set[int]:
    """Lines under `try` with a handler for what is missing, `hasattr`, `TYPE_CHECKING` or a question of version."""
    found: set[int] = set()
    for node in ast.walk(tree):
        covered: list[ast.stmt] = []
        if isinstance(node, ast.Try):
            caught = " ".join(ast.unparse(one.type) if one.type else "Exception" for one in node.handlers)
            if re.search(
                r"ImportError|ModuleNotFoundError|AttributeError|NameError|\bException\b|BaseException", caught
            ):
                covered = [*node.body, *(one for handler in node.handlers for one in handler.body)]
        elif isinstance(node, ast.If) and re.search(_ASKED, ast.unparse(node.test)):
            covered = [*node.body, *node.orelse]
        for one in covered:
            found.update(range(one.lineno, (one.end_lineno or one.lineno) + 1))
    return found


@cache
def _importable(packages: tuple[str, ...]) -> frozenset[str]:
    """Top-level names that the distributions of a probe bring, with those that they need."""
    from importlib import metadata

    of_distribution: dict[str, set[str]] = {}
    for name, distributions in metadata.packages_distributions().items():
        for one in distributions:
            of_distribution.setdefault(_canonical(one), set()).add(name)
    found: set[str] = set()
    todo, seen = [_canonical(one) for one in packages], set()
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        found |= of_distribution.get(one, set())
        try:
            needs = metadata.requires(one) or []
        except metadata.PackageNotFoundError:
            continue
        todo += [
            _canonical(re.split(r"[^A-Za-z0-9._-]", need, maxsplit=1)[0]) for need in needs if "extra ==" not in need
        ]
    return frozenset(found)


def missing_packages(packages: tuple[str, ...]) -> tuple[str, ...]:
    """Distributions that a probe names and this machine lacks, so that nothing can be said of the answer."""
    return tuple(one for one in packages if not _importable((one,)))


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _counts(told: Told, code: Code, known: frozenset[str] | set[str]) -> bool:
    """Whether a word of `ty` is about a module, a name that nothing defines, or a method that no builtin type has."""
    if told.lacks_in == "module":
        return told.name.split(".")[0] in known - _own(code)
    if told.lacks_in == "builtin":
        return not any(hasattr(kind, told.name) for kind in _BUILTIN_TYPES)
    if told.rule == "import-not-found":
        return "." in told.name and told.name.split(".")[0] in known
    return told.rule == "unresolved-reference" and _is_invented(told.name, code.text)
