"""Settings: one frozen value, resolved from the base, the checkout, the environment and the action's inputs.

Every field says whether it *decides*. A deciding setting can change the verdict, so on a pull request only the base
commit may set it. The rest (paths, commands, delivery) may also come from the workflow: the environment, the action's
inputs, the command line. The settings file of a pull request's head sets nothing.
"""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from gate.errors import SettingsError
from gate.schema.verdict import RuleName
from gate.settings.fields import SUITE, RuleSetting, Settings

__all__ = [
    "ENVIRONMENT_PREFIX",
    "INPUT_PREFIX",
    "SUITE",
    "Layer",
    "Resolved",
    "RuleSetting",
    "Settings",
    "decides",
    "describe",
    "from_environment",
    "from_inputs",
    "inputs",
    "names",
    "resolve",
    "secret",
    "usable",
]
ENVIRONMENT_PREFIX = "GATE_"
INPUT_PREFIX = "INPUT_"
_OF_SUITE = "it takes 1 to 60 letters from A to Z in either case, digits, `_`, `.` or `-`"


@dataclass(frozen=True, slots=True)
class Layer:
    """One place that settings come from.

    Attributes:
        name: as shown to users (`base 3f9c1e2:pyproject.toml`, `environment`, `action input`, `command line`).
        values: by kebab-case key.
        trusted: whether it may set what decides.
    """

    name: str
    values: Mapping[str, Any]
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Resolved:
    """Settings with, for each field, the layer that set it, and what was ignored because it may not decide."""

    settings: Settings
    origins: Mapping[str, str]
    ignored: tuple[tuple[str, str], ...] = ()


def names() -> tuple[str, ...]:
    """All keys in kebab-case, in the order of the documentation."""
    return tuple(_kebab(name) for name in Settings.model_fields)


def decides(key: str) -> bool:
    """Whether a setting (kebab-case) can change the verdict."""
    return bool(_extra(_field(key)).get("decides"))


def secret(key: str) -> bool:
    """Whether a setting (kebab-case) is never shown and stands in no file."""
    return bool(_extra(_field(key)).get("secret"))


def inputs() -> tuple[str, ...]:
    """Keys that are also inputs of the action, in order."""
    return tuple(key for key in names() if _extra(_field(key)).get("input"))


def describe(key: str) -> str:
    """One line about a setting."""
    return _field(key).description or ""


def resolve(layers: Iterable[Layer]) -> Resolved:
    """Join layers, the last one that may set a key wins.

    Raises:
        SettingsError: an unknown key (with the nearest known one), an unknown rule, a value that can't be.
    """
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    ignored: list[tuple[str, str]] = []
    for layer in layers:
        for key, value in layer.values.items():
            _known(key, layer.name)
            if decides(key) and not layer.trusted:
                ignored.append((key, layer.name))
                continue
            merged[key] = _checked(key, value, layer.name)
            origins[key] = layer.name
    settings = Settings.model_validate(merged)
    if bool(settings.false_alarms) != bool(settings.runs):
        raise SettingsError(
            "`false-alarms` and `runs` say something only together",
            where=origins["false-alarms" if settings.false_alarms else "runs"],
            remedy='set both, such as false-alarms = "1 a month" and runs = "120 a month", or set `alpha`',
        )
    return Resolved(settings, {key: origins.get(key, "default") for key in names()}, tuple(ignored))


def usable(layers: Iterable[Layer]) -> Settings:
    """As `resolve`, without any value that it would refuse: for telling somebody that one was refused."""
    kept: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.values.items():
            if key in names() and (layer.trusted or not decides(key)):
                with contextlib.suppress(SettingsError):
                    kept[key] = _checked(key, value, layer.name)
    return Settings.model_validate(kept)


def from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """`GATE_SHOW_MESSAGES=false` and the like; names outside the settings are another program's business."""
    found = {}
    for key in names():
        name = ENVIRONMENT_PREFIX + key.upper().replace("-", "_")
        if environ.get(name, "") != "":
            found[key] = environ[name]
    return found


def from_inputs(environ: Mapping[str, str], *, known_only: bool = False) -> dict[str, Any]:
    """The action's inputs. GitHub keeps hyphens in their names and sets those without a default to an empty text.

    Args:
        known_only: pass over an input that the action doesn't have.

    Raises:
        SettingsError: an input that the action doesn't have.
    """
    known = set(inputs())
    found = {}
    for name, value in sorted(environ.items()):
        if not name.startswith(INPUT_PREFIX):
            continue
        key = name.removeprefix(INPUT_PREFIX).lower()
        if key not in known and known_only:
            continue
        if key not in known:
            raise SettingsError(f"unknown input `{key}`", where="action", remedy=_nearest(key, known))
        if value.strip():
            found[key] = value
    return found


def _checked(key: str, value: Any, layer: str) -> Any:
    if key == "rules":
        _check_rules(value, layer)
    try:
        validated = Settings.model_validate({key: value})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = _OF_SUITE if first["type"] == "string_pattern_mismatch" else first["msg"].lower()
        raise SettingsError(
            f"`{place}` can't be {str(first['input'])!r:.60}: {reason}",
            where=layer,
            remedy=f"`gate config` lists what `{key}` may be",
        ) from None
    return getattr(validated, key.replace("-", "_"))


def _check_rules(value: Any, layer: str) -> None:
    if not isinstance(value, Mapping):
        raise SettingsError("`rules` is a table of rule names", where=layer, remedy="see docs/rules.md")
    known = [rule.value for rule in RuleName]
    for name, chosen in value.items():
        if str(name) not in known:
            raise SettingsError(f"no rule is called `{name}`", where=layer, remedy=_nearest(str(name), known))
        if not isinstance(chosen, Mapping | RuleSetting | str):
            raise SettingsError(
                f"`rules.{name}` can't be {str(chosen)!r:.60}",
                where=layer,
                remedy=f'write {name} = "off" or another level, or a table with `level` and `tolerance`',
            )
        for field in chosen if isinstance(chosen, Mapping) else ():
            if field not in RuleSetting.model_fields:
                raise SettingsError(
                    f"a rule has no `{field}`: `rules.{name}.{field}`",
                    where=layer,
                    remedy=_nearest(str(field), RuleSetting.model_fields),
                )


def _known(key: str, layer: str) -> None:
    if key not in names():
        raise SettingsError(f"unknown setting `{key}`", where=layer, remedy=_nearest(key, names()))


def _nearest(word: str, known: Iterable[str]) -> str:
    options = sorted(known)
    close = difflib.get_close_matches(word, options, n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"known are: {', '.join(options)}"


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _field(key: str) -> FieldInfo:
    return Settings.model_fields[key.replace("-", "_")]


def _extra(field: FieldInfo) -> Mapping[str, Any]:
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
