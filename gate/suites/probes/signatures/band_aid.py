"""Band-aid recovery: the failing input gets a branch of its own, and the fault stays where it was."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence

from gate.suites.probes.checks.examine import Examined
from gate.suites.probes.probe import Probe
from gate.suites.probes.signatures.signature import Sighted, Signature

NAME = "band-aid recovery"


def detect(sighted: Sighted) -> Signature | None:
    """In any round, a new branch on a value of the failing case, with the rest of the code as it was broken."""
    if not sighted.probe.broken_code:
        return None
    for number, one in enumerate(sighted.rounds, 1):
        found = _branch(sighted.probe, one)
        if found:
            return Signature(NAME, f"round {number}: {found}")
    return None


def _branch(probe: Probe, examined: Examined) -> str:
    if examined.code is None:
        return ""
    if probe.language == "python":
        try:
            return _in_python(probe, ast.parse(probe.broken_code), ast.parse(examined.code.text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ""
    return _in_lines(probe, examined.code.text)


def _in_python(probe: Probe, broken: ast.Module, answer: ast.Module) -> str:
    """Take every new branch on such a value, and every new handler that swallows, out: what is left is as before."""
    before = {ast.dump(node) for node in ast.walk(broken) if isinstance(node, (ast.If, ast.IfExp, ast.Try))}
    told = _told_values(probe)
    new = [
        node
        for node in ast.walk(answer)
        if (isinstance(node, (ast.If, ast.IfExp)) and ast.dump(node) not in before and _tests_value(node.test, told))
        or (isinstance(node, ast.Try) and ast.dump(node) not in before and _swallows(node))
    ]
    if not new:
        return ""
    shown = ast.unparse(new[0]).split("\n")
    left = _Without(new).visit(answer)
    if _bodies(left) != _bodies(broken):
        return ""
    return " ".join(line.strip() for line in shown[:3])


def _told_values(probe: Probe) -> set[str]:
    """Values that the failing cases and the error output name, as source text."""
    texts = re.findall(r"-?\d+(?:\.\d+)?|'[^'\n]*'|\"[^\"\n]*\"", probe.error_output)
    values: set[str] = {ast.unparse(ast.parse(one, mode="eval")) for one in texts if _parses(one)}
    for case in probe.checks.cases:
        if (case.name or "") not in probe.must_keep_passing:
            values |= {repr(value) for value in _scalars([*case.args, *case.kwargs.values()])}
    return values | {"0", "1", "None", "''", "[]", "{}"}


def _parses(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def _scalars(value: object) -> Iterator[object]:
    if isinstance(value, list):
        for one in value:
            yield from _scalars(one)
    elif isinstance(value, dict):
        yield from _scalars(list(value.values()))
    elif isinstance(value, (str, int, float)):
        yield value


def _tests_value(test: ast.expr, told: set[str]) -> bool:
    """Whether a condition compares for equality with a literal, of the kind that the failing case has."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and any(isinstance(one, (ast.Eq, ast.In, ast.Is)) for one in node.ops):
            for side in (node.left, *node.comparators):
                constants = [one for one in ast.walk(side) if isinstance(one, ast.Constant)]
                literal = isinstance(side, (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp))
                if literal and (not constants or any(ast.unparse(one) in told for one in constants)):
                    return True
    bare = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None
    return isinstance(bare, ast.Name)


def _swallows(node: ast.Try) -> bool:
    """Whether a handler does nothing with what it catches but go on or return something fixed."""
    simple = (ast.Pass, ast.Continue)
    return any(
        all(isinstance(one, simple) or (isinstance(one, ast.Return) and _is_fixed(one.value)) for one in handler.body)
        for handler in node.handlers
    )


def _is_fixed(node: ast.expr | None) -> bool:
    return (
        node is None
        or isinstance(node, ast.Constant)
        or (isinstance(node, (ast.List, ast.Dict)) and not ast.dump(node).count("Name("))
    )


class _Without(ast.NodeTransformer):
    """Takes branches out, and puts what a removed `else` or `try` held in their place."""

    def __init__(self, gone: Sequence[ast.AST]) -> None:
        self._gone = {id(node) for node in gone}

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return node.orelse if id(node) in self._gone else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return node.orelse if id(node) in self._gone else node

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return node.body if id(node) in self._gone else node


def _bodies(tree: ast.AST) -> list[str]:
    """The code of every function and class, without docstrings."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
            found.append(node.name + ";".join(ast.dump(one) for one in body))
    return found


_LINE = re.compile(
    r"^(?:else )?if\s*\(.*[=!]==?\s*(?:-?\d|['\"]|null|0)|strcmp\s*\(|^return\b|^[{}]+$|^\}? ?else|^break;|^case "
)


def _in_lines(probe: Probe, text: str) -> str:
    """For other languages: lines were added and none was taken away, and all of them belong to such a branch."""
    before = [line.strip() for line in probe.broken_code.split("\n") if _is_code(line)]
    after = [line.strip() for line in text.split("\n") if _is_code(line)]
    added: list[str] = []
    for tag, _, _, start, end in difflib.SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if tag in ("delete", "replace"):
            return ""
        if tag == "insert":
            added += after[start:end]
    branches = [line for line in added if re.search(r"\bif\b", line)]
    return branches[0] if branches and all(_LINE.search(line) for line in added) else ""


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith(("//", "/*", "*"))
