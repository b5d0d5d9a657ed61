"""Files that people write, YAML or JSON, as plain values: no aliases, no objects, no key twice."""

from __future__ import annotations

import functools
import importlib
import json
from typing import Any

from gate.errors import UsageError

DEEPEST = 40  # levels
LARGEST = 2_000_000  # bytes
_LEFT_OUT = frozenset(f"tag:yaml.org,2002:{name}" for name in ("timestamp", "merge", "value"))


def read_plain(data: bytes, where: str) -> Any:
    """The one document of a file; JSON where the name ends in `.json`. A date stays a text.

    Raises:
        UsageError: too large, no UTF-8, no YAML or JSON, a key that stands twice, an alias, deeper than 40 levels, or
            PyYAML is not installed.
    """
    if len(data) > LARGEST:
        raise UsageError(f"larger than {LARGEST:,} bytes", where=where, remedy="split it, or put data into `setup`")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"no UTF-8 at byte {error.start}", where=where, remedy="save it as UTF-8") from None
    return _json(text, where) if where.endswith(".json") else _yaml(text, where)


def _json(text: str, where: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise UsageError(f"the key {twice!r:.80} stands twice", where=where, remedy="keep one of them")
        return found

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}"
        raise UsageError(f"no JSON: {error.msg}", where=place, remedy="mend this line") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"no JSON: {error}"[:200], where=where, remedy="mend it") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _yaml(text: str, where: str) -> Any:
    yaml = _library()
    loader_class = _loader_class()
    try:
        _refuse_depth_and_aliases(yaml, text, where)
        loader = loader_class(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _refuse_twice(yaml, node, where)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}:{mark.line + 1}" if mark is not None else where
        problem = str(getattr(error, "problem", None) or error).splitlines()[0][:300]
        raise UsageError(f"no YAML: {problem}", where=place, remedy="mend this line") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"no YAML: {error}"[:300], where=where, remedy="mend it") from None


def _refuse_depth_and_aliases(yaml: Any, text: str, where: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_base_loader(yaml)):
        place = f"{where}:{event.start_mark.line + 1}"
        if isinstance(event, yaml.events.AliasEvent):
            raise UsageError("an alias, which this format does not have", where=place, remedy="write it out")
        if isinstance(event, yaml.events.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise UsageError(f"nested deeper than {DEEPEST} levels", where=place, remedy="write it flatter")
        elif isinstance(event, yaml.events.CollectionEndEvent):
            depth -= 1


def _refuse_twice(yaml: Any, root: Any, where: str) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)
        if not isinstance(node, yaml.MappingNode):
            continue
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                place = f"{where}:{key.start_mark.line + 1}"
                raise UsageError(f"the key {name!r:.80} stands twice", where=place, remedy="keep one of them")
            seen.add(name)
            waiting.append(value)


def _library() -> Any:
    try:
        return importlib.import_module("yaml")
    except ImportError:
        raise UsageError(
            "reading probes needs PyYAML, which is not installed", remedy="pip install 'robustness-gate[probes]'"
        ) from None


def _base_loader(yaml: Any) -> Any:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def _loader_class() -> Any:
    """A safe loader that leaves dates as they are written and merges no mappings."""
    base = _base_loader(_library())
    loader: Any = type("PlainLoader", (base,), {})
    loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in _LEFT_OUT]
        for first, resolvers in base.yaml_implicit_resolvers.items()
    }
    return loader
