"""How much each kind of measure may lose since the anchor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.settings.fields import Settings

KINDS = ("pass-rate", "metric", "accuracy", "robust-accuracy", "score")
LIMIT = rf"({'|'.join(KINDS)})=(0(\.[0-9]+)?|1(\.0+)?)"
"""One limit: a kind of measure and the share of it that may be lost."""


def is_limit(text: str) -> bool:
    """Whether a text names a kind and a share, such as `accuracy=0.01`."""
    return re.fullmatch(LIMIT, text) is not None


def limits_of(settings: Settings, default: float) -> dict[str, float]:
    """The limit of every kind; `default` for those that the settings do not name, the last one where named twice."""
    found = dict.fromkeys(KINDS, default)
    for entry in settings.anchor_limits:
        kind, _, share = entry.partition("=")
        found[kind] = float(share)
    return found
