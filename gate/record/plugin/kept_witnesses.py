"""Witnesses between files and tests: the stored ones are read once, and what each test leaves goes to one file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gate.errors import GateError, UsageError

if TYPE_CHECKING:
    import pytest

    from gate.suites.perturbation.keeping import Keeper
    from gate.suites.perturbation.witness_file import Group
    from gate.suites.perturbation.witnesses import Witness

NAME = "witnesses.jsonl"
"""Of the file that stands beside the report."""
REPORTED = "_gate_witnesses"
_READ = "_gate_stored_witnesses"

Left = dict[str, str]
"""By name of the sweep its witnesses, as lines: what a worker's report carries."""


def left_of(item: Any) -> Left:
    """What the sweeps of a test left so far; it lives on its item, so that a rerun can start anew."""
    found: Left = item.__dict__.setdefault(REPORTED, {})
    return found


def stored(config: pytest.Config, case: str, sweep: str, where: str) -> tuple[Witness, ...]:
    """The witnesses of one sweep in the file of `--gate-witnesses`; none without such an option.

    Raises:
        UsageError: the file can't be read.
    """
    name = config.getoption("--gate-witnesses", None)
    if not name:
        return ()
    found: Mapping[Group, tuple[Witness, ...]] | None = getattr(config, _READ, None)
    if found is None:
        found = _read(config, name, where)
        setattr(config, _READ, found)
    return found.get((case, sweep), ())


def _read(config: pytest.Config, name: str, where: str) -> Mapping[Group, tuple[Witness, ...]]:
    from gate.suites.perturbation.witness_file import LARGEST, loads

    path = config.invocation_params.dir / name
    remedy = "restore the file of the base, or leave the option out"
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"--gate-witnesses is larger than {LARGEST:,} bytes", where=where, remedy=remedy)
        return loads(path.read_bytes(), path.name)
    except (OSError, GateError) as error:
        told = error.message if isinstance(error, GateError) else error.strerror or str(error)
        raise UsageError(f"--gate-witnesses can't be read: {told}", where=where, remedy=remedy) from None


def said_of(stored: int, stale: Mapping[str, int]) -> str:
    """One sentence of stored witnesses that could not be tried; empty where all could."""
    count = sum(stale.values())
    if not count:
        return ""
    reasons = ", ".join(f"{reason}: {number:,}" for reason, number in sorted(stale.items(), key=lambda each: -each[1]))
    return f"{count:,} of {stored:,} stored witnesses could not be tried ({reasons})"


def file_of(left: Iterable[tuple[str, Left]]) -> bytes:
    """The file of a run, from what its tests left, each with its id; empty where no sweep looked for witnesses."""
    groups = {(case, sweep): text for case, told in left for sweep, text in told.items()}
    if not groups:
        return b""
    from gate.suites.perturbation import witness_file, witnesses

    stale: Counter[str] = Counter()
    total = 0
    for text in groups.values():
        head = json.loads(text.partition("\n")[0])
        total += head["stored"]
        stale.update(head["stale"])
    found = {group: witnesses.loads(text) for group, text in groups.items()}
    return witness_file.dumps(found, said_of(total, stale))


def text_of(keeper: Keeper) -> str:
    """What a sweep leaves: its witnesses as lines, after one with what became of the stored ones."""
    from gate.suites.perturbation.witnesses import VERSION, dumps

    lines = dumps(keeper.close()).partition("\n")[2]
    return json.dumps({"version": VERSION, "stored": len(keeper.stored), "stale": keeper.stale}) + "\n" + lines
