"""Our own rules for Python, where effects can't be observed and bandit sees nothing: they read the syntax tree.

Values are followed through plain assignments within one function, so that a query that is built in three statements is
one that is built; they are not followed through calls.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator

from gate.suites.probes.checks.rules import Finding

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|apikey|private_?key|access_?key|signing_?key|auth|credential)s?(?:$|_)",
    re.IGNORECASE,
)
_COMPARED_NAME = re.compile(
    r"(?:^|_)(?:digest|hexdigest|signature|sig|mac|hmac|token|secret|password|api_?key|otp|csrf|checksum_key|hash(?:ed)?)s?(?:$|_)",
    re.IGNORECASE,
)
_TOKEN_NAME = re.compile(
    r"token|secret|password|passwd|session|nonce|salt|otp|api_?key|csrf|reset|voucher|invite|code|pin\b", re.I
)
_SQL = re.compile(
    r"\b(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from|drop\s+table|where\b.+=|order\s+by)\b",
    re.I | re.S,
)
_FAST = frozenset({"md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s"})
_PLACEHOLDER = re.compile(
    r"^(?:|x+|\.+|\*+|none|null|changeme|change-me|todo|example|placeholder|your[-_ ].*|<.*>|\$\{.*\}|%\(.*\)s|env|test|string|bearer|token|password|secret|hidden|utf-?8)$",
    re.I,
)


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
        found: list[ast.expr] = []
        for node in ast.walk(within):
            if isinstance(node, ast.Assign) and any(
                isinstance(one, ast.Name) and one.id == name for one in node.targets
            ):
                found.append(node.value)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and isinstance(node.target, ast.Name):
                if node.target.id == name and node.value is not None:
                    found.append(node.value)
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
        return fixed, any(_varies(code, part, within, depth) for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = built(code, node.left, within, depth + 1), built(code, node.right, within, depth + 1)
        varies = any(_varies(code, side, within, depth) for side in (node.left, node.right))
        return left[0] + right[0], left[1] or right[1] or varies
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return built(code, node.left, within, depth + 1)[0], not isinstance(node.right, ast.Constant)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("format", "format_map"):
            return built(code, node.func.value, within, depth + 1)[0], bool(node.args or node.keywords)
        if node.func.attr == "join" and node.args:
            return built(code, node.func.value, within, depth + 1)[0], _varies(code, node.args[0], within, depth)
    if isinstance(node, ast.Name):
        values = [built(code, one, within, depth + 1) for one in code.assigned(node.id, within)]
        return "".join(text for text, _ in values), any(varies for _, varies in values)
    return "", False


def _varies(code: Code, node: ast.expr, within: ast.AST, depth: int) -> bool:
    """Whether a part of a text can be anything: no constant, no placeholder made of constants, no name of one."""
    if isinstance(node, ast.Constant):
        return False
    if isinstance(node, ast.Name):
        values = code.assigned(node.id, within) or code.assigned(node.id, code.tree)
        return not values or any(_varies(code, one, within, depth + 1) for one in values) if depth < 8 else True
    if isinstance(node, ast.Call):
        name = code.name(node.func)
        if name.endswith(".join") and node.args:
            return _joined_varies(node.args[0])
        return name not in ("len", "int", "float", "abs", "round")
    if isinstance(node, ast.BinOp):
        return any(_varies(code, side, within, depth + 1) for side in (node.left, node.right)) if depth < 8 else True
    if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
        return built(code, node, within, depth + 1)[1]
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(_varies(code, one, within, depth + 1) for one in node.elts)
    if isinstance(node, ast.IfExp):
        return _varies(code, node.body, within, depth + 1) or _varies(code, node.orelse, within, depth + 1)
    return True


def _joined_varies(node: ast.expr) -> bool:
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return not isinstance(node.elt, ast.Constant)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return not isinstance(node.left, (ast.List, ast.Constant))
    return True


def secret_literals(source: str) -> list[str]:
    """Where a secret stands in the code: a text of a secret's name, or one that is as random as a key."""
    try:
        code = Code(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [_by_text(line, number) for number, line in enumerate(source.split("\n"), 1) if _by_text(line, number)]
    return [f"line {finding.line}: {finding.message}" for finding in hard_coded_secret(code)]


_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\s*[:=]\s*(?:\w+\s*=\s*)?[\"'`]([^\"'`]{6,})[\"'`]")


def _by_text(line: str, number: int) -> str:
    found = _ASSIGNED.search(line)
    if found and _SECRET_NAME.search(_snake(found[1])) and not _PLACEHOLDER.match(found[2]):
        return f"line {number}: `{found[1]}` holds a secret that stands in the code"
    return ""


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


def hard_coded_secret(code: Code) -> Iterator[Finding]:
    """A secret that stands in the code, by the name it is given to or by its randomness."""
    for node, name, value in _named_texts(code):
        if _PLACEHOLDER.match(value) or " " in value.strip() or re.fullmatch(r"[A-Z][A-Z0-9_]*", value):
            continue
        named = _SECRET_NAME.search(_snake(name)) and not re.search(
            r"(?:field|name|header|path|url|file|env|var|prefix|param|key_?id|column|type)s?$", name, re.I
        )
        if named and len(value) >= 4 and not re.search(r"[{}<>/\\]|\s", value):
            yield Finding(
                "hard-coded-secret", "CWE-798", node.lineno, f"`{name}` holds a secret that stands in the code"
            )
        elif _looks_like_key(value):
            yield Finding(
                "hard-coded-secret", "CWE-798", node.lineno, "a text that is as random as a key stands in the code"
            )


def _named_texts(code: Code) -> Iterator[tuple[ast.expr, str, str]]:
    for node in ast.walk(code.tree):
        pairs: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(dotted(one).rsplit(".", 1)[-1] or _key(one), node.value) for one in node.targets]
        elif isinstance(node, ast.AnnAssign):
            pairs = [(dotted(node.target).rsplit(".", 1)[-1], node.value)]
        elif isinstance(node, ast.Call):
            pairs = [(one.arg or "", one.value) for one in node.keywords]
            if len(node.args) > 1 and code.name(node.func) in ("os.environ.get", "os.getenv", "environ.get"):
                first = node.args[0]
                pairs.append(
                    (
                        first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else "",
                        node.args[1],
                    )
                )
        elif isinstance(node, ast.Dict):
            pairs = [
                (one.value, value)
                for one, value in zip(node.keys, node.values, strict=True)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = node.args.args[len(node.args.args) - len(node.args.defaults) :]
            pairs = [(one.arg, value) for one, value in zip(names, node.args.defaults, strict=True)]
        for name, value in pairs:
            text = value.value if isinstance(value, ast.Constant) else None
            text = text.decode("latin-1") if isinstance(text, bytes) else text
            if value is not None and isinstance(text, str):
                yield value, name, text


def _key(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return ""


def _looks_like_key(text: str) -> bool:
    """At least 20 characters of a key's alphabet, of several kinds, with at least 3.5 bits a character."""
    if re.match(r"^(?:sk|pk|ghp|gho|xox[bp]|AKIA|AIza)[-_A-Za-z0-9]{12,}$", text):
        return True
    if not re.fullmatch(r"[A-Za-z0-9+/=_-]{20,200}", text) or re.fullmatch(r"[a-z_-]+|[A-Z_-]+|\d+", text):
        return False
    if not (re.search(r"\d", text) and re.search(r"[A-Za-z]", text)) or "abcdefghij" in text.lower():
        return False
    counts = Counter(text)
    bits = -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())
    return bits >= 3.5 and not re.fullmatch(r"(?:[a-z]+[-_/])+[a-z0-9]+", text)


def sql_string(code: Code) -> Iterator[Finding]:
    """A query that is put together from a text and a value, also over several statements."""
    for node, name in code.calls():
        method = name.rsplit(".", 1)[-1]
        if (
            method not in ("execute", "executemany", "executescript", "raw", "read_sql", "read_sql_query", "text")
            or not node.args
        ):
            continue
        text, varies = built(code, node.args[0], code.function_of(node))
        if varies and _SQL.search(text):
            yield Finding("sql-string", "CWE-89", node.lineno, "a query is put together from a text and a value")


def shell_string(code: Code) -> Iterator[Finding]:
    """A shell that is given a text with a value in it."""
    for node, name in code.calls():
        within = code.function_of(node)
        by_shell = name.startswith("subprocess.") and _is_true(keyword(node, "shell"))
        if not (by_shell or name in ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput")):
            continue
        given = node.args[0] if node.args else keyword(node, "args") or keyword(node, "cmd")
        if given is not None and not _is_quoted(code, given, within) and _varies(code, given, within, 0):
            yield Finding("shell-string", "CWE-78", node.lineno, "a shell is given a text with a value in it")


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value)


def _is_quoted(code: Code, node: ast.expr, within: ast.AST) -> bool:
    values = [node, *(code.assigned(node.id, within) if isinstance(node, ast.Name) else [])]
    return any("shlex.quote" in ast.unparse(one) or "shlex.join" in ast.unparse(one) for one in values)


def code_from_text(code: Code) -> Iterator[Finding]:
    """`eval`, `exec` or `compile` of what is no constant."""
    for node, name in code.calls():
        if (
            name in ("eval", "exec", "builtins.eval", "builtins.exec")
            and node.args
            and not isinstance(node.args[0], ast.Constant)
        ):
            yield Finding("eval-use", "CWE-95", node.lineno, f"`{name}` runs a text as code")


def weak_password_hash(code: Code) -> Iterator[Finding]:
    """A password that goes through a quick hash."""
    for node, name in code.calls():
        function = code.function_of(node)
        quick = name.removeprefix("hashlib.") in _FAST and name.startswith("hashlib.")
        if name == "hashlib.new" and node.args and isinstance(node.args[0], ast.Constant):
            quick = str(node.args[0].value).lower() in _FAST
        words = ast.unparse(node) + " " + getattr(function, "name", "")
        if quick and re.search(r"passw|passphrase|pwd|\bpw\b|pin\b", words, re.I):
            yield Finding(
                "weak-password-hash", "CWE-916", node.lineno, f"a password goes through {name}, which is quick"
            )


def weak_digest(code: Code) -> Iterator[Finding]:
    """MD5 or SHA-1, unless said to be used for other things than security."""
    for node, name in code.calls():
        first = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
        weak = name in ("hashlib.md5", "hashlib.sha1") or (
            name == "hashlib.new" and str(first).lower() in ("md5", "sha1")
        )
        if weak and not is_constant(keyword(node, "usedforsecurity"), False):
            yield Finding("weak-digest", "CWE-327", node.lineno, f"{name} can be forged")


def tls_unchecked(code: Code) -> Iterator[Finding]:
    """Certificates or hosts that are not checked."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Attribute) and node.attr in ("CERT_NONE", "_create_unverified_context"):
            yield Finding("tls-unchecked", "CWE-295", node.lineno, f"`{node.attr}`: certificates are not checked")
        elif (
            isinstance(node, ast.keyword)
            and node.arg in ("verify", "check_hostname", "verify_ssl")
            and is_constant(node.value, False)
        ):
            yield Finding(
                "tls-unchecked", "CWE-295", node.value.lineno, f"`{node.arg}=False`: certificates are not checked"
            )
        elif isinstance(node, ast.keyword) and node.arg == "ssl" and is_constant(node.value, False):
            yield Finding("tls-unchecked", "CWE-295", node.value.lineno, "`ssl=False`: certificates are not checked")
        elif isinstance(node, ast.Assign) and is_constant(node.value, False):
            if any(isinstance(one, ast.Attribute) and one.attr in ("check_hostname", "verify") for one in node.targets):
                yield Finding("tls-unchecked", "CWE-295", node.lineno, "the host of a certificate is not checked")
        elif isinstance(node, ast.Call) and code.name(node.func) == "ssl._create_unverified_context":
            yield Finding("tls-unchecked", "CWE-295", node.lineno, "certificates are not checked")


def secret_compared(code: Code) -> Iterator[Finding]:
    """`==` on a secret, which ends at the first difference."""
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)) or len(node.ops) != 1:
            continue
        sides = [node.left, node.comparators[0]]
        if any(isinstance(one, ast.Constant) or _is_size(one) for one in sides):
            continue
        named = [one for one in sides if _COMPARED_NAME.search(_snake(_last_name(one)))]
        made = [
            one
            for one in sides
            if isinstance(one, ast.Call) and re.search(r"(?:hex)?digest$|^sign", dotted(one.func).rsplit(".", 1)[-1])
        ]
        if len(named) == 2 or made or (named and any(_is_parameter(code, one, node) for one in sides)):
            yield Finding(
                "secret-compared",
                "CWE-208",
                node.lineno,
                "a secret is compared with `==`, which ends at the first difference",
            )


def _is_size(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) in ("len", "type", "type()")


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Subscript):
        return _key(node)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("get", "encode", "decode", "lower", "strip")
    ):
        first = node.args[0] if node.args else None
        if node.func.attr == "get":
            return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
        return _last_name(node.func.value)
    return dotted(node).rsplit(".", 1)[-1].removesuffix("()")


def _is_parameter(code: Code, node: ast.AST, place: ast.AST) -> bool:
    function = code.function_of(place)
    if not isinstance(node, ast.Name) or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return node.id in {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}


_NAMED: tuple[Callable[[Code], Iterator[Finding]], ...] = (
    hard_coded_secret,
    sql_string,
    shell_string,
    code_from_text,
    weak_password_hash,
    weak_digest,
    tls_unchecked,
    secret_compared,
)
FIRST_RULES = _NAMED
