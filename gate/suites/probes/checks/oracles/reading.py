"""A second witness for attacks whose observation lies within the reach of the code under test: the code is read."""

from __future__ import annotations

import ast

from gate.suites.probes.checks.rules import python as for_python
from gate.suites.probes.checks.rules import python_more
from gate.suites.probes.checks.rules.tree import Code


def found_by_reading(source: str, rule: str) -> str:
    """What a rule of ours finds in Python code, one line; empty where it finds nothing or can't read the code."""
    try:
        tree = Code(source)
        rules = (*for_python.FIRST_RULES, *python_more.MORE_RULES)
        found = [one for each in rules for one in each(tree) if one.rule == rule]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return f"line {found[0].line}: {found[0].message}" if found else ""


def names_in(source: str) -> frozenset[str]:
    """Names and attributes that Python code uses: what is noted within its process counts only where it could be so."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    found = {one.id for one in nodes if isinstance(one, ast.Name)}
    found |= {one.attr for one in nodes if isinstance(one, ast.Attribute)}
    return frozenset(found | {one.name for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names})
