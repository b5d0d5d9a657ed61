"""What a run left as JSON bytes, and these as a file that is there whole or not at all."""

from __future__ import annotations

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

_DEPTH = 50


def encode(report: dict[str, Any]) -> bytes:
    """ASCII JSON without NaN, whatever plugins and tests put into the report."""
    try:
        text = json.dumps(report, allow_nan=False, default=_as_text)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(builtin(report), allow_nan=False)
    return text.encode("ascii")


def builtin(value: object, depth: int = 0) -> Any:
    """The nearest value that JSON and pytest-xdist carry; what they can't carry becomes its text."""
    if value is None or type(value) in (bool, int):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else str(value)
    if type(value) is str:
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if depth < _DEPTH and isinstance(value, dict):
        return {_as_text(key): builtin(entry, depth + 1) for key, entry in value.items()}
    if depth < _DEPTH and isinstance(value, list | tuple):
        return [builtin(entry, depth + 1) for entry in value]
    return _as_text(value)


def write(path: Path, data: bytes) -> None:
    """Write beside and rename, so that a reader never meets half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _as_text(value: object) -> str:
    try:
        text = str(value)
    except Exception:  # a foreign class whose text fails
        text = f"<{type(value).__name__}>"
    return "".join(text).encode("utf-8", "backslashreplace").decode("utf-8")
