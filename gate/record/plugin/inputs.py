"""A digest of everything that a stochastic test's outcome may depend on, so that its trials follow the content.

It is the same after an empty commit or a change of the README, and another one after any change that may matter; where
that is in doubt, it is another one. It is made of

- the project's Python files that the process had loaded or read by the end of the test. Other test modules are left out
  unless a file that counts names them. Once a child process was started, or a server on this machine or its network
  spoken to, every Python file of the project counts;
- all its other tracked files but documents, and the documents and untracked files that the process had opened or looked
  for; the names of all its Python files but those of test modules, since a new one can be picked up;
- the environment variables that these Python files name, and those of the known clients of models, but no secrets; the
  options that the suite itself defines; Python and the installed packages;
- the test's id and what its marker asks for.

What is beyond: servers that no socket of Python speaks to (a client in C), files outside the project, and what hosted
models answer.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from gate.record.plugin import surroundings, tree
from gate.trials.carry import Carried, Entry, Inputs, entry_line, inputs_line, inputs_name
from gate.trials.loop import TrialsRun
from gate.trials.mentions import closure, names_in

if TYPE_CHECKING:
    import pytest

    from gate.record.plugin.marker import Asked
    from gate.record.plugin.tree import Tree
    from gate.record.plugin.watch import Watch

_VERSION = 1
_PYTHON = ".py"
Json = dict[str, Any]


class InputsToday:
    """Digests of this process's tests; `begin` comes after the collection and before any test.

    Args:
        own: files and folders that the gate itself reads and writes.
    """

    def __init__(self, config: pytest.Config, watch: Watch, own: Iterable[Path]) -> None:
        self._config = config
        self._watch = watch
        self._own = tuple(own)
        self._tree: Tree | None = None
        self._tests: frozenset[str] = frozenset()
        self._at_collection: frozenset[str] = frozenset()
        self._everywhere: Json = {}
        self._places: dict[str, str | None] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._digests: dict[str, str] = {}
        self._common: dict[bool, str] = {}
        self._codes: dict[tuple[tuple[str, ...], bool], str] = {}
        self._environ: dict[str, str] = {}
        self._mode = "live"
        self._recalled: dict[str, Carried] = {}
        self._sent: set[str] = set()

    def begin(self, items: Iterable[pytest.Item], earlier: Iterable[Carried]) -> None:
        """Look at the project as it stands, with what was collected, and at what earlier runs opened."""
        calls = self._config.pluginmanager.get_plugin("gate-calls")
        self._environ = dict(os.environ) if calls is None else calls.environ()
        self._mode = "live" if calls is None or calls.mode == "record" else calls.mode
        with self._watch.paused():
            self._tree = tree.look(self._config.rootpath, self._own)
            self._everywhere = surroundings.describe(self._config, self._tree.root)
        paths = {self._place(str(item.path)) for item in items if item.path is not None}
        self._tests = frozenset(
            path
            for path in paths
            if path is not None and PurePosixPath(path).name not in ("__init__.py", "conftest.py")
        )
        self._at_collection = self._loaded()
        for path in {path for carried in earlier for path in carried.inputs.opened}:
            self._digest_of(path)  # before any test writes there

    def recall(self, item: pytest.Item, asked: Asked, earlier: Iterable[Carried]) -> Carried | None:
        """The first of the earlier entries whose digest would be the same today.

        A replay takes none: its trials cost nothing, and what is stored is to be tried. Nor are they anybody else's.
        """
        if self._mode == "replay":
            return None
        for carried in earlier:
            if self._still(item, carried.inputs) and self._digest(item, asked, carried.inputs) == carried.fingerprint:
                self._recalled[item.nodeid] = carried
                return carried
        return None

    def entry(self, item: pytest.Item, asked: Asked, run: TrialsRun, session: str) -> list[str]:
        """What the file of trials keeps of a test that has just been measured.

        Returns:
            The name of its lists, the line that has them, or an empty one where this process gave it before, and the
            line of the test.
        """
        carried = self._recalled.get(item.nodeid)
        if carried is not None and not run.made:
            fingerprint, inputs = carried.fingerprint, carried.inputs
        else:
            inputs = self._seen(item, carried.inputs if carried is not None else Inputs())
            fingerprint = self._digest(item, asked, inputs)
        name = inputs_name(inputs)
        kept = Carried(fingerprint, run.outcomes, run.answer, inputs, run.excerpt if "0" in run.outcomes else "")
        lists = "" if name in self._sent else inputs_line(name, inputs)  # they are long, and those of the test before
        self._sent.add(name)
        return [name, lists, entry_line(Entry(item.nodeid, kept, session, run.errors), name)]

    def _seen(self, item: pytest.Item, before: Inputs) -> Inputs:
        found = self._tree_of()
        loaded = self._loaded() | set(before.modules)
        children = self._watch.children or before.children
        # where others take part, every tracked file counts by itself
        modules = {path for path in loaded if path not in found.blobs} if children else self._counting(item, loaded)
        opened = self._opened() | set(before.opened)
        return Inputs(tuple(sorted(modules)), tuple(sorted(opened)), children)

    def _still(self, item: pytest.Item, inputs: Inputs) -> bool:
        """Whether the collection has loaded nothing that the lists lack."""
        if inputs.children:
            return self._at_collection <= set(inputs.modules) | set(self._tree_of().blobs)
        return self._counting(item, set(inputs.modules) | self._at_collection) == set(inputs.modules)

    def _counting(self, item: pytest.Item, loaded: Iterable[str]) -> set[str]:
        """Of what is loaded, all but the test modules that nothing names: those were only collected."""
        own = self._place(str(item.path))
        start = {path for path in loaded if path not in self._tests} | ({own} if own is not None else set())
        return closure(start, self._tests, self._words_of)

    def _digest(self, item: pytest.Item, asked: Asked, inputs: Inputs) -> str:
        return _digest_of(
            {
                "case": item.nodeid,
                "asked": asked.deciding(),
                "answers": self._mode,
                "common": self._common_to_all(inputs.children),
                "code": self._code(inputs.modules, inputs.children),
                "opened": [(path, self._digest_of(path)) for path in inputs.opened],
            }
        )

    def _code(self, modules: tuple[str, ...], children: bool) -> str:
        """Digest of the Python files that count and of the environment that they name; most tests share it."""
        key = modules, children
        if key not in self._codes:
            paths = set(modules)
            if children:
                paths.update(path for path in self._tree_of().blobs if path.endswith(_PYTHON))
            words: set[str] = set().union(*(self._words_of(path) for path in paths))
            files = [(path, self._digest_of(path)) for path in sorted(paths)]
            environment = surroundings.environment(words, self._environ)
            self._codes[key] = _digest_of({"files": files, "environment": environment})
        return self._codes[key]

    def _common_to_all(self, children: bool) -> str:
        """Digest of what every test depends on: the files that always count, and what stands around the project."""
        if children not in self._common:
            blobs = self._tree_of().blobs
            python = {path for path in blobs if path.endswith(_PYTHON)}
            ignored = tree.is_notice if children else tree.is_document
            data = [(path, blobs[path]) for path in sorted(blobs) if path not in python and not ignored(path)]
            names = [] if children else sorted(python - self._tests)
            self._common[children] = _digest_of({"version": _VERSION, **self._everywhere, "data": data, "names": names})
        return self._common[children]

    def _digest_of(self, path: str) -> str:
        """Digest of a file as it was when it was first asked for."""
        if path not in self._digests:
            with self._watch.paused():
                self._digests[path] = self._tree_of().digest(path)
        return self._digests[path]

    def _loaded(self) -> frozenset[str]:
        """The project's Python files that this process has loaded, or read in any other way."""
        files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
        places = {self._place(source_of(file)) for file in files if isinstance(file, str)}
        places |= {self._place(source_of(path)) for path in self._watch.read if path.endswith((_PYTHON, ".pyc"))}
        return frozenset(place for place in places if place is not None and place.endswith(_PYTHON))

    def _opened(self) -> set[str]:
        """Files that were read or looked for and that do not count already."""
        found = self._tree_of()
        opened = set()
        for path, existed in self._watch.read.items():
            place = None if path.endswith((_PYTHON, ".pyc")) else found.relative(path)
            if place is None or (place in found.blobs and not tree.is_document(place)):
                continue
            if not (surroundings.is_of_tools(place) or Path(path).is_dir() or tree.is_own(Path(path), self._own)):
                opened.add(place)
                if not existed:
                    self._digests.setdefault(place, tree.ABSENT)  # also where this process has made it since
        return opened

    def _place(self, path: str) -> str | None:
        """The path relative to the root, also of the project's own files beside it; None for all others."""
        if path not in self._places:
            self._places[path] = surroundings.place_of(path, self._tree_of())
        return self._places[path]

    def _words_of(self, path: str) -> frozenset[str]:
        if path not in self._words:
            with self._watch.paused():
                try:
                    text = (self._tree_of().root / path).read_text(encoding="utf-8", errors="replace")
                except OSError:
                    text = ""
            self._words[path] = names_in(text)
        return self._words[path]

    def _tree_of(self) -> Tree:
        if self._tree is None:
            raise RuntimeError("begin comes first")
        return self._tree


def _digest_of(parts: Json) -> str:
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def source_of(path: str) -> str:
    """The source of a compiled file, or the path itself."""
    if path.endswith(".pyc"):
        try:
            return importlib.util.source_from_cache(path)
        except ValueError:
            return path
    return path
