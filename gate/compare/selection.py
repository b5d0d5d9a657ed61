"""Which cases a selector of the settings means: the whole suite, a folder or file, or an expression over marks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from gate.errors import SettingsError
from gate.schema.report import Case

SUITE = "suite"
MARK = "mark:"


def selects(selectors: Sequence[str], case: Case) -> bool:
    """Whether any selector means this case.

    Args:
        selectors: `suite` (every case), a path (that file, or everything under that folder, with forward slashes), or
            `mark:EXPRESSION`, for example `mark:evals and not smoke`, over the marks that our plugin reported.

    Raises:
        SettingsError: an expression that can't be read.
    """
    return any(_selects(each.strip(), case) for each in selectors)


def _selects(selector: str, case: Case) -> bool:
    if selector == SUITE:
        return True
    if selector.startswith(MARK):
        return _holds(_expression(selector.removeprefix(MARK)), frozenset(case.marks))
    path = selector.replace("\\", "/").strip("/").removeprefix("./")
    file = case.id.partition("::")[0]
    return bool(path) and (file == path or file.startswith(f"{path}/"))


@lru_cache(maxsize=64)
def _expression(text: str) -> ast.expr:
    try:
        found = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refused(text) from None
    _check(found, text)
    return found


def _check(node: ast.expr, text: str) -> None:
    """Only names, `and`, `or`, `not` and brackets: nothing of an expression is ever run."""
    if isinstance(node, ast.BoolOp):
        for each in node.values:
            _check(each, text)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        _check(node.operand, text)
    elif not isinstance(node, ast.Name):
        raise _refused(text)


def _holds(node: ast.expr, marks: frozenset[str]) -> bool:
    if isinstance(node, ast.BoolOp):
        found = (_holds(each, marks) for each in node.values)
        return all(found) if isinstance(node.op, ast.And) else any(found)
    if isinstance(node, ast.UnaryOp):
        return not _holds(node.operand, marks)
    return isinstance(node, ast.Name) and node.id in marks


def _refused(text: str) -> SettingsError:
    return SettingsError(
        f"`{text.strip():.80}` is no expression over marks",
        where="stochastic",
        remedy="write names of marks with `and`, `or`, `not` and brackets: `mark:evals and not smoke`",
    )
