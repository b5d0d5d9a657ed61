"""The attacks by name. A new one is a function of the `Attack` protocol and a line here."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from gate.errors import UsageError
from gate.suites.perturbation.attack import art, worst_case
from gate.suites.perturbation.attack.protocol import Attack

ATTACKS: Mapping[str, Attack] = {worst_case.NAME: worst_case.worst_case, art.NAME: art.hop_skip_jump}


def attack_of(name: str, where: str = "") -> Attack:
    """The attack of this name.

    Raises:
        UsageError: an unknown name, with the nearest one.
    """
    if name in ATTACKS:
        return ATTACKS[name]
    near = difflib.get_close_matches(name, ATTACKS, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(ATTACKS)}"
    raise UsageError(f"there is no attack {name!r:.60}", where=where, remedy=advice)
