"""Small readers of untrusted values that name the place and what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from gate.errors import ReportError
from gate.ingest.text import NotFinite
from gate.schema.report import SCHEMA_VERSION
from gate.schema.untrusted import MOST

_SHOWN = 80


def refuse(where: str, expected: str, found: Any) -> NoReturn:
    """Raises: ReportError, always."""
    shown = f"a bare {found}" if isinstance(found, NotFinite) else repr(found)
    raise ReportError(
        f"expected {expected}, found {shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + '...'}",
        where=where,
        remedy="name a file that pytest-json-report or `gate run` wrote",
    )


def text_of(value: Any, where: str) -> str:
    if not isinstance(value, str):
        refuse(where, "a text", value)
    return value


def texts_of(value: Any, where: str) -> list[str]:
    if not isinstance(value, list):
        refuse(where, "a list of texts", value)
    return [text_of(entry, f"{where}/{place}") for place, entry in enumerate(value)]


def mapping_of(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        refuse(where, "an object", value)
    return value


def count_of(value: Any, where: str) -> int | None:
    """A count, or None where there is none."""
    if value is not None and (type(value) is not int or not 0 <= value <= MOST):
        refuse(where, "a count", value)
    return value


def refuse_newer(ours: Mapping[str, Any], where: str) -> None:
    """Refuse a `gate` object of a later schema, which may mean something else by the same words."""
    schema = ours.get("schema", SCHEMA_VERSION)
    if type(schema) is not int:
        refuse(f"{where}/schema", f"{SCHEMA_VERSION} or older", schema)
    if schema > SCHEMA_VERSION:
        raise ReportError(
            f"schema {schema} is newer than {SCHEMA_VERSION}, which this version reads",
            where=where,
            remedy="upgrade robustness-gate where it compares",
        )
