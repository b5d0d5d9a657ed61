"""Tables that people fill in and give back: read as a whole, or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from gate.errors import UsageError

_LARGEST_CELL = 16 * 2**20


def read_rows(data: bytes, where: str, columns: Sequence[str], remedy: str) -> tuple[tuple[int, dict[str, str]], ...]:
    """The rows of a CSV with its header, each with the number of its row; the header is row 1.

    Args:
        where: name of the file, for errors.
        columns: that it must have.
        remedy: how a whole one is had.

    Raises:
        UsageError: no UTF-8, no CSV, a column is missing, or it was cut: within a quoted cell, or within a row.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"no UTF-8 at byte {error.start}", where=where, remedy="save it as CSV in UTF-8") from None
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        missing = [name for name in columns if name not in header]
        if missing:
            raise UsageError(f"has no column `{missing[0]}`, separated by commas", where=where, remedy=remedy)
        rows = list(reader)
    except csv.Error as error:
        cut = "is cut within a quoted cell" if "unexpected end" in str(error) else f"is no table: {error}"
        raise UsageError(cut, where=where, remedy=remedy) from None
    if rows and len(rows[-1]) < len(header) and not text.endswith(("\n", "\r")):
        raise UsageError("is cut within its last row", where=f"{where}:{len(rows) + 1}", remedy=remedy)
    # a spreadsheet may leave out empty cells at the end of a row
    padded = (row + [""] * (len(header) - len(row)) for row in rows)
    return tuple((number, dict(zip(header, row, strict=False))) for number, row in enumerate(padded, 2) if any(row))
