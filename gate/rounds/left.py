"""What a run left for later ones, as this round reads it; the suite's own word, so untrusted."""

from __future__ import annotations

from gate.record.memory import read_lines
from gate.trials.carry import Entry


def entries_of(trials: bytes) -> tuple[Entry, ...]:
    """The usable lines."""
    return read_lines(trials).entries


def fingerprints_of(trials: bytes) -> dict[str, str]:
    """The content of each case that has trials, by id."""
    return {entry.case: entry.carried.fingerprint for entry in entries_of(trials)}


def ended(lines: bytes) -> bytes:
    """Lines to which others can be added."""
    return lines if not lines or lines.endswith(b"\n") else lines + b"\n"
