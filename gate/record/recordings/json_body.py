"""A JSON body as a JSON value, where it can be written again byte for byte: it then reads without escapes."""

from __future__ import annotations

import json
from typing import Any

LARGEST = 1_000_000
"""Bytes of a body beyond which it stays a text: two passes over it would take longer than they save."""

_STYLES: dict[str, dict[str, Any]] = {
    "compact": {"separators": (",", ":")},
    "spaced": {"separators": (", ", ": ")},
    "indented": {"indent": 2},
}
_ASCII = "-ascii"


def value_fields(body: bytes) -> dict[str, Any] | None:
    """`{"json": value, "style": …}`, and `"end"` where white space follows; None where it would not come back."""
    if len(body) > LARGEST or body[:1] not in (b"{", b"["):
        return None
    try:
        text = body.decode("utf-8")
        stripped = text.rstrip("\n\r\t ")
        value = json.loads(stripped)
        style = "indented" if stripped[1:2] == "\n" else "spaced" if '": ' in stripped else "compact"
        for name in (style, style + _ASCII):
            if _written(value, name) == stripped:
                end = text[len(stripped) :]
                return {"json": value, "style": name} | ({"end": end} if end else {})
    except (ValueError, RecursionError):
        pass
    return None


def body_of_value(value: Any, style: str, end: str) -> bytes:
    """The body that `value_fields` made fields of.

    Raises:
        KeyError: no such style.
        ValueError: the value can't be written.
        RecursionError: it is nested too deep.
    """
    return (_written(value, style) + end).encode("utf-8")


def _written(value: Any, style: str) -> str:
    return json.dumps(value, ensure_ascii=style.endswith(_ASCII), **_STYLES[style.removesuffix(_ASCII)])
