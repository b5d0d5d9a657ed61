"""The zipped log of Inspect, `.eval`: the parts of a log as files of an archive, read within limits.

A run that was stopped has no `header.json` yet, but what it started with and the samples that it finished.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any, NoReturn

from gate.errors import ReportError
from gate.ingest.inspect_log import read_inspect
from gate.ingest.text import decode, parse
from gate.schema.report import Report
from gate.schema.untrusted import mapping

_MAGIC = b"PK\x03\x04"
_HEADER, _START, _REDUCTIONS, _SAMPLES = "header.json", "_journal/start.json", "reductions.json", "samples/"
_MOST_ENTRIES = 1_000_000
_STORED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


def is_inspect_archive(data: bytes) -> bool:
    """Whether a zip archive has a log's parts in it; any other archive is none of ours."""
    if not data.startswith(_MAGIC):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return b"_journal/" in data[:4096] or _HEADER.encode() in data[-65_536:]
    return bool(names & {_HEADER, _START})


def read_inspect_archive(data: bytes, name: str, limit: int) -> Report:
    """Report of a `.eval` file.

    Args:
        limit: bytes above which its unpacked parts are refused, all together.

    Raises:
        ReportError: damaged, larger than the limit, or with parts of another shape.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read(archive, name, limit)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise ReportError(
            f"the archive is damaged: {error}"[:200],
            where=name,
            remedy="the run or its upload was cut off; write the log again",
        ) from None


def _read(archive: zipfile.ZipFile, name: str, limit: int) -> Report:
    entries = archive.infolist()
    if len(entries) > _MOST_ENTRIES:
        _too_large(name, f"{len(entries):,} entries")
    wanted = [entry for entry in entries if _is_part(entry.filename)]
    size = sum(entry.file_size for entry in wanted)
    if size > limit:
        _too_large(name, f"{size:,} bytes")
    parts: dict[str, Any] = {}
    for entry in wanted:
        if entry.filename in parts:
            raise ReportError(f"{entry.filename!r:.80} stands twice", where=name, remedy="write the log again")
        if entry.compress_type not in _STORED:
            raise ReportError(
                f"{entry.filename!r:.80} is packed in a way that this version does not read",
                where=name,
                remedy="turn it into JSON: `inspect log dump FILE`",
            )
        parts[entry.filename] = _part(archive, entry, name, limit)
    return read_inspect(_whole(parts, name), name)


def _is_part(path: str) -> bool:
    return path in (_HEADER, _START, _REDUCTIONS) or (path.startswith(_SAMPLES) and path.endswith(".json"))


def _part(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, limit: int) -> Any:
    with archive.open(entry) as file:
        data = file.read(min(entry.file_size, limit) + 1)
    if len(data) > entry.file_size:
        _too_large(name, "more bytes than it says")
    where = f"{name}/{entry.filename:.100}"
    return parse(decode(data, where, limit), where)


def _whole(parts: dict[str, Any], name: str) -> dict[str, Any]:
    if _HEADER in parts:
        log = dict(mapping(parts[_HEADER], f"{name}/{_HEADER}"))
    elif _START in parts:
        log = {**mapping(parts[_START], f"{name}/{_START}"), "status": "started"}
    else:
        raise ReportError("the archive holds no log", where=name, remedy="name a .eval file that Inspect wrote")
    log["samples"] = [parts[path] for path in sorted(parts, key=_order) if path.startswith(_SAMPLES)]
    if _REDUCTIONS in parts:
        log["reductions"] = parts[_REDUCTIONS]
    return log


def _order(path: str) -> tuple[int, str]:
    return len(path), path


def _too_large(name: str, what: str) -> NoReturn:
    raise ReportError(f"unpacked it has {what}, more than is read", where=name, remedy="raise `max-report-bytes`")
