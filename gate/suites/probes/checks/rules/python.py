"""Our own rules for Python, where effects can't be observed and bandit sees nothing: they read the syntax tree.

Values are followed through plain assignments within one function, so that a query that is built in three statements is
one that is built; they are not followed through calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from gate.suites.probes.checks.rules import Finding
from gate.suites.probes.checks.rules.tree import Code, built, dotted, is_constant, key_of, keyword, snake, varies_in

_COMPARED_NAME = re.compile(
    r"(?:^|_)(?:digest|hexdigest|signature|sig|mac|hmac|token|secret|password|api_?key|otp|csrf|checksum_key|hash(?:ed)?)s?(?:$|_)",
    re.IGNORECASE,
)
TOKEN_NAME = re.compile(
    r"token|secret|password|passwd|session|nonce|salt|otp|api_?key|csrf|reset|voucher|invite|code|pin\b", re.I
)
_SQL = re.compile(
    r"\b(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from|drop\s+table|where\b.+=|order\s+by)\b",
    re.I | re.S,
)
_EXECUTING = frozenset({"execute", "executemany", "executescript", "raw", "read_sql", "read_sql_query", "text"})
_FAST = frozenset({"md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s"})


def _queries(code: Code) -> Iterator[tuple[ast.Call, bool]]:
    """Every call that is given a query, and whether a value is put into its text."""
    for node, name in code.calls():
        if name.rsplit(".", 1)[-1] in _EXECUTING and node.args:
            text, varies = built(code, node.args[0], code.function_of(node))
            if _SQL.search(text):
                yield node, varies


def sql_string(code: Code) -> Iterator[Finding]:
    """A query that is put together from a text and a value, also over several statements."""
    for node, varies in _queries(code):
        if varies:
            yield Finding("sql-string", "CWE-89", node.lineno, "a query is put together from a text and a value")


def fixed_queries(code: Code) -> set[int]:
    """Lines of queries whose text was followed to its parts and found to be fixed, placeholders included."""
    return {
        line
        for node, varies in _queries(code)
        if not varies
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def shell_string(code: Code) -> Iterator[Finding]:
    """A shell that is given a text with a value in it."""
    for node, name in code.calls():
        within = code.function_of(node)
        by_shell = name.startswith("subprocess.") and _is_true(keyword(node, "shell"))
        if not (by_shell or name in ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput")):
            continue
        given = node.args[0] if node.args else keyword(node, "args") or keyword(node, "cmd")
        if given is not None and not _is_quoted(code, given, within) and varies_in(code, given, within, 0):
            yield Finding("shell-string", "CWE-78", node.lineno, "a shell is given a text with a value in it")


def quoted_commands(code: Code) -> set[int]:
    """Lines of commands for a shell that are fixed, or whose values are quoted."""
    found = {finding.line for finding in shell_string(code)}
    return {
        line
        for node, name in code.calls()
        if name.startswith(("subprocess.", "os.")) and node.lineno not in found
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


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
        named = [one for one in sides if _COMPARED_NAME.search(snake(_last_name(one)))]
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
        return key_of(node)
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


FIRST_RULES: tuple[Callable[[Code], Iterator[Finding]], ...] = (
    sql_string,
    shell_string,
    code_from_text,
    weak_password_hash,
    weak_digest,
    tls_unchecked,
    secret_compared,
)
