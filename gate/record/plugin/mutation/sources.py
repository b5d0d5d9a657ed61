"""What the verdict on a mutant depends on beside its test and its prompt: the files of the project and what runs them.

The digest is coarser than that of a stochastic test (`gate.record.plugin.inputs`): every tracked file counts but
documents and other test modules. So an empty commit or a change of the README carries every verdict over, and any
other change lets the mutants be tried again that main killed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from gate.record.plugin import surroundings, tree, watch

if TYPE_CHECKING:
    import pytest

NAME = "prompt mutation"
_HELD_BY_ALL = frozenset({"__init__.py", "conftest.py"})


@dataclass(frozen=True, slots=True)
class Sources:
    """The project as it stood before any mutant.

    Attributes:
        files: digest of each file that counts, by its path relative to the root.
        root: of the project.
        around: digest of Python, the packages and the options.
    """

    files: Mapping[str, str]
    root: Path
    around: str

    def digest(self, without: Iterable[str] = ()) -> str:
        """16 hexadecimal digits of all files but these."""
        left_out = frozenset(without)
        return _digest(sorted((path, each) for path, each in self.files.items() if path not in left_out))

    def holder(self, spec: str, root: Path) -> str:
        """Path of the file that holds a target's prompt, as it stands in `files`; empty where none does."""
        kind, _, rest = spec.partition(":")
        if kind == "env":
            return ""
        if kind == "file":
            path: Any = root / rest.partition("#")[0]
        else:
            path = getattr(sys.modules.get(kind), "__file__", None)
        if path is None:
            return ""
        try:
            return Path(os.path.relpath(os.path.realpath(path), os.path.realpath(self.root))).as_posix()
        except ValueError:  # another drive
            return ""


def look(
    config: pytest.Config,
    items: Iterable[pytest.Item],
    marked: Iterable[pytest.Item],
    *,
    own: Iterable[Path],
    environ: Mapping[str, str],
) -> Sources:
    """The project now; call it after the collection and before any test.

    Args:
        items: all that were collected: their modules count only where a marked test stands in them.
        own: files and folders that the gate itself reads and writes.
        environ: as it is outside of this run.
    """
    watching = watch.current()
    with watching.paused() if watching is not None else contextlib.nullcontext():
        found = tree.look(config.rootpath, own)
        around = {
            **surroundings.describe(config, found.root),
            "environment": surroundings.environment((), environ),
        }
    held = {item.path for item in marked}
    tests = {found.relative(str(item.path)) for item in items if item.path is not None and item.path not in held}
    files = {
        path: digest
        for path, digest in found.blobs.items()
        if not tree.is_document(path) and (path not in tests or PurePosixPath(path).name in _HELD_BY_ALL)
    }
    return Sources(files, found.root, _digest(around))


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
