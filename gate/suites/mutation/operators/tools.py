"""Tool schema mutation: a tool list as JSON, with a required field dropped, an enum widened or a description negated.

The shapes of the usual interfaces are known: a list, or an object with `tools`, of `{"type": "function", "function":
{…}}` or of plain functions, with the schema under `parameters`, `input_schema` or `inputSchema`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gate.suites.mutation.json_spans import Node, read
from gate.suites.mutation.operators.edit import Edit, shortened
from gate.suites.mutation.operators.words import first_of, in_case_of
from gate.suites.mutation.prompt.languages import WORD, guess, language
from gate.suites.mutation.prompt.model import Prompt, Span
from gate.suites.mutation.prompt.parse import parse

_SCHEMAS = ("parameters", "input_schema", "inputSchema")
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[^\r\n]*(?:\r\n?|\n)")
_ADDED = "other"


@dataclass(frozen=True, slots=True)
class _Tool:
    name: str
    function: Node
    schema: Node | None


def tool_schema(prompt: Prompt) -> list[Edit]:
    """Edits of every tool list: the prompt itself, or, where code is to be mutated, JSON in it that stands as code."""
    found: list[Edit] = []
    for node in _documents(prompt):
        for tool in tools_in(node):
            found += _description(prompt.text, tool)
            if tool.schema:
                found += _schema(prompt.text, tool)
    return found


def tools_in(node: Node) -> list[_Tool]:
    """The tools of a JSON document; none when it is something else."""
    listed = node if node.kind == "list" else node.members.get("tools") or node.members.get("functions")
    if listed is None or listed.kind != "list":
        return []
    found = []
    for item in listed.items:
        inner = item.members.get("function")
        function = inner if inner and inner.kind == "object" else item
        name = function.members.get("name")
        schema = next((function.members[key] for key in _SCHEMAS if key in function.members), None)
        if name and isinstance(name.value, str) and (schema or "description" in function.members):
            found.append(_Tool(name.value, function, schema))
    return found


def _documents(prompt: Prompt) -> Iterator[Node]:
    text = prompt.text
    if text.lstrip()[:1] in ("[", "{") and (whole := read(text)):
        yield whole
        return
    for block in parse(text).blocks if prompt.include_code else ():
        if block.kind == "code":
            fence = _FENCE.match(text, block.span.start, block.span.end)
            start = fence.end() if fence else block.span.start
            end = text.rfind("\n", start, block.span.end) if fence else block.span.end
            if found := read(text, start, max(start, end)):
                yield found


def _schema(text: str, tool: _Tool) -> Iterator[Edit]:
    """Edits of a schema and of the schemas within it."""
    waiting: list[tuple[str, Node]] = [("", tool.schema)] if tool.schema else []
    while waiting:
        path, node = waiting.pop()
        required = node.members.get("required")
        if required and required.kind == "list":
            yield from _required(tool, path, required)
        enum = node.members.get("enum")
        if enum and enum.kind == "list" and enum.items:
            yield from _enum(text, tool, path, enum)
        properties = node.members.get("properties")
        if properties and properties.kind == "object":
            waiting += [(f"{path}/{name}", one) for name, one in reversed(properties.members.items())]
        items = node.members.get("items")
        if items and items.kind == "object":
            waiting.append((f"{path}[]", items))


def _required(tool: _Tool, path: str, required: Node) -> Iterator[Edit]:
    for place, item in enumerate(required.items):
        after = required.items[place + 1] if place + 1 < len(required.items) else None
        before = required.items[place - 1] if place else None
        start = before.end if before and not after else item.start
        end = after.start if after else item.end
        told = f"drop “{item.value}” from the required fields of the tool {tool.name}{path}"
        yield Edit((Span(start, end),), ("",), told, f"required {path} {item.value}", f"tool {tool.name}")


def _enum(text: str, tool: _Tool, path: str, enum: Node) -> Iterator[Edit]:
    last, values = enum.items[-1], [item.value for item in enum.items]
    if all(isinstance(value, str) for value in values):
        added: object = next(
            name for name in (_ADDED, *(f"{_ADDED}_{n}" for n in range(len(values)))) if name not in values
        )
    elif all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        added = int(max(values)) + 1
    else:
        return
    gap = text[enum.items[-2].end : last.start] if len(enum.items) > 1 else ", "
    written = json.dumps(added)
    told = f"add {written} to the values of {path.strip('/') or 'the input'} of the tool {tool.name}"
    instead = text[last.start : last.end] + gap + written
    yield Edit((last.span,), (instead,), told, f"enum {path}", f"tool {tool.name}")


def _description(text: str, tool: _Tool) -> Iterator[Edit]:
    node = tool.function.members.get("description")
    if not node or not isinstance(node.value, str) or not node.value.strip():
        return
    shown = node.value
    code = guess(shown, (word.lower() for word in WORD.findall(shown)), "en")
    table = language(code)
    found = first_of(shown, Span(0, len(shown)), table.pairs["invert"], ())
    if found:
        match, template = found
        instead = shown[: match.start()] + in_case_of(match.group(), match.expand(template)) + shown[match.end() :]
    elif table.negative:
        instead = f"{table.negative}use this tool for the following: {shown}"
    else:
        return
    inner = json.dumps(instead, ensure_ascii=text[node.start : node.end].isascii())
    told = f"negate the description of the tool {tool.name}: “{shortened(instead)}”"
    yield Edit((node.span,), (inner,), told, "description", f"tool {tool.name}")
