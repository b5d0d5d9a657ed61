"""Which mutants the base suppresses: only those may go unmeasured, whatever the head's own list says."""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Callable

from gate.errors import GateError

PLACES = "gate.toml", ".gate/suppressions.toml", ".clastogen/suppressions.toml"
_IDS = "mutant", "mutant_id", "mutant-id"


def suppressed_at(read: Callable[[str], bytes | None], folder: str = "") -> frozenset[str]:
    """Ids of the mutants in the lists of suppressions.

    What can't be read suppresses nothing; the suite's own run, which reads the same files, says what is wrong there.

    Args:
        read: content of a file by its path, None when there is no such file.
        folder: in which the suite runs.
    """
    found: set[str] = set()
    for place in PLACES:
        try:
            data = read(posixpath.normpath(posixpath.join(folder, place)))
            entries = {} if data is None else tomllib.loads(data.decode("utf-8"))
        except (GateError, ValueError, RecursionError):
            continue
        listed = entries.get("suppressions", [])
        for entry in listed if isinstance(listed, list) else []:
            if isinstance(entry, dict):
                found |= {value for key in _IDS if isinstance(value := entry.get(key), str)}
    return frozenset(found)
