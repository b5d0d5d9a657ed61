"""Secrets that stand in the code, by the name that they are given to or by their randomness."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator

from gate.suites.probes.checks.rules import Finding
from gate.suites.probes.checks.rules.tree import Code, dotted, key_of, snake

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|apikey|private_?key|access_?key|signing_?key|auth|credential)s?(?:$|_)",
    re.IGNORECASE,
)


_PLACEHOLDER = re.compile(
    r"^(?:|x+|\.+|\*+|none|null|changeme|change-me|todo|example|placeholder|your[-_ ].*|<.*>|\$\{.*\}|%\(.*\)s"
    r"|env|test|string|bearer|token|password|secret|hidden|utf-?8)$",
    re.I,
)


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
    if found and _SECRET_NAME.search(snake(found[1])) and not _PLACEHOLDER.match(found[2]):
        return f"line {number}: `{found[1]}` holds a secret that stands in the code"
    return ""


def hard_coded_secret(code: Code) -> Iterator[Finding]:
    """A secret that stands in the code, by the name it is given to or by its randomness."""
    for node, name, value in _named_texts(code):
        if _PLACEHOLDER.match(value) or " " in value.strip() or re.fullmatch(r"[A-Z][A-Z0-9_]*", value):
            continue
        named = _SECRET_NAME.search(snake(name)) and not re.search(
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
            pairs = [(dotted(one).rsplit(".", 1)[-1] or key_of(one), node.value) for one in node.targets]
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
