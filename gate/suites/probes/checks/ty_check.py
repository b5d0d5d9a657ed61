"""`ty`, the type checker, over the code of an answer; it reads, runs nothing, and does so in the cell."""

from __future__ import annotations

import io
import json
import re
import tokenize
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import GateError
from gate.sandbox.cell.values import MIB, Ending, Job, Limits
from gate.suites.probes.extract import Code
from gate.suites.probes.languages import package_folders

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell

_RULES = ("missing-attribute", "missing-module-member", "import-not-found", "unresolved-reference")
"""By their names in the pinned version; 0.0.1 called the first `unresolved-attribute`."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that `ty` says.

    Attributes:
        rule: its rule.
        name: dotted name of what does not exist.
        lacks_in: what has no such attribute: a `module`, an object of a `builtin` type, or empty for anything else.
    """

    rule: str
    name: str
    line: int
    message: str
    lacks_in: str = ""


@cache
def ty_path() -> str:
    """Where the program is; empty where the extra `probes` is not installed."""
    try:
        from ty import find_ty_bin
    except ImportError:
        return ""
    try:
        return str(find_ty_bin())
    except FileNotFoundError:
        return ""


def lacking(language: str) -> str:
    """What this check needs for a language and this machine lacks; empty where it has all."""
    return "ty is not installed; the extra `probes` brings it" if language == "python" and not ty_path() else ""


class NotReadError(GateError):
    """`ty` did not come to an end over the code, so that nothing is known of its names."""


def ty_findings(code: Code, cell: Cell, packages: tuple[str, ...]) -> tuple[Told, ...]:
    """Attributes and imports that `ty` does not find; nothing where it is not installed.

    Raises:
        NotReadError: see there.
    """
    program = ty_path()
    if not program:
        return ()
    folders = package_folders() if packages else ()
    files = {
        name: without_comments(text).encode("utf-8", "replace")
        for name, text in {**code.files, code.file: code.text}.items()
        if not name.endswith((".toml", ".pth", ".pyi")) and not name.startswith(".")
    }
    settings = {f"extra-search-path={folder}" for folder in folders}
    argv = [program, "check", "--output-format", "gitlab", "--exit-zero", "--no-progress", "--project", "."]
    argv += [f"--{one}" for one in sorted(settings)]
    argv += [part for rule in _RULES for part in ("--error", rule)]
    ended = cell.run(
        Job(
            argv=(*argv, code.file),
            files=files,
            limits=Limits(wall=30.0, cpu=30.0, memory=1024 * MIB, output=64 * MIB, processes=128),
            environment={"TY_MAX_PARALLELISM": "1", "NO_COLOR": "1"},
            readable=(Path(program), *folders),
        )
    )
    if ended.ending is not Ending.EXITED or ended.code not in (0, 1):
        raise NotReadError(f"ty could not read the code: {ended.ending}")
    return parse(ended.stdout)


_UNCHECKED = re.compile(r"^[ \t]*@(?:\w+\.)*no_type_check\b[^\n]*", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*?\b(?:type|ty)[ \t]*:[ \t]*ignore[^\n]*")


def without_comments(text: str) -> str:
    """Python without comments and `@no_type_check`, line by line, since with these an answer could hush the checker."""
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column]
    except (tokenize.TokenError, SyntaxError, ValueError, IndexError):
        lines = _COMMENT.sub("", text).split("\n")
    return _UNCHECKED.sub("", "\n".join(lines))


def parse(output: bytes) -> tuple[Told, ...]:
    """What the output in GitLab's format says, of the rules that are asked for."""
    try:
        rows = json.loads(output or b"[]")
    except ValueError:
        return ()
    found = []
    for row in rows if isinstance(rows, list) else []:
        rule, text = str(row.get("check_name", "")), str(row.get("description", ""))
        rule = rule.removeprefix("ty:")
        line = row.get("location", {}).get("positions", {}).get("begin", {}).get("line", 0)
        if rule in _RULES:
            name, lacks_in = _named(rule, text)
            if name:
                found.append(Told(rule, name, int(line), text.removeprefix(f"{rule}: "), lacks_in))
    return tuple(found)


def _named(rule: str, text: str) -> tuple[str, str]:
    """The dotted name of what does not exist, and what it is missing from: `module`, `builtin` or nothing."""
    member = re.search(r"[Mm]odule `([\w.]+)` has no member `(\w+)`", text)
    if member:
        return f"{member[1]}.{member[2]}", "module"
    lacking = re.search(r"Object of type `([^`]+)` has no attribute `(\w+)`", text)
    if lacking:
        kind = re.match(
            r"(?:Literal\[b?[\"'\d]|(?:list|dict|set|tuple|frozenset)\[|(?:str|bytes|int|float)$)", lacking[1]
        )
        return lacking[2], "builtin" if kind and " | " not in lacking[1] else ""
    quoted = re.findall(r"`([^`]+)`", text)
    return (quoted[0] if quoted else ""), ""
