"""One file out of a zip that foreign code made: bounded in entries, sizes and ratio, with known names and no links."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection

from gate.errors import DeliveryError

MOST_ENTRIES = 16
MOST_RATIO = 200
FREE_BYTES = 16 * 2**20
"""Up to here any ratio is fine: a report of equal predictions is small when packed."""
_DIRECTORY_BYTES = 64 * 2**10
_END = struct.Struct("<4s4H2LH")
_END_MARK, _LARGE_MARK, _LARGE_BYTES = b"PK\x05\x06", b"PK\x06\x07", 20
_PIECE = 2**20
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGES = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(EOFError, ValueError, OverflowError, RuntimeError, NotImplementedError, OSError),
)


def unpack(data: bytes, name: str, *, known: Collection[str], limit: int, where: str = "archive") -> bytes | None:
    """Content of one file of a zip archive; None when the archive has no such file.

    Every entry is checked, also those that are not read: a plain file with a known name that stands once.

    Args:
        name: of the file, one of `known`.
        known: names that the archive may hold. They have no folders, so none of them is a path.
        limit: bytes of the unpacked file above which it is refused.
        where: what the archive is called in errors.

    Raises:
        DeliveryError: damaged, encrypted, too large, packed too tightly, or with an entry that may not be there.
    """
    try:
        _check_directory(data, where)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(entries, known, where)
            chosen = [entry for entry in entries if entry.filename == name]
            return _content(archive, chosen[0], limit, where) if chosen else None
    except _DAMAGES as error:
        raise _refusal(f"is damaged ({type(error).__name__})", where) from None


def _check_directory(data: bytes, where: str) -> None:
    """Bound the list of entries before anything is built of it: `zipfile` reads all that the archive announces."""
    end = len(data) - _END.size
    if end < 0:
        raise _refusal("is damaged (it ends before its list of files)", where)
    mark, disk, first_disk, here, entries, size, start, comment = _END.unpack_from(data, end)
    if mark != _END_MARK or comment or disk or first_disk or here != entries:
        raise _refusal("is damaged (its list of files does not stand at its end)", where)
    if data[max(0, end - _LARGE_BYTES) : end].startswith(_LARGE_MARK):
        raise _refusal("is in the format for more than 4 GB", where)
    if entries > MOST_ENTRIES or size > _DIRECTORY_BYTES or start + size != end:
        raise _refusal(f"has {entries:,} files in a list of {size:,} bytes", where)


def _check_entries(entries: list[zipfile.ZipInfo], known: Collection[str], where: str) -> None:
    seen: set[str] = set()
    for entry in entries:
        # As written, not as `zipfile` tidies it: a NUL or a backslash is no part of a known name.
        name = entry.orig_filename
        if name not in known or entry.filename != name:
            raise _refusal(f"holds {name!r:.80}, which does not belong there", where)
        if name in seen:
            raise _refusal(f"holds {name!r:.80} twice", where)
        seen.add(name)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or entry.is_dir():
            raise _refusal(f"holds {name!r:.80} as a link or a device, not as a file", where)
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS:
            raise _refusal(f"holds {name!r:.80} encrypted or in another packing than deflate", where)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int, where: str) -> bytes:
    if entry.file_size > limit:
        raise _refusal(f"holds {entry.file_size:,} bytes, more than the limit of {limit:,}", where)
    if entry.file_size > max(FREE_BYTES, MOST_RATIO * entry.compress_size):
        raise _refusal(f"is packed more than {MOST_RATIO} to one", where)
    made = bytearray()
    with archive.open(entry) as stream:
        # In pieces: `zipfile` unpacks a whole piece before it cuts it to the size that the foreign list tells.
        while piece := stream.read(_PIECE):
            made += piece
    if len(made) != entry.file_size:
        raise _refusal("holds less than it says", where)
    return bytes(made)


def _refusal(message: str, where: str) -> DeliveryError:
    return DeliveryError(message, where=where, remedy="upload only the files that the copied workflow names")
