"""What a user declares as changing from run to run without meaning, such as request ids and timestamps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gate.errors import SettingsError

PLACEHOLDER = "~volatile~"


@dataclass(frozen=True, slots=True)
class Volatile:
    """Parts of a request that are replaced before it is compared.

    Attributes:
        headers: names of headers that don't count, in any case.
        query: names of query parameters whose values don't count.
        json: fields of JSON bodies, of lines of JSON and of forms whose values don't count: a name (`request_id`, at
            any depth) or a dotted path from the top (`metadata.trace.id`), in which `*` is any name or place in a list.
        patterns: regular expressions and what each match becomes, in addresses and in the text of bodies.

    Raises:
        SettingsError: a pattern is no regular expression, or its replacement names a group that it lacks.
    """

    headers: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    json: tuple[str, ...] = ()
    patterns: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for pattern, instead in self.patterns:
            try:
                re.compile(pattern)
                re.compile(f"{pattern}|").sub(instead, "")  # the empty match makes it look at the replacement
            except (re.error, IndexError) as error:
                raise SettingsError(
                    f"the pattern {pattern!r} with {instead!r} can't be used: {error}",
                    where="volatile.patterns",
                    remedy="write a regular expression of Python and a replacement that uses only its groups",
                ) from None


NONE = Volatile()
_INSTEAD = " => "


def read_volatile(parts: Iterable[str]) -> Volatile:
    """Parts as the setting `volatile` names them: `header:NAME`, `query:NAME`, `json:FIELD` or `pattern:REGEX`.

    What a pattern matches becomes `PLACEHOLDER`, or what follows ` => ` behind it.

    Raises:
        SettingsError: a part is of no such kind, or a pattern can't be used.
    """
    found: dict[str, list[str]] = {"header": [], "query": [], "json": [], "pattern": []}
    for part in parts:
        kind, _, name = part.partition(":")
        if kind not in found or not name.strip():
            raise SettingsError(
                f"{part!r:.60} names no part of a request",
                where="volatile",
                remedy="write header:NAME, query:NAME, json:FIELD or pattern:REGEX",
            )
        found[kind].append(name if kind == "pattern" else name.strip())
    patterns = [each.rpartition(_INSTEAD) if _INSTEAD in each else (each, "", PLACEHOLDER) for each in found["pattern"]]
    return Volatile(
        tuple(found["header"]),
        tuple(found["query"]),
        tuple(found["json"]),
        tuple((pattern, instead) for pattern, _, instead in patterns),
    )


def text_without(volatile: Volatile, text: str) -> str:
    """A text with the matches of the patterns replaced."""
    for pattern, instead in volatile.patterns:
        text = re.sub(pattern, instead, text)
    return text


def json_change(volatile: Volatile) -> Callable[[Any], Any] | None:
    """What makes a JSON value free of volatile fields, in place; None where none are declared."""
    return _json_change(volatile.json) if volatile.json else None


def field_is_volatile(volatile: Volatile, name: str) -> bool:
    """Whether a field of a form is declared volatile."""
    return name in volatile.json


@lru_cache(maxsize=16)
def _json_change(declared: tuple[str, ...]) -> Callable[[Any], Any]:
    names = frozenset(path for path in declared if "." not in path)
    paths = tuple(tuple(path.split(".")) for path in declared if "." in path)

    def change(value: Any) -> Any:
        if names:
            _blank_names(value, names)
        for path in paths:
            _blank_path(value, path)
        return value

    return change


def _blank_names(value: Any, names: frozenset[str]) -> None:
    """Values of these names at any depth. Depth is bounded by what reads the JSON."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            for name in names & here.keys():
                _set(here, name)
            waiting.extend(each for _, each in here.items() if isinstance(each, dict | list))
        elif isinstance(here, list):
            waiting.extend(each for each in here if isinstance(each, dict | list))


def _blank_path(value: Any, path: tuple[str, ...]) -> None:
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        for name, inner in list(value.items()):
            if head not in ("*", name):
                continue
            if rest:
                _blank_path(inner, rest)
            else:
                _set(value, name)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            if head not in ("*", str(place)):
                continue
            if rest:
                _blank_path(inner, rest)
            else:
                value[place] = PLACEHOLDER


def _set(value: dict[str, Any], name: str) -> None:
    value[name] = PLACEHOLDER
    pairs = getattr(value, "pairs", None)  # an object in which a name stands twice
    if pairs is not None:
        pairs[:] = [(key, PLACEHOLDER if key == name else inner) for key, inner in pairs]
