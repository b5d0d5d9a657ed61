"""How long tests took on main, in a file beside the baseline by which shards are balanced; it decides nothing else.

Its difference stays calm: what takes next to no time is left out, seconds are 1, 2 or 5 times a power of ten, and one
changes only once a test takes more than twice or less than half of what is written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from gate.errors import BaselineError

HEADER, VERSION = "gate_durations", 1
LEAST = 0.05
"""Seconds below which a test does not matter to the balance."""
_QUICK = 0.01
_CALM = 2.0
_STEPS = (1.0, 2.0, 5.0)


def durations_from_text(text: str, name: str) -> dict[str, float]:
    """Seconds by the id of a test.

    Raises:
        BaselineError: no such file, or of a newer version.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        header, *entries = [json.loads(line) for line in lines]
        version = header[HEADER]
        found = {_text(each["id"]): _seconds(each["seconds"]) for each in entries}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BaselineError(
            "no file of durations", where=name, remedy="remove it: `gate baseline refresh` writes it anew"
        ) from None
    if version != VERSION:
        raise BaselineError(
            f"durations of version {version!r:.20}, and this one reads {VERSION}", where=name, remedy="upgrade the gate"
        )
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or value <= 0:
        raise ValueError
    return float(value)


def durations_to_text(seconds: Mapping[str, float], suite: str) -> str:
    """The file: a header, then one test a line in the order of the ids."""
    lines = [{HEADER: VERSION, "suite": suite}, *({"id": name, "seconds": seconds[name]} for name in sorted(seconds))]
    return "".join(json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n" for line in lines)


def updated(known: Mapping[str, float], measured: Mapping[str, float]) -> dict[str, float]:
    """The durations after a run on main.

    Args:
        known: of the file so far.
        measured: seconds of every test of the run; 0 where they are not known, as in a replay. A test that is not among
            them is gone.
    """
    found = {name: _calm(known.get(name, 0.0), now) for name, now in measured.items()}
    return {name: each for name, each in found.items() if each > 0}


def _calm(before: float, now: float) -> float:
    if now <= 0 or (before and before / _CALM <= now <= before * _CALM):
        return before
    return rounded(now) if now >= LEAST else 0.0


def rounded(seconds: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, by ratio."""
    power = math.floor(math.log10(seconds))
    steps = [float(f"{step:g}e{at}") for at in (power, power + 1) for step in _STEPS]
    return min(steps, key=lambda step: abs(math.log(step / seconds)))


def with_known(seconds: Mapping[str, float], baseline: str) -> dict[str, float]:
    """The durations of all tests that main knows, so that they are balanced before any duration was recorded, too.

    Args:
        seconds: of the file of durations.
        baseline: text of the baseline; a line that can't be read is left to whoever judges by it.
    """
    usual = _QUICK if seconds else 1.0
    found = dict(seconds)
    for line in baseline.splitlines():
        try:
            name = json.loads(line).get("id")
        except (ValueError, AttributeError, RecursionError):
            continue
        if isinstance(name, str):
            found.setdefault(name, usual)
    return found
