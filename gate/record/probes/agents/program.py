"""Where a command's program lies, so that the cell lets it be read, and nothing else of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gate.errors import UsageError

_SYSTEM = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/lib"), Path("/lib64"))
_USUAL_PATH = "/usr/local/bin:/usr/bin:/bin"
_LONGEST_LINE = 4096
_PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was found.

    Attributes:
        path: absolute.
        readable: trees outside of the system's own that it needs.
        search: folders in front of the usual PATH.
    """

    path: Path
    readable: tuple[Path, ...]
    search: str


def find_program(word: str, *, search: str | None, home: Path, checkout: Path) -> Program:
    """The program of a command's first word.

    Args:
        search: PATH of this process.
        home, checkout: folders that are never opened as a whole.

    Raises:
        UsageError: it is not there, or no program.
    """
    found = shutil.which(word, path=search or _USUAL_PATH)
    if found is None:
        raise UsageError(
            f"`{word:.80}` is no program on the PATH",
            where="agent-cmd",
            remedy="install it, or give the whole path; a script of yours needs its interpreter in front",
        )
    path = Path(os.path.abspath(found))  # noqa: PTH100  links are kept: a virtual environment is known by its own
    path = _behind_shim(path)
    programs = [path, *_interpreter(path, search)]
    trees: dict[Path, None] = {}
    for program in programs:
        for place in (program, *_links(program)):
            tree = _tree(place, home.resolve(), checkout.resolve())
            if not _is_system(tree):
                trees[tree] = None
    folders = dict.fromkeys(str(program.parent) for program in programs)
    return Program(path, tuple(trees), ":".join((*folders, _USUAL_PATH)))


def _behind_shim(path: Path) -> Path:
    """The Python that a version manager's shim stands for, which would find nothing under another HOME."""
    if path.parent.name != "shims" or not re.fullmatch(r"python[0-9.]*", path.name):
        return path
    try:
        told = subprocess.run(
            [path, "-I", "-c", "import sys; print(sys.executable)"],
            capture_output=True,
            text=True,
            check=True,
            timeout=_PATIENCE,
            stdin=subprocess.DEVNULL,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return path
    return Path(told) if told and Path(told).is_file() else path


def _interpreter(path: Path, search: str | None) -> list[Path]:
    """What the first line of a script names."""
    try:
        with path.open("rb") as stream:
            line = stream.readline(_LONGEST_LINE)
    except OSError:
        return []
    if not line.startswith(b"#!"):
        return []
    words = line[2:].decode("utf-8", "replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    found = shutil.which(words[0], path=search or _USUAL_PATH) if words else None
    return [Path(found)] if found else []


def _links(path: Path) -> list[Path]:
    """Where the links of a program lead, one after the other."""
    found: list[Path] = []
    while path.is_symlink() and len(found) < 20:
        path = path.parent / path.readlink()
        found.append(Path(os.path.normpath(path)))
    return [*found, path.resolve()]


def _tree(program: Path, home: Path, checkout: Path) -> Path:
    """The installation that a program is part of: what holds its `bin`, or the package below `node_modules`."""
    parts = program.parts
    if "node_modules" in parts:
        return Path(*parts[: parts.index("node_modules") + 1])
    tree = program.parent.parent if program.parent.name in ("bin", "sbin") else program.parent
    if any(folder == tree or folder.is_relative_to(tree) for folder in (home, checkout)):
        return program.parent if program.parent not in (home, checkout) else program
    return tree


def _is_system(tree: Path) -> bool:
    return any(tree == folder or tree.is_relative_to(folder) for folder in _SYSTEM) or tree == Path("/")
