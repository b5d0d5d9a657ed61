"""The hidden first line by which our comment is found again, and which says how new it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from gate import settings

SUITE = re.compile(settings.SUITE)
_MARKER = re.compile(
    r"<!-- robustness-gate:1 suite=(?P<suite>[A-Za-z0-9_.%-]{1,180}) head=(?P<head>[0-9a-f]{0,64})"
    r" attempt=(?P<attempt>[0-9]{1,9}) order=(?P<order>[0-9]{1,18}) -->"
    r"(?: <!-- robustness-gate-record:1 [^\n<>]{1,41000} -->)?(?:\r?\n|$)"
)


@dataclass(frozen=True, slots=True)
class Marker:
    """What the hidden line says.

    Attributes:
        head: commit that was judged; empty when unknown.
        attempt: attempt of the run, from 1.
        order: number of the run; a later run has a larger one.
    """

    suite: str
    head: str
    attempt: int
    order: int


def marker(suite: str, head: str, attempt: int, order: int = 0) -> str:
    """One HTML comment, the first line of a comment.

    A suite's name is restricted and percent-encoded; a head that is no commit is left empty, so nothing foreign
    can end the comment or forge a field.

    Raises:
        ValueError: a suite that no setting allows.
    """
    if not SUITE.fullmatch(suite):
        raise ValueError(f"a suite can't be called {suite!r:.80}")
    name = quote(suite, safe="").replace("--", "%2D%2D")
    commit = head.lower() if re.fullmatch(r"[0-9a-fA-F]{1,64}", head) else ""
    return f"<!-- robustness-gate:1 suite={name} head={commit} attempt={max(attempt, 0)} order={max(order, 0)} -->"


def parse_marker(text: str) -> Marker | None:
    """The marker of a comment's text; None when its first line is not one that `marker` writes."""
    found = _MARKER.match(text)
    if found is None:
        return None
    suite = unquote(found["suite"], errors="strict") if _decodes(found["suite"]) else ""
    if not SUITE.fullmatch(suite):
        return None
    return Marker(suite, found["head"], int(found["attempt"]), int(found["order"]))


def _decodes(text: str) -> bool:
    try:
        unquote(text, errors="strict")
    except UnicodeDecodeError:
        return False
    return True
