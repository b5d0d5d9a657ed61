"""The settings of a folder: `gate.toml`, else `[tool.gate]` of `pyproject.toml`, as one layer."""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gate.errors import GateError, SettingsError
from gate.settings import Layer, names, resolve, secret

OWN_FILE = "gate.toml"
SHARED_FILE = "pyproject.toml"
SUPPRESSIONS = "suppressions"
"""Mutants that are left out, which `gate.toml` may list beside the settings (docs/mutation.md)."""
MAX_SETTINGS_BYTES = 1_000_000
_POSITION = re.compile(r"\(at line (\d+), column (\d+)\)")
_NAMED = re.compile(r"`([^`]+)`")


def read_layer(read: Callable[[str], bytes | None], name: str, *, trusted: bool = True) -> Layer | None:
    """The settings that stand in one place, checked; None where there are none.

    Args:
        read: content of a file by its name, None when there is no such file.
        name: the place as shown to users (`base 3f9c1e2`, or empty for the checkout).
        trusted: whether they may decide.

    Raises:
        SettingsError: not TOML, an unknown key or value (with file and line), or both files hold settings.
    """
    found = []
    for file in (OWN_FILE, SHARED_FILE):
        data = read(file)
        if data is None:
            continue
        where = f"{name}:{file}" if name else file
        text = _decoded(data, where)
        values = _table(text, where, own=file == OWN_FILE)
        if values is not None:
            found.append((Layer(where, values, trusted), text))
    if len(found) > 1:
        raise SettingsError(
            f"`{OWN_FILE}` and `[tool.gate]` of `{SHARED_FILE}` both hold settings",
            where=name,
            remedy="keep one of them",
        )
    if not found:
        return None
    layer, text = found[0]
    _check(layer, text)
    return layer


def local_layers(folder: Path) -> list[Layer]:
    """The settings of a checkout as it lies on the disk; there nobody else's code is judged, so they may decide.

    Raises:
        SettingsError: as `read_layer`, or a settings file that is no plain file.
    """

    def read(file: str) -> bytes | None:
        path = folder / file
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise SettingsError("is no plain file", where=str(path), remedy="put a plain file there")
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SettingsError(
                f"can't be read: {error.strerror or error}", where=str(path), remedy="check its permissions"
            ) from None

    layer = read_layer(read, "")
    return [] if layer is None else [layer]


def readable(read: Callable[[str], bytes | None]) -> Layer | None:
    """The settings of one place as far as they can be read, to know where and under which name to tell what is wrong.

    Never raises; what can't be used is left for `gate.settings.usable` to drop.
    """
    for file in (OWN_FILE, SHARED_FILE):
        with contextlib.suppress(GateError):
            data = read(file)
            values = None if data is None else _table(_decoded(data, file), file, own=file == OWN_FILE)
            if values is not None:
                return Layer(file, {key: value for key, value in values.items() if key in names() and not secret(key)})
    return None


def settings_differences(base: Layer | None, head: Layer | None, fork: Layer | None = None) -> tuple[str, ...]:
    """Settings that the head's file would change, one sentence each, in the order of the documentation.

    All of them, also those that don't decide: the head's file sets nothing while it is only proposed.

    Args:
        fork: the settings where the head branched off, when the base has moved on since; what only the base changed
            is no difference of the head's.
    """
    before, after = _flat(base), _flat(head)
    since = before if fork is None else _flat(fork)
    where = head.name if head is not None else "no settings file"
    places = {key: place for place, key in enumerate(names())}
    return tuple(
        f"`{key}`: {_shown(before.get(key))} → {_shown(after.get(key))} ({where})"
        for key in sorted({*before, *after}, key=lambda key: (places[key.partition(".")[0]], key))
        if before.get(key) != after.get(key) != since.get(key)
    )


def _flat(layer: Layer | None) -> dict[str, Any]:
    """Settings by key, those of rules by `rules.<name>.<field>`."""
    settings = resolve([] if layer is None else [replace(layer, trusted=True)]).settings
    found: dict[str, Any] = {}
    for key in names():
        value = getattr(settings, key.replace("-", "_"))
        if not isinstance(value, Mapping):
            found[key] = value
            continue
        for name, entry in sorted(value.items()):
            found |= {f"{key}.{name}.{field}": getattr(entry, field) for field in ("level", "tolerance")}
    return found


def _shown(value: Any) -> str:
    if value is None:
        return "default"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return str(value) or "default"


def _decoded(data: bytes, where: str) -> str:
    if len(data) > MAX_SETTINGS_BYTES:
        raise SettingsError(
            f"{len(data):,} bytes are more than the limit of {MAX_SETTINGS_BYTES:,}",
            where=where,
            remedy="settings are short; is this the right file?",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SettingsError("is not UTF-8", where=f"{where}:{line}", remedy="save it as UTF-8") from None


def _table(text: str, where: str, *, own: bool) -> Mapping[str, Any] | None:
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        position = _POSITION.search(str(error))
        at_end = f":{text.rstrip().count(chr(10)) + 1}" if "end of document" in str(error) else ""
        place = f":{position[1]}:{position[2]}" if position else at_end
        reason = _POSITION.sub("", str(error)).strip() or "nested too deeply"
        raise SettingsError(f"is not TOML: {reason}", where=where + place, remedy="mend the file") from None
    if own:
        settings = {key: value for key, value in document.items() if key != SUPPRESSIONS}
        return None if document and not settings else settings  # a list of suppressions alone sets nothing
    tool = document.get("tool", {})
    table = tool.get("gate") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError("`tool.gate` is a table", where=where, remedy="write `[tool.gate]` above the settings")
    return table


def _check(layer: Layer, text: str) -> None:
    for key in filter(secret, names()):
        if key in layer.values:
            raise SettingsError(
                f"`{key}` may not stand in a file",
                where=_place(layer.name, text, f"`{key}`"),
                remedy="take it out, revoke it if it was a real one, and give the step a secret of the workflow",
            )
    tool = layer.values.get("tool")
    if isinstance(tool, Mapping) and "gate" in tool:
        raise SettingsError(
            f"`[tool.gate]` stands in {OWN_FILE}, where every key is the gate's",
            where=_place(layer.name, text, "`tool.gate`"),
            remedy=f"in {OWN_FILE} write the keys without [tool.gate], and [rules.NAME] for [tool.gate.rules.NAME]",
        )
    try:
        resolve([replace(layer, trusted=True)])
    except SettingsError as error:
        raise SettingsError(error.message, where=_place(layer.name, text, error.message), remedy=error.remedy) from None


def _place(name: str, text: str, message: str) -> str:
    """The file with the line of the key that a message names; each part stands in or below the line of the one before.

    Comments are passed over: they may hold the same key as an example.
    """
    named = _NAMED.search(message)
    found = 0
    for part in named[1].split(".") if named else ():
        pattern = rf"""(?:^|[\s.\[{{,"'])["']?{re.escape(part)}["']?\s*[=.\]]"""
        for number, line in enumerate(text.split("\n"), start=1):
            if number >= found and not line.lstrip().startswith("#") and re.search(pattern, line):
                found = number
                break
    return f"{name}:{found}" if found else name
