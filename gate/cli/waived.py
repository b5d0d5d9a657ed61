"""The file of waivers in a checkout of main: read, written, and rid of what a new baseline holds anyway."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console
from gate.cli.files import now, read_bytes

if TYPE_CHECKING:
    from gate.schema.acceptance import Permissions, Waiver
    from gate.schema.report import Report
    from gate.settings import Settings

_MOST_BYTES = 2**20


def permissions_for(path: Path | None) -> Permissions:
    """What waivers permit of a comparison in a shell, today.

    Args:
        path: of their file; None for that of this folder, which serves all its suites: a comparison of two files has
            nothing to say about the rest.

    Raises:
        BaselineError: they can't be used.
        UsageError: the file that was named is not there.
        ReportError: it can't be read.
    """
    from gate.baselines.waivers import PATH, day_of, read_waivers
    from gate.schema.acceptance import Permissions

    found = (
        waivers_here()
        if path is None
        else read_waivers(read_bytes(path, _MOST_BYTES, "file of waivers", "`gate accept`"), str(path))
    )
    return Permissions(waivers=found, today=day_of(now(os.environ)), file=str(path or PATH), shared=path is None)


def waivers_here() -> tuple[Waiver, ...]:
    """The waivers of this folder; none without the file.

    Raises:
        BaselineError: they can't be used, or their folder is a link.
    """
    from gate.baselines.waivers import PATH, read_waivers
    from gate.baselines.write import refuse_linked_folder

    path = Path(PATH)
    refuse_linked_folder(path, Path.cwd())
    return read_waivers(read_bytes(path, _MOST_BYTES)) if path.exists() else ()


def write_here(waivers: tuple[Waiver, ...]) -> None:
    """Write them; the file goes with the last one."""
    from gate.baselines.waivers import PATH, write_waivers
    from gate.baselines.write import write_atomically

    if waivers:
        write_atomically(Path(PATH), write_waivers(waivers))
    else:
        Path(PATH).unlink(missing_ok=True)


def prune(console: Console, candidate: Report, before: Report | None, after: Report, settings: Settings) -> None:
    """Remove the waivers of what the new baseline holds, so that they don't excuse the next drop.

    Args:
        candidate: what the new baseline was made from.
        before, after: the baseline so far, and the new one.
    """
    from gate.compare import compare
    from gate.compare.acceptance import still_needed

    waivers = waivers_here()
    if not waivers:
        return
    findings = compare(after, candidate, settings).findings
    cases = {case.id for report in (candidate, before, after) if report is not None for case in report.cases}
    kept = still_needed(waivers, findings, cases)
    for each in waivers:
        if each not in kept:
            console.say(f"removed: the waiver of {each.rule} for {each.case_id}, which the baseline holds now")
    if len(kept) < len(waivers):
        write_here(kept)
