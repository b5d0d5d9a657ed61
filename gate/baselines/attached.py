"""Large sets of examples beside a baseline, in files named by their content.

A line that holds hundreds of thousands of ids would be rewritten whole by every refresh. So a set of more than
`INLINE` examples leaves its line: who the examples are and what is true of them goes into one file, what the model
made of them into another, and the line names both by digest. A refresh over the same examples rewrites the second
only, two branches never disagree about a file's content, and git shows packed files in one line.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

from gate.errors import BaselineError

INLINE = 1_000
"""Examples up to which a set stays in its line."""
_EXAMPLES, _ANSWERS = "examples", "answers"
_FIELDS: Mapping[str, tuple[str, ...]] = {_EXAMPLES: ("ids", "expected"), _ANSWERS: ("predicted", "scores", "attacks")}
_MAGIC = b"gate examples 1\0"
"""Its NUL tells git that the file is no text."""
_NAME = re.compile(r"[0-9a-f]{64}")
_REMEDY = (
    "take the folder from the commit of the baseline, or run `gate baseline refresh` and commit all of `baselines/`"
)

Read = Callable[[str], bytes | None]
"""Path of an attached file -> its content, None where there is none."""


def folder_of(path: str) -> str:
    """Folder of what is attached to a baseline: `baselines/default.examples` for `baselines/default.jsonl`."""
    return str(PurePosixPath(path).with_suffix(".examples"))


def detach(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """A baseline without its large sets, and the files that hold them by name.

    Args:
        data: what `dump_baseline` gave.
    """
    files: dict[str, bytes] = {}
    lines = [_slim(line, files) if b'"predictions":' in line else line for line in data.split(b"\n")]
    return b"\n".join(lines), files


def attach(data: bytes, path: str, read: Read, *, limit: int, where: str = "") -> bytes:
    """A baseline with its large sets back in their lines, as `gate.ingest` reads it; others come back as they are.

    Args:
        path: of the baseline, beside which its files lie.
        read: of an attached file.
        limit: most bytes of the result.
        where: name of the baseline, for errors.

    Raises:
        BaselineError: a file is missing, is another than its name says, or all together is too large.
    """
    if not data.lstrip().startswith(b'{"gate_baseline"') or b'"%s":' % _EXAMPLES.encode() not in data:
        return data
    folder, left, lines = folder_of(path), limit - len(data), []
    for line in data.split(b"\n"):
        whole = line
        if b'"predictions":' in line and b'"%s":' % _EXAMPLES.encode() in line:
            whole = _whole(line, folder, read, left, where or path)
            left -= len(whole) - len(line)
        lines.append(whole)
    return b"\n".join(lines)


def write_attached(path: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a baseline beside it; one that is there with the right content is left alone.

    Raises:
        UsageError: the folder can't be written.
        BaselineError: a link stands in its place.
    """
    from gate.baselines.write import write_atomically

    folder = path.with_suffix(".examples")
    _refuse_link(folder)
    for name, content in sorted(files.items()):
        there = folder / name
        if there.is_symlink() or not there.is_file() or there.read_bytes() != content:
            write_atomically(there, content)


def remove_unreferenced(path: Path, files: Mapping[str, bytes]) -> None:
    """Remove attached files of former baselines, once the new one is written; other files are nobody's business."""
    folder = path.with_suffix(".examples")
    for there in sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []:
        if _NAME.fullmatch(there.name) and there.name not in files:
            there.unlink()
    if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()


def on_disk(limit: int, below: Path | None = None) -> Read:
    """Reads attached files from a folder; links are not followed.

    Args:
        limit: most bytes of one file.
        below: what paths are relative to; the working folder without it.
    """

    def read(name: str) -> bytes | None:
        path = Path(name) if below is None else below / name
        _refuse_link(path.parent)
        _refuse_link(path)
        try:
            with path.open("rb") as stream:
                found = stream.read(limit + 1)
        except OSError:
            return None
        if len(found) > limit:
            _too_large(limit, name)
        return found

    return read


def _slim(line: bytes, files: dict[str, bytes]) -> bytes:
    case = json.loads(line)
    large = [entry for entry in _sets(case) if entry["ids"].count(" ") >= INLINE]
    if not large:
        return line
    for entry in large:
        for key, names in _FIELDS.items():
            held = {name: entry.pop(name) for name in names if name in entry}
            entry[key] = _filed(held, files)
    return json.dumps(case, ensure_ascii=line.isascii(), allow_nan=False, separators=(",", ":")).encode("utf-8")


def _filed(held: Mapping[str, Any], files: dict[str, bytes]) -> str:
    content = json.dumps(held, allow_nan=False, separators=(",", ":"), sort_keys=True).encode("ascii")
    name = hashlib.sha256(content).hexdigest()
    files[name] = _MAGIC + zlib.compress(content, 9)
    return name


def _whole(line: bytes, folder: str, read: Read, left: int, where: str) -> bytes:
    try:
        case = json.loads(line)
    except (ValueError, RecursionError):
        return line  # whoever reads the baseline says what is wrong with it
    for entry in _sets(case):
        for key, names in _FIELDS.items():
            if key in entry:
                held = _held(entry.pop(key), folder, read, left, where)
                if not set(held) <= set(names):
                    _refuse(f"{where}: {folder}", f"an attached file holds other than {', '.join(names)}")
                entry.update(held)
    return json.dumps(case, ensure_ascii=line.isascii(), separators=(",", ":")).encode("utf-8", "surrogatepass")


def _held(name: object, folder: str, read: Read, left: int, where: str) -> dict[str, Any]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        _refuse(where, f"{name!r:.80} names no attached file")
    path = f"{folder}/{name}"
    packed = read(path)
    if packed is None:
        _refuse(path, f"is missing, and {where} refers to it")
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(packed.removeprefix(_MAGIC), max(left, 1)) if packed.startswith(_MAGIC) else b""
    except zlib.error:
        content = b""
    if unpacker.unconsumed_tail:
        _too_large(left, path)
    if hashlib.sha256(content).hexdigest() != name:
        _refuse(path, "holds something else than its name says")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        _refuse(path, "is no attached file")
    return found


def _sets(case: Any) -> Iterator[dict[str, Any]]:
    predictions = case.get("predictions") if isinstance(case, dict) else None
    for entry in predictions if isinstance(predictions, list) else []:
        if isinstance(entry, dict):
            yield entry


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise BaselineError("is a symbolic link", where=str(path), remedy="put a plain folder and plain files there")


def _refuse(where: str, told: str) -> NoReturn:
    raise BaselineError(told, where=where, remedy=_REMEDY)


def _too_large(limit: int, where: str) -> NoReturn:
    raise BaselineError(f"is larger than the limit of {limit:,} bytes", where=where, remedy="raise `max-report-bytes`")
