"""A schema as a table of text, for a terminal."""

from __future__ import annotations

import math

from gate.suites.perturbation.tabular.schema import Column, Schema

_LONGEST = 40


def table(schema: Schema, *, raw: bool = False) -> str:
    """One line a column: name, kind, what may move it, and what it is bound by.

    Names are those of the user and not escaped for any page.

    Args:
        raw: whether ranges, scales and levels are shown, which are values of the data.
    """
    head = ["column", "kind", "moved", "bound by", *(["range", "step", "scale", "levels"] if raw else [])]
    lines = [head, *(_line(schema, column, raw) for column in schema.columns)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _line(schema: Schema, column: Column, raw: bool) -> list[str]:
    bound = [relation.text for relation in schema.relations if column.name in relation.names]
    if column.group:
        bound.insert(0, f"one-hot {column.group}")
    shown = [_short(column.name), column.kind, _moved(column), _short(", ".join(bound))]
    if raw:
        levels = f"{len(column.levels)}: {', '.join(map(str, column.levels))}" if column.levels else ""
        span = "" if column.low == -math.inf and column.high == math.inf else f"{column.low:g} to {column.high:g}"
        shown += [span, f"{column.step:g}" if column.step else "", f"{column.scale:.4g}" if column.scale else ""]
        shown.append(_short(levels))
    return shown


def _moved(column: Column) -> str:
    if column.protected:
        return "no, protected"
    if column.immutable:
        return "no, immutable"
    if column.kind in ("string", "date"):
        return f"no, a {column.kind}"
    varies = column.scale if column.kind in ("numeric", "integer") else len(column.levels) > 1
    return "yes" if varies else "no, constant"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"
