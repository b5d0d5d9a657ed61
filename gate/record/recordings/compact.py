"""A file of recordings written anew: sorted, each request once, without what no longer holds."""

from __future__ import annotations

import contextlib
import filecmp
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from gate.record.recordings.entry import HEADER, Entry, Head, Order, encode
from gate.record.recordings.journal import Reader
from gate.record.recordings.locking import state_folder, unwritable
from gate.record.recordings.runs import is_alive, is_kept

_PART = ".part"
Keep = Callable[[Entry], bool]


def rewrite(path: Path, name: str, folder: Path, *, add: Iterable[Entry] = (), keep: Keep = lambda entry: True) -> int:
    """Write a file anew unless that changes nothing. The caller holds the lock of the folder.

    Entries of runs that are still going on stay as they are, and those of a killed run that the next can go on from.

    Args:
        add: entries, each of which replaces the one of the same call.
        keep: whether an entry stays.

    Returns:
        How many of the entries that held were left out.

    Raises:
        RecordingError: the file is damaged, or the disk refuses; the old file is then whole.
    """
    reader = Reader(path, name)
    left_out = 0
    added = {entry.order: entry for entry in add}
    try:
        for left in state_folder(folder).glob(f"*{_PART}"):  # of a process that was killed: only one has the lock
            left.unlink()
        handle, beside = tempfile.mkstemp(dir=state_folder(folder), suffix=_PART)
    except OSError as error:
        raise unwritable(folder, error) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(HEADER)
            written: set[str] = set()
            for entry in _sorted(reader, folder, added):
                if not entry.run and entry.order not in added and not keep(entry):
                    left_out += 1
                    continue
                stream.write(encode(replace(entry, request=None) if entry.key in written else entry))
                if entry.request is not None:
                    written.add(entry.key)
            whole = stream.tell()
            stream.flush()
            os.fsync(stream.fileno())
        _swap(Path(beside), path, folder, empty=whole == len(HEADER))
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            Path(beside).unlink()
        reader.close()
    return left_out


def _sorted(reader: Reader, folder: Path, added: dict[Order, Entry]) -> Iterator[Entry]:
    """Entries in the order of the file, read one by one; those of killed runs without their run's name."""
    chosen: list[tuple[Order, str, Head | Entry]] = []
    for head, run in _chosen(reader, folder):
        if run or head.order not in added:
            chosen.append((head.order, run, head))
    chosen += [(order, "", entry) for order, entry in added.items()]
    for _, run, each in sorted(chosen, key=lambda item: item[:2]):
        yield replace(reader.entry(each), run=run) if isinstance(each, Head) else each


def _chosen(reader: Reader, folder: Path) -> Iterator[tuple[Head, str]]:
    """Entries that are kept, each with the run that it goes on belonging to."""
    for case in reader.index.cases():
        holding = reader.index.unfinished(case)
        going_on = {
            run: heads
            for run, heads in reader.index.pending(case).items()
            if (is_alive(folder, run) if run in holding else is_kept(folder, run))
        }
        for head in reader.index.holding(case):
            if head.run not in going_on:
                yield head, ""
        for run, heads in going_on.items():
            yield from ((head, run) for head in heads)


def _swap(beside: Path, path: Path, folder: Path, *, empty: bool) -> None:
    """Put the new file in the place of the old one; a file without entries goes, and folders that it leaves empty."""
    if empty:
        path.unlink(missing_ok=True)
        for parent in path.parents:
            if parent == folder or not parent.is_relative_to(folder):
                return
            try:
                parent.rmdir()
            except OSError:
                return
    elif not path.exists() or not filecmp.cmp(beside, path, shallow=False):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        beside.replace(path)
