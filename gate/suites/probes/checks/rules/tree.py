"""The syntax tree of an answer, with what several rules ask of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator


def dotted(node: ast.AST) -> str:
    """`a.b.c` for a chain of names, else what is left of it."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    elif isinstance(node, ast.Call):
        parts.append(f"{dotted(node.func)}()")
    return ".".join(reversed(parts))


class Code:
    """The tree of a module with what several rules ask of it."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.lines = source.split("\n")
        self.parents = {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}
        self.imported = self._imports()
        self._assigned: dict[ast.AST, dict[str, list[ast.expr]]] = {}
        self._texts: dict[ast.AST, str] = {}

    def _imports(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    names[one.asname or one.name.split(".")[0]] = one.name if one.asname else one.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom) and node.module:
                for one in node.names:
                    names[one.asname or one.name] = f"{node.module}.{one.name}"
        return names

    def name(self, node: ast.AST) -> str:
        """The full name of what is called, by the imports: `run` is `subprocess.run` after `from subprocess import`."""
        text = dotted(node)
        head, _, tail = text.partition(".")
        full = self.imported.get(head, head)
        return f"{full}.{tail}" if tail else full

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Every call with the full name of what is called."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield node, self.name(node.func)

    def function_of(self, node: ast.AST) -> ast.AST:
        """The function that a node stands in, or the module."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return node
        return self.tree

    def assigned(self, name: str, within: ast.AST) -> list[ast.expr]:
        """What is assigned to a name, or added to it, in a function."""
        if within not in self._assigned:
            self._assigned[within] = _assignments(within)
        return self._assigned[within].get(name, [])

    def text_of(self, function: ast.AST) -> str:
        """The source of a function, without comments."""
        if function not in self._texts:
            self._texts[function] = ast.unparse(function)
        return self._texts[function]


def _assignments(within: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(within):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            targets = [node.target]
        value = getattr(node, "value", None)
        for one in targets:
            if isinstance(one, ast.Name) and isinstance(value, ast.expr):
                found.setdefault(one.id, []).append(value)
    return found


def keyword(node: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword argument."""
    return next((one.value for one in node.keywords if one.arg == name), None)


def is_constant(node: ast.AST | None, value: object) -> bool:
    """Whether a node is that very constant."""
    return isinstance(node, ast.Constant) and node.value is value


def built(code: Code, node: ast.expr, within: ast.AST, depth: int = 0) -> tuple[str, bool]:
    """The fixed text of an expression, and whether anything that is not fixed is put into it."""
    if depth > 8:
        return "", False
    if isinstance(node, ast.Constant):
        return (node.value, False) if isinstance(node.value, str) else ("", False)
    if isinstance(node, ast.JoinedStr):
        fixed = "".join(
            one.value for one in node.values if isinstance(one, ast.Constant) and isinstance(one.value, str)
        )
        parts = [one.value for one in node.values if isinstance(one, ast.FormattedValue)]
        return fixed, any(varies_in(code, part, within, depth) for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = built(code, node.left, within, depth + 1), built(code, node.right, within, depth + 1)
        varies = any(varies_in(code, side, within, depth) for side in (node.left, node.right))
        return left[0] + right[0], left[1] or right[1] or varies
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return built(code, node.left, within, depth + 1)[0], not isinstance(node.right, ast.Constant)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("format", "format_map"):
            return built(code, node.func.value, within, depth + 1)[0], bool(node.args or node.keywords)
        if node.func.attr == "join" and node.args:
            given = _list_of(code, node.args[0], within)
            parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else []
            text = " ".join(built(code, one, within, depth + 1)[0] for one in parts)
            return text, _joined_varies(code, given, within, depth)
    if isinstance(node, ast.Name):
        values = [built(code, one, within, depth + 1) for one in code.assigned(node.id, within)]
        return "".join(text for text, _ in values), any(varies for _, varies in values)
    return "", False


def varies_in(code: Code, node: ast.expr, within: ast.AST, depth: int) -> bool:
    """Whether a part of a text can be anything: no constant, no placeholder made of constants, no name of one."""
    if isinstance(node, ast.Constant):
        return False
    if isinstance(node, ast.Name):
        values = code.assigned(node.id, within) or code.assigned(node.id, code.tree)
        return not values or any(varies_in(code, one, within, depth + 1) for one in values) if depth < 8 else True
    if isinstance(node, ast.Call):
        name = code.name(node.func)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "join" and node.args:
            return _joined_varies(code, node.args[0], within, depth)
        return name not in ("len", "int", "float", "abs", "round")
    if isinstance(node, ast.BinOp):
        return any(varies_in(code, side, within, depth + 1) for side in (node.left, node.right)) if depth < 8 else True
    if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
        return built(code, node, within, depth + 1)[1]
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(varies_in(code, one, within, depth + 1) for one in node.elts)
    if isinstance(node, ast.IfExp):
        return varies_in(code, node.body, within, depth + 1) or varies_in(code, node.orelse, within, depth + 1)
    return True


def _list_of(code: Code, node: ast.expr, within: ast.AST) -> ast.expr:
    """What a name of a list was first given, or the node itself."""
    values = code.assigned(node.id, within) if isinstance(node, ast.Name) else []
    return values[0] if values else node


def _joined_varies(code: Code, node: ast.expr, within: ast.AST, depth: int) -> bool:
    """Whether what is joined can be anything: marks that repeat don't."""
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return not isinstance(node.elt, ast.Constant)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return not isinstance(node.left, (ast.List, ast.Constant))
    return varies_in(code, node, within, depth + 1)


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


def key_of(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return ""
