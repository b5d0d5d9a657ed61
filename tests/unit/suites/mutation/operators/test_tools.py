"""Tool lists as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.prompt import parse
from tests.support.mutation import assert_only_spans_change

SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "currency": {"type": "string", "enum": ["EUR", "USD"]},
        "lines": {"type": "array", "items": {"type": "object", "required": ["text"], "properties": {"text": {}}}},
    },
    "required": ["amount", "currency"],
}
SHAPES = {
    "openai": [{"type": "function", "function": {"name": "pay", "description": "Pays money.", "parameters": SCHEMA}}],
    "flat": [{"type": "function", "name": "pay", "description": "Pays money.", "parameters": SCHEMA}],
    "anthropic": [{"name": "pay", "description": "Pays money.", "input_schema": SCHEMA}],
    "mcp": {"tools": [{"name": "pay", "description": "Pays money.", "inputSchema": SCHEMA}]},
}


def schemas(value: Any) -> Any:
    tool = (value["tools"] if isinstance(value, dict) else value)[0]
    tool = tool.get("function", tool)
    return tool, next(tool[key] for key in ("parameters", "input_schema", "inputSchema") if key in tool)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("indent", [None, 2])
def test_each_shape_gives_the_same_mutants(shape: str, indent: int | None) -> None:
    text = json.dumps(SHAPES[shape], indent=indent)
    found = mutants_of(parse(text), operators=["tool-schema"]).mutants
    required, enums, descriptions, inner = set(), [], [], []
    for mutant in found:
        assert_only_spans_change(text, mutant)
        tool, schema = schemas(json.loads(mutant.apply(text)))
        required.add(tuple(schema["required"]))
        enums.append(schema["properties"]["currency"]["enum"])
        descriptions.append(tool["description"])
        inner.append(schema["properties"]["lines"]["items"]["required"])
    assert required == {("amount", "currency"), ("amount",), ("currency",)}
    assert ["EUR", "USD", "other"] in enums
    assert "Do not use this tool for the following: Pays money." in descriptions
    assert [] in inner
    assert len({mutant.id for mutant in found}) == len(found) == 5


def test_ids_do_not_depend_on_the_layout_or_on_other_tools() -> None:
    tools = SHAPES["anthropic"]
    more = [{"name": "see", "description": "Never shows secrets.", "input_schema": {}}, *tools]
    one = {mutant.id for mutant in mutants_of(parse(json.dumps(tools)), operators=["tool-schema"]).mutants}
    other = {mutant.id for mutant in mutants_of(parse(json.dumps(more, indent=1)), operators=["tool-schema"]).mutants}
    assert one < other
    assert len(other) == len(one) + 1


def test_a_fenced_list_is_mutated_in_its_place_when_code_is_asked_for() -> None:
    text = "Tools:\r\n```json\r\n" + json.dumps(SHAPES["flat"]) + "\r\n```\r\nBe kind.\r\n"
    assert mutants_of(parse(text), operators=["tool-schema"]).mutants == ()
    found = mutants_of(parse(text), operators=["tool-schema"], include_code=True).mutants
    assert len(found) == 5
    for mutant in found:
        new = mutant.apply(text)
        assert new.startswith("Tools:\r\n```json\r\n[")
        assert new.endswith("]\r\n```\r\nBe kind.\r\n")


@pytest.mark.parametrize(
    "text", ["[]", "{}", "[1, 2]", '[{"name": 1}]', '{"tools": 3}', "not json", '[{"name": "a"}]', "[" * 5000]
)
def test_what_is_no_tool_list_has_no_such_mutant(text: str) -> None:
    assert mutants_of(parse(text), operators=["tool-schema"]).mutants == ()


def test_an_enum_that_already_has_the_added_value_gets_another() -> None:
    tools = [{"name": "a", "input_schema": {"properties": {"b": {"enum": ["other"]}, "c": {"enum": [1, 2]}}}}]
    text = json.dumps(tools)
    found = [json.loads(mutant.apply(text)) for mutant in mutants_of(parse(text), operators=["tool-schema"]).mutants]
    properties = [one[0]["input_schema"]["properties"] for one in found]
    assert {"b": {"enum": ["other", "other_0"]}, "c": {"enum": [1, 2]}} in properties
    assert {"b": {"enum": ["other"]}, "c": {"enum": [1, 2, 3]}} in properties
