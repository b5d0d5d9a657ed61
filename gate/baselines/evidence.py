"""One archive for auditors: what was decided, from what, under which settings, and who accepted what.

The manifest names every file with its size and SHA-256, and ends in a seal: the digest of all of these. Whoever keeps
the seal elsewhere can tell later that not one byte was changed. Nothing in the archive depends on when it was made.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gate.errors import GateError, ReportError
from gate.schema.evidence_archive import MANIFEST, NAMES, SCHEMA

_TIME = (1980, 1, 1, 0, 0, 0)  # the first one that the format knows
_MOST_ENTRIES = len(NAMES) + 1
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, OverflowError, RuntimeError)
_REMEDY = "get the archive again from where it was kept"


class EvidenceError(GateError):
    """The archive is not what was sealed."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """An archive that holds together.

    Attributes:
        seal: SHA-256 over the manifest's entries, hexadecimal.
        files: content by name, without the manifest.
    """

    seal: str
    files: Mapping[str, bytes]


def seal_of(entries: Mapping[str, Mapping[str, Any]]) -> str:
    """Digest of names, sizes and digests, each in a line, sorted by name."""
    lines = "".join(f"{name} {entry['bytes']} {entry['sha256']}\n" for name, entry in sorted(entries.items()))
    return hashlib.sha256(f"gate evidence {SCHEMA}\n{lines}".encode()).hexdigest()


def write_evidence(files: Mapping[str, bytes]) -> tuple[bytes, str]:
    """The archive (zip) and its seal. The same files give the same bytes.

    Args:
        files: content by name, all of `NAMES`.

    Raises:
        ValueError: another name.
    """
    unknown = sorted(set(files) - set(NAMES))
    if unknown:
        raise ValueError(f"{unknown[0]} is no part of an archive")
    entries = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(files.items())
    }
    seal = seal_of(entries)
    manifest = json.dumps({"schema": SCHEMA, "files": entries, "seal": seal}, indent=1, sort_keys=True).encode("ascii")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in ((MANIFEST, manifest), *sorted(files.items())):
            info = zipfile.ZipInfo(name, _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            info.create_system = 3
            archive.writestr(info, data)
    return buffer.getvalue(), seal


def read_evidence(data: bytes, name: str, *, limit: int) -> Evidence:
    """An archive, once every byte of it is as it was sealed.

    Args:
        limit: bytes above which its files are refused, all together.

    Raises:
        EvidenceError: something was changed, taken out, added or doubled; the file is named.
        ReportError: it is no such archive, is larger than the limit, or of a newer schema.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = _files(archive, name, limit)
    except _DAMAGE as error:
        raise EvidenceError(f"the archive is damaged: {error}"[:200], where=name, remedy=_REMEDY) from None
    entries, seal = _manifest(files.pop(MANIFEST, None), name)
    for path in sorted({*entries, *files}):
        if path not in files:
            raise EvidenceError("is missing from the archive", where=f"{name}: {path}", remedy=_REMEDY)
        if path not in entries:
            raise EvidenceError("is in the archive and not sealed", where=f"{name}: {path}", remedy=_REMEDY)
        told = entries[path]
        if len(files[path]) != told["bytes"] or hashlib.sha256(files[path]).hexdigest() != told["sha256"]:
            raise EvidenceError("is not what was sealed", where=f"{name}: {path}", remedy=_REMEDY)
    if seal_of(entries) != seal:
        raise EvidenceError("the seal is not that of its entries", where=f"{name}: {MANIFEST}", remedy=_REMEDY)
    again, _ = write_evidence(files)
    if again != data:  # what stands between the files, in their headers, or after the end
        raise EvidenceError("bytes around the files were changed", where=name, remedy=_REMEDY)
    return Evidence(seal, files)


def _files(archive: zipfile.ZipFile, name: str, limit: int) -> dict[str, bytes]:
    entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if len(entries) > _MOST_ENTRIES or size > limit:
        what = f"{len(entries):,} files with {size:,} bytes"
        raise ReportError(f"holds {what}, more than is read", where=name, remedy="raise `max-report-bytes`, or look")
    found: dict[str, bytes] = {}
    for entry in entries:
        if entry.filename not in (*NAMES, MANIFEST) or entry.filename in found:
            raise EvidenceError("is no part of an archive, or stands twice", where=f"{name}: {entry.filename!r:.80}")
        with archive.open(entry) as file:
            found[entry.filename] = file.read(entry.file_size + 1)
    return found


def _manifest(data: bytes | None, name: str) -> tuple[dict[str, dict[str, Any]], str]:
    where = f"{name}: {MANIFEST}"
    if data is None:
        raise ReportError(
            "is no archive of evidence: it has no manifest", where=name, remedy="name one that gate wrote"
        )
    try:
        value = json.loads(data)
        schema, seal = int(value["schema"]), str(value["seal"])
        entries = {
            str(path): {"bytes": int(entry["bytes"]), "sha256": str(entry["sha256"])}
            for path, entry in value["files"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise EvidenceError("can't be read", where=where, remedy=_REMEDY) from None
    if schema > SCHEMA:
        raise ReportError(f"schema {schema} is newer than {SCHEMA}", where=where, remedy="update robustness-gate")
    return entries, seal
