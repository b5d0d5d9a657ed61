"""Typed blocks of evidence that every renderer can show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    TEXT = "text"
    DIFF = "diff"
    TABLE = "table"
    CURVE = "curve"
    COMMAND = "command"


BOTH_SIDES = ("ε", "main", "here")
"""Header of a curve that is drawn: shares in percent on both sides, by a rising ε. Any other is shown as a table."""


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of evidence.

    Attributes:
        kind: how a renderer shows it.
        title: a short heading; untrusted text.
        body: the text of a text, diff or command block; untrusted text.
        header: column names of a table or a curve (first column is x).
        rows: cells of a table, or the points of a curve as decimal strings; untrusted text.
    """

    kind: BlockKind
    title: str = ""
    body: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
