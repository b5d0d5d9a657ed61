"""What a refresh changed, in full: the baseline, and where recordings are named, pass rates and answers of models."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.baselines.difference import Entry
    from gate.record.recordings.changes import Change
    from gate.schema.report import Report


@dataclass(frozen=True, slots=True)
class Answers:
    """Recorded answers now against those of a commit.

    Attributes:
        changes: those that differ.
        stored: how many there are now.
        before: what they are compared with.
    """

    changes: tuple[Change, ...]
    stored: int
    before: str


def answers(folder: Path, before: str) -> Answers | None:
    """How the answers of a folder differ from those of another folder or of a commit; None without the folder.

    Raises:
        UsageError: there is no such commit.
        RecordingError: a file is damaged.
    """
    from gate.cli.recordings_at import recordings_at
    from gate.record.recordings.changes import changes
    from gate.record.recordings.store import Store

    if not folder.is_dir():
        return None
    new = Store(folder)
    with tempfile.TemporaryDirectory() as place:
        found = changes(Store(recordings_at(before, folder, Path(place))), new)
    return Answers(found, sum(not head.failed for head in new.heads()), before)


def told(entries: Sequence[Entry], form: str, previous: Report | None, report: Report, found: Answers | None) -> str:
    """What changed, as `text` or `markdown`; without recordings the baseline alone.

    Args:
        entries: of the baseline.
        previous: the baseline so far.
        report: the run.
        found: of the recordings.
    """
    from gate.baselines.difference import LONGEST, as_markdown, as_text
    from gate.baselines.rates import rates, rates_markdown, rates_text
    from gate.cli.answers_text import answers_line, answers_markdown

    if found is None:
        return as_markdown(entries) if form == "markdown" else as_text(entries)
    measured = rates(previous, report)
    if form != "markdown":
        parts = [as_text(entries), rates_text(measured), answers_line(found.changes, found.before)]
        return "\n\n".join(part for part in parts if part)
    parts = [as_markdown(entries, longest=LONGEST // 2), rates_markdown(measured)]
    text = "\n\n".join(part for part in parts if part)
    room = LONGEST - len(text) - 2
    return f"{text}\n\n{answers_markdown(found.changes, found.stored, room=room, before=found.before)}"
