"""Reading what the command line names: report files, the last verdict, the settings of a folder."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.errors import ReportError, RepositoryError, UsageError

if TYPE_CHECKING:
    from gate.schema.report import Report
    from gate.schema.verdict import Verdict
    from gate.settings import Settings

REPORT = "report"
MODES = "live", "record", "replay", "auto"
OUTPUT = Path(".gate")
CANDIDATE = OUTPUT / "candidate.json"
VERDICT = OUTPUT / "verdict.json"
LOCAL = OUTPUT / "local.jsonl"
_MOST = sys.maxsize - 1
OF_ONE_VERDICT = (VERDICT.name, "comment.md", "report.html")


def read_bytes(path: Path, limit: int, what: str = REPORT, by: str = "`gate run`") -> bytes:
    """Content of a file that is read as a report is, or of a pipe.

    Args:
        what: the file is, for the error of one that is absent.
        by: which command writes it; empty for none.

    Raises:
        ReportError: a folder, unreadable, or larger than `limit` bytes; a report that is absent.
        UsageError: another file is absent.
    """
    try:
        with path.open("rb") as stream:
            found = os.fstat(stream.fileno())
            if found.st_size > limit:
                raise _too_large(found.st_size, path, limit)
            data = stream.read() if stat.S_ISREG(found.st_mode) else stream.read(min(limit, _MOST) + 1)
    except FileNotFoundError:
        remedy = f"{by} writes one; check the path otherwise" if by else "check the path"
        if what == REPORT:
            raise ReportError("no such report", where=str(path), remedy=remedy) from None
        raise UsageError(f"no such {what}", where=str(path), remedy=remedy) from None
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise ReportError(
            f"can't be read: {getattr(error, 'strerror', None) or error}",
            where=str(path),
            remedy="check the path and its permissions",
        ) from None
    if len(data) > limit:
        raise _too_large(len(data), path, limit)
    return data


def _too_large(size: int, path: Path, limit: int) -> ReportError:
    return ReportError(
        f"{size:,} bytes are more than the limit of {limit:,}",
        where=str(path),
        remedy="raise `max-report-bytes`, or leave captured output out of the report",
    )


def read_report_file(path: Path, limit: int, by: str = "`gate run`") -> Report:
    """Report in a file of any format that `gate.ingest` knows; `by` as for `read_bytes`."""
    from gate.baselines.attached import attach, on_disk
    from gate.ingest import read_report

    data = attach(read_bytes(path, limit, by=by), str(path), on_disk(limit), limit=limit)
    return read_report(data, str(path), limit=limit)


def read_verdict_file(path: Path) -> Verdict:
    """The verdict that `gate ci` or `gate compare` left.

    Raises:
        UsageError: there is none, or it is not one.
    """
    from gate.render import verdict_from_json

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"no verdict can be read: {getattr(error, 'strerror', None) or error}",
            where=str(path),
            remedy="run `gate ci` or `gate run` and `gate compare … --format json` first, or name it with --verdict",
        ) from None
    try:
        return verdict_from_json(text)
    except UsageError as error:
        raise UsageError(error.message, where=f"{path}: {error.where}", remedy=error.remedy) from None


def forget_verdict(folder: Path) -> None:
    """Remove the verdict of an earlier run with its comment and page, so that nobody takes them for this one's.

    Raises:
        UsageError: one of them can't be removed.
    """
    for name in OF_ONE_VERDICT:
        try:
            (folder / name).unlink(missing_ok=True)
        except NotADirectoryError:
            return  # whoever writes there says so
        except OSError as error:
            raise UsageError(
                f"the verdict of an earlier run can't be removed: {error.strerror or error}",
                where=str(folder / name),
                remedy="remove it, or name another folder with --output",
            ) from None


def require_own_settings(folder: Path, command: str, *, suite: bool = False) -> None:
    """Refuse to work in a folder without settings and baselines below one that has them: they would be passed over.

    Args:
        command: what the user called, to be typed again in the right folder.
        suite: whether it takes arguments for pytest, which may name this folder.

    Raises:
        UsageError: names that folder.
    """
    import shlex

    from gate.baselines.places import folder_above

    found = folder_above(folder)
    if found is None:
        return
    there = shlex.quote(os.path.relpath(found, folder))
    if suite:
        command += f" -- {shlex.quote(Path(os.path.relpath(folder, found)).as_posix())}"
    raise UsageError(
        f"settings and baselines stand in {found}, and this folder has none",
        where=str(folder),
        remedy=f"`cd {there} && {command}`; a folder with a gate.toml of its own is a project of its own",
    )


def now(environ: Mapping[str, str]) -> float:
    """The time in Unix seconds; in a shell `SOURCE_DATE_EPOCH` may stand for it, in a workflow nothing may."""
    from gate.deliver.runner import in_workflow

    given = environ.get("SOURCE_DATE_EPOCH", "")
    return float(given) if given.isdecimal() and not in_workflow(environ) else time.time()


def commit_here(folder: Path, environ: Mapping[str, str]) -> str:
    """What a report of a run in this folder says that it is of; empty where there is no commit."""
    from gate.baselines.git import Git
    from gate.baselines.measured import measured_commit
    from gate.deliver.runner import in_workflow

    try:
        git = Git(folder)
    except RepositoryError:
        return ""
    return measured_commit(git, own=not in_workflow(environ))


def local_settings(folder: Path, chosen: Mapping[str, Any] | None = None) -> Settings:
    """Settings of a folder and the environment; here nobody else's code is judged, so all of them may decide.

    Args:
        chosen: options of the command line by kebab-case key; None leaves one to the rest.
    """
    from gate.baselines import trusted
    from gate.settings import Layer, from_environment, resolve

    layers = [*trusted.local_layers(folder), Layer("environment", from_environment(os.environ))]
    options = {key: value for key, value in (chosen or {}).items() if value is not None}
    return resolve([*layers, Layer("command line", options)]).settings
