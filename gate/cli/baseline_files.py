"""The files of `gate baseline`: where a baseline is, what it was, and writing it with what stands beside it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console
from gate.cli.files import local_settings, read_bytes, require_own_settings
from gate.errors import BaselineError, RepositoryError

if TYPE_CHECKING:
    from gate.baselines.refresh import Prepared
    from gate.schema.report import Report
    from gate.settings import Settings


def chosen(
    command: str, suite: str | None, output: Path | None, arguments: tuple[str, ...] = ()
) -> tuple[Settings, Path]:
    from gate.baselines.places import baseline_path
    from gate.baselines.write import refuse_linked_folder

    require_own_settings(Path.cwd(), f"gate baseline {command}", suite=command == "create")
    settings = local_settings(Path.cwd(), {"suite": suite, "arguments": shlex.join(arguments) or None})
    path = output or Path(baseline_path(settings))
    refuse_linked_folder(path, Path.cwd())
    return settings, path


def previous(path: Path, settings: Settings) -> tuple[bytes | None, Report | None]:
    from gate.baselines.attached import attach, on_disk
    from gate.ingest import read_report

    if path.is_symlink():
        raise BaselineError("is a symbolic link, not a file", where=str(path), remedy="put a plain file there")
    if not path.exists():
        return None, None
    limit = settings.max_report_bytes
    data = read_bytes(path, limit)
    return data, read_report(attach(data, str(path), on_disk(limit), limit=limit), str(path), limit=limit)


def joined(report: Report, settings: Settings, path: Path) -> Report:
    """A report with those of other producers that the setting `reports` names, as `gate ci` joins them.

    Args:
        path: of the report, which may be one of these itself.

    Raises:
        ReportError: one of them can't be read.
    """
    from gate.cli.files import read_report_file
    from gate.ingest.join import join

    further = [Path(name) for name in settings.reports if Path(name).resolve() != path.resolve()]
    if not further:
        return report
    return join([report, *(read_report_file(each, settings.max_report_bytes) for each in further)], settings.suite)


def commit_of(console: Console, named: str | None) -> str:
    """The commit to store; a folder without git has none, and a baseline may still be made there."""
    from gate.baselines.git import Git
    from gate.baselines.measured import DIRTY

    if named:
        return named.removesuffix(DIRTY)

    try:
        return Git(Path.cwd()).head()
    except RepositoryError as error:
        console.warn(f"the baseline names no commit: {error.message}")
        return ""


def write(console: Console, path: Path, prepared: Prepared, measured: str) -> None:
    """Write the baseline; `measured` is what the report says that it is of."""
    from gate.baselines.attached import remove_unreferenced, write_attached
    from gate.baselines.write import write_atomically
    from gate.cli.effect import warnings

    if not prepared.changed:
        console.say(f"unchanged: {path}")
        return
    write_attached(path, prepared.files)
    write_atomically(path, prepared.data)
    remove_unreferenced(path, prepared.files)
    console.say(f"written: {path}; commit it")
    for sentence in warnings(Path.cwd(), path, measured):
        console.warn(sentence)


def keep_witnesses(console: Console, path: Path, folder: Path, report: Report, settings: Settings) -> None:
    """Bring what stands beside a baseline up to the witnesses that the run left beside its report."""
    from gate.baselines.stored_witnesses import kept
    from gate.baselines.write import write_atomically
    from gate.record.locally import WITNESSES

    left, limit = folder / WITNESSES, settings.max_report_bytes
    new = read_bytes(left, limit) if left.is_file() and not left.is_symlink() else None
    data = kept(path, new, [case.id for case in report.cases], limit)
    if data is not None:
        there = path.with_suffix(".witnesses")
        write_atomically(there, data)
        console.say(f"written: {there}; commit it")


def write_baseline(console: Console, path: Path, whole: bytes) -> None:
    """Write what `dump_baseline` gave, with its large sets beside it."""
    from gate.baselines.attached import detach
    from gate.baselines.refresh import Prepared

    data, files = detach(whole)
    write(console, path, Prepared(data, (), not path.exists() or path.read_bytes() != data, files), "")
