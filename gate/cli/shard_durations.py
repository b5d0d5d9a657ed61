"""Bringing the file of durations beside a baseline up to a run on main, by which shards are balanced."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console
from gate.cli.files import read_bytes
from gate.errors import BaselineError, GateError

if TYPE_CHECKING:
    from gate.settings import Settings


def keep_durations(console: Console, path: Path, report: Path, settings: Settings) -> None:
    """Write what stands beside a baseline where it changes; it decides nothing, so trouble with it is a warning.

    Args:
        path: of the baseline.
        report: file of the run; one that has no durations leaves the file as it is.
    """
    try:
        _keep(console, path, report, settings)
    except GateError as error:
        console.warn(f"durations, by which shards are balanced, stay as they are: {error.message}")


def _keep(console: Console, path: Path, report: Path, settings: Settings) -> None:
    from gate.baselines.write import write_atomically
    from gate.ingest.durations import durations_of
    from gate.ingest.text import decode
    from gate.record.durations import durations_from_text, durations_to_text, updated
    from gate.record.locally import DURATIONS

    there, limit = path.with_suffix(DURATIONS), settings.max_report_bytes
    if there.is_symlink():
        raise BaselineError("is a symbolic link, not a file", where=str(there), remedy="put a plain file there")
    text = decode(read_bytes(report, limit), str(report), limit)
    measured = durations_of(text, str(report)) if text.lstrip().startswith("{") else {}
    if not any(measured.values()):
        return  # a replay, or another tool's report
    before = decode(read_bytes(there, limit), str(there), limit) if there.exists() else ""
    found = updated(durations_from_text(before, str(there)) if before else {}, measured)
    after = durations_to_text(found, settings.suite)
    if after != before and (found or before):
        write_atomically(there, after.encode("ascii"))
        console.say(f"written: {there}; commit it")
