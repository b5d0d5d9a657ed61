"""Rules for Python about files: names, races, paths, archives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gate.suites.probes.checks.rules import Finding
from gate.suites.probes.checks.rules.tree import Code, keyword

_CHECKS = frozenset({"os.path.exists", "os.path.isfile", "os.access", "os.path.lexists", "os.path.islink"})


def temporary_name(code: Code) -> Iterator[Finding]:
    """A name of a temporary file that is made before the file, or that can be foretold."""
    for node, name in code.calls():
        if name in ("tempfile.mktemp", "os.tempnam", "os.tmpnam"):
            yield Finding("temporary-name", "CWE-377", node.lineno, f"`{name}` makes a name before the file")
        elif name in ("open", "io.open", "pathlib.Path") and node.args:
            text = ast.unparse(node.args[0])
            fixed = isinstance(node.args[0], (ast.Constant, ast.JoinedStr)) and re.match(r"f?['\"](?:/var)?/tmp/", text)
            if fixed and not _is_drawn(code, node.args[0], code.function_of(node)):
                yield Finding("temporary-name", "CWE-377", node.lineno, "the name of a temporary file can be foretold")
    for path in (one for one in ast.walk(code.tree) if isinstance(one, ast.expr)):
        inside = _in_temporary(code, path)
        if inside and not any(_is_drawn(code, one, code.function_of(path)) for one in inside):
            yield Finding("temporary-name", "CWE-377", path.lineno, "the name of a temporary file can be foretold")


_TEMPORARY = re.compile(r"\b(?:gettempdir|gettempdirb)\(\)")
_DRAWN = re.compile(r"\b(?:secrets|uuid4|urandom|SystemRandom|mkdtemp|mkstemp)\b")


def _in_temporary(code: Code, node: ast.expr) -> list[ast.expr]:
    """The parts of a path that follow the system's folder for temporary files; nothing where it is no such path."""
    parts: list[ast.expr] = []
    if isinstance(code.parents.get(node), (ast.BinOp, ast.FormattedValue)):
        return []  # only a part of one
    if isinstance(node, ast.Call) and node.args:
        joins = code.name(node.func) in ("os.path.join", "pathlib.Path")
        joins = joins or (isinstance(node.func, ast.Attribute) and node.func.attr == "joinpath")
        first = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "joinpath" else None
        parts = [*([first] if first else []), *node.args] if joins else []
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
        parts = [node.left, node.right]
    elif isinstance(node, ast.JoinedStr):
        parts = [one for one in node.values if isinstance(one, (ast.FormattedValue, ast.Constant))]
    if len(parts) < 2:
        return []
    first_text = ast.unparse(parts[0])
    if isinstance(parts[0], ast.Name):
        first_text = " ".join(ast.unparse(one) for one in code.assigned(parts[0].id, code.function_of(node)))
    return parts[1:] if _TEMPORARY.search(first_text) else []


def _is_drawn(code: Code, node: ast.expr, within: ast.AST, depth: int = 0) -> bool:
    """Whether something that nobody can foretell is put into a name."""
    if _DRAWN.search(ast.unparse(node)):
        return True
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} if depth < 4 else set()
    return any(_is_drawn(code, one, within, depth + 1) for name in sorted(names) for one in code.assigned(name, within))


def check_then_use(code: Code) -> Iterator[Finding]:
    """A file that is looked for and then written or removed: another can come between."""
    written: dict[ast.AST, list[tuple[int, set[str]]]] = {}
    for node in ast.walk(code.tree):
        if not isinstance(node, (ast.If, ast.While)):
            continue
        checked = {path for one in ast.walk(node.test) if (path := _checked_path(code, one))}
        if not checked:
            continue
        function = code.function_of(node)
        if function not in written:
            calls = (other for other in ast.walk(function) if isinstance(other, ast.Call))
            written[function] = [(other.lineno, paths) for other in calls if (paths := _writes(code, other))]
        for line, paths in written[function]:
            if line >= node.lineno and paths & checked:
                yield Finding(
                    "check-then-use",
                    "CWE-367",
                    node.lineno,
                    "a file is looked for and then written: another can come between",
                )
                break


def _checked_path(code: Code, node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    if code.name(node.func) in _CHECKS and node.args:
        return ast.unparse(node.args[0])
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("exists", "is_file", "is_symlink") and not node.args:
        return ast.unparse(node.func.value)
    return ""


def _writes(code: Code, node: ast.Call) -> set[str]:
    """Paths that a call writes to without asking for a new file."""
    name = code.name(node.func)
    first = ast.unparse(node.args[0]) if node.args else ""
    if name in ("open", "io.open"):
        mode = node.args[1] if len(node.args) > 1 else keyword(node, "mode")
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
        return {first} if ("w" in text or "a" in text) and "x" not in text else set()
    if isinstance(node.func, ast.Attribute):
        own = ast.unparse(node.func.value)
        mode = node.args[0] if node.args else keyword(node, "mode")
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
        if node.func.attr in ("write_text", "write_bytes") or (node.func.attr == "open" and "w" in text):
            return {own}
    if name in ("os.rename", "os.replace", "shutil.copy", "shutil.copyfile", "shutil.move") and len(node.args) > 1:
        return {ast.unparse(node.args[1])}
    return set()


def path_joined(code: Code) -> Iterator[Finding]:
    """A path that is joined from a parameter and opened, with no look at where it leads."""
    for node, name in code.calls():
        opens = name in ("open", "io.open", "flask.send_file", "send_file", "os.remove", "os.unlink", "shutil.copyfile")
        reads = isinstance(node.func, ast.Attribute) and node.func.attr in (
            "read_text",
            "read_bytes",
            "write_text",
            "write_bytes",
        )
        if not opens and not reads:
            continue
        function = code.function_of(node)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        text = code.text_of(function)
        if re.search(
            r"realpath|resolve\(|is_relative_to|commonpath|relative_to|abspath|secure_filename|safe_join|basename|\.name\b|normpath|'\.\.'|fullmatch|isalnum",
            text,
        ):
            continue
        subject = (
            node.func.value if reads and isinstance(node.func, ast.Attribute) else node.args[0] if node.args else None
        )
        if subject is not None and _joins_parameter(code, subject, function):
            yield Finding(
                "path-joined",
                "CWE-22",
                node.lineno,
                "a path is joined from what comes in and opened, wherever it leads",
            )


def _joins_parameter(code: Code, node: ast.expr, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
    values = code.assigned(node.id, function) if isinstance(node, ast.Name) else [node]
    for value in values:
        joined = isinstance(value, (ast.JoinedStr, ast.BinOp)) or (
            isinstance(value, ast.Call) and re.search(r"join$|Path$|joinpath$", code.name(value.func))
        )
        used = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
        if joined and used & names:
            return True
    return False


def extract_all(code: Code) -> Iterator[Finding]:
    """An archive that is unpacked wherever its entries lead."""
    for node, name in code.calls():
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "extractall"
            and "tar" in code.text_of(code.function_of(node))
        ):
            if keyword(node, "filter") is None and keyword(node, "members") is None:
                yield Finding(
                    "archive-anywhere", "CWE-22", node.lineno, "an archive is unpacked wherever its entries lead"
                )
        elif (
            name == "os.path.join"
            and len(node.args) > 1
            and re.search(r"\.filename$|\.name$", ast.unparse(node.args[1]))
        ):
            text = code.text_of(code.function_of(node))
            if re.search(r"namelist|infolist|getmembers|ZipFile|tarfile", text) and not re.search(
                r"realpath|resolve|commonpath|is_relative_to|abspath", text
            ):
                yield Finding(
                    "archive-anywhere", "CWE-22", node.lineno, "an archive is unpacked wherever its entries lead"
                )
