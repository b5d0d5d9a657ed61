"""Comparisons of a secret: what decides, and whether it takes the same time wherever the first difference is.

What decides is found by lying: a comparison in constant time says the opposite of what is so, and the result of the
code has to follow. Code that compares in another way, or in another way as well, does not follow.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    call,
    whole_of,
)
from gate.suites.probes.checks.oracles.reading import found_by_reading, names_in

_SPY = """
import hashlib, hmac, secrets, _operator
_seen = []
def _plain(value):
    return str.__str__(value) if isinstance(value, str) else bytes(value)
class SpyText(str):
    def __eq__(self, other):
        if isinstance(other, (str, bytes)) and len(other) >= 8:
            _seen.append("==")
        return str.__eq__(self, other)
    def __ne__(self, other):
        if isinstance(other, (str, bytes)) and len(other) >= 8:
            _seen.append("!=")
        return str.__ne__(self, other)
    __hash__ = str.__hash__
    def encode(self, *more): return SpyBytes(str.encode(self, *more))
    def strip(self, *more): return SpyText(str.strip(self, *more))
    def lower(self): return SpyText(str.lower(self))
    def removeprefix(self, prefix): return SpyText(str.removeprefix(self, prefix))
    def split(self, *more): return [SpyText(one) for one in str.split(self, *more)]
    def partition(self, sep): return tuple(SpyText(one) for one in str.partition(self, sep))
    def __getitem__(self, key):
        found = SpyText(str.__getitem__(self, key))
        if isinstance(key, int):
            _seen.append("[]")
        return found
    def __iter__(self):
        _seen.append("iter")
        return str.__iter__(self)
class SpyBytes(bytes):
    def __eq__(self, other):
        if isinstance(other, (str, bytes)) and len(other) >= 8:
            _seen.append("==")
        return bytes.__eq__(self, other)
    def __ne__(self, other):
        if isinstance(other, (str, bytes)) and len(other) >= 8:
            _seen.append("!=")
        return bytes.__ne__(self, other)
    __hash__ = bytes.__hash__
    def decode(self, *more): return SpyText(bytes.decode(self, *more))
    def __iter__(self):
        _seen.append("iter")
        return bytes.__iter__(self)
def _lay(says, turn, tap, plain):
    import os
    real, write, count = hmac.compare_digest, os.write, [0]
    def compare_digest(a, b, /):
        found = real(plain(a) if isinstance(a, (str, bytes)) else a, plain(b) if isinstance(b, (str, bytes)) else b)
        write(tap, b"compared" + bytes([10]))
        count[0] += 1
        return says if says is not None and count[0] == turn else found
    compare_digest.__module__ = "_operator"
    hmac.compare_digest = secrets.compare_digest = _operator._compare_digest = compare_digest
_lay(says, turn, tap, _plain)
_word = canary * 2 if right else (canary * 2)[:-1] + "x"
spy = SpyText(_word)
spy_bytes = SpyBytes(spy.encode())
payload = spy
del _lay, says, turn, tap, right, _word
"""
_TURNS = (1, 2, 3)
"""Which comparison of a call lies: one alone, so that no other tells code that it is lied to."""
_CALLS = (
    (True, None, 0),
    (False, None, 0),
    *((True, False, turn) for turn in _TURNS),
    *((False, True, turn) for turn in _TURNS),
)
"""Whether the secret is the right one, and what a comparison in constant time says where that is not the truth."""
_CONSTANT_TIME = frozenset({"compare_digest", "_compare_digest", "bytes_eq"})


def _timing(context: Context) -> Prepared:
    calls = tuple(
        call(context, index, {"right": right, "says": says, "turn": turn}, trap=_SPY, tap=True, extra="_seen")
        for index, (right, says, turn) in enumerate(_CALLS)
    )
    constant = bool(names_in(context.source) & _CONSTANT_TIME)
    beside = found_by_reading(context.source, "secret-compared") or _compared_beside(
        context.source, context.entry, context.text("call", "entry(payload)")
    )

    def judge(found: Sequence[Seen]) -> Judged:
        how = {str(note) for one in found if isinstance(one.extra, list) for note in one.extra}
        if how & {"==", "!="}:
            return Judged(True, "the secret was compared with `==`, which ends at the first difference")
        compared = any("compared" in one.tapped for one in found)
        if how & {"iter", "[]"} and not (compared and constant):
            return Judged(True, "the secret was compared character by character")
        unknown = next((one for one in (whole_of(one, Judged(False)) for one in found) if one.insecure is None), None)
        if unknown is not None:
            return unknown
        if not (compared and constant):
            raised = found[0].raised
            return Judged(None, "no comparison was seen" + (f": {raised[0]}: {raised[1][:80]}" if raised[0] else ""))
        return _decided(found, beside)

    return Prepared(calls, judge)


def _decided(found: Sequence[Seen], beside: str) -> Judged:
    """Whether the results follow what the comparison in constant time says."""
    right, wrong, *lied = ((one.result, one.raised[0]) for one in found)
    denied, granted = lied[: len(_TURNS)], lied[len(_TURNS) :]
    follows = any(one != wrong for one in granted)
    if right != wrong and not (follows and any(one != right for one in denied)):
        return Judged(True, "what decides is another comparison than the one in constant time")
    if not follows:
        return Judged(None, "its result does not follow the comparison in constant time")
    if beside:
        return Judged(True, beside)
    return Judged(False, "the values were compared in constant time, and that decides")


_OTHER_VALUE = re.compile(
    r"^(?:len|isinstance|type|bool|int|ord|hashlib|hmac|secrets)\b|compare_digest$|(?:hex)?digest$"
)


def _compared_beside(source: str, entry: str, expression: str) -> str:
    """Where the parameter that takes the secret, or what is made of it, is compared with `==` to what is not fixed."""
    try:
        tree, called = ast.parse(source), ast.parse(expression)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    name = entry.rsplit(".", 1)[-1]
    function = next((one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == name), None)
    if function is None:
        return ""
    secret = set(_secret_parameters(function, called))
    assigned = [one for one in ast.walk(function) if isinstance(one, (ast.Assign, ast.AnnAssign, ast.NamedExpr))]
    for _ in range(4):
        for one in assigned:
            if one.value is not None and _holds(one.value, secret):
                targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                secret |= {inner.id for each in targets for inner in ast.walk(each) if isinstance(inner, ast.Name)}
    fixed = set(_fixed_names(tree))
    for node in (one for one in ast.walk(function) if isinstance(one, ast.expr)):
        for sides in _comparisons(node):
            if any(_holds(one, secret) for one in sides) and not any(_is_fixed(one, fixed) for one in sides):
                return f"line {node.lineno}: what was given is compared with `==` as well"
    return ""


def _secret_parameters(function: ast.FunctionDef, called: ast.Module) -> Iterator[str]:
    """Parameters that a call of `entry` gives the secret to."""
    names = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
    for node in ast.walk(called):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("entry"):
            given = [*zip(names, node.args, strict=False), *((one.arg, one.value) for one in node.keywords)]
            yield from (name for name, one in given if name and re.search(r"\b(?:payload|spy)", ast.unparse(one)))


def _holds(node: ast.AST, secret: set[str]) -> bool:
    """Whether a value is made of the secret, other than its size or a digest of it."""
    if isinstance(node, ast.Call) and _OTHER_VALUE.search(ast.unparse(node.func)):
        return False
    if isinstance(node, ast.Compare):
        return False
    if isinstance(node, ast.Name):
        return node.id in secret
    return any(_holds(one, secret) for one in ast.iter_child_nodes(node))


def _comparisons(node: ast.expr) -> Iterator[list[ast.expr]]:
    """Both sides of each comparison for equality that a node is."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for index, how in enumerate(node.ops):
            if isinstance(how, (ast.Eq, ast.NotEq)):
                yield sides[index : index + 2]
    elif isinstance(node, ast.Call) and re.search(r"(?:\.__(?:eq|ne)__|operator\.(?:eq|ne))$", ast.unparse(node.func)):
        yield [node.func, *node.args]


def _fixed_names(tree: ast.Module) -> Iterator[str]:
    """Names that the module gives a constant."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            yield from (one.id for one in node.targets if isinstance(one, ast.Name))


def _is_fixed(node: ast.expr, fixed: set[str]) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in fixed)


ORACLES = (
    Oracle(
        "timing",
        "CWE-208",
        "Passes a right and a wrong secret (`payload`, `spy_bytes`), also where the comparison in constant time lies;"
        " insecure when it is compared with `==`, or when the result does not follow that comparison.",
        {"call": COMMON["call"], "setup": COMMON["setup"]},
        _timing,
    ),
)
