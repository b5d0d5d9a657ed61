"""A text file, or one value of a YAML file, as a target. The file's bytes are restored exactly."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.errors import UsageError
from gate.suites.mutation.targets.places import missing, read_only
from gate.suites.mutation.targets.replacement import Replacement, changed_text

_UNPRINTABLE = re.compile("[\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff\\ud800-\\udfff]")
_STEP = re.compile(r"\[(\d+)\]|\[[\"']([^\"']+)[\"']\]|([^.\[\]]+)")


@dataclass(frozen=True)
class FileTarget:
    """A file that the code under test reads anew for each call.

    Attributes:
        path: `PATH` or `PATH#KEY`, with dots and brackets between keys of a YAML file.
    """

    spec: str
    root: Path
    path: str

    def read(self) -> str:
        text = self._text()
        key = self._key
        return text if not key else str(self._scalar(text, key).value)

    @contextlib.contextmanager
    def replaced(self, change: str | Callable[[str], str]) -> Iterator[Replacement]:
        was = self._file.read_bytes() if self._file.is_file() else b""
        text, key = self._text(), self._key
        new = changed_text(change, self.read(), self.spec)
        data = (new if not key else self._with_value(text, key, new)).encode("utf-8", "surrogatepass")
        placed = Replacement()
        try:
            self._write(data)
            yield placed
        finally:
            placed.disturbed = not self._file.is_file() or self._file.read_bytes() != data
            self._write(was)

    @property
    def _file(self) -> Path:
        return self.root / self.path.partition("#")[0]

    @property
    def _key(self) -> str:
        return self.path.partition("#")[2]

    def _text(self) -> str:
        file = self._file
        if not file.is_file():
            folder = file.parent
            near = [one.name for one in folder.iterdir()] if folder.is_dir() else []
            raise missing(f"the folder {folder}", file.name, near, self.spec)
        if not os.access(file, os.W_OK) or not os.access(file.parent, os.W_OK):
            raise read_only("the file", self.spec, "let the user that runs the suite write the file and its folder")
        try:
            return file.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"the file is no UTF-8 text: {error}", where=self.spec, remedy="name a text file"
            ) from error

    def _write(self, data: bytes) -> None:
        """Replace the file in one step, so that a reader never sees half of it."""
        file = self._file
        mode = file.stat().st_mode & 0o7777 if file.exists() else 0o644
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(name).chmod(mode)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _scalar(self, text: str, key: str) -> Any:
        """The node of one value of a YAML document."""
        yaml = _yaml(self.spec)
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
        except (yaml.YAMLError, RecursionError) as error:
            raise UsageError(f"the YAML can't be read: {error}", where=self.spec, remedy="mend the file") from error
        for index, quoted, plain in _STEP.findall(key):
            node = _child(yaml, node, index or quoted or plain, self.spec)
        if not isinstance(node, yaml.ScalarNode) or node.tag != "tag:yaml.org,2002:str":
            found = "a list or a mapping" if not isinstance(node, yaml.ScalarNode) else repr(node.value)
            raise UsageError(f"it is no text but {found}", where=self.spec, remedy="name a key that holds a text")
        return node

    def _with_value(self, text: str, key: str, value: str) -> str:
        node = self._scalar(text, key)
        start, end = node.start_mark.index, node.end_mark.index
        gap = "\n" if text[start:end].endswith("\n") else ""
        return text[:start] + _quoted(value) + gap + text[end:]


def _quoted(value: str) -> str:
    """A text as YAML writes it in double quotes: as JSON, with what YAML does not allow as it is."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(value, ensure_ascii=False))


def _child(yaml: Any, node: Any, step: str, where: str) -> Any:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == step:
                return value
        raise missing("the mapping", step, [key.value for key, _ in node.value], where)
    if isinstance(node, yaml.SequenceNode):
        if step.isdigit() and int(step) < len(node.value):
            return node.value[int(step)]
        remedy = f"it has {len(node.value)} items, counted from 0"
        raise UsageError(f"the list has no item {step}", where=where, remedy=remedy)
    raise UsageError(f"there is nothing below it named {step!r}", where=where, remedy="shorten the path")


def _yaml(where: str) -> Any:
    try:
        return importlib.import_module("yaml")
    except ImportError:
        raise UsageError(
            "reading one value of a YAML file needs PyYAML, which is not installed",
            where=where,
            remedy="pip install 'robustness-gate[mutation]'",
        ) from None
