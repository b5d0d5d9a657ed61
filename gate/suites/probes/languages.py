"""The languages of answers: what a file is called, what runs it, and where its tools are looked for."""

from __future__ import annotations

import shutil
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDERS = "/usr/local/bin:/usr/bin:/bin:/opt/node/bin"
"""Where tools are looked for; the environment's PATH is not asked, so that it decides nothing."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language of answers.

    Attributes:
        name: as in a probe.
        file: name of the file that the code is written to.
        suffixes: endings of its files, the first is the usual one.
        tags: information strings of fenced blocks, in lower case.
        comment: how a comment starts that lasts to the end of the line.
    """

    name: str
    file: str
    suffixes: tuple[str, ...]
    tags: frozenset[str]
    comment: str


LANGUAGES: Mapping[str, Language] = {
    one.name: one
    for one in (
        Language(
            "python", "solution.py", (".py", ".pyw"), frozenset({"python", "py", "python3", "py3", "python2"}), "#"
        ),
        Language(
            "javascript",
            "solution.js",
            (".js", ".mjs", ".cjs"),
            frozenset({"javascript", "js", "node", "mjs", "cjs", "jsx", "ecmascript", "nodejs", "es6"}),
            "//",
        ),
        Language(
            "typescript", "solution.ts", (".ts", ".mts", ".cts"), frozenset({"typescript", "ts", "tsx", "mts"}), "//"
        ),
        Language("c", "solution.c", (".c", ".h"), frozenset({"c", "c11", "c99", "c17", "gnu11", "h"}), "//"),
    )
}


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Where the tools beside Python are, which is always there; an empty path is a tool that this machine lacks."""

    node: str = ""
    gcc: str = ""

    def has(self, language: str) -> bool:
        """Whether code of that language can be run."""
        return bool({"python": "always", "javascript": self.node, "typescript": self.node, "c": self.gcc}.get(language))


@cache
def toolchain() -> Toolchain:
    """The tools that the usual folders of this machine have."""
    return Toolchain(node=shutil.which("node", path=_FOLDERS) or "", gcc=shutil.which("gcc", path=_FOLDERS) or "")


def package_folders() -> tuple[Path, ...]:
    """Where the distributions lie that a probe's `packages` may name: those beside the gate itself."""
    paths = sysconfig.get_paths()
    return tuple(Path(one) for one in sorted({paths["purelib"], paths["platlib"]}))
