"""The file of witnesses beside a baseline: where it stands, whether it can be used, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from gate.errors import BaselineError, ReportError
from gate.suites.perturbation.witness_file import dumps, joined, loads


def witnesses_path(path: str) -> str:
    """`baselines/default.witnesses` for `baselines/default.jsonl`: another ending, so that nobody takes it for one."""
    return str(PurePosixPath(path).with_suffix(".witnesses"))


def stored(data: bytes | None, where: str) -> tuple[bytes, tuple[str, ...]]:
    """What a suite may be told, and a sentence where the file can't be used: then a search must find all anew."""
    if data is None:
        return b"", ()
    try:
        loads(data, where)
    except ReportError as error:
        return b"", (f"no stored witness was tried first, since {where} can't be read: {error.message}",)
    return data, ()


def kept(path: Path, new: bytes | None, cases: Iterable[str], limit: int) -> bytes | None:
    """The file to write beside a baseline; None where nothing is to be written.

    Args:
        path: of the baseline; what stands beside it counts on for sweeps that were not made.
        new: what the run left; None for nothing.
        cases: ids of the baseline's cases; witnesses of others are left out.
        limit: most bytes of the file that is there.

    Raises:
        BaselineError: the file that is there is a link or too large.
        ReportError: one of the two is damaged.
    """
    there = path.with_suffix(".witnesses")
    old = read_beside(path, limit)
    if old is None and new is None:
        return None
    before = {} if old is None else loads(old, str(there))
    data = dumps(joined(before, {} if new is None else loads(new, "witnesses of the run"), cases))
    return None if data == old or (old is None and data == dumps({})) else data


def read_beside(path: Path, limit: int) -> bytes | None:
    """The witnesses beside a baseline on disk; None without any.

    Raises:
        BaselineError: a link, or too large.
    """
    there = path.with_suffix(".witnesses")
    if there.is_symlink():
        raise BaselineError("is a symbolic link, not a file", where=str(there), remedy="put a plain file there")
    if not there.is_file():
        return None
    with there.open("rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        told = f"is larger than the limit of {limit:,} bytes"
        raise BaselineError(told, where=str(there), remedy="raise `max-report-bytes`")
    return data
