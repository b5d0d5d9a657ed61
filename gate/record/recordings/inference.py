"""What a plain call of a model is: paths that ask one and do nothing else, and bodies that bring all they need along.

A key opens more than models: stores of files, conversations, tools that the provider runs, addresses that it fetches.
None of these is needed to answer what a test asked, and each lets a stranger's request read or change what is the
key's owner's, or spend what no price of a model covers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_STATEFUL = "threads|conversations|assistants|vector_stores|files|batches|fine_tuning|containers|organization"
_BEFORE = rf"(?:/(?!(?:{_STATEFUL})/)[A-Za-z0-9._~-]{{1,64}}){{0,4}}"
_VERSION = r"/v[0-9][A-Za-z0-9]{0,12}"
_NAME = r"[A-Za-z0-9._~:@-]{1,200}"
_GOOGLE = "generateContent|streamGenerateContent|embedContent|batchEmbedContents"
_AMAZON = "invoke|invoke-with-response-stream|converse|converse-stream"
ENDPOINTS = (
    rf"{_BEFORE}/chat/completions",
    rf"{_BEFORE}{_VERSION}/(?:completions|fim/completions|responses|messages|embeddings|moderations|rerank|chat)",
    r"(?:/openai|/beta|/inference)?/(?:completions|responses|embeddings|rerank)",
    rf"/openai/deployments/{_NAME}/(?:chat/completions|completions|embeddings)",
    rf"{_VERSION}(?:/projects/{_NAME}/locations/{_NAME}(?:/publishers/{_NAME})?)?/(?:models|tunedModels)/{_NAME}:(?:{_GOOGLE})",
    rf"/model/{_NAME}/(?:{_AMAZON})",
    r"/api/(?:chat|generate|embed)",
)
"""Regular expressions of whole paths."""

CONTENT = frozenset({"messages", "input", "contents", "prompt", "system", "instructions", "systemInstruction"})
"""What is said to a model, where a name is only a word."""

_STATE = frozenset(
    {"previous_response_id", "conversation", "conversation_id", "thread_id", "assistant_id", "container", "skills"}
    | {"cachedContent", "cached_content", "previous_interaction_id", "session_id", "sessionId", "background"}
    | {"guardrailConfig", "store"}
)
_SERVICES = frozenset(
    {"mcp_servers", "web_search_options", "search_parameters", "plugins", "data_sources", "dataSources", "connectors"}
    | {"vector_store_ids", "file_ids", "server_url", "connector_id", "enable_search", "webhook", "callback_url"}
    | {"retrieval", "retrievalConfig", "attachments"}
)
_TIERS = frozenset({"service_tier", "serviceTier", "speed"})
_LISTED = ("auto", "default", "standard", "standard_only", "flex")
_REFERENCES = frozenset(
    {"file_id", "file_ids", "file_url", "fileUri", "file_uri", "s3Location", "gcsUri", "gcs_uri", "vector_store_ids"}
    | {"container_id", "server_url", "connector_id", "document_id", "image_id"}
)
"""Fields within what is said that name something that the provider keeps or fetches."""
_OWN_WORDS = frozenset({"arguments", "args", "response"})
"""Fields within what is said that hold arguments and results of the suite's own tools."""
_MEDIA = ("image_url", "audio_url", "video_url", "input_image", "url")
_OF_CLIENT = re.compile(r"function|custom|local_shell|(?:bash|text_editor|computer|memory)_[0-9]{8}")
_FUNCTION = frozenset(
    {"type", "name", "description", "parameters", "input_schema", "strict", "cache_control", "function", "format"}
    | {"parameter_definitions", "eager_input_streaming", "input_examples", "defer_loading", "display_width_px"}
    | {"display_height_px", "display_number", "max_characters"}
)
_DECLARED = frozenset({"functionDeclarations", "function_declarations"})
_OF_CONVERSE = frozenset({"toolSpec", "cachePoint"})


def is_inference(path: str, endpoints: tuple[str, ...] = ENDPOINTS) -> bool:
    """Whether a path, without escapes, asks a model and does nothing else."""
    return any(re.fullmatch(each, path) for each in endpoints)


def not_plain(fields: Mapping[str, Any]) -> str:
    """Why a body does more than ask a model with what it brings along; empty where it doesn't."""
    for name, value in fields.items():
        if value in (None, False, [], {}):
            continue
        if name in _STATE or (name == "prompt" and isinstance(value, dict)):
            return f"its field {name} refers to what the provider keeps"
        if name in _TIERS and value not in _LISTED:
            return f"its field {name} asks for another price than the listed one"
        if name in _SERVICES:
            return f"its field {name} has the provider ask other services"
    tool = next(_hosted(fields), None)
    if tool is not None:
        return f"its tool {tool[:60]} is run by the provider"
    return _reference(fields)


def _hosted(fields: Mapping[str, Any]) -> Iterator[str]:
    """Names of tools that the suite doesn't run itself."""
    inner = fields.get("toolConfig")
    lists = [fields.get("tools"), inner.get("tools") if isinstance(inner, dict) else None]
    for tools in lists:
        for tool in tools if isinstance(tools, list) else [] if tools is None else [tools]:
            if not isinstance(tool, dict):
                yield type(tool).__name__
            elif not tool.keys() <= _DECLARED and not tool.keys() <= _OF_CONVERSE:
                kind = tool.get("type", "function")
                unknown = min(tool.keys() - _FUNCTION, default="")
                if not isinstance(kind, str) or not _OF_CLIENT.fullmatch(kind):
                    yield str(kind)
                elif unknown:
                    yield str(unknown)


def _reference(fields: Mapping[str, Any]) -> str:
    """What in the content is not there itself: ids, and addresses that the provider would fetch."""
    waiting: list[Any] = [value for name, value in fields.items() if name in CONTENT or name == "requests"]
    while waiting:
        here = waiting.pop()
        if isinstance(here, list):
            waiting += here
        if not isinstance(here, dict):
            continue
        if here.get("type") in ("item_reference", "container_upload"):
            return f"its content refers to {here['type']}, which the provider keeps"
        found = next((name for name in here if name in _REFERENCES and here[name]), None)
        if found is not None:
            return f"its content refers to {found}, which the provider keeps or fetches"
        if any(_is_fetched(here.get(name)) for name in _MEDIA):
            return "its content has an address that the provider would fetch"
        calls = here.get("type") == "tool_use" or "toolUseId" in here
        waiting += [value for name, value in here.items() if name not in _OWN_WORDS and not (calls and name == "input")]
    return ""


def _is_fetched(value: Any) -> bool:
    """Whether a medium is an address, and not the data itself."""
    address = value.get("url") if isinstance(value, dict) else value
    return isinstance(address, str) and not address.startswith("data:") and ":" in address
