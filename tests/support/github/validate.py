"""Checks of one exchange against the description; what it finds are sentences, none of them means all is well."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from jsonschema import Draft4Validator, FormatChecker

from tests.support.github.description import (
    COMMENT,
    PUBLIC,
    PULL,
    PULLS,
    PULLS_OF_COMMIT,
    RUN,
    RUNS,
    Description,
    description,
)

UNDOCUMENTED = frozenset({301, 302, 307, 308, 401, 403, 404, 429, 500, 502, 503})
"""Statuses that GitHub gives on every path and describes on few."""
_FORMATS = FormatChecker(formats=())


@_FORMATS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(urlsplit(value).scheme and urlsplit(value).netloc)


@_FORMATS.checks("date-time", raises=ValueError)
def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@dataclass(frozen=True)
class Operation:
    """One method of one path.

    Attributes:
        path: template in the description.
        arguments: values in the path, decoded.
        described: the description's operation object.
    """

    path: str
    method: str
    arguments: Mapping[str, str]
    described: Mapping[str, Any]


@functools.cache
def checker(name: str = PUBLIC) -> Checker:
    """The checker of a description, read once a process."""
    return Checker(name)


class Checker:
    """Checks exchanges against one description.

    Args:
        name: `api.github.com` or `ghes-3.19`.
    """

    def __init__(self, name: str = PUBLIC) -> None:
        self.description: Description = description(name)
        pull = self._schema(PULL)
        # The description forgets that a deleted fork leaves null there, as recorded answers of GitHub show.
        pull["properties"]["head"]["properties"]["repo"]["nullable"] = True
        for path in (PULLS, PULLS_OF_COMMIT):
            self._schema(path)["items"]["properties"]["head"]["properties"]["repo"]["nullable"] = True
        run = self._schema(RUN)
        listed = self._schema(RUNS)["properties"]["workflow_runs"]["items"]
        for schema in (run, listed):
            schema["properties"]["head_repository"]["nullable"] = True
        # Fixed words before placeholders: /issues/comments/1 is no comments of an issue named "comments".
        self._patterns = [(path, _pattern(path)) for path in sorted(self.description, key=_broad)]

    def _schema(self, path: str) -> dict[str, Any]:
        answer = self.description[path]["get"]["responses"]["200"]["content"]["application/json"]
        schema: dict[str, Any] = answer["schema"]
        return schema

    def operation(self, method: str, path: str) -> Operation | None:
        """The operation that a request means; None when the description has none."""
        for template, pattern in self._patterns:
            found = pattern.fullmatch(path)
            described = self.description[template].get(method.lower())
            if found and described:
                arguments = {name: unquote(value) for name, value in found.groupdict().items()}
                return Operation(template, method.lower(), arguments, described)
        return None

    def request(
        self, operation: Operation, query: Mapping[str, list[str]], headers: Mapping[str, str], body: bytes
    ) -> list[str]:
        """What is wrong with a request, headers by lower-case name."""
        found = [f"query `{name}` is not described" for name in query if name not in _parameters(operation, "query")]
        for place, given in (("path", {k: [v] for k, v in operation.arguments.items()}), ("query", query)):
            for name, parameter in _parameters(operation, place).items():
                for value in given.get(name, []):
                    found += _wrong(_typed(value, parameter["schema"]), parameter["schema"], f"{place} `{name}`")
        if not headers.get("user-agent"):
            found.append("no User-Agent header")
        if "github" not in headers.get("accept", ""):
            found.append("the Accept header names no media type of GitHub")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", headers.get("x-github-api-version", "")):
            found.append("no X-GitHub-Api-Version header")
        return found + _request_body(operation, headers, body)

    def response(self, operation: Operation, status: int, content_type: str, body: bytes) -> list[str]:
        """What is wrong with an answer."""
        described = operation.described["responses"].get(str(status))
        if described is None and status not in UNDOCUMENTED:
            return [f"status {status} is not described"]
        content = described.get("content", {}) if described else self._error()
        if not content:
            return [] if not body else [f"status {status} has no body in the description"]
        media = content_type.partition(";")[0].strip()
        if media not in content:
            # The raw media types stand in the operation's text alone.
            return [] if media and media in operation.described.get("description", "") else [f"media type {media!r}"]
        try:
            value = json.loads(body) if "json" in media else body.decode("utf-8")
        except ValueError as error:
            return [f"answer is no {media}: {error}"]
        return _wrong(value, content[media]["schema"], f"answer {status}")

    def _error(self) -> Mapping[str, Any]:
        content: Mapping[str, Any] = self.description[COMMENT]["get"]["responses"]["404"]["content"]
        return content

    def example(self, path: str, method: str, status: int, name: str = "") -> Any:
        """A deep copy of the description's own example of an answer, the first without a name."""
        content = self.description[path][method]["responses"][str(status)]["content"]["application/json"]
        examples = content.get("examples") or {"only": {"value": content["example"]}}
        return json.loads(json.dumps((examples[name] if name else next(iter(examples.values())))["value"]))

    def account(self) -> dict[str, Any]:
        """An example of a user as comments and pull requests carry it."""
        user: dict[str, Any] = self.example(COMMENT, "get", 200)["user"]
        return user


def _request_body(operation: Operation, headers: Mapping[str, str], body: bytes) -> list[str]:
    described = operation.described.get("requestBody")
    if described is None:
        return ["a body where none is described"] if body else []
    media = headers.get("content-type", "").partition(";")[0].strip()
    if media not in described["content"]:
        return [f"content type {media!r} of the request is not described"]
    try:
        value = json.loads(body)
    except ValueError as error:
        return [f"the request's body is no JSON: {error}"]
    schema = described["content"][media]["schema"]
    unknown = sorted(set(value) - set(schema.get("properties", {}))) if isinstance(value, dict) else []
    return _wrong(value, schema, "request") + [f"request has the unknown property `{name}`" for name in unknown]


def _parameters(operation: Operation, place: str) -> dict[str, Any]:
    return {entry["name"]: entry for entry in operation.described.get("parameters", []) if entry["in"] == place}


def _typed(value: str, schema: Mapping[str, Any]) -> object:
    if schema.get("type") == "boolean":
        return {"true": True, "false": False}.get(value, value)
    return int(value) if schema.get("type") == "integer" and re.fullmatch(r"-?\d+", value) else value


def _wrong(value: object, schema: Mapping[str, Any], place: str) -> list[str]:
    validator = _validator(_BySelf(schema))
    return [
        f"{place} at {'/'.join(map(str, error.absolute_path)) or 'its top'}: {error.message:.300}"
        for error in validator.iter_errors(value)
    ]


@dataclass(frozen=True, eq=False)
class _BySelf:
    """A schema that is looked up as the object that it is: some are a megabyte as text."""

    schema: Mapping[str, Any]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _BySelf) and self.schema is other.schema

    def __hash__(self) -> int:
        return id(self.schema)


@functools.cache
def _validator(of: _BySelf) -> Draft4Validator:
    return Draft4Validator(as_draft4(of.schema), format_checker=_FORMATS)


def as_draft4(schema: Any) -> Any:
    """A schema of OpenAPI 3.0 as JSON Schema draft 4: `nullable` becomes a null among the types and values."""
    if isinstance(schema, list):
        return [as_draft4(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    made = {
        key: {name: as_draft4(entry) for name, entry in value.items()} if key == "properties" else as_draft4(value)
        for key, value in schema.items()
        if key not in ("nullable", "example", "examples", "default", "description", "title", "deprecated")
    }
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") is True else made


def _broad(template: str) -> tuple[int, int]:
    """Fewer placeholders first, and of as many the longer one: `{ref}` goes on over slashes."""
    return template.count("{"), -len(template)


def _pattern(template: str) -> re.Pattern[str]:
    # Only the path of a file and the name of a commit go on over slashes.
    pattern = re.sub(r"\\\{(path|ref)\\\}", r"(?P<\1>.+)", re.escape(template))
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", pattern))
