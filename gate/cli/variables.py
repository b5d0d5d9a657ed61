"""Variables of the environment that somebody meant for the gate and that it does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

_PREFIX = "GATE_"
_NEAR = 0.7


def misspelt(environ: Mapping[str, str]) -> Iterator[str]:
    """One sentence for each `GATE_` variable that is nearly one of a setting; others are another program's business."""
    given = sorted(name.removeprefix(_PREFIX) for name in environ if name.startswith(_PREFIX))
    if not given:
        return
    from gate.settings import names

    known = [key.upper().replace("-", "_") for key in names()]
    for name in given:
        close = [] if name in known else get_close_matches(name, known, n=1, cutoff=_NEAR)
        if close:
            yield f"{_PREFIX}{name} is no setting and has no effect; did you mean {_PREFIX}{close[0]}?"
