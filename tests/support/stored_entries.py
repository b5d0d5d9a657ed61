"""Entries of a store, made by a few words each."""

from __future__ import annotations

from pathlib import Path

from gate.record.recordings.entry import Entry, Meta, encode_tail
from gate.record.recordings.exchange import Answer
from gate.record.recordings.store import Store

CASE = "tests/test_a.py::test_x"


OTHER = "tests/test_a.py::test_y"


KEYS = [f"{number:032x}" for number in range(4)]


def made(
    key: str = KEYS[0], case: str = CASE, trial: int = 0, body: bytes = b"yes", failed: int = 0, run: str = ""
) -> Entry:
    answer = Answer(500 if failed else 200, (), (body,))
    return Entry(key, case, trial, 0, answer, Meta(at="2025-11-30"), failed, run, {"method": "POST", "url": f"u{key}"})


def add(store: Store, *entries: Entry) -> list[Entry]:
    return [store.append(entry, encode_tail(entry.answer, entry.meta)) for entry in entries]


def bodies(store: Store, case: str = CASE, trial: int = 0, key: str = KEYS[0]) -> list[bytes]:
    held = store.held((case, trial, key))
    return [] if held is None else [store.answer(held.answers[n]).body for n in sorted(held.answers)]


def path_in(folder: Path) -> Path:
    return folder / "tests" / "test_a.py.jsonl"
