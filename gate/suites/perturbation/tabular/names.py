"""Names that no column has, answered with the nearest one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from gate.errors import UsageError


def unknown(what: str, name: object, known: Iterable[str], where: str) -> UsageError:
    """The error of a name that is not known.

    Args:
        what: what it should be, such as `column`.
        known: the names that are.
    """
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1) or [
        each for each in names if each.casefold() == str(name).casefold()
    ]
    listed = ", ".join(f"{each:.60}" for each in names[:20])
    advice = f"did you mean {close[0]!r:.60}?" if close else f"those that are: {listed}"
    return UsageError(f"there is no {what} {name!r:.60}", where=where, remedy=advice)
