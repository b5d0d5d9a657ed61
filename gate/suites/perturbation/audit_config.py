"""What `gate sweep --config FILE` reads: our own TOML, and the sections of GlassAlpha's audit_config.yaml that sweep.

Both become one `SweepConfig`. `KEYS` and `AUDIT_KEYS` are all the keys there are; docs/sweeps.md lists the same.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gate.errors import SettingsError
from gate.suites.perturbation.measures.status import checked_threshold
from gate.suites.perturbation.noise_sweep import checked_epsilons

Judge = Literal["flips", "score"]

_TEXT, _TEXTS, _NUMBER, _NUMBERS, _WHOLE, _FLAG = "text", "texts", "number", "numbers", "whole", "flag"

KEYS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "data": {
        "path": ("path", _TEXT),
        "target": ("target", _TEXT),
        "protected": ("protected", _TEXTS),
        "features": ("features", _TEXTS),
        "ids": ("ids", _TEXT),
        "rows": ("rows", _WHOLE),
        "memory": ("memory", _WHOLE),
        "relations": ("relations", _TEXTS),
    },
    "model": {
        "import": ("imported", _TEXT),
        "file": ("file", _TEXT),
        "url": ("url", _TEXT),
        "kind": ("kind", _TEXT),
        "labels": ("labels", _TEXTS),
        "cutoff": ("cutoff", _NUMBER),
    },
    "sweep": {
        "name": ("name", _TEXT),
        "epsilons": ("epsilons", _NUMBERS),
        "threshold": ("threshold", _NUMBER),
        "seed": ("seed", _WHOLE),
        "scale": ("scale", _TEXT),
        "judge": ("judge", _TEXT),
        "worst-case": ("worst_case", _FLAG),
        "attack": ("attack", _TEXT),
        "budget": ("budget", _WHOLE),
        "swaps": ("swaps", _WHOLE),
        "tolerance": ("tolerance", _NUMBER),
        "time-limit": ("time_limit", _NUMBER),
        "threads": ("threads", _WHOLE),
    },
}
"""By section the keys of our own format, with the field and the kind of value. `[columns.NAME]` overrides a column."""

AUDIT_KEYS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "data": {
        "path": ("path", _TEXT),
        "target_column": ("target", _TEXT),
        "protected_attributes": ("protected", _TEXTS),
        "feature_columns": ("features", _TEXTS),
    },
    "model": {"path": ("file", _TEXT)},
    "metrics.stability": {"epsilon_values": ("epsilons", _NUMBERS), "threshold": ("threshold", _NUMBER)},
    "reproducibility": {"random_seed": ("seed", _WHOLE)},
}
"""The keys of GlassAlpha's file that a sweep needs; `metrics.stability.enabled` must be true. Others are named."""

_CHOICES = {
    "scale": ("sd", "mad"),
    "judge": ("flips", "score"),
    "kind": ("probabilities", "labels", "values"),
}


@dataclass(frozen=True, slots=True)
class SweepConfig:
    """One sweep.

    Attributes:
        path: CSV or Parquet file, relative to the configuration's folder.
        target: its column of true classes or values; empty where nobody knows them.
        protected: attributes that are never moved, nor the one-hot columns that stand for them.
        features: the model's columns in its order; all but target and ids by default.
        ids: the column that names the examples; row numbers by default.
        rows: largest number of rows; above it a seeded sample, stratified by the target.
        memory: MiB of cells above which a Parquet file is read in parts; the results are the same.
        imported, file, url: the model, exactly one: `module:attribute`, a file, or an address.
        judge: what the status is of: the share of examples that flip, or the reference's score.
        attack, budget, swaps: how the worst case is searched for: by which attack, with how many queries a row, and
            with how many categories swapped at once (Hamming distance).
        tolerance: for values, the standard deviations of the target that are no flip.
        time_limit: seconds after which the sweep ends with what was covered; 0 for none.
        threads: batches that a thread-safe model is asked about at once; 0 for one a core.
        columns: overrides of the schema by column.
        notes: what of a foreign file was not read, one sentence each.
        aliases: by protected attribute other names that it goes by.
    """

    path: str
    target: str = ""
    protected: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    ids: str = ""
    rows: int = 2_000
    memory: int = 1_024
    relations: tuple[str, ...] = ()
    imported: str = ""
    file: str = ""
    url: str = ""
    kind: str = ""
    labels: tuple[str, ...] = ()
    cutoff: float = 0.5
    name: str = "sweep"
    epsilons: tuple[float, ...] = (0.01, 0.05, 0.1)
    threshold: float = 0.15
    seed: int = 42
    scale: str = "sd"
    judge: Judge = "flips"
    worst_case: bool = True
    attack: str = "worst-case"
    budget: int = 150
    swaps: int = 0
    tolerance: float = 0.1
    time_limit: float = 0.0
    threads: int = 0
    columns: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    aliases: Mapping[str, str | Sequence[str]] = field(default_factory=dict)


def read_config(data: bytes, name: str) -> SweepConfig:
    """The configuration in a file: TOML by the ending `.toml`, else GlassAlpha's YAML.

    Raises:
        SettingsError: not readable, an unknown key (the nearest is given) or section, a value that a key can't have.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError("is not UTF-8", where=name, remedy="save it as UTF-8") from None
    return _own(text, name) if name.endswith(".toml") else _audit(text, name)


def _own(text: str, name: str) -> SweepConfig:
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"is no TOML: {error}", where=name, remedy="mend it at the position named") from None
    columns = _section(found.pop("columns", {}), f"{name}: columns")
    aliases = _section(found.pop("aliases", {}), f"{name}: aliases")
    _refuse_unknown(found, [*KEYS, "columns", "aliases"], name)
    values = _values(found, KEYS, name)
    overrides = {column: _section(entry, f"{name}: columns.{column}") for column, entry in columns.items()}
    others = {attribute: _value(given, _TEXTS, f"{name}: aliases.{attribute}") for attribute, given in aliases.items()}
    return _checked({**values, "columns": overrides, "aliases": others}, name)


def _audit(text: str, name: str) -> SweepConfig:
    import importlib

    try:
        yaml: Any = importlib.import_module("yaml")
    except ImportError:
        remedy = "`pip install pyyaml`, or write the sweep as TOML"
        raise SettingsError("a YAML file needs PyYAML, which is not installed", where=name, remedy=remedy) from None
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        told = " ".join(str(error).split())
        raise SettingsError(f"is no YAML: {told:.200}", where=name, remedy="mend it at the position named") from None
    whole = _section(found, name)
    metrics = _section(whole.get("metrics") or {}, f"{name}: metrics")
    stability = _section(metrics.get("stability") or {}, f"{name}: metrics.stability")
    if stability.get("enabled") is not True:
        remedy = "set `metrics.stability.enabled: true`"
        raise SettingsError("the sweep is not enabled, so nothing would be measured", where=name, remedy=remedy)
    parts = {
        "data": whole.get("data") or {},
        "model": whole.get("model") or {},
        "metrics.stability": {key: value for key, value in stability.items() if key != "enabled"},
        "reproducibility": whole.get("reproducibility") or {},
    }
    if "random_seed" in whole:
        parts["reproducibility"] = {"random_seed": whole["random_seed"], **_section(parts["reproducibility"], name)}
    known = {part: {key: entry for key, entry in _section(given, f"{name}: {part}").items() if key in AUDIT_KEYS[part]}
             for part, given in parts.items()}  # fmt: skip
    values = _values(known, AUDIT_KEYS, name)
    if not values.get("path"):
        dataset = parts["data"].get("dataset")
        told = f"the data set {dataset!r:.60} comes with GlassAlpha only" if dataset else "there is no data.path"
        raise SettingsError(told, where=name, remedy="write its table to a file and set `data.path`")
    return _checked({**values, "judge": "score", "notes": _unread(whole, parts, metrics)}, name)


def _unread(whole: Mapping[str, Any], parts: Mapping[str, Any], metrics: Mapping[str, Any]) -> tuple[str, ...]:
    """What else stands in the file, so that nobody takes it for measured."""
    inside = {"data", "model", "metrics", "reproducibility", "random_seed"}
    left = [str(key) for key in whole if key not in inside]
    left += [f"metrics.{key}" for key in metrics if key != "stability"]
    left += [f"{part}.{key}" for part, given in parts.items() for key in given if key not in AUDIT_KEYS[part]]
    return (f"not read, since a sweep needs none of it: {', '.join(sorted(left))}",) if left else ()


def _values(found: Mapping[str, Any], keys: Mapping[str, Mapping[str, tuple[str, str]]], name: str) -> dict[str, Any]:
    values = {}
    for part, known in keys.items():
        given = _section(found.get(part, {}), f"{name}: {part}")
        _refuse_unknown(given, list(known), f"{name}: {part}")
        for key, value in given.items():
            if value is not None:
                values[known[key][0]] = _value(value, known[key][1], f"{name}: {part}.{key}")
    return values


def _section(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise SettingsError(f"is no table of keys but {value!r:.60}", where=where, remedy="see docs/sweeps.md")
    return {str(key): entry for key, entry in value.items()}


def _refuse_unknown(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            advice = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(known)}"
            raise SettingsError(f"there is no key `{key:.60}`", where=where, remedy=advice)


def _value(value: Any, kind: str, where: str) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if kind == _TEXT and isinstance(value, str):
        return value
    if kind == _TEXTS and isinstance(value, list) and all(isinstance(each, str | int) for each in value):
        return tuple(str(each) for each in value)
    if kind == _NUMBER and number:
        return float(value)
    if kind == _NUMBERS and isinstance(value, list):
        return tuple(value)
    if kind == _WHOLE and number and value == int(value):
        return int(value)
    if kind == _FLAG and isinstance(value, bool):
        return value
    words = {
        _TEXTS: "a list of texts",
        _NUMBER: "a finite number",
        _NUMBERS: "a list of numbers",
        _WHOLE: "a whole number",
        _FLAG: "true or false",
    }
    raise SettingsError(
        f"{value!r:.60} is not {words.get(kind, f'a {kind}')}", where=where, remedy="see docs/sweeps.md"
    )


def _checked(values: dict[str, Any], name: str) -> SweepConfig:
    if not values.get("path"):
        raise SettingsError("there is no data.path", where=name, remedy="name the table that is swept")
    for key, choices in _CHOICES.items():
        if values.get(key, "") and values[key] not in choices:
            remedy = f"choose {' or '.join(choices)}"
            raise SettingsError(f"{key} is {values[key]!r:.40}", where=name, remedy=remedy)
    for key, least in (("rows", 1), ("memory", 1), ("budget", 1), ("swaps", 0), ("time_limit", 0), ("threads", 0)):
        if values.get(key, least) < least:
            raise SettingsError(f"{key} is {values[key]}", where=name, remedy=f"give at least {least}")
    if values.get("tolerance", 0.1) < 0:
        raise SettingsError("tolerance is negative", where=name, remedy="give standard deviations of the target")
    models = [key for key in ("imported", "file", "url") if values.get(key)]
    if len(models) > 1:
        raise SettingsError("several models are named", where=name, remedy="name one: import, file or url")
    config = SweepConfig(**values)
    epsilons = tuple(checked_epsilons(config.epsilons, f"{name}: epsilons"))
    from dataclasses import replace

    return replace(config, epsilons=epsilons, threshold=checked_threshold(config.threshold, f"{name}: threshold"))
