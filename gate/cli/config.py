"""`gate config`: each setting with its value, where it came from, and whether it decides."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, SettingsError

if TYPE_CHECKING:
    from gate.settings import Layer, Resolved

SECRET = frozenset({"token"})
_IGNORED = "on a pull request only the base decides"


@click.command(epilog="Example: gate config alpha rules")
@click.argument("keys", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--base", default=None, help="Show what would count for a pull request into this commit.")
@click.pass_obj
def config(console: Console, keys: tuple[str, ...], as_json: bool, base: str | None) -> int:
    """List all settings, or what is known of KEYS: value, origin, what it may be, and whether it decides.

    A setting that decides can change the verdict: on a pull request only the base branch may set it, and what
    anything else says is listed as ignored. A key may also be that of a rule, such as rules.negative-flip.level.
    """
    from gate.cli.files import require_own_settings
    from gate.cli.rule_keys import PREFIX, rule_rows
    from gate.settings import Layer, names, resolve

    require_own_settings(Path.cwd(), "gate config")
    unknown = [key for key in keys if key not in names() and not key.startswith(PREFIX)]
    if unknown:
        resolve([Layer("gate config", dict.fromkeys(unknown))])
    layers, proposed = _layers(Path.cwd(), base)
    resolved = resolve(layers)
    rows = [_row(resolved, key) for key in names() if not keys or key in keys]
    rows += [row for key in keys if key.startswith(PREFIX) for row in rule_rows(key, resolved)]
    told = {row["key"].partition(".")[0] for row in rows}
    passed_over = [(key, layer) for key, layer in _ignored(layers, proposed, resolved) if key in told]
    if as_json:
        ignored = [{"key": key, "from": layer, "why": _IGNORED} for key, layer in passed_over]
        console.result(json.dumps({"settings": rows, "ignored": ignored}, indent=2, ensure_ascii=False))
        return EXIT_HOLDS
    console.result("\n".join(_details(rows) if keys else _table(rows)))
    for key, layer in passed_over:
        console.warn(f"`{key}` from the {layer} is ignored: {_IGNORED}")
    return EXIT_HOLDS


def _layers(folder: Path, base: str | None) -> tuple[list[Layer], Layer | None]:
    """As `gate ci` joins them: with an event of GitHub or a named base, the base's alone decide.

    The second is the head's own file where it sets nothing.
    """
    from gate.deliver.runner import in_workflow
    from gate.settings import Layer, from_environment, from_inputs

    in_actions = in_workflow(os.environ)
    # elsewhere, INPUT_METHOD and the like are another program's business
    inputs = from_inputs(os.environ) if in_actions else {}
    others = [Layer("environment", from_environment(os.environ)), Layer("action input", inputs)]
    if not in_actions and base is None:
        from gate.baselines.trusted import local_layers

        return [*local_layers(folder), *others], None
    from gate.baselines.trusted import settings_layers
    from gate.cli.tools import find_base, git_of, read_event, read_trusted
    from gate.collaborators import Request

    request = Request(root=folder, environ=dict(os.environ), base=base)
    git = git_of(request)
    trusted = read_trusted(git, request, find_base(git, request, read_event(request)), others)
    return settings_layers(trusted, others), trusted.proposed_layer


def _ignored(layers: Sequence[Layer], proposed: Layer | None, resolved: Resolved) -> Iterator[tuple[str, str]]:
    """Keys and places that say something else than what counts, and have no say."""
    from gate.settings import resolve

    for layer in [*layers, *([] if proposed is None else [proposed])]:
        untrusted = [key for key in layer.values if layer is proposed or (key, layer.name) in resolved.ignored]
        try:
            meant = resolve([replace(layer, trusted=True)]).settings if untrusted else resolved.settings
        except SettingsError:  # such as one of two that say something only together
            yield from ((key, layer.name) for key in untrusted)
            continue
        for key in untrusted:
            name = key.replace("-", "_")
            if getattr(meant, name) != getattr(resolved.settings, name):
                yield key, layer.name


def _row(resolved: Resolved, key: str) -> dict[str, Any]:
    from gate.settings import ENVIRONMENT_PREFIX, decides, describe, inputs

    value = resolved.settings.model_dump(mode="json")[key.replace("-", "_")]
    if key in SECRET:
        value = "set" if value else "not set"
    return {
        "key": key,
        "value": value,
        "from": resolved.origins[key],
        "decides": decides(key),
        "input": key in inputs(),
        "environment": ENVIRONMENT_PREFIX + key.upper().replace("-", "_"),
        "may-be": may_be(key),
        "description": describe(key),
    }


def may_be(key: str) -> str:
    """What a setting may be, in words."""
    from gate.schema.verdict import Level, RuleName

    if key == "rules":
        levels = ", ".join(Level)
        return (
            f"a table by rule, each with `level` ({levels}) and `tolerance` (0 or more); rules: {', '.join(RuleName)}"
        )
    schema = _properties()[key]
    if "enum" in schema or "const" in schema:
        return "one of " + ", ".join(str(value) for value in schema.get("enum", [schema.get("const")]))
    kind = {"number": "a number", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}
    words = kind.get(schema.get("type", ""), "a text")
    bounds = [
        f"{word} {schema[name]:g}"
        for name, word in (("exclusiveMinimum", "above"), ("minimum", "from"), ("exclusiveMaximum", "below"))
        if name in schema
    ]
    if "pattern" in schema:
        bounds.append("1 to 60 letters, digits, `_`, `.` or `-`" if key == "suite" else f"like {schema['pattern']}")
    return " ".join([words, " and ".join(bounds)]).strip()


@cache
def _properties() -> dict[str, dict[str, Any]]:
    """The JSON schema of each setting; to make it takes longer than all the rest of the command."""
    from gate.settings import Settings

    properties: dict[str, dict[str, Any]] = Settings.model_json_schema()["properties"]
    return properties


def _table(rows: list[dict[str, Any]]) -> list[str]:
    from gate.render.escape import terminal

    cells: list[tuple[str, ...]] = [("setting", "value", "from", "decides")]
    cells += [(row["key"], _shown(row["value"]), row["from"], "yes" if row["decides"] else "no") for row in rows]
    cells = [tuple(terminal(cell) for cell in line) for line in cells]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]


def _details(rows: list[dict[str, Any]]) -> list[str]:
    from gate.render.escape import terminal

    lines = []
    for row in rows:
        variable = row["environment"] or "none; it stands in a settings file"
        lines += [
            f"{row['key']} = {_shown(row['value'])}",
            f"  {row['description']}",
            f"  may be: {row['may-be']}",
            f"  from: {row['from']}",
            "  decides: " + (f"yes; {_IGNORED}" if row["decides"] else "no; the workflow may set it too"),
            f"  environment: {variable}" + ("; also an input of the action" if row["input"] else ""),
        ]
    return [terminal(line) for line in lines]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value in ("", [], {}):
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
