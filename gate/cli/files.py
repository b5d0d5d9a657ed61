"""Reading what the command line names: report files, the last verdict, the settings of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import ReportError, UsageError

if TYPE_CHECKING:
    from gate.schema.report import Report
    from gate.schema.verdict import Verdict
    from gate.settings import Settings

OUTPUT = Path(".gate")
CANDIDATE = OUTPUT / "candidate.json"
VERDICT = OUTPUT / "verdict.json"
LOCAL = OUTPUT / "local.jsonl"


def read_bytes(path: Path, limit: int) -> bytes:
    """Content of a report file.

    Raises:
        ReportError: absent, a folder, unreadable, or larger than `limit` bytes.
    """
    try:
        size = path.stat().st_size
        if size > limit:
            raise ReportError(
                f"{size:,} bytes are more than the limit of {limit:,}",
                where=str(path),
                remedy="raise `max-report-bytes`, or leave captured output out of the report",
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise ReportError(
            "no such report", where=str(path), remedy="`gate run` writes one; check the path otherwise"
        ) from None
    except OSError as error:
        raise ReportError(
            f"can't be read: {error.strerror or error}", where=str(path), remedy="check the path and its permissions"
        ) from None


def read_report_file(path: Path, limit: int) -> Report:
    """Report in a file of any format that `gate.ingest` knows."""
    from gate.ingest import read_report

    return read_report(read_bytes(path, limit), str(path), limit=limit)


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
    return verdict_from_json(text)


def local_settings(folder: Path) -> Settings:
    """Settings of a folder and the environment; here nobody else's code is judged, so all of them may decide."""
    import os

    from gate.baselines import trusted
    from gate.settings import Layer, from_environment, resolve

    layers = [*trusted.local_layers(folder), Layer("environment", from_environment(os.environ))]
    return resolve(layers).settings
