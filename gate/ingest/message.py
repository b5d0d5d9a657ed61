"""Node ids as they are compared, and the one line of a failure that is shown."""

from __future__ import annotations

MESSAGE_LENGTH = 300


def node_id(raw: str) -> str:
    """A node id with forward slashes in its path, as pytest writes it on every system but not in every version."""
    if "\\" not in raw:
        return raw
    path, separator, rest = raw.partition("::")
    return path.replace("\\", "/") + separator + rest


def first_line(text: str) -> str:
    """First line that has text, at most 300 characters."""
    return text.strip().partition("\n")[0].rstrip()[:MESSAGE_LENGTH]


def last_error(longrepr: str) -> str:
    """The line of a traceback that says what went wrong: pytest's first with `E`, else the last."""
    lines = [line for line in longrepr.splitlines() if line.strip()]
    return next((line[2:].strip() for line in lines if line.startswith("E ")), lines[-1] if lines else "")
