"""YAML as plain values: no object of any class is made, and no alias fills the memory."""

from __future__ import annotations

import base64
import functools
import importlib
from collections.abc import Callable
from typing import Any

from gate.errors import RecordingError, UsageError

DEEPEST = 200  # levels
_ROOM = 64 * 1024 * 1024  # nodes and characters that aliases may add
_PLAIN = "tag:yaml.org,2002:"
_STRINGS = ("python/str", "python/unicode", "timestamp", "value", "merge")
_LISTS = ("python/tuple", "python/list")
_BYTES_IO = "python/object/new:_io.BytesIO"  # how the clients of old wrote a body that was a file
_ITERATOR = "python/object/apply:builtins.iter"  # and one that came in pieces
_FIRST_REQUEST = "python/object:vcr.request.Request"  # before the format had a version
_FIRST_HEADERS = ("python/object/apply:__builtin__.frozenset", "python/object/apply:builtins.frozenset")


def load(data: bytes, where: str) -> Any:
    """The one document of a YAML file, as mappings, lists, texts, bytes, numbers, truth values and None.

    A time stays a text. Of the tags that Python and Ruby add, those of texts, bytes, tuples and streams of bytes are
    read as what they hold; any other is refused.

    Raises:
        UsageError: PyYAML is not installed.
        RecordingError: no YAML, a tag that names an object, nested deeper than `DEEPEST`, or aliases that would
            multiply the file.
    """
    yaml = _library()
    loader_class = _loader_class()
    try:
        _refuse_depth(yaml, data, where)
        loader = loader_class(data)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _refuse_bomb(node, 2 * len(data) + _ROOM, where)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise _refused(error, where) from None
    except (ValueError, TypeError, IndexError, RecursionError) as error:  # a tag that doesn't fit what it stands at
        raise RecordingError(f"the YAML can't be read: {error}", where=where, remedy="record it afresh") from None


def _library() -> Any:
    try:
        return importlib.import_module("yaml")
    except ImportError:
        raise UsageError(
            "reading YAML cassettes needs PyYAML, which is not installed",
            remedy="pip install 'robustness-gate[cassettes]'",
        ) from None


def _refuse_depth(yaml: Any, data: bytes, where: str) -> None:
    """Before anything recursive looks at it."""
    depth = 0
    for event in yaml.parse(data, Loader=_base_loader(yaml)):
        if isinstance(event, yaml.events.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                line = event.start_mark.line + 1
                raise RecordingError(
                    f"nested deeper than {DEEPEST} levels", where=f"{where}:{line}", remedy="this is no cassette"
                )
        elif isinstance(event, yaml.events.CollectionEndEvent):
            depth -= 1


def _refuse_bomb(root: Any, limit: int, where: str) -> None:
    """Count what the document is once every alias stands for all it names, each node once."""
    sizes: dict[int, int] = {}

    def size(node: Any) -> int:
        if id(node) in sizes:
            if not sizes[id(node)]:
                raise RecordingError("an alias that holds itself", where=where, remedy="this is no cassette")
            return sizes[id(node)]
        sizes[id(node)] = 0
        if isinstance(node.value, str):
            whole = 1 + len(node.value)
        else:
            whole = 1 + sum(
                size(part) for each in node.value for part in (each if isinstance(each, tuple) else (each,))
            )
        if whole > limit:
            raise RecordingError(
                "aliases that would multiply the file beyond measure", where=where, remedy="this is no cassette"
            )
        sizes[id(node)] = whole
        return whole

    size(root)


def _base_loader(yaml: Any) -> Any:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def _loader_class() -> Any:
    """A safe loader that leaves times as they are written, doesn't merge mappings, and knows the harmless tags."""
    yaml = _library()
    base = _base_loader(yaml)
    loader: Any = type("CassetteLoader", (base,), {})
    left_out = {_PLAIN + name for name in ("timestamp", "merge", "value")}
    loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in left_out]
        for first, resolvers in base.yaml_implicit_resolvers.items()
    }
    for name in _STRINGS:
        loader.add_constructor(_PLAIN + name, lambda made, node: made.construct_scalar(node))
    for name in _LISTS:
        loader.add_constructor(_PLAIN + name, lambda made, node: made.construct_sequence(node, deep=True))
    for tag in ("!binary", _PLAIN + "python/bytes"):
        loader.add_constructor(tag, lambda made, node: base64.b64decode(made.construct_scalar(node)))
    loader.add_constructor(_PLAIN + _BYTES_IO, _first_of("state"))
    loader.add_constructor(_PLAIN + _ITERATOR, _first_of("args"))
    loader.add_constructor(_PLAIN + _FIRST_REQUEST, lambda made, node: made.construct_mapping(node, deep=True))
    for name in _FIRST_HEADERS:
        loader.add_constructor(_PLAIN + name, lambda made, node: dict(made.construct_sequence(node, deep=True)[0]))
    return loader


def _first_of(field: str) -> Callable[[Any, Any], Any]:
    """What an object of bytes was made from, without making it."""

    def construct(made: Any, node: Any) -> Any:
        parts = made.construct_mapping(node, deep=True).get(field)
        return parts[0] if isinstance(parts, list | tuple) and parts else None

    return construct


def _refused(error: Any, where: str) -> RecordingError:
    mark = getattr(error, "problem_mark", None)
    place = f"{where}:{mark.line + 1}" if mark is not None else where
    problem = str(getattr(error, "problem", None) or error).splitlines()[0][:300]
    return RecordingError(f"the YAML can't be read: {problem}", where=place, remedy="record it afresh, or take it out")
